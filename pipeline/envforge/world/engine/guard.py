"""What SQL of a tool may do: read and write rows. Nothing else. The same for every engine."""

from __future__ import annotations

from collections.abc import Callable

DOCUMENTS_TABLE = "envforge_documents"

OK, DENY = 0, 1
CREATE_INDEX, CREATE_TABLE, CREATE_VIEW = 1, 2, 8
DELETE, INSERT, PRAGMA, READ, SELECT, TRANSACTION, UPDATE = 9, 18, 19, 20, 21, 22, 23
REINDEX, FUNCTION, RECURSIVE = 27, 31, 33
"""SQLite's action codes (https://www.sqlite.org/c3ref/c_alter_table.html), which no version changes."""

SCHEMA_ACTIONS = frozenset(
    {CREATE_TABLE, CREATE_INDEX, CREATE_VIEW, REINDEX, INSERT, UPDATE, DELETE, READ, FUNCTION, TRANSACTION}
)
"""What schema.sql may do while the template is built."""
_WRITES = frozenset({INSERT, UPDATE, DELETE})
_ROW_ACTIONS = _WRITES | {SELECT, READ, RECURSIVE}
_UNREPEATABLE = frozenset(
    {"changes", "last_insert_rowid", "load_extension", "random", "randomblob", "total_changes"}
    | {"sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id", "sqlite_version"}
)
"""Functions whose answer is not a function of the episode's calls: another machine or fork answers otherwise."""
_SCHEMA_LOOKS = frozenset({"table_info", "table_xinfo"})
"""Pragmas that the session extension itself prepares in the middle of a tool's statement."""


class Authorizer:
    """SQLite's authorizer callback: closed by default, open inside `internal()`."""

    def __init__(self, *, read_only: bool = False) -> None:
        self._open = 0
        self._writes: frozenset[int] = _WRITES if read_only else frozenset()

    def internal(self) -> Authorizer:
        """Our own statements, in this block, may do anything."""
        return self

    def __enter__(self) -> None:
        self._open += 1

    def __exit__(self, *_: object) -> None:
        self._open -= 1

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """SQLite's question; called once per statement and object, when a statement is prepared."""
        return OK if self._open or self._allowed(action, first, second) else DENY

    def _allowed(self, action: int, first: str | None, second: str | None) -> bool:
        if action in self._writes:
            return False
        if action in _ROW_ACTIONS:
            if first == DOCUMENTS_TABLE:
                return False
            return action not in _WRITES or not (first or "").startswith("sqlite_")
        if action == FUNCTION:
            return (second or "").lower() not in _UNREPEATABLE
        return action == PRAGMA and first in _SCHEMA_LOOKS


def refuse_second_statement(sql: str, complete: Callable[[str], bool]) -> None:
    """`complete` is SQLite's own answer whether a text ends a statement. Raises ValueError."""
    at = sql.find(";")
    while at >= 0 and not complete(sql[: at + 1]):
        at = sql.find(";", at + 1)
    if at >= 0 and sql[at + 1 :].strip("; \t\r\n\f"):
        raise ValueError("one statement at a time")
