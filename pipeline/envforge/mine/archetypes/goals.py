"""The goals file of an archetype: families, and what they share.

`relations` are named queries; `$name` in a query of a family (or of a later relation) stands for the query in brackets.
`words` are banks that any family may use; each family takes over those that its own templates name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from envforge.core.errors import ConfigError

WORD_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\??(?:[.|][^{}]*)?\}")
_RELATION = re.compile(r"\$([a-z][a-z0-9_]*)")
_NO_SQL = frozenset({"id", "kind", "title", "gold", "alternatives", "wording", "say", "description", "policy"})
_PARTS = frozenset({"relations", "words", "intents"})


def families_of(content: Mapping[str, Any], where: str) -> list[Any]:
    """The families with relations written out and shared words taken over. Raises ConfigError."""
    strangers = sorted(content.keys() - _PARTS)
    if strangers:
        remedy = f"a goals file has {', '.join(sorted(_PARTS))}"
        raise ConfigError(f"knows no part {strangers[0]!r}", where=where, remedy=remedy)
    relations = relations_of(named_part(content, "relations", where), where)
    words = named_part(content, "words", where)
    found: list[Any] = []
    for family in listed_part(content, "intents", where):
        if isinstance(family, dict):
            place = f"{where}: intents.{cast('dict[str, Any]', family).get('id', len(found))}"
            written = cast("dict[str, Any]", _written_out(family, relations, place))
            found.append(_with_words(written, words))
        else:
            found.append(family)  # the record refuses it by its place
    return found


def named_part(content: Mapping[str, Any], part: str, where: str) -> dict[str, Any]:
    """What a part of a file has by name, nothing where the file leaves it out. Raises ConfigError."""
    written: Any = content.get(part, {})
    if not isinstance(written, dict):
        raise ConfigError("is no mapping", where=f"{where}: {part}", remedy="write name: content, or leave it out")
    return cast("dict[str, Any]", written)


def listed_part(content: Mapping[str, Any], part: str, where: str) -> list[Any]:
    """The items of a part of a file, none where the file leaves it out. Raises ConfigError."""
    written: Any = content.get(part, [])
    if not isinstance(written, list):
        raise ConfigError("is no list", where=f"{where}: {part}", remedy="write its items with -, or leave it out")
    return cast("list[Any]", written)


def relations_of(written: Mapping[str, str], where: str) -> dict[str, str]:
    """Each relation with those before it written out, in brackets. Raises ConfigError."""
    relations: dict[str, str] = {}
    for name, query in written.items():
        if not isinstance(cast("Any", query), str):
            raise ConfigError("is no query", where=f"{where}: relations.{name}", remedy="write a SELECT")
        relations[name] = f"({_expanded(query.strip(), relations, f'{where}: relations.{name}')})"
    return relations


def _expanded(text: str, relations: Mapping[str, str], where: str) -> str:
    def query(found: re.Match[str]) -> str:
        if found[1] not in relations:
            raise ConfigError(
                f"${found[1]} is no relation", where=where, remedy="name it under relations, before its use"
            )
        return relations[found[1]]

    return _RELATION.sub(query, text)


def _written_out(value: Any, relations: Mapping[str, str], where: str) -> Any:
    if isinstance(value, str):
        return _expanded(value, relations, where)
    if isinstance(value, list):
        return [_written_out(item, relations, where) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value).items()
        return {
            key: item if key in _NO_SQL else _written_out(item, relations, f"{where}.{key}") for key, item in entries
        }
    return value


def _with_words(family: dict[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """The family with the shared banks that its templates lead to; its own banks win."""
    banks: dict[str, Any] = dict(family.get("wording", {}))
    waiting = list(banks)
    while waiting:
        templates = banks[waiting.pop()]
        named = {slot for template in templates for slot in WORD_SLOT.findall(template)}
        for bank in sorted(words):
            if bank.partition("/")[0] in named and bank not in banks:
                banks[bank] = words[bank]
                waiting.append(bank)
    return {**family, "wording": banks}
