"""From a changeset to rows: which were inserted, updated (before and after) and deleted.

Standard library and apsw only: used in the worker and in the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import apsw

Row: TypeAlias = dict[str, Any]
Values: TypeAlias = tuple[Any, ...]
Lookup: TypeAlias = Callable[[str, tuple[Any, ...]], Sequence[Any] | None]
"""lookup(table, primary key) -> the whole row in column order, or None."""


@dataclass(frozen=True)
class TableInfo:
    """Columns and key of a table, as the database states them."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    primary_key: tuple[str, ...]

    def key_of(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """The primary key's values in `row`."""
        return tuple(row[self.columns.index(name)] for name in self.primary_key)

    def as_row(self, values: Sequence[Any]) -> Row:
        """Values in column order, named."""
        return dict(zip(self.columns, values, strict=True))

    def select_row(self) -> str:
        """SQL that finds a row by its primary key."""
        columns = ", ".join(f'"{name}"' for name in self.columns)
        where = " AND ".join(f'"{name}" = ?' for name in self.primary_key)
        return f'SELECT {columns} FROM "{self.name}" WHERE {where}'  # noqa: S608


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
    after the changes (`after=True`) or before them.
    """
    changes: dict[str, TableChanges] = {}
    for change in apsw.Changeset.iter(changeset):
        table = tables[change.name]
        was = cast("Values", change.old or ())
        now = cast("Values", change.new or ())
        found = changes.setdefault(change.name, TableChanges())
        if change.op == "INSERT":
            found.inserted.append(table.as_row(now))
        elif change.op == "DELETE":
            found.deleted.append(table.as_row(was))
        else:
            old, new = _both_sides(table, was, now, lookup, after=after)
            found.updated.append(
                (dict(zip(table.columns, old, strict=True)), dict(zip(table.columns, new, strict=True)))
            )
    for name, found in changes.items():
        _sort(found, tables[name].primary_key)
    return {name: changes[name] for name in sorted(changes)}


def _both_sides(
    table: TableInfo, old: Sequence[Any], new: Sequence[Any], lookup: Lookup, *, after: bool
) -> tuple[list[Any], list[Any]]:
    whole = lookup(table.name, table.key_of(old))
    if whole is None:
        raise LookupError(f"a changed row of {table.name} is not there: {table.key_of(old)!r}")
    overlay = old if after else new
    changed = [value is not apsw.no_change for value in new]
    filled = [part if moved else value for part, moved, value in zip(overlay, changed, whole, strict=True)]
    return (filled, list(whole)) if after else (list(whole), filled)


def _sort(found: TableChanges, key: Sequence[str]) -> None:
    def order(row: Row) -> list[tuple[str, Any]]:
        return [(type(row[name]).__name__, row[name]) for name in key]

    found.inserted.sort(key=order)
    found.deleted.sort(key=order)
    found.updated.sort(key=lambda pair: order(pair[0]))
