"""A changeset carried out with plain SQL, for an engine without SQLite's session extension. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from envforge.world.engine.changeset import NO_CHANGE, Change, read_changeset
from envforge.world.engine.contract import ConstraintError, SQLError, Values

Run: TypeAlias = Callable[[str, Sequence[Any]], list[Values]]


def apply_changes(changeset: bytes, run: Run) -> None:
    """Carry out a changeset, which must fit the rows exactly. `run` executes a statement and gives its rows.

    The caller holds a transaction with foreign keys off, and undoes it when this raises SQLError.
    """
    check_tables(changeset, run)
    for table, group in groupby(read_changeset(changeset), key=lambda change: change.table):
        columns = [str(row[1]) for row in run(f"PRAGMA table_info({_quoted(table)})", ())]
        target = _Target(table, columns, run)
        pending = list(group)
        while pending:
            refused = [change for change in pending if not target.tried(change)]
            if len(refused) == len(pending):
                target.exchange(refused)
                break
            pending = refused
    broken = run("PRAGMA foreign_key_check", ())
    if broken:
        raise ConstraintError(f"a row of {broken[0][0]} refers to nothing")


def check_tables(changeset: bytes, run: Run) -> None:
    """Every change is whole and of a table that is there, with the same columns and key. Raises SQLError."""
    met: set[tuple[str, bytes]] = set()
    try:
        met.update((change.table, change.key_flags) for change in read_changeset(changeset))
    except ValueError as error:
        raise SQLError(str(error)) from error
    for table, flags in sorted(met):
        if bytes(row[5] for row in run(f"PRAGMA table_info({_quoted(table)})", ())) != flags:
            raise SQLError(f"table {table!r} is not there, or has other columns or another key")


@dataclass(frozen=True)
class _Target:
    table: str
    columns: list[str]
    run: Run

    def tried(self, change: Change) -> bool:
        """Carry out one change; False when a constraint refuses it (for now). Raises SQLError when it does not fit."""
        try:
            if change.operation == "INSERT":
                self._insert(self.columns, change.new)
            elif change.operation == "DELETE":
                self._delete(change)
            else:
                pairs = zip(self.columns, change.new, strict=True)
                moved = [(name, value) for name, value in pairs if value is not NO_CHANGE]
                if moved:
                    assigned = ", ".join(f"{_quoted(name)} = ?" for name, _ in moved)
                    start = f"UPDATE {_quoted(self.table)} SET {assigned}"  # noqa: S608
                    self._touch(change, start, [value for _, value in moved])
        except ConstraintError:
            return False
        return True

    def exchange(self, changes: list[Change]) -> None:
        """Changes that stand in each other's way: take all their rows out, then put all in. Row ids are kept."""
        filled: list[tuple[list[str], Values]] = []
        for change in changes:
            if change.operation == "INSERT":
                filled.append((self.columns, change.new))
                continue
            names, row = self._whole(change)
            self._delete(change)
            if change.operation == "UPDATE":
                extra = row[: len(names) - len(self.columns)]
                old = row[len(extra) :]
                new = [was if now is NO_CHANGE else now for was, now in zip(old, change.new, strict=True)]
                filled.append((names, (*extra, *new)))
        for names, row in filled:
            self._insert(names, row)

    def _whole(self, change: Change) -> tuple[list[str], Values]:
        """The row that `change` is about, with its row id where the table has one besides its key."""
        where, values = self._where(change)
        names = ", ".join(_quoted(name) for name in self.columns)
        try:
            rows = self.run(f"SELECT _rowid_, {names} FROM {_quoted(self.table)}{where}", values)  # noqa: S608
            found = ["_rowid_", *self.columns]
        except SQLError:  # a table WITHOUT ROWID
            rows = self.run(f"SELECT {names} FROM {_quoted(self.table)}{where}", values)  # noqa: S608
            found = self.columns
        if len(rows) != 1:
            raise SQLError(f"a changed row of {self.table} is not there")
        return found, rows[0]

    def _insert(self, names: list[str], row: Sequence[Any]) -> None:
        listed = ", ".join(name if name == "_rowid_" else _quoted(name) for name in names)
        marks = ", ".join("?" * len(names))
        self.run(f"INSERT INTO {_quoted(self.table)} ({listed}) VALUES ({marks})", row)  # noqa: S608

    def _delete(self, change: Change) -> None:
        self._touch(change, f"DELETE FROM {_quoted(self.table)}", ())  # noqa: S608

    def _touch(self, change: Change, start: str, before: Sequence[Any]) -> None:
        where, values = self._where(change)
        if len(self.run(f"{start}{where} RETURNING 1", [*before, *values])) != 1:
            raise SQLError(f"a changed row of {self.table} is not there")

    def _where(self, change: Change) -> tuple[str, list[Any]]:
        """The row by its key, with every old value that the change states."""
        tests: list[str] = []
        values: list[Any] = []
        for name, flag, value in zip(self.columns, change.key_flags, change.old, strict=True):
            if value is NO_CHANGE:
                continue
            if flag:
                tests.append(f"{_quoted(name)} = ?")
                values.append(value)
            tests.append(f"{_quoted(name)} COLLATE BINARY IS ?")
            values.append(value)
        return f" WHERE {' AND '.join(tests)}", values


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
