"""Rows and keys that differ from each other, so that a few of them show what a tool does with all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from envforge.build.unit_tests.reference import Reference
from envforge.core.contracts import Row
from envforge.core.records.domain import Column, Table

_MOST_KEYS = 14
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STRATA = 8


class Samples:
    """Of the initial rows of one environment; each sample is made once."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._blueprint = reference.blueprint
        self._keys: dict[tuple[str, str], list[Any]] = {}
        self._samples: dict[str, list[Row]] = {}

    def unknown(self, table: Table, column: str) -> Any:
        """A value that looks like the others and is not there."""
        held = {row[column] for row in self._reference.tables.rows(table.name)}
        model = next(iter(sorted(value for value in held if value is not None)), None)
        if isinstance(model, int):
            return max(value for value in held if value is not None) + 1000
        text = str(model or "unknown")
        for letter, digit in (("z", "0"), ("q", "9"), ("x", "7")):
            made = _spelt_alike(text, letter, digit)
            if made not in held:
                return made
        return f"{text}-unknown"

    def keys(self, table: Table, column: str) -> list[Any]:
        """Keys of rows that differ: in state and kind, in having children, first, middle and last."""
        if (table.name, column) not in self._keys:
            found = [row[column] for row in self.sample(table)]
            self._keys[table.name, column] = distinct(value for value in found if value is not None)[:_MOST_KEYS]
        return self._keys[table.name, column]

    def sample(self, table: Table) -> list[Row]:
        """Rows of a table that differ from each other."""
        if table.name not in self._samples:
            rows = self._reference.tables.rows(table.name)
            chosen: list[Row] = list(self._extremes(table, rows))
            for column in table.columns:
                chosen += _one_per_value(rows, column)
            chosen += [rows[at] for at in (0, len(rows) // 2, -1)] if rows else []
            self._samples[table.name] = distinct_rows(chosen, table.primary_key)
        return self._samples[table.name]

    def _extremes(self, table: Table, rows: Sequence[Row]) -> Iterator[Row]:
        """The row with most children, and one with none, for each table that refers to this one."""
        for other in self._blueprint.tables:
            for column in other.columns:
                if column.references is None or column.references.table != table.name:
                    continue
                counts = Counter(row[column.name] for row in self._reference.tables.rows(other.name))
                counts.pop(None, None)
                key = column.references.column
                ranked = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
                many = ranked[0][0] if ranked else None
                yield from (row for row in rows if row[key] == many)
                yield from [row for row in rows if row[key] not in counts][:1]


def _spelt_alike(text: str, letter: str, digit: str) -> str:
    """The form of a key with every letter and digit replaced; a UUID stays one."""
    small = "0" if _UUID.fullmatch(text) else letter
    return re.sub("[A-Z]", letter.upper(), re.sub("[a-z]", small, re.sub("[0-9]", digit, text)))


def _one_per_value(rows: Sequence[Row], column: Column) -> list[Row]:
    if not (column.enum or column.type == "boolean" or column.role in {"state", "type"} or column.nullable):
        return []
    if column.enum or column.type == "boolean" or column.role in {"state", "type"}:
        seen: dict[Any, Row] = {}
        for row in rows:
            seen.setdefault(row[column.name], row)
        return [seen[value] for value in sorted(seen, key=str)][:_STRATA]
    empty = next((row for row in rows if row[column.name] is None), None)
    full = next((row for row in rows if row[column.name] is not None), None)
    return [row for row in (empty, full) if row is not None]


def distinct(values: Any) -> list[Any]:
    """The values without repetitions, in order; True and 1 are two values."""
    seen: list[tuple[bool, Any]] = []
    for value in values:
        if (isinstance(value, bool), value) not in seen:
            seen.append((isinstance(value, bool), value))
    return [value for _, value in seen]


def distinct_rows(rows: Sequence[Row], key: Sequence[str]) -> list[Row]:
    """The rows without repetitions, in order."""
    return list({tuple(row[name] for name in key): row for row in rows}.values())
