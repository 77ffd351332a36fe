"""Sights: which rows a tool shows, where in its result, and which fields are which columns; learned from probes.

A field is taken for a column when every record that was seen has the column's value there, never by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from envforge.core.records.environment import EnvironmentBlueprint
from envforge.synth.bags import Bag, bags_of
from envforge.synth.keys import Keys
from envforge.synth.probes import Probe

Field: TypeAlias = tuple[str, ...]
"""The way to a value inside a record."""
LEAST_RECORDS = 2
LEAST_COLUMNS = 2


@dataclass(frozen=True)
class Sight:
    """Rows of one table as a tool shows them.

    `path`: names to the record or the list ("" is the result itself); `many`: a list. `kind`: semantic type of the key
    in the field `identity`; `fields`: column -> its field. A property of a bag is the column "@<its id>".
    """

    tool: str
    path: Field
    many: bool
    kind: str
    table: str
    identity: Field
    fields: Mapping[str, Field]


def records_in(result: Mapping[str, Any], path: Field, *, many: bool) -> list[Mapping[str, Any]]:
    """The records at a path of one result."""
    value: Any = result
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    if many:
        items = cast("list[Any]", value) if isinstance(value, list) else []
        return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]
    return [cast("Mapping[str, Any]", value)] if isinstance(value, Mapping) else []


def places_in(value: Any, path: Field = ()) -> Iterator[tuple[Field, bool, list[Mapping[str, Any]]]]:
    """The result itself and every list of objects in it, with its path and whether it is a list; none inside lists."""
    if isinstance(value, Mapping):
        own = cast("Mapping[str, Any]", value)
        if not path:
            yield path, False, [own]
        for name, item in own.items():
            yield from places_in(item, (*path, name))
    elif isinstance(value, list):
        items = [cast("Mapping[str, Any]", item) for item in cast("list[Any]", value) if isinstance(item, Mapping)]
        if items:
            yield path, True, items


def fields_of(record: Mapping[str, Any], path: Field = ()) -> Iterator[tuple[Field, Any]]:
    """Every value of a record that is no record: scalars, and lists of scalars as they are."""
    for name, item in record.items():
        if isinstance(item, Mapping):
            yield from fields_of(cast("Mapping[str, Any]", item), (*path, name))
        elif not isinstance(item, list) or not any(isinstance(one, Mapping) for one in cast("list[Any]", item)):
            yield (*path, name), item


def same(shown: Any, stored: Any) -> bool:
    """A shown value is the stored one: truth values stand for 0 and 1."""
    if isinstance(shown, bool):
        return stored is not None and not isinstance(stored, str) and stored == int(shown)
    return (type(shown) is type(stored) and shown == stored) or (
        isinstance(shown, int | float) and isinstance(stored, int | float) and shown == stored
    )


class Sights:
    """Learns the sights of one environment."""

    def __init__(self, keys: Keys, knowledge: EnvironmentBlueprint) -> None:
        self._keys = keys
        self._bags = bags_of(keys, knowledge)
        self._produces = {tool.name: tool.produces for tool in keys.environment.tools}
        self._rows: dict[tuple[str, Any], Mapping[str, Any] | None] = {}

    def learn(self, probes: Sequence[Probe]) -> tuple[Sight, ...]:
        """What the probes show, tool by tool."""
        found: list[Sight] = []
        for tool in dict.fromkeys(probe.tool for probe in probes):
            seen: dict[tuple[Field, bool], list[Mapping[str, Any]]] = {}
            for probe in probes:
                if probe.tool == tool and probe.result is not None and not self._writes(probe):
                    for path, many, records in places_in(probe.result):
                        seen.setdefault((path, many), []).extend(records)
            for (path, many), records in seen.items():
                found += self._at(tool, path, many, records)
        return tuple(found)

    def _writes(self, probe: Probe) -> bool:
        return probe.changed is not None

    def _at(self, tool: str, path: Field, many: bool, records: list[Mapping[str, Any]]) -> Iterator[Sight]:
        """Sights at one place: the rows that explain most fields first, as a field shows one row's column only."""
        flat = [dict(fields_of(record)) for record in records]
        taken: set[Field] = set()
        left = dict(self._keys.kinds)
        while left:
            found = [
                s for kind, place in left.items() for s in self._of_kind(tool, path, many, flat, kind, place, taken)
            ]
            if not found:
                return
            best = max(found, key=lambda sight: len(sight.fields))
            yield best
            # A key of another row belongs to that row, too.
            taken |= {field for column, field in best.fields.items() if not self._refers(best.table, column)}
            del left[best.kind]

    def _refers(self, table: str, column: str) -> bool:
        return any((foreign.table, foreign.column) == (table, column) for foreign in self._keys.foreign)

    def _of_kind(
        self,
        tool: str,
        path: Field,
        many: bool,
        records: list[dict[Field, Any]],
        kind: str,
        place: tuple[str, str],
        taken: set[Field],
    ) -> Iterator[Sight]:
        table, column = place
        produces = self._produces[tool]
        for name in dict.fromkeys(name for record in records for name in record):
            if name in taken:
                continue
            known = [record for record in records if self._row(table, column, record.get(name)) is not None]
            rows = len(self._keys.values(table, column))
            if len({record[name] for record in known}) < max(1, min(LEAST_RECORDS, rows)):
                continue
            stated = produces.get(".".join((*path[:-1], f"{path[-1]}[]", *name) if many and path else name)) == kind
            fields = self._fields(table, column, name, known, taken)
            if len(fields) >= (1 if stated else LEAST_COLUMNS):
                yield Sight(tool, path, many, kind, table, name, {**fields, column: name})

    def _fields(
        self, table: str, key: str, name: Field, records: list[dict[Field, Any]], taken: set[Field]
    ) -> dict[str, Field]:
        rows = [cast("Mapping[str, Any]", self._row(table, key, record[name])) for record in records]
        names = list(
            dict.fromkeys(field for record in records for field in record if field != name and field not in taken)
        )
        found: dict[str, Field] = {}
        for column in rows[0]:
            own = [field for field in names if field[-1] not in rows[0] or field[-1] == column]
            fitting = [field for field in own if column != key and _fits(field, column, records, rows)]
            fitting.sort(key=lambda field: (column not in field, len(field)))
            if fitting and (column in fitting[0] or _telling(fitting[0], records)):
                found[column] = fitting[0]
        for bag in self._bags:
            if bag.item_table == table:
                found |= self._properties(bag, name, names, records)
        return found

    def _properties(
        self, bag: Bag, key: Field, names: list[Field], records: list[dict[Field, Any]]
    ) -> dict[str, Field]:
        found: dict[str, Field] = {}
        for one in bag.properties:
            for field in names:
                if field[-1] != one.name:
                    continue
                seen = [(r[field], bag.value(one, r[key])) for r in records if field in r and bag.holds(one, r[key])]
                if any(value not in (None, []) for value, _ in seen) and all(a == b for a, b in seen):
                    found[f"@{one.id}"] = field
        return found

    def _row(self, table: str, column: str, key: Any) -> Mapping[str, Any] | None:
        if not isinstance(key, str | int) or isinstance(key, bool) or key not in self._keys.values(table, column):
            return None
        place = (table, key)
        if place not in self._rows:
            names, rows = self._keys.environment.reader.query(f'SELECT * FROM "{table}" WHERE "{column}" = ?', (key,))  # noqa: S608
            self._rows[place] = dict(zip(names, next(iter(rows)), strict=True))
        return self._rows[place]


def _fits(field: Field, column: str, records: list[dict[Field, Any]], rows: Sequence[Mapping[str, Any]]) -> bool:
    """All records that have the field show the column's value there, and one of them shows something."""
    pairs = [(record[field], row[column]) for record, row in zip(records, rows, strict=True) if field in record]
    # A field that is left out where there is nothing to show is no other field.
    absent = [row[column] for record, row in zip(records, rows, strict=True) if field not in record]
    if any(value is not None for value in absent):
        return False
    return any(shown is not None for shown, _ in pairs) and all(same(shown, stored) for shown, stored in pairs)


def _telling(field: Field, records: list[dict[Field, Any]]) -> bool:
    """Enough different values that they are not equal to the column's by chance."""
    values = {str(record[field]) for record in records if record.get(field) not in (None, True, False)}
    return len(values) >= 3
