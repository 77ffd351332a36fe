"""What values of a tool mean: semantic types, neighbours of an entity, other values that could stand in a place."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from envforge.core.records.environment import ToolSpec
from envforge.gates.atoms import Path, atoms, shape
from envforge.gates.solutions import Step
from envforge.world.environment import Environment

_DATE = re.compile(r"^\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")
_LIKE_AN_ID = 6
_NEAR = 3


class Semantics:
    """Semantic types of one environment's tools, and what stands near a value in its database."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.tools: Mapping[str, ToolSpec] = {tool.name: tool for tool in environment.tools}

    def schema(self, tool: str, path: Path) -> Mapping[str, Any]:
        """The JSON Schema of an argument, as far as tools.json goes; {} beyond."""
        properties: Any = self.tools[tool].parameters
        for part in path:
            inner = properties.get("items" if isinstance(part, int) else "properties", {})
            properties = inner if isinstance(part, int) else inner.get(part, {})
        return cast("Mapping[str, Any]", properties)

    def type_of(self, tool: str, path: Path) -> str:
        """The semantic type of an argument; "" for plain values."""
        return self.tools[tool].consumes.get(str(path[0]), "") if tool in self.tools and path else ""

    def kind_of(self, tool: str, path: Path, value: Any, seen: Mapping[str, Sequence[Any]]) -> str:
        """The semantic type of an argument, also of one deep inside that was seen as an id before."""
        kind = self.type_of(tool, path)
        if kind or not isinstance(value, str) or len(value) < _LIKE_AN_ID:
            return kind
        return next((name for name, values in seen.items() if value in values), "")

    def paging(self, tool: str, name: str) -> bool:
        """True for a parameter that only says how to page: cursors and sizes."""
        return bool(re.search(r"cursor|page|limit|offset|size|max_results", name)) and not self.type_of(tool, (name,))

    def observed(self, steps: Sequence[Step]) -> dict[str, list[Any]]:
        """Semantic type -> its values in what was seen, in order, each once."""
        found: dict[str, dict[Any, None]] = {}
        for step in steps:
            produces = self.tools[step.tool].produces if step.tool in self.tools else {}
            for path, value in atoms(step.seen.result or {}):
                kind = produces.get(shape(path), "")
                if kind and value is not None:
                    found.setdefault(kind, {})[value] = None
        return {kind: list(values) for kind, values in found.items()}

    def neighbours(self, kind: str, value: Any, seen: Mapping[str, Sequence[Any]]) -> list[Any]:
        """Other entities of the type: those seen next to it, then the next ones of its table; the nearest first."""
        values = list(seen.get(kind, ()))
        at = values.index(value) + 1 if value in values else 0
        near = [other for other in (*values[at:], *values[:at]) if other != value][:_NEAR]
        return list(dict.fromkeys([*near, *self._next_rows(kind, value)]))

    def others(self, tool: str, path: Path, value: Any, seen: Mapping[str, Sequence[Any]]) -> list[Any]:
        """Values that could stand there by mistake, the likeliest first; none where none is certainly wrong."""
        kind = self.kind_of(tool, path, value, seen)
        if kind:
            return self.neighbours(kind, value, seen)
        choices = self.schema(tool, path).get("enum")
        if isinstance(choices, list) and value in choices:
            listed = cast("list[Any]", choices)
            at = listed.index(value) + 1
            return [*listed[at:], *listed[: at - 1]]
        other = shifted(value)
        return [] if other is None else [other]

    def any_of(self, kind: str) -> Any:
        """An entity of the type from the middle of its table; None when the table is not known."""
        if kind not in self._keys:
            return None
        table, column = self._keys[kind]
        half = f'(SELECT count(*) / 2 FROM "{table}")'  # noqa: S608
        rows = self._environment.reader.query(f'SELECT "{column}" FROM "{table}" ORDER BY 1 LIMIT 1 OFFSET {half}')[1]  # noqa: S608
        return rows[0][0] if rows else None

    def key_beside(self, kind: str, values: Sequence[Any]) -> Any:
        """The first entity of the type that is not among these; None when there is none, or the table is not known."""
        if kind not in self._keys:
            return None
        table, column = self._keys[kind]
        known = set(values)
        rows = self._environment.reader.query(f'SELECT "{column}" FROM "{table}" ORDER BY 1')[1]  # noqa: S608
        return next((row[0] for row in rows if row[0] not in known), None)

    def table_of(self, kind: str) -> tuple[str, str] | None:
        """Table and key column of an entity's type; None when it is not known."""
        return self._keys.get(kind)

    def _next_rows(self, kind: str, value: Any) -> list[Any]:
        found = self._keys.get(kind)
        if found is None or not isinstance(value, str | int):
            return []
        table, column = found
        others: list[Any] = []
        for order in (f'"{column}" > ? ORDER BY "{column}"', f'"{column}" < ? ORDER BY "{column}" DESC'):
            sql = f'SELECT "{column}" FROM "{table}" WHERE {order} LIMIT {_NEAR}'  # noqa: S608
            others += [row[0] for row in self._environment.reader.query(sql, (value,))[1]]
        return others

    @cached_property
    def _keys(self) -> dict[str, tuple[str, str]]:
        """Semantic type (`entity.column`) -> table and key column, for tables with a key of one column."""
        single = {
            table.name: table.primary_key[0]
            for table in self._environment.template.tables.values()
            if len(table.primary_key) == 1
        }
        kinds = {kind for tool in self.tools.values() for kind in (*tool.consumes.values(), *tool.produces.values())}
        found: dict[str, tuple[str, str]] = {}
        for kind in sorted(kinds):
            entity, _, column = kind.partition(".")
            fitting = [name for name, key in single.items() if key == column and _is_plural(name, entity)]
            if fitting:
                found[kind] = (fitting[0], column)
        return found


def _is_plural(table: str, entity: str) -> bool:
    stem = entity[:-1] if entity.endswith("y") else entity
    return table == entity or (table.startswith(stem) and len(table) - len(stem) <= 3)


def shifted(value: Any) -> Any:
    """The value, off by a little: not, plus one, a day later, five minutes later; None for other text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and _DATE.match(value):
        try:
            day = datetime.date.fromisoformat(value[:10]) + datetime.timedelta(days=1)
        except (ValueError, OverflowError):
            return None
        return day.isoformat() + value[10:]
    if isinstance(value, str) and _CLOCK.match(value):
        minutes = (int(value[:2]) * 60 + int(value[3:]) + 5) % 1440
        return f"{minutes // 60:02d}:{minutes % 60:02d}"
    return None


def siblings(result: Any, path: Path) -> Iterator[Any]:
    """Other values that stand under the same name in the same result."""
    name, own = shape(path), path
    for other, value in atoms(result):
        if other != own and shape(other) == name and value is not None:
            yield value
