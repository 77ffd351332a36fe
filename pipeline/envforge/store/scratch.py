"""A scratch SQLite in memory for schemas, rows and queries that somebody else wrote, every door to the outside shut.

First it takes a schema and rows (no query, ATTACH, trigger, PRAGMA or virtual table), after
`only_reads()` it answers SELECTs. Nothing that it runs goes on for longer than its time.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

SECONDS = 60.0
_LONGEST_VALUE = 100_000_000
_MOST_PAGES = 1 << 19
"""Two GiB."""
_STEPS_BETWEEN_LOOKS = 100_000
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_FILLING = frozenset(
    {sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION}
    | {sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_VIEW, sqlite3.SQLITE_REINDEX}
    | {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
)
_LOOKS = frozenset({"foreign_key_check", "foreign_key_list", "table_info"})


class Scratch(sqlite3.Connection):
    """As `sqlite3.Connection`; what is not allowed or takes longer than `seconds` raises sqlite3.Error."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        super().__init__(":memory:")
        self._seconds = seconds
        self._deadline = 0.0
        self._allowed = _FILLING
        self.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        super().execute(f"PRAGMA max_page_count={_MOST_PAGES}")
        self.set_authorizer(self._authorize)
        self.set_progress_handler(self._too_late, _STEPS_BETWEEN_LOOKS)

    def only_reads(self) -> None:
        """From now on nothing can be changed."""
        self._allowed = _READING

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """One statement. Raises sqlite3.Error, also for a second statement (a Warning before Python 3.12)."""
        self._start()
        try:
            return super().execute(sql, parameters)
        except sqlite3.Warning as error:
            raise sqlite3.ProgrammingError(str(error)) from error

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        """One statement with many rows."""
        self._start()
        return super().executemany(sql, parameters)

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        """All statements of a schema."""
        self._start()
        return super().executescript(sql_script)

    def _start(self) -> None:
        self._deadline = time.monotonic() + self._seconds

    def _too_late(self) -> bool:
        return time.monotonic() > self._deadline

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_PRAGMA:
            return sqlite3.SQLITE_OK if first in _LOOKS else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in self._allowed else sqlite3.SQLITE_DENY
