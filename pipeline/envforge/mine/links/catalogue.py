"""Loads link files and checks all that can be checked before a schema is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.core.records.link import Link
from envforge.mine.archetypes.check import check_archetype
from envforge.mine.archetypes.goals import families_of, named_part, relations_of
from envforge.mine.declared import first_problem, load_folders, read_mapping
from envforge.mine.derived.declared import written_out
from envforge.mine.links.roles import renamed_roles, with_roles

_GOALS = ("relations", "words", "intents")


def load_links(folders: Sequence[Path], archetypes: Sequence[Archetype]) -> list[Link]:
    """The links in the `links` folders of `folders` (themes/), by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy; also where two links join the same pair.
    """
    known = {archetype.id: archetype for archetype in archetypes}
    links = load_folders([folder / "links" for folder in folders], lambda path: load_link(path, known, folders))
    pairs: dict[tuple[str, str], str] = {}
    for link in links:
        other = pairs.setdefault(link.pair, link.id)
        if other != link.id:
            pair = " and ".join(link.pair)
            raise ConfigError(
                f"{other} joins {pair} too", where=f"link {link.id}", remedy="keep one link for each pair"
            )
    return links


def load_link(path: Path, archetypes: Mapping[str, Archetype], folders: Sequence[Path]) -> Link:
    """One link file with its goals, checked against the archetypes that it joins. Raises ConfigError."""
    content = read_mapping(path, "start with id, version, title, host, tracked")
    host, tracked = (_side(content, name, archetypes, str(path)) for name in ("host", "tracked"))
    try:
        plain = Link.model_validate({key: part for key, part in content.items() if key not in _GOALS})
        called = renamed_roles(host, tracked, plain.tracked)
        relations = {
            **_shared_relations(host.id, folders, {}),
            **_shared_relations(tracked.id, folders, called, prefix=plain.tracked.prefix),
        }
        goals = {key: content[key] for key in _GOALS if key in content}
        own = {**relations, **named_part(goals, "relations", str(path))}
        families = families_of({**goals, "relations": own}, str(path))
        link = Link.model_validate({**plain.model_dump(by_alias=True, exclude_unset=True), "intents": families})
    except ValidationError as error:
        raise first_problem(error, path, "docs/links.md describes every field") from error
    fixed = [process.name for process in link.scenario if process.fixed]
    if fixed:
        raise ConfigError("a link has no fixed process", where=f"{path}: scenario.{fixed[0]}", remedy="leave out fixed")
    try:
        link = written_out(link)
        check_archetype(with_roles(link, host, tracked))
    except ConfigError as error:
        error.where = f"{path}: {error.where}"
        raise
    return link


def _side(content: Mapping[str, Any], name: str, archetypes: Mapping[str, Archetype], where: str) -> Archetype:
    written: Any = content.get(name)
    wanted: Any = cast("dict[str, Any]", written).get("archetype") if isinstance(written, dict) else None
    if wanted not in archetypes:
        problem = f"{wanted!r} is no archetype" if wanted else "says no archetype"
        remedy = f"write {{archetype: …, prefix: …}}; there are: {', '.join(sorted(archetypes))}"
        raise ConfigError(problem, where=f"{where}: {name}", remedy=remedy)
    return archetypes[wanted]


def _shared_relations(
    archetype: str, folders: Sequence[Path], called: Mapping[str, str], prefix: str = ""
) -> dict[str, str]:
    """What the goals file of an archetype names, for a link to use; the tracked side's as `<prefix>_<name>`."""
    for folder in folders:
        path = folder / "intents" / f"{archetype}.yaml"
        if path.is_file():
            written = named_part(read_mapping(path, "start with intents"), "relations", str(path))
            whole = relations_of(written, str(path))
            ahead = f"{prefix}_" if prefix else ""
            return {f"{ahead}{name}": _with_roles_called(query[1:-1], called) for name, query in whole.items()}
    return {}


def _with_roles_called(query: str, called: Mapping[str, str]) -> str:
    """The query with the roles of its archetype called as the link calls them."""
    for role, name in called.items():
        if role != name:
            query = re.sub(rf"@{role}(?![a-z0-9_])", f"@{name}", query)
            query = re.sub(rf"<<{role}(?=[.?])", f"<<{name}", query)
    return query


def link_between(host: str, tracked: str, links: Sequence[Link]) -> Link:
    """The link of a pair of archetypes. Raises ConfigError with the pairs that there are."""
    for link in links:
        if link.pair == (host, tracked):
            return link
    pairs = "; ".join(f"{one.host.archetype} with {one.tracked.archetype}" for one in links)
    raise ConfigError(
        f"nothing says how {host} keeps track of {tracked}",
        where="--link",
        remedy=f"there is: {pairs}" if pairs else "write a file themes/links/<id>.yaml (docs/links.md)",
    )
