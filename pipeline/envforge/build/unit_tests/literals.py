"""Values as Python text, laid out as a person would; ids and times of the call by their names in the test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.build.unit_tests.kinds import is_list, is_object, is_series
from envforge.core.records.blueprint import Operation

WIDTH = 120
_EXACT_DIGITS = 9


@dataclass(frozen=True)
class Raw:
    """An expression to be written as it is."""

    text: str


@dataclass
class Names:
    """Values that have a name in the test: minted ids, the time of the call."""

    known: dict[str, str] = field(default_factory=dict[str, str])
    used: set[str] = field(default_factory=set[str])

    def of(self, value: Any) -> str | None:
        """The expression for a value: a name, or an f-string around one (an address that ends with a new id)."""
        if not isinstance(value, str | int) or isinstance(value, bool):
            return None
        text = str(value)
        if text in self.known:
            self.used.add(text)
            return self.known[text]
        if not isinstance(value, str) or "{" in value or "}" in value:
            return None
        for held, name in self.known.items():
            for part, expression in ((held, name), (held.replace("-", ""), f"{name}.replace('-', '')")):
                if len(part) >= 12 and part in value:
                    self.used.add(held)
                    before, after = value.split(part, 1)
                    return f'f"{_inside(before)}{{{expression}}}{_inside(after)}"'
        return None


def _inside(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def literal(value: Any, names: Names | None = None, *, indent: int = 4, before: int = 0, after: int = 0) -> str:
    """The text of a value that begins `before` characters into its line."""
    flat = one_line(value, names)
    if indent + before + len(flat) + after <= WIDTH and "\n" not in flat:
        return flat
    return _exploded(value, names, indent) or flat


def _exploded(value: Any, names: Names | None, indent: int) -> str:
    pad, inner = " " * indent, " " * (indent + 4)
    if is_object(value) and value:
        lines = [
            f"{inner}{one_line(key, names)}: "
            + literal(held, names, indent=indent + 4, before=len(repr(key)) + 2, after=1)
            + ","
            for key, held in value.items()
        ]
        return "{\n" + "\n".join(lines) + f"\n{pad}}}"
    if is_series(value) and value:
        items = [literal(held, names, indent=indent + 4, after=1) for held in value]
        opening, closing = ("[", "]") if is_list(value) else ("(", ")")
        if all(not isinstance(held, Mapping | list | tuple) for held in value):
            return opening + "\n" + "\n".join(_filled(items, inner)) + f"\n{pad}{closing}"
        return opening + "\n" + "\n".join(f"{inner}{item}," for item in items) + f"\n{pad}{closing}"
    if isinstance(value, str) and (names is None or names.of(value) is None):
        return _long_text(value, indent)
    return ""


def _long_text(value: str, indent: int) -> str:
    pieces: list[str] = []
    rest = value
    room = WIDTH - indent - 10
    while rest:
        size = min(len(rest), room)
        while len(text(rest[:size])) > WIDTH - indent - 6:
            size -= 4
        pieces.append(text(rest[:size]))
        rest = rest[size:]
    inner = " " * (indent + 4)
    return "(\n" + "\n".join(f"{inner}{piece}" for piece in pieces) + f"\n{' ' * indent})"


def _filled(items: list[str], pad: str) -> list[str]:
    """As many items on a line as fit."""
    lines = [pad.rstrip(" ")]
    for item in items:
        if len(lines[-1]) > len(pad) and len(lines[-1]) + len(item) + 2 > WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {item}," if lines[-1].strip() else f"{pad}{item},"
    return lines


def one_line(value: Any, names: Names | None = None) -> str:
    """The text of a value on one line."""
    if isinstance(value, Raw):
        return value.text
    named = names.of(value) if names else None
    if named is not None:
        return named
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return _number(value)
    if is_object(value):
        return "{" + ", ".join(f"{one_line(key)}: {one_line(held, names)}" for key, held in value.items()) + "}"
    if is_list(value):
        return "[" + ", ".join(one_line(held, names) for held in value) + "]"
    if is_series(value):
        inner = ", ".join(one_line(held, names) for held in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return f'float("{value}")'
    return repr(value) if len(repr(value)) <= _EXACT_DIGITS else f"pytest.approx({value!r})"


def call_text(operation: Operation, arguments: Mapping[str, Any], *, indent: int, before: int) -> str:
    """`tools.name(world, a=…)`, one argument per line when it is long."""
    pairs = [f"{name}={one_line(value)}" for name, value in arguments.items()]
    flat = f"tools.{operation.name}({', '.join(['world', *pairs])})"
    if indent + before + len(flat) <= WIDTH and "\n" not in flat:
        return flat
    inner = " " * (indent + 4)
    lines = [
        f"{inner}{name}={literal(value, indent=indent + 4, before=len(name) + 1, after=1)},"
        for name, value in arguments.items()
    ]
    return "\n".join([f"tools.{operation.name}(", f"{inner}world,", *lines, " " * indent + ")"])


def text(value: str) -> str:
    """A string in double quotes, unless that needs more escapes."""
    plain = repr(value)
    if '"' in value or not plain.startswith("'"):
        return plain
    return '"' + plain[1:-1].replace("\\'", "'") + '"'
