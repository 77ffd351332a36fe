"""How the tools of an environment hand out long lists, read from tools.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from envforge.core.records.environment import ToolSpec

_CURSOR = re.compile(r"cursor|page_?token|continuation|^after$|^starting_after$", re.IGNORECASE)
_NEXT = re.compile(r"next|cursor|continuation", re.IGNORECASE)
_SIZE = re.compile(r"page_?size|per_?page|limit|max_?results|^count$", re.IGNORECASE)


@dataclass(frozen=True)
class Paging:
    """Parameter and field names of one tool; "" where it has none, size 0 where it has no largest page."""

    items: str = ""
    cursor: str = ""
    following: str = ""
    size_parameter: str = ""
    size: int = 0


def paging_of(tool: ToolSpec) -> Paging:
    """What the tool's own parameters and result say."""
    parameters = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
    fields = cast("Mapping[str, Mapping[str, Any]]", tool.returns.get("properties", {}))
    following = [name for name, schema in fields.items() if _NEXT.search(name) and _is(schema, "string")]
    texts = [name for name, schema in parameters.items() if _is(schema, "string")]
    cursors = [name for name in texts if _CURSOR.search(name)]
    # Interfaces that count pages or rows keep their word for it ("page", "offset"); what it takes stands beside it.
    cursors += [n for n in texts if any(field in str(parameters[n].get("description", "")) for field in following)]
    sizes = [
        (name, int(schema["maximum"]))
        for name, schema in parameters.items()
        if _SIZE.search(name) and _is(schema, "integer") and isinstance(schema.get("maximum"), int)
    ]
    lists = [name for name, schema in fields.items() if _is(schema, "array")]
    cursor, after = (cursors[0], following[0]) if cursors and following else ("", "")
    items = "items" if "items" in lists else (lists[0] if len(lists) == 1 else "")
    return Paging(items, cursor, after, *(sizes[0] if sizes else ("", 0)))


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    found = schema.get("type")
    return kind in cast("list[Any]", found) if isinstance(found, list) else found == kind
