"""Values as source. Python: double quotes, one entry a line where a line would be too long, always the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, cast

WIDTH = 110


def literal(value: Any, indent: int = 0, used: int = 0) -> str:
    """Source of a JSON value or tuple. `indent` is that of its first line, `used` what stands before it there."""
    short = _flat(value)
    if not isinstance(value, dict | list | tuple) or indent + used + len(short) <= WIDTH:
        return short
    inner = " " * (indent + 4)
    lines = [f"{inner}{line},\n" for line in _entries(value, indent + 4)]
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]") if isinstance(value, list) else ("(", ")")
    return f"{opening}\n{''.join(lines)}{' ' * indent}{closing}"


def sql_text(value: object) -> str:
    """A value as text in SQL."""
    return "'" + str(value).replace("'", "''") + "'"


def _entries(value: Any, indent: int) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in cast("dict[Any, Any]", value).items():
            name = f"{_flat(key)}: "
            yield name + literal(item, indent, len(name) + 1)
    else:
        yield from (literal(item, indent, 1) for item in value)


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return "{" + ", ".join(f"{_flat(key)}: {_flat(item)}" for key, item in pairs) + "}"
    if isinstance(value, list | tuple):
        items = [_flat(item) for item in cast("list[Any]", value)]
        if isinstance(value, list):
            return f"[{', '.join(items)}]"
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r} has no literal")
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise TypeError(f"a {type(value).__name__} has no literal")
