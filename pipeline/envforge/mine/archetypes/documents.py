"""The documents file of an archetype (themes/documents/<archetype>.yaml): its documents, and goals about them.

It has the parts of a goals file (relations, words, intents) and `documents`. The rows of each kind of document are a
relation under its name, so that goals can ask what stands in a document; relations of the goals file are known too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.core.errors import ConfigError
from envforge.core.records.document import DocumentPlan
from envforge.mine.archetypes.goals import families_of, listed_part, named_part, relations_of
from envforge.mine.archetypes.sqlcheck import SqlChecker

_FILLS = {"csv": "columns", "json": "content", "yaml": "content"}
_SLOT = re.compile(r"\{([^{}]*)\}")


def with_documents(content: Mapping[str, Any], goals: Mapping[str, Any], written: Mapping[str, Any], where: str) -> Any:
    """The content of an archetype's file with documents, and with the goals about them behind its own."""
    listed = listed_part(written, "documents", where)
    documents = [_named(one, f"{where}: documents.{at}") for at, one in enumerate(listed)]
    relations = {**named_part(goals, "relations", where), **named_part(written, "relations", where)}
    for one in documents:
        if one["name"] in relations:
            place = f"{where}: documents.{one['name']}"
            raise ConfigError("is the name of another document or relation", where=place, remedy="give it its own")
        relations[one["name"]] = one.get("rows")
    whole = relations_of(relations, where)
    for one in documents:
        one["rows"] = _inside(whole[one["name"]])
    rest = {name: part for name, part in written.items() if name != "documents"}
    own = {**named_part(goals, "words", where), **named_part(written, "words", where)}
    families = families_of({**rest, "relations": relations, "words": own}, where)
    return {**content, "documents": documents, "intents": [*content.get("intents", []), *families]}


def _named(written: Any, where: str) -> dict[str, Any]:
    """A document as the file writes it. Raises ConfigError for one that goals could not ask for by name."""
    content = cast("dict[str, Any]", written) if isinstance(written, dict) else {}
    if not isinstance(content.get("name"), str):
        raise ConfigError("has no name", where=where, remedy="write name, format, about, rows and what fills it")
    return dict(content)


def _inside(query: str) -> str:
    """A relation without the brackets around it."""
    return query[1:-1]


def check_plans(plans: Sequence[DocumentPlan], checker: SqlChecker, where: str) -> None:
    """The query of every plan can be prepared, and the plan fits it. Raises ConfigError."""
    for plan in plans:
        check_plan(plan, checker.columns(plan.rows, f"document {plan.name}"), where)


def check_plan(plan: DocumentPlan, columns: set[str], where: str) -> None:
    """What fills the document fits its format, and names columns of its rows. Raises ConfigError."""
    place = f"{where}, document {plan.name}"
    wanted = _FILLS.get(plan.format, "parts")
    for part in ("columns", "content", "parts"):
        if bool(getattr(plan, part)) != (part == wanted):
            raise ConfigError(
                f"a {plan.format} document is filled by {wanted}", where=place, remedy="see docs/archetypes.md"
            )
    if "path" not in columns:
        raise ConfigError(
            "the rows have no column path", where=place, remedy="select one: rows of a path are a document"
        )
    for name in named_columns(plan):
        if name not in columns:
            raise ConfigError(
                f"the rows have no column {name!r}", where=place, remedy=f"there are {', '.join(sorted(columns))}"
            )
    if any(bool(part.insert) != (plan.format == "sql" and not part.text) for part in plan.parts):
        raise ConfigError("sql has inserts and texts (comments), other formats have none", where=place)
    for part in plan.parts:
        said = [name for name in ("heading", "text", "list", "table") if getattr(part, name)]
        if len(said) != 1 or (part.insert and said != ["table"]):
            raise ConfigError(
                f"a part has {', '.join(said) or 'nothing'}",
                where=place,
                remedy="give each part one of heading, text, list, table; an insert a table",
            )
    for extra in _beside_each(plan.content):
        raise ConfigError(f"{extra!r} stands beside each", where=place, remedy="a list or mapping of rows has only by")


def _beside_each(content: Any) -> Iterator[str]:
    """Keys of a tree that would not be written: a mapping with `each` becomes what `each` says."""
    if isinstance(content, list | tuple):
        for inner in cast("Sequence[Any]", content):
            yield from _beside_each(inner)
    elif isinstance(content, Mapping):
        tree = cast("Mapping[str, Any]", content)
        if "each" in tree:
            yield from sorted({*tree} - {"each", "by"})
        for inner in tree.values():
            yield from _beside_each(inner)


def named_columns(plan: DocumentPlan) -> list[str]:
    """The columns that the plan puts into its documents."""
    found = [*plan.columns.values(), *_slots(plan.content)]
    for part in plan.parts:
        found += [*part.table.values(), *_slots([part.heading, part.text, part.list])]
    return list(dict.fromkeys(found))


def _slots(value: Any) -> list[str]:
    if isinstance(value, str):
        return _SLOT.findall(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return [slot for one in (*entries.keys(), *entries.values()) for slot in _slots(one)]
    inner = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return [slot for one in inner for slot in _slots(one)]
