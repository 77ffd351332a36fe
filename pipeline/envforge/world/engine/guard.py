"""What SQL of a tool may do: read and write rows. Nothing else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import apsw

DOCUMENTS_TABLE = "envforge_documents"

_ROW_ACTIONS = frozenset(
    {
        apsw.SQLITE_SELECT,
        apsw.SQLITE_READ,
        apsw.SQLITE_INSERT,
        apsw.SQLITE_UPDATE,
        apsw.SQLITE_DELETE,
        apsw.SQLITE_RECURSIVE,
    }
)
_WRITES = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE})
_UNREPEATABLE = frozenset({"random", "randomblob", "total_changes", "load_extension"})
"""Functions whose answer is not a function of the episode's calls."""
_SCHEMA_LOOKS = frozenset({"table_info", "table_xinfo"})
"""Pragmas that the session extension itself prepares in the middle of a tool's statement."""


class Authorizer:
    """SQLite's authorizer callback: closed by default, open inside `internal()`."""

    def __init__(self, *, read_only: bool = False) -> None:
        self._open = 0
        self._writes: frozenset[int] = _WRITES if read_only else frozenset()

    @contextmanager
    def internal(self) -> Generator[None]:
        """Our own statements, in this block, may do anything."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """SQLite's question; called once per statement and object, when a statement is prepared."""
        if self._open or self._allowed(action, first, second):
            return apsw.SQLITE_OK
        return apsw.SQLITE_DENY

    def _allowed(self, action: int, first: str | None, second: str | None) -> bool:
        if action in self._writes:
            return False
        if action in _ROW_ACTIONS:
            if first == DOCUMENTS_TABLE:
                return False
            return action not in _WRITES or not (first or "").startswith("sqlite_")
        if action == apsw.SQLITE_FUNCTION:
            return (second or "").lower() not in _UNREPEATABLE
        return action == apsw.SQLITE_PRAGMA and first in _SCHEMA_LOOKS
