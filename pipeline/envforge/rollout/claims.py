"""Which changes the checks of a task ask for or let pass, and which ones are left: those nobody asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.core.records.task import Check, FreeChange
from envforge.rollout.final_state import FinalState
from envforge.rollout.values import same, same_text


class Claims:
    """What `unchanged` lets pass: what the other checks name, and `free`."""

    def __init__(self, state: FinalState, checks: Sequence[Check], free: Sequence[FreeChange]) -> None:
        self._state = state
        self._columns: defaultdict[tuple[str, tuple[Any, ...]], set[str]] = defaultdict(set)
        self._new: defaultdict[str, list[Check]] = defaultdict(list)
        self._gone: set[tuple[str, tuple[Any, ...]]] = set()
        self._counted: set[str] = set()
        self._documents: set[str] = set()
        self._free: defaultdict[str, list[FreeChange]] = defaultdict(list)
        for entry in free:
            self._free[entry.table].append(entry)
        for check in checks:
            self._add(check)

    def _add(self, check: Check) -> None:
        if check.kind == "row" and check.inserted:
            self._new[check.table].append(check)
        elif check.kind == "row":
            place = (check.table, self._state.key(check.table, check.where))
            self._columns[place].update(check.expect, check.free_columns)
        elif check.kind == "absent":
            self._gone.add((check.table, self._state.key(check.table, check.where)))
        elif check.kind == "count":
            self._counted.add(check.table)
        elif check.kind == "document":
            self._documents.add(check.path)

    def lets_insert(self, table: str, row: Mapping[str, Any]) -> bool:
        """True for a new row that is asked for or free."""
        if table in self._counted or any(fits(self._state, check, row) for check in self._new.get(table, ())):
            return True
        return any("insert" in entry.changes and self._is_in(entry, row) for entry in self._free.get(table, ()))

    def lets_delete(self, table: str, row: Mapping[str, Any]) -> bool:
        """True for a deleted row whose end is asked for or free."""
        if table in self._counted or (table, self._state.key(table, row)) in self._gone:
            return True
        return any("delete" in entry.changes and self._is_in(entry, row) for entry in self._free.get(table, ()))

    def strays(self, table: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
        """The changed columns of a row that nobody asked for."""
        place = (table, self._state.key(table, after))
        asked = self._columns.get(place, ())
        changed = [name for name, value in after.items() if value != before[name] and name not in asked]
        for entry in self._free.get(table, ()):
            if changed and "update" in entry.changes and self._is_in(entry, before) and self._is_in(entry, after):
                changed = [name for name in changed if entry.columns and name not in entry.columns]
        return changed

    def lets_document(self, path: str) -> bool:
        """True for a document that a check names."""
        return path in self._documents

    def _is_in(self, entry: FreeChange, row: Mapping[str, Any]) -> bool:
        if entry.keys and self._state.key(entry.table, row) not in entry.keys:
            return False
        return not entry.column or any(same(value, row[entry.column]) for value in entry.values)


def fits(state: FinalState, check: Check, row: Mapping[str, Any]) -> bool:
    """True when a new row has the values that a row check expects, and new ones where they must be."""
    if wrong_columns(check, row) or not all(state.is_fresh(check.table, name, row[name]) for name in check.fresh):
        return False
    return all(state.is_new(table, row[name]) for name, table in check.of_new.items())


def wrong_columns(check: Check, row: Mapping[str, Any]) -> list[str]:
    """The columns of a row that are not as a row check expects."""
    return [
        name
        for name, value in check.expect.items()
        if not (same_text(value, row[name]) if name in check.normalised else same(value, row[name]))
    ]


def strays(state: FinalState, claims: Claims) -> list[str]:
    """The changes that nobody asked for, each in a few words."""
    return list(_strays(state, claims))


def _strays(state: FinalState, claims: Claims) -> Iterator[str]:
    for table, changes in state.diff.tables.items():
        for row in changes.inserted:
            if not claims.lets_insert(table, row):
                yield f"{_name(state, table, row)} is new"
        for row in changes.deleted:
            if not claims.lets_delete(table, row):
                yield f"{_name(state, table, row)} is gone"
        for before, after in changes.updated:
            columns = claims.strays(table, before, after)
            if columns:
                yield f"{_name(state, table, after)}: {', '.join(columns)} changed"
    for path in state.diff.documents:
        if not claims.lets_document(path):
            yield f"document {path} changed"


def _name(state: FinalState, table: str, row: Mapping[str, Any]) -> str:
    return f"{table} {', '.join(str(part)[:80] for part in state.key(table, row))}"
