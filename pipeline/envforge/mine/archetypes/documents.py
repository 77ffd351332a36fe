"""The documents file of an archetype (themes/documents/<archetype>.yaml): its documents, and goals about them.

It has the parts of a goals file (relations, words, intents) and `documents`. The rows of each kind of document are a
relation under its name, so that goals can ask what stands in a document; relations of the goals file are known too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from envforge.core.errors import ConfigError
from envforge.core.records.document import DocumentPlan
from envforge.mine.archetypes.goals import families_of, relations_of

_FILLS = {"csv": "columns", "json": "content", "yaml": "content"}
_SLOT = re.compile(r"\{([^{}]*)\}")


def with_documents(content: Mapping[str, Any], goals: Mapping[str, Any], written: Mapping[str, Any], where: str) -> Any:
    """The content of an archetype's file with documents, and with the goals about them behind its own."""
    documents = [dict(one) for one in written.get("documents", [])]
    relations = {**goals.get("relations", {}), **written.get("relations", {})}
    relations |= {one.get("name", ""): one.get("rows", "") for one in documents}
    whole = relations_of(relations, where)
    for one in documents:
        one["rows"] = _inside(whole[one.get("name", "")])
    rest = {name: part for name, part in written.items() if name != "documents"}
    own = {**goals.get("words", {}), **written.get("words", {})}
    families = families_of({**rest, "relations": relations, "words": own}, where)
    return {**content, "documents": documents, "intents": [*content.get("intents", []), *families]}


def _inside(query: str) -> str:
    """A relation without the brackets around it."""
    return query[1:-1]


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
