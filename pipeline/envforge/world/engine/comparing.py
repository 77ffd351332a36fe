"""The changeset between two databases, found by comparing their tables. Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from envforge.world.engine.changeset import NO_CHANGE, Change, write_changeset
from envforge.world.engine.contract import Values


def changeset_between(before: sqlite3.Connection, after: sqlite3.Connection, tables: Iterable[str]) -> bytes:
    """What leads from `before` to `after` in `tables` (sorted by name, then by key), in SQLite's changeset format.

    Like SQLite's own it holds no table without a primary key and no row with a NULL key; a changed key is a deleted
    and an inserted row.
    """
    return write_changeset(change for table in sorted(tables) for change in _changes(before, after, table))


def _changes(before: sqlite3.Connection, after: sqlite3.Connection, table: str) -> Iterator[Change]:
    quoted = '"' + table.replace('"', '""') + '"'
    flags = bytes(row[5] for row in before.execute(f"PRAGMA table_info({quoted})"))
    if not any(flags):
        return
    places = [place for place, flag in enumerate(flags) if flag]
    old, new = _rows(before, quoted, places), _rows(after, quoted, places)
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was is None and now is not None:
            yield Change(table, flags, "INSERT", (), now)
        elif now is None and was is not None:
            yield Change(table, flags, "DELETE", was, ())
        elif was is not None and now is not None and not _same(was, now):
            yield _update(table, flags, was, now)


def _rows(connection: sqlite3.Connection, table: str, places: list[int]) -> dict[Any, Values]:
    """Every row under its key; the types stand in the key, so that keys of several types can be sorted."""
    found: dict[Any, Values] = {}
    for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608
        key = tuple((type(row[place]).__name__, row[place]) for place in places)
        if all(value is not None for _, value in key):
            found[key] = row
    return found


def _same(old: Values, new: Values) -> bool:
    """Equal values of equal types: 1 is not 1.0."""
    return old == new and [type(value) for value in old] == [type(value) for value in new]


def _update(table: str, flags: bytes, was: Values, now: Values) -> Change:
    moved = [not _same((old,), (new,)) for old, new in zip(was, now, strict=True)]
    old = tuple(value if flag or change else NO_CHANGE for value, flag, change in zip(was, flags, moved, strict=True))
    new = tuple(value if change else NO_CHANGE for value, change in zip(now, moved, strict=True))
    return Change(table, flags, "UPDATE", old, new)
