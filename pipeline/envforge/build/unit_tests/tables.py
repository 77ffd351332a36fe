"""Rows of a live World as the reference sees them: typed, in key order, read once until they change."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envforge.core.contracts import Row
from envforge.core.ids import canonical_json
from envforge.core.records.domain import Table
from envforge.world.live import LiveWorld


class JsonText(str):
    """Text of a JSON column: a plain text inside of expressions, a value in results."""

    __slots__ = ()

    def value(self) -> Any:
        """What the text says."""
        return json.loads(self)


class Tables:
    """The tables of one live World. Writes go through to it; what was read of the initial state is kept."""

    def __init__(self, live: LiveWorld, tables: Sequence[Table]) -> None:
        self.live = live
        self.tables = {table.name: table for table in tables}
        self.typing = {table.name: Typing(table) for table in tables}
        self._rows: dict[str, list[Row]] = {}
        self._indexes: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], list[Row]]] = {}
        self._masks: dict[tuple[str, str, str], int] = {}
        self._orders: dict[tuple[str, tuple[tuple[str, bool], ...]], list[int]] = {}
        self._changed: set[str] = set()

    def is_changed(self, name: str) -> bool:
        """True if calls have written to the table since the start."""
        return name in self._changed

    def rows(self, name: str) -> list[Row]:
        """All rows of a table in the order of its key."""
        if name in self._changed:
            return self._read(name)
        if name not in self._rows:
            self._rows[name] = self._read(name)
        return self._rows[name]

    def _read(self, name: str, where: str = "", values: Sequence[Any] = ()) -> list[Row]:
        table = self.tables[name]
        key = ", ".join(f'"{column}"' for column in table.primary_key)
        found = self.live.query(f'SELECT * FROM "{name}"{where} ORDER BY {key}', list(values))
        return [self.typing[name](row) for row in found]

    def find(self, name: str, where: Mapping[str, Any]) -> list[Row]:
        """The rows whose columns have these values (None finds NULL), in the order of the key."""
        columns = tuple(sorted(where))
        if any(isinstance(value, list | dict) for value in where.values()):
            return []  # no column holds such a value
        if name in self._changed:
            test, keys = self._test(self.tables[name], where)
            return self._read(name, f" WHERE {test}", keys)
        index = self._indexes.get((name, columns))
        if index is None:
            index = {}
            for row in self.rows(name):
                index.setdefault(tuple(row[column] for column in columns), []).append(row)
            self._indexes[name, columns] = index
        return index.get(tuple(where[column] for column in columns), [])

    def mask(self, name: str, column: str, test: str, holds: Callable[[Any], bool]) -> int:
        """One bit per row, the first row's lowest: set where `holds` the value of `column`. Kept under `test`."""
        key = (name, column, test)
        if name not in self._changed and key in self._masks:
            return self._masks[key]
        values = [row[column] for row in self.rows(name)]
        verdicts = {value: "1" if holds(value) else "0" for value in set(values)}
        mask = int("0" + "".join(verdicts[value] for value in reversed(values)), 2)
        if name not in self._changed:
            self._masks[key] = mask
        return mask

    def ordered(self, name: str, order: Sequence[tuple[str, bool]]) -> list[int]:
        """Positions of all rows, sorted by columns (descending or not), NULL lowest; ties in the order of the key."""
        key = (name, tuple(order))
        if name not in self._changed and key in self._orders:
            return self._orders[key]
        rows = self.rows(name)
        found = list(range(len(rows)))
        for column, descending in reversed(order):
            values = [(row[column] is not None, row[column]) for row in rows]
            found.sort(key=values.__getitem__, reverse=descending)
        if name not in self._changed:
            self._orders[key] = found
        return found

    def insert(self, name: str, values: Mapping[str, Any]) -> Row:
        """A new row as it is stored, defaults included."""
        table = self.tables[name]
        whole = {column.name: values.get(column.name, column.default) for column in table.columns}
        given = {column: self.stored(table, column, value) for column, value in whole.items()}
        if len(table.primary_key) == 1 and given[table.primary_key[0]] is None:
            del given[table.primary_key[0]]
        names = ", ".join(f'"{column}"' for column in given)
        self.live.execute(f'INSERT INTO "{name}" ({names}) VALUES ({_marks(given)})', list(given.values()))
        self._changed.add(name)
        return self.typing[name]({**whole, **given})

    def update(self, name: str, where: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Change the rows that match."""
        table = self.tables[name]
        given = [self.stored(table, column, value) for column, value in values.items()]
        assigned = ", ".join(f'"{column}" = ?' for column in values)
        test, keys = self._test(table, where)
        self.live.execute(f'UPDATE "{name}" SET {assigned} WHERE {test}', [*given, *keys])
        self._changed.add(name)

    def delete(self, name: str, where: Mapping[str, Any]) -> None:
        """Delete the rows that match."""
        test, keys = self._test(self.tables[name], where)
        self.live.execute(f'DELETE FROM "{name}" WHERE {test}', keys)
        self._changed.add(name)

    def _test(self, table: Table, where: Mapping[str, Any]) -> tuple[str, list[Any]]:
        keys = [self.stored(table, column, value) for column, value in where.items()]
        return " AND ".join(f'"{column}" IS ?' for column in where), keys

    @staticmethod
    def stored(table: Table, column: str, value: Any) -> Any:
        """A value as the column stores it."""
        if isinstance(value, bool):
            return int(value)
        if table.column(column).type == "json" and value is not None and not isinstance(value, JsonText):
            return canonical_json(value)
        return str(value) if isinstance(value, JsonText) else value

    def reset(self) -> None:
        """Back to the start."""
        self.live.reset()
        self._changed.clear()

    def arrange(self, name: str, key: Mapping[str, Any], column: str, value: Any) -> None:
        """Change one value before a call, as a test does that needs a rare state."""
        self.update(name, key, {column: value})


class Typing:
    """Marks flags and JSON texts in the rows of one table."""

    def __init__(self, table: Table) -> None:
        self._flags = [column.name for column in table.columns if column.type == "boolean"]
        self._texts = [column.name for column in table.columns if column.type == "json"]

    def __call__(self, row: Row) -> Row:
        """The row itself, or a copy with its values marked."""
        if not self._flags and not self._texts:
            return row
        out = dict(row)
        for name in self._flags:
            value = out.get(name)
            if value is not None:
                out[name] = bool(value)
        for name in self._texts:
            value = out.get(name)
            if value is not None:
                out[name] = JsonText(value)
        return out


def _marks(values: Mapping[str, Any]) -> str:
    return ", ".join("?" * len(values))
