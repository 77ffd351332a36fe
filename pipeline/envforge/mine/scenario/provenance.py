"""Which source each row comes from, kept exact while rows are added to mined tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.records.domain import Origin, Table
from envforge.core.records.environment import ProvenanceEntry

Key = tuple[Any, ...]


@dataclass(frozen=True, order=True)
class Owner:
    """Where a row comes from."""

    source: str
    locator: str
    kind: Origin


class Origins:
    """Looks up the provenance entry that covers a row: its own, the key range it falls in, or its table's."""

    def __init__(self, entries: Sequence[ProvenanceEntry]) -> None:
        self._all: dict[str, Owner] = {}
        self._ranges: dict[str, list[tuple[Key, Key, Owner]]] = {}
        self._firsts: dict[str, list[Key]] = {}
        for entry in entries:
            owner = Owner(entry.source, entry.locator, entry.kind)
            if entry.keys == "all":
                self._all[entry.table] = owner
            else:
                first, last = tuple(entry.keys[0]), tuple(entry.keys[1])
                self._ranges.setdefault(entry.table, []).append((first, last, owner))
        for table, ranges in self._ranges.items():
            ranges.sort(key=lambda item: item[0])
            self._firsts[table] = [first for first, _, _ in ranges]

    def only(self, table: str) -> Owner | None:
        """The one owner of all the table's rows, or None when key ranges tell them apart."""
        return None if table in self._ranges else self._all.get(table)

    def of(self, table: str, key: Key) -> Owner | None:
        """The owner of the row, or None when nothing covers it."""
        place = bisect_right(self._firsts.get(table, []), key) - 1
        if place >= 0:
            _, last, owner = self._ranges[table][place]
            if key <= last:
                return owner
        return self._all.get(table)


def origins(database: Database) -> Origins:
    """The owners of the database's rows."""
    return Origins(database.provenance)


def key_of(table: Table, row: Row) -> Key:
    """The row's primary key, in the table's key order."""
    return tuple(row[column] for column in table.primary_key)


def owners_by_row(database: Database, rows: Mapping[str, list[Row]]) -> dict[int, Owner]:
    """The owner of every row in `rows` that the database's provenance covers, by the row's identity."""
    known = origins(database)
    owned: dict[int, Owner] = {}
    for table in database.domain.tables:
        only = known.only(table.name)
        for row in rows[table.name]:
            owner = only or known.of(table.name, key_of(table, row))
            if owner is not None:
                owned[id(row)] = owner
    return owned


def entries_for(
    tables: Sequence[Table], rows: Mapping[str, list[Row]], owners: Mapping[int, Owner]
) -> list[ProvenanceEntry]:
    """Provenance that covers exactly the rows that have an owner, in as few entries as the key order allows."""
    entries: list[ProvenanceEntry] = []
    for table in tables:
        owned = [(key_of(table, row), owners[id(row)]) for row in rows[table.name] if id(row) in owners]
        if owned:
            entries.extend(_entries(table.name, owned))
    return entries


def _entries(table: str, owned: list[tuple[Key, Owner]]) -> list[ProvenanceEntry]:
    owners = {owner for _, owner in owned}
    if len(owners) == 1:
        return [_entry(table, "all", owners.pop(), len(owned))]
    owned.sort(key=lambda pair: pair[0])
    entries: list[ProvenanceEntry] = []
    for owner, group in groupby(owned, key=lambda pair: pair[1]):
        keys = [key for key, _ in group]
        entries.append(_entry(table, (keys[0], keys[-1]), owner, len(keys)))
    return entries


def _entry(table: str, keys: Any, owner: Owner, count: int) -> ProvenanceEntry:
    return ProvenanceEntry(
        table=table, keys=keys, source=owner.source, locator=owner.locator, kind=owner.kind, count=count
    )
