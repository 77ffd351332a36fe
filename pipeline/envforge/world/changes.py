"""From a changeset to rows: which were inserted, updated (before and after) and deleted.

Standard library only: used in the worker and in the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from envforge.world.engine.changeset import NO_CHANGE, Change, read_changeset
from envforge.world.engine.contract import Values

Row: TypeAlias = dict[str, Any]
Lookup: TypeAlias = Callable[[str, tuple[Any, ...]], Sequence[Any] | None]
"""lookup(table, primary key) -> the whole row in column order, or None."""


@dataclass(frozen=True)
class TableInfo:
    """Columns and key of a table, as the database states them."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    primary_key: tuple[str, ...]

    @cached_property
    def key_flags(self) -> bytes:
        """Per column its place in the primary key, 0 outside it: the form of a changeset."""
        places = {name: number for number, name in enumerate(self.primary_key, 1)}
        return bytes(places.get(name, 0) for name in self.columns)

    @cached_property
    def select_row(self) -> str:
        """SQL that finds a row by its primary key."""
        columns = ", ".join(f'"{name}"' for name in self.columns)
        where = " AND ".join(f'"{name}" = ?' for name in self.primary_key)
        return f'SELECT {columns} FROM "{self.name}" WHERE {where}'  # noqa: S608

    @cached_property
    def _key_places(self) -> Values:
        return tuple(self.columns.index(name) for name in self.primary_key)

    def key_of(self, row: Sequence[Any]) -> Values:
        """The primary key's values in `row`."""
        return tuple(row[place] for place in self._key_places)

    def as_row(self, values: Sequence[Any]) -> Row:
        """Values in column order, named."""
        return dict(zip(self.columns, values, strict=True))


def _no_rows() -> list[Row]:
    return []


def _no_pairs() -> list[tuple[Row, Row]]:
    return []


@dataclass
class TableChanges:
    """What happened to one table."""

    inserted: list[Row] = field(default_factory=_no_rows)
    updated: list[tuple[Row, Row]] = field(default_factory=_no_pairs)
    deleted: list[Row] = field(default_factory=_no_rows)


def read_changes(
    changeset: bytes, tables: dict[str, TableInfo], lookup: Lookup, *, after: bool
) -> dict[str, TableChanges]:
    """Changes per table, tables and rows sorted.

    An UPDATE in a changeset holds its key and the changed columns only; `lookup` supplies the rest, from the state
    after the changes (`after=True`) or before them. Before them, each change must also fit what `lookup` finds.

    Raises ValueError for broken bytes and for changes that are not of these tables, LookupError for
    those of other rows.
    """
    changes: dict[str, TableChanges] = {}
    seen: set[tuple[str, Values]] = set()
    for change in read_changeset(changeset):
        table = _table_of(change, tables)
        key = table.key_of(change.old or change.new)
        if (table.name, key) in seen:
            raise ValueError(f"a row of {table.name} is changed twice: {key!r}")
        seen.add((table.name, key))
        found = changes.setdefault(table.name, TableChanges())
        if change.operation == "UPDATE":
            old, new = _both_sides(table, change, lookup(table.name, key), after=after)
            found.updated.append((table.as_row(old), table.as_row(new)))
            continue
        if not after:
            _check_fit(table, change, lookup(table.name, key))
        if change.operation == "INSERT":
            found.inserted.append(table.as_row(change.new))
        else:
            found.deleted.append(table.as_row(change.old))
    for name, found in changes.items():
        _sort(found, tables[name].primary_key)
    return {name: changes[name] for name in sorted(changes)}


def _table_of(change: Change, tables: dict[str, TableInfo]) -> TableInfo:
    table = tables.get(change.table)
    if table is None:
        raise ValueError(f"there is no table {change.table!r}")
    if change.key_flags != table.key_flags:
        raise ValueError(f"columns or key of table {table.name} are others")
    return table


def _both_sides(table: TableInfo, change: Change, found: Sequence[Any] | None, *, after: bool) -> tuple[Values, Values]:
    """The whole row before and after an UPDATE; `found` is the one of the two that the database has."""
    if found is None:
        raise LookupError(f"a changed row of {table.name} is not there: {table.key_of(change.old)!r}")
    whole = tuple(found)
    overlay = change.old if after else change.new
    filled = tuple(value if part is NO_CHANGE else part for part, value in zip(overlay, whole, strict=True))
    if after:
        return filled, whole
    if any(part is not NO_CHANGE and part != value for part, value in zip(change.old, whole, strict=True)):
        raise LookupError(f"a changed row of {table.name} was another: {table.key_of(change.old)!r}")
    return whole, filled


def _check_fit(table: TableInfo, change: Change, found: Sequence[Any] | None) -> None:
    if change.operation == "INSERT" and found is not None:
        raise LookupError(f"an inserted row of {table.name} is there already: {table.key_of(change.new)!r}")
    if change.operation == "DELETE" and (found is None or tuple(found) != change.old):
        raise LookupError(f"a deleted row of {table.name} is not there: {table.key_of(change.old)!r}")


def _sort(found: TableChanges, key: Sequence[str]) -> None:
    def order(row: Row) -> list[tuple[str, Any]]:
        return [(type(row[name]).__name__, row[name]) for name in key]

    found.inserted.sort(key=order)
    found.deleted.sort(key=order)
    found.updated.sort(key=lambda pair: order(pair[0]))
