"""A connection that builds a template: schema under guard, rows, then the whole as bytes. One class per engine."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from envforge.world.engine import COPY_ON_WRITE, chosen_engine
from envforge.world.engine.contract import MAX_VALUE_BYTES, PAGE_SIZE, SQLError, Values
from envforge.world.engine.guard import DENY, OK, SCHEMA_ACTIONS

_MOST_SECONDS = 300.0
_MOST_PAGES = 1 << 19
"""Two GiB."""
_STEPS_BETWEEN_CLOCK_LOOKS = 100_000
_SETUP = (f"PRAGMA page_size={PAGE_SIZE}", f"PRAGMA max_page_count={_MOST_PAGES}")


class Builder(Protocol):
    """A database in memory that is being filled. Every method raises SQLError for what SQLite refuses.

    The schema may be a stranger's: nothing in it may run on for ever or fill the memory.
    """

    def script(self, sql: str) -> None:
        """Run the statements of a schema, which may only create tables, indexes and views, and fill them."""
        ...

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Values]:
        """Rows of one statement of ours."""
        ...

    def fill(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one INSERT per row; after an error `filled` says how many went in."""
        ...

    def filled(self) -> int:
        """Rows that were inserted so far, all in all."""
        ...

    def serialize(self) -> bytes:
        """The database as bytes."""
        ...

    def close(self) -> None:
        """Free it."""
        ...


def new_builder() -> Builder:
    """A builder of the chosen engine's library. Raises ConfigError."""
    return _ApswBuilder() if chosen_engine() == COPY_ON_WRITE else _StandardBuilder()


def _authorize(action: int, *_: Any) -> int:
    return OK if action in SCHEMA_ACTIONS else DENY


class _Deadline:
    def __init__(self) -> None:
        self._end = time.monotonic() + _MOST_SECONDS

    def __call__(self) -> bool:
        return time.monotonic() > self._end


class _ApswBuilder:
    def __init__(self) -> None:
        import apsw

        self._error = apsw.Error
        self._connection = apsw.Connection(":memory:")
        for pragma in _SETUP:
            self._connection.execute(pragma).fetchall()
        self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        self._connection.set_progress_handler(_Deadline(), _STEPS_BETWEEN_CLOCK_LOOKS)

    def script(self, sql: str) -> None:
        self._connection.authorizer = _authorize
        try:
            self._connection.execute(sql).fetchall()
        except self._error as error:
            raise SQLError(str(error)) from error
        finally:
            self._connection.authorizer = None

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Values]:
        try:
            cursor: Any = self._connection.execute(sql, params)
            return cursor.fetchall()
        except self._error as error:
            raise SQLError(str(error)) from error

    def fill(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except self._error as error:
            raise SQLError(str(error)) from error

    def filled(self) -> int:
        return self._connection.total_changes()

    def serialize(self) -> bytes:
        return self._connection.serialize("main")

    def close(self) -> None:
        self._connection.close()


class _StandardBuilder:
    def __init__(self) -> None:
        import sqlite3

        self._error = (sqlite3.Error, sqlite3.Warning)
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
        for pragma in _SETUP:
            self._connection.execute(pragma).fetchall()
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        self._connection.set_progress_handler(_Deadline(), _STEPS_BETWEEN_CLOCK_LOOKS)

    def script(self, sql: str) -> None:
        self._connection.set_authorizer(_authorize)
        try:
            self._connection.executescript(sql)
        except self._error as error:
            raise SQLError(str(error)) from error
        finally:
            self._connection.set_authorizer(None)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Values]:
        try:
            return self._connection.execute(sql, params).fetchall()
        except self._error as error:
            raise SQLError(str(error)) from error

    def fill(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except self._error as error:
            raise SQLError(str(error)) from error

    def filled(self) -> int:
        return self._connection.total_changes

    def serialize(self) -> bytes:
        return self._connection.serialize()

    def close(self) -> None:
        self._connection.close()
