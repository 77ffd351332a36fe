"""The engine for machines without apsw: the standard library's SQLite over a private copy of the template.

The same rules, answers and changeset bytes' meaning as the copy-on-write engine, at the cost of a whole copy of the
database per instance and reset, and of reading the touched tables for a changeset. Standard library only.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from envforge.world.engine.applying import apply_changes
from envforge.world.engine.changeset import read_changeset
from envforge.world.engine.comparing import changeset_between
from envforge.world.engine.contract import (
    MAX_VALUE_BYTES,
    PAGE_SIZE,
    STEPS_BETWEEN_CLOCK_LOOKS,
    AuthError,
    BindingsError,
    ConstraintError,
    Image,
    InterruptError,
    Params,
    SQLError,
    Values,
    no_time,
)
from envforge.world.engine.guard import DELETE, INSERT, UPDATE, Authorizer, refuse_second_statement
from envforge.world.engine.sql_time import answer_with

_ERRORS: dict[int, type[SQLError]] = {9: InterruptError, 19: ConstraintError, 23: AuthError}
"""By SQLite's primary result code."""
_BINDABLE = (str, int, float, bytes, bytearray, memoryview, type(None))


def _told(error: sqlite3.Error | sqlite3.Warning) -> SQLError:
    """The same error without the library's type."""
    if isinstance(error, (sqlite3.ProgrammingError, sqlite3.InterfaceError)):
        return BindingsError(str(error))
    code: int = getattr(error, "sqlite_errorcode", 0)
    return _ERRORS.get(code & 0xFF, SQLError)(str(error))


class _Recorder(Authorizer):
    """The guard, which also notes the tables that statements were prepared to write."""

    def __init__(self, *, read_only: bool) -> None:
        super().__init__(read_only=read_only)
        self.touched: set[str] = set()

    def __call__(self, action: int, first: str | None, second: str | None, *more: str | None) -> int:
        if action in (INSERT, UPDATE, DELETE) and first is not None and not first.startswith("sqlite_"):
            self.touched.add(first)
        return super().__call__(action, first, second, *more)


class _Original:
    """A template, opened for comparing; shared by the instances over it and closed with the last of them."""

    _held: ClassVar[dict[int, _Original]] = {}

    def __init__(self, template: Any) -> None:
        self._template = template  # held, so that its id stays its own
        self._users = 0
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.connection.deserialize(template)

    @classmethod
    def of(cls, template: Any) -> _Original:
        """The one over `template`, for one more user."""
        held = cls._held.get(id(template))
        if held is None:
            held = cls._held[id(template)] = cls(template)
        held._users += 1
        return held

    def leave(self) -> None:
        """One user less."""
        self._users -= 1
        if not self._users:
            del self._held[id(self._template)]
            self.connection.close()


class DeserializedEngine:
    """The fallback StateEngine. `template` is a serialized database with 4 KiB pages (see `template.py`)."""

    def __init__(self, template: Any, *, read_only: bool = False) -> None:
        self._template = template
        self._read_only = read_only
        self.deadline = 0.0
        """Monotonic time at which running SQL is stopped; 0 is never."""
        self.clock: Callable[[], float] = no_time
        """What SQL's 'now' answers, in seconds since 1970."""
        self._begun = False
        self._before = 0
        self._closed = False
        self._original = _Original.of(template)  # opened now: in the middle of a call nothing can be opened
        self._open(template)

    def _open(self, data: Any) -> None:
        # A new connection each time: a used one remembers row ids and counts of changes.
        self._authorizer = _Recorder(read_only=self._read_only)
        # No cached statements: a cached one would skip the authorizer when a tool sends the text of one of ours.
        connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0, check_same_thread=False)
        connection.deserialize(data)
        for pragma in ("journal_mode=memory", "synchronous=off", "temp_store=memory", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        answer_with(connection, lambda: self.clock())
        connection.set_progress_handler(self._too_late, STEPS_BETWEEN_CLOCK_LOOKS)
        connection.set_authorizer(self._authorizer)
        self._connection = connection

    def _too_late(self) -> bool:
        return bool(self.deadline) and time.monotonic() > self.deadline

    @property
    def in_transaction(self) -> bool:
        """True between `begin` and `commit` or `rollback`."""
        return self._connection.in_transaction

    def query(self, sql: str, params: Params = ()) -> tuple[list[str], list[Values]]:
        """Column names and rows of a statement that reads. Raises SQLError; ValueError when it changed rows."""
        before = self._connection.total_changes
        names, rows = self._run(sql, params)
        if self._connection.total_changes != before:
            raise ValueError("query() reads only; use execute() to change rows")
        return names, rows

    def execute(self, sql: str, params: Params = ()) -> int:
        """Run one statement that writes; the number of changed rows. Raises SQLError; ValueError when it reads."""
        before = self._connection.total_changes
        _, rows = self._run(sql, params)
        if self._connection.total_changes != before:
            return int(self.own("SELECT changes()")[0][0])
        if rows:
            raise ValueError("execute() changes rows; use query() to read")
        return 0

    def own(self, sql: str, params: Params = ()) -> list[Values]:
        """Rows of a statement of ours, which the guard lets pass. Never for text that comes from a tool."""
        with self._authorizer.internal():
            return self._run(sql, params)[1]

    def _run(self, sql: str, params: Params) -> tuple[list[str], list[Values]]:
        if self._begun and not self._connection.in_transaction:
            raise RuntimeError("the call's transaction was ended by a statement with ROLLBACK")
        if ";" in sql:
            refuse_second_statement(sql, sqlite3.complete_statement)
        _check_bindable(params)
        try:
            cursor = self._connection.execute(sql, params)
            names = [column[0] for column in cursor.description or ()]
            return names, cursor.fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _told(error) from error

    def begin(self) -> None:
        """Start a transaction. No SQL of a tool can start or end one."""
        self.own("BEGIN")
        self._before = self._connection.total_changes
        self._begun = True

    @property
    def wrote(self) -> bool:
        """True when the transaction that has begun changed rows."""
        return self._connection.total_changes != self._before

    def commit(self) -> bool:
        """Keep what the transaction did; True when it changed rows."""
        self.own("COMMIT")
        self._begun = False
        return self.wrote

    def rollback(self) -> None:
        """Undo what the transaction did; nothing to do when there is none."""
        self._begun = False
        if self._connection.in_transaction:
            self.own("ROLLBACK")

    def reset(self) -> None:
        """Back to the template."""
        self._load(self._template)

    def _load(self, data: Any) -> None:
        self.rollback()
        self._connection.close()
        self._open(data)

    def changeset(self) -> bytes:
        """The exact difference between the template and now, in SQLite's changeset format."""
        try:
            with self._authorizer.internal():
                return changeset_between(self._original.connection, self._connection, tuple(self._authorizer.touched))
        except sqlite3.Error as error:
            raise _told(error) from error

    def apply(self, changeset: bytes) -> None:
        """Apply a changeset to the state now. Raises SQLError when it does not fit."""
        self.own("PRAGMA foreign_keys=off")
        try:
            self.begin()
            apply_changes(changeset, self.own)
            self.commit()
        finally:
            self.rollback()
            self.own("PRAGMA foreign_keys=on")

    def snapshot(self) -> Image:
        """The state now; later changes do not reach it."""
        data = self._connection.serialize()
        original = memoryview(self._template)
        view = memoryview(data)
        pages = {
            offset: data[offset : offset + PAGE_SIZE]
            for offset in range(0, len(data), PAGE_SIZE)
            if view[offset : offset + PAGE_SIZE] != original[offset : offset + PAGE_SIZE]
        }
        return Image(pages, len(data), self.changeset())

    def restore(self, image: Image) -> None:
        """Back to the state of `image` (of this or another instance over the same template)."""
        data = bytearray(self._template[: image.size].ljust(image.size, b"\0"))
        for offset, page in image.pages.items():
            data[offset : offset + PAGE_SIZE] = page
        self._load(bytes(data))
        self._authorizer.touched.update(change.table for change in read_changeset(image.changeset))

    def fork(self) -> DeserializedEngine:
        """An independent instance in the same state."""
        other = DeserializedEngine(self._template)
        other.restore(self.snapshot())
        return other

    def memory_used(self) -> int:
        """Bytes that this instance holds beside the template: its copy of the database."""
        return int(self.own("PRAGMA page_count")[0][0]) * PAGE_SIZE

    def release_memory(self) -> None:
        """Give back what can be read again; the copy itself stays."""
        self.own("PRAGMA shrink_memory")

    def close(self) -> None:
        """Free the instance."""
        self.clock = no_time  # lets go of the World
        self._connection.close()
        if not self._closed:
            self._closed = True
            self._original.leave()


def _check_bindable(params: Params) -> None:
    values = params.values() if isinstance(params, Mapping) else params
    for value in values:
        if not isinstance(value, _BINDABLE):  # the library would ask its adapters, which turn dates into text
            raise TypeError(f"a {type(value).__name__} is no value of SQLite")
