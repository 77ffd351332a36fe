"""Rows in hand while a scenario runs: inserts with checked columns, guarded updates, indexed look-ups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.errors import BuildError
from envforge.core.ids import canonical_json
from envforge.core.records.domain import Column, Domain, Table
from envforge.mine.scenario.minting import Minter
from envforge.mine.scenario.natural_keys import Part, key_pattern, spelled
from envforge.mine.scenario.provenance import Owner, origins, owners_by_row

Index = dict[tuple[Any, ...], list[Row]]


class RowStore:
    """The tables of a domain with their rows; look-ups build an index the first time they are used."""

    def __init__(self, database: Database, minter: Minter) -> None:
        self.domain: Domain = database.domain
        known = origins(database)
        self.rows: dict[str, list[Row]] = {
            table.name: _own_copy(table, database.rows.get(table.name, []), known.only(table.name))
            for table in database.domain.tables
        }
        self.inserted: dict[str, list[Row]] = {name: [] for name in self.rows}
        self.minter = minter
        self._tables = {table.name: table for table in database.domain.tables}
        self._columns = {table.name: {c.name: c for c in table.columns} for table in database.domain.tables}
        self._indexes: dict[str, dict[tuple[str, ...], Index]] = {name: {} for name in self.rows}
        self.owners: dict[int, Owner] = owners_by_row(database, self.rows)
        """Who owns the rows that were there before the run, by the row's identity."""
        self._patterns: dict[str, list[Part] | None] = {}
        self._home: dict[int, str] = {id(row): name for name, rows in self.rows.items() for row in rows}

    def table(self, name: str) -> Table:
        """The table called `name`. Raises BuildError."""
        try:
            return self._tables[name]
        except KeyError:
            raise BuildError(f"no table {name!r}", remedy="name a role with @ or a table of the archetype") from None

    def all(self, name: str) -> list[Row]:
        """All rows of a table (a copy of the list, so that a loop may insert)."""
        self.table(name)
        return list(self.rows[name])

    def where(self, table: str, /, **equal: Any) -> list[Row]:
        """Rows whose columns equal the values."""
        columns = tuple(sorted(equal))
        index = self._indexes[self.table(table).name].get(columns)
        if index is None:
            index = self._build_index(table, columns)
        return list(index.get(tuple(equal[column] for column in columns), ()))

    def one(self, table: str, /, **equal: Any) -> Row | None:
        """The first row whose columns equal the values, or None."""
        found = self.where(table, **equal)
        return found[0] if found else None

    def _build_index(self, table: str, columns: tuple[str, ...]) -> Index:
        for column in columns:
            if column not in self._columns[table]:
                raise BuildError(f"{table} has no column {column!r}")
        index: Index = {}
        for row in self.rows[table]:
            index.setdefault(tuple(row[column] for column in columns), []).append(row)
        self._indexes[table][columns] = index
        return index

    def insert(self, table: str, values: Mapping[str, Any]) -> Row:
        """Insert a row; a missing single key is minted, other missing columns get their default or NULL.

        Raises BuildError for an unknown column, a missing required value, a value outside the column's
        enumeration or a value of the wrong type.
        """
        spec = self.table(table)
        columns = self._columns[table]
        if len(spec.primary_key) == 1 and values.get(spec.primary_key[0]) is None:
            values = {**values, spec.primary_key[0]: self._natural_key(spec, values) or self.mint(table)}
        for name in values:
            if name not in columns:
                raise BuildError(f"{table} has no column {name!r}")
        row = {name: stored(values.get(name, column.default), column, table) for name, column in columns.items()}
        self.rows[table].append(row)
        self.inserted[table].append(row)
        self._home[id(row)] = table
        for names, index in self._indexes[table].items():
            index.setdefault(tuple(row[name] for name in names), []).append(row)
        return row

    def _natural_key(self, table: Table, values: Mapping[str, Any]) -> str | None:
        """The key made of the row's own columns, where the table's mined keys are made that way."""
        if table.id_style is not None or table.origin == "synthetic":
            return None
        if table.name not in self._patterns:
            self._patterns[table.name] = key_pattern(table, self.rows[table.name])
        pattern = self._patterns[table.name]
        return spelled(pattern, values) if pattern else None

    def mint(self, table: str) -> str | int:
        """A fresh id for `table`."""
        return self.minter.mint(self.table(table), self.rows[table])

    def update(self, row: Row, values: Mapping[str, Any]) -> None:
        """Change a row in hand. A mined row keeps its mined columns: changing one raises BuildError."""
        table = self._home.get(id(row))
        if table is None:
            raise BuildError("only a row of a table can be updated", remedy="use a name that insert or where bound")
        columns = self._columns[table]
        for name, value in values.items():
            if name not in columns:
                raise BuildError(f"{table} has no column {name!r}")
            if columns[name].origin != "synthetic" and self._mined(row):
                raise BuildError(f"{table}.{name} was mined and is not to be changed")
            self._set(table, row, name, stored(value, columns[name], table))

    def _mined(self, row: Row) -> bool:
        owner = self.owners.get(id(row))
        return owner is not None and owner.kind != "synthetic"

    def _set(self, table: str, row: Row, name: str, value: Any) -> None:
        for names, index in self._indexes[table].items():
            if name in names:
                before = tuple(row[column] for column in names)
                index[before] = [other for other in index[before] if other is not row]
                after = tuple(value if column == name else row[column] for column in names)
                index.setdefault(after, []).append(row)
        row[name] = value


def _own_copy(table: Table, rows: list[Row], owner: Owner | None) -> list[Row]:
    """Rows that may be changed without touching the database they come from. Where all rows were mined and no column
    was added, none is ever changed, so they are shared.
    """
    shared = owner is not None and owner.kind != "synthetic" and all(c.origin != "synthetic" for c in table.columns)
    return list(rows) if shared else [dict(row) for row in rows]


_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "real": (float, int),
    "boolean": (),
    "date": (str,),
    "timestamp": (str,),
    "json": (str,),
}


def stored(value: Any, column: Column, table: str) -> Any:
    """`value` as the database keeps it: booleans as 0/1, JSON as canonical text.

    Raises BuildError when the column cannot hold it.
    """
    if value is None:
        if not column.nullable:
            raise BuildError(f"{table}.{column.name} must have a value")
        return None
    if column.type == "boolean" and value in (0, 1):
        return int(value)
    if column.type == "json" and isinstance(value, dict | list):
        return canonical_json(value)
    if column.type == "real" and isinstance(value, int):
        return float(value)
    if not isinstance(value, _TYPES[column.type]) or isinstance(value, bool):
        raise BuildError(f"{table}.{column.name} is {column.type} and cannot hold {value!r}")
    if column.enum and value not in column.enum:
        raise BuildError(f"{table}.{column.name} cannot be {value!r}", remedy=f"one of {', '.join(column.enum)}")
    return value
