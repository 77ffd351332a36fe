"""The state of one instance: a copy-on-write SQLite database over a read-only template.

The template is one bytes-like object shared by all instances. An instance keeps only the pages it wrote, so a reset
forgets them, a snapshot copies a small dict, and both are exact to the byte (row order without ORDER BY included).
SQLite's session extension records what changed; `changeset` is the exact difference to the template.
Standard library and apsw only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import Any

import apsw

from envforge.world.engine.applying import check_tables
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
from envforge.world.engine.guard import Authorizer, refuse_second_statement
from envforge.world.engine.pages import CopyOnWriteFiles, Pages, the_files
from envforge.world.engine.reads import KnownReads

CACHE_KIB = 32 * 1024
"""Most that one instance caches; `budget.py` bounds all of them together."""
STATEMENTS = 16
"""Statements that stay prepared, some 5 KB each: more than a call uses, and an instance stays small."""

_ERRORS: dict[type[Exception], type[SQLError]] = {
    apsw.ConstraintError: ConstraintError,
    apsw.AuthError: AuthError,
    apsw.InterruptError: InterruptError,
    apsw.BindingsError: BindingsError,
}

_numbers = itertools.count(1)
_BEGIN, _COMMIT = (f"{word} -- {os.urandom(16).hex()}" for word in ("BEGIN", "COMMIT"))
"""Stay prepared, so that a call does not prepare them: the authorizer was asked once. No tool can send their text."""
_KEEP_LOCK, _LET_GO = "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA locking_mode=NORMAL"
"""Nobody else opens the file: SQLite need not lock it, and look whether it has changed, at each call."""

apsw.allow_missing_dict_bindings(False)


_REFUSALS = (apsw.Error, UnicodeDecodeError)
"""SQL can make text that is none: CAST(x'ff' AS TEXT)."""


def _told(error: Exception) -> SQLError:
    """The same error without the library's type."""
    return _ERRORS.get(type(error), SQLError)(str(error))


class CopyOnWriteEngine:
    """The default StateEngine. `template` is a serialized database with 4 KiB pages (see `template.py`)."""

    def __init__(self, template: Any, *, read_only: bool = False) -> None:
        self._file = Pages(template)
        self._name = f"instance-{next(_numbers)}"
        self._base = b""
        self.deadline = 0.0
        """Monotonic time at which running SQL is stopped; 0 is never."""
        self.clock: Callable[[], float] = no_time
        """What SQL's 'now' answers, in seconds since 1970."""
        self._begun = False
        """A call's transaction has begun."""
        self._sent = False
        """SQLite was told so: what only reads needs none."""
        self._before = 0
        self._measured, self._used = -1, 0
        """At which count of the file's moves its memory was measured, and that."""
        self._reads = KnownReads.of(template)
        self._vfs = the_files()
        self._vfs.files[self._name] = self._file
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self._connection = apsw.Connection(
            self._name, flags=flags, vfs=CopyOnWriteFiles.NAME, statementcachesize=STATEMENTS
        )
        self._authorizer = Authorizer(read_only=read_only)
        self._harden()
        self._session = self._record()

    def _harden(self) -> None:
        connection = self._connection
        for pragma in ("journal_mode=memory", "synchronous=off", "temp_store=memory", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}").fetchall()
        connection.execute(_KEEP_LOCK).fetchall()
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        # A plan depends on the statement, not on what is bound to it: the order of rows that no ORDER BY states does
        # not change with a value, and a statement that is prepared is not prepared again for each call.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.set_progress_handler(self._too_late, STEPS_BETWEEN_CLOCK_LOOKS)
        connection.authorizer = self._authorizer

    def _too_late(self) -> bool:
        return bool(self.deadline) and time.monotonic() > self.deadline

    def _record(self) -> apsw.Session:
        session = apsw.Session(self._connection, "main")
        session.attach()
        return session

    @property
    def in_transaction(self) -> bool:
        """True between `begin` and `commit` or `rollback`."""
        return self._connection.in_transaction if self._sent else self._begun

    def query(self, sql: str, params: Params = ()) -> tuple[list[str], list[Values]]:
        """Column names and rows of a statement that reads. Raises SQLError; ValueError when it changed rows."""
        known = self._reads.names(sql)
        if known is not None:
            self._check_begun()
            self._vfs.clock = self.clock
            try:
                cursor: Any = self._connection.execute(sql, params)
                return [*known], cursor.fetchall()
            except _REFUSALS as error:
                raise _told(error) from error
        return self._first_query(sql, params)

    def _first_query(self, sql: str, params: Params) -> tuple[list[str], list[Values]]:
        """`query` for a text that may write as far as anybody knows."""
        connection = self._connection
        before = connection.total_changes()
        try:
            cursor = self._start(sql, params)
            names, reads = [column[0] for column in cursor.get_description()], cursor.is_readonly
            rows: list[Values] = cursor.fetchall()
        except apsw.ExecutionCompleteError:  # a statement without columns
            names, rows, reads = [], [], False
        except _REFUSALS as error:
            raise _told(error) from error
        if connection.total_changes() != before:
            raise ValueError("query() reads only; use execute() to change rows")
        if reads:
            self._reads.add(sql, names)
        return names, rows

    def execute(self, sql: str, params: Params = ()) -> int:
        """Run one statement that writes; the number of changed rows. Raises SQLError; ValueError when it reads."""
        connection = self._connection
        before = connection.total_changes()
        try:
            rows: list[Values] = self._start(sql, params).fetchall()
        except _REFUSALS as error:
            raise _told(error) from error
        if connection.total_changes() != before:
            return connection.changes()
        if rows:
            raise ValueError("execute() changes rows; use query() to read")
        return 0  # changes() still answers for the statement before

    def own(self, sql: str, params: Params = ()) -> list[Values]:
        """Rows of a statement of ours, which the guard lets pass. Never for text that comes from a tool."""
        self._send_begin()
        # Never cached: a cached statement would skip the authorizer when a tool sends the same text.
        return self._own(sql, params, cached=False)

    def _own(self, sql: str, params: Params, *, cached: bool) -> list[Values]:
        try:
            with self._authorizer.internal():
                cursor: Any = self._connection.execute(sql, params, can_cache=cached)
                return cursor.fetchall()
        except _REFUSALS as error:
            raise _told(error) from error

    def begin(self) -> None:
        """Start a transaction. No SQL of a tool can start or end one."""
        self._check_begun()
        if self._begun:
            raise SQLError("a transaction has begun already")
        self._begun = True

    def _send_begin(self) -> None:
        """Before the first statement of a transaction that may write."""
        self._check_begun()
        if self._begun and not self._sent:
            self._own(_BEGIN, (), cached=True)
            self._before = self._connection.total_changes()
            self._sent = True

    @property
    def wrote(self) -> bool:
        """True when the transaction that has begun changed rows."""
        return self._sent and self._connection.total_changes() != self._before

    def commit(self) -> bool:
        """Keep what the transaction did; True when it changed rows."""
        self._check_begun()
        if not self._begun:
            raise SQLError("no transaction has begun")
        wrote = self.wrote
        if self._sent:
            self._own(_COMMIT, (), cached=True)
        self._begun = self._sent = False
        return wrote

    def rollback(self) -> None:
        """Undo what the transaction did; nothing to do when there is none."""
        self._begun = self._sent = False
        if self._connection.in_transaction:
            self._own("ROLLBACK", (), cached=False)

    def _start(self, sql: str, params: Params) -> Any:
        self._send_begin()
        if ";" in sql:
            refuse_second_statement(sql, apsw.complete)
        self._vfs.clock = self.clock
        return self._connection.execute(sql, params)

    def _check_begun(self) -> None:
        if self._sent and not self._connection.in_transaction:
            raise RuntimeError("the call's transaction was ended by a statement with ROLLBACK")

    def reset(self) -> None:
        """Back to the template."""
        self.rollback()
        self._session.close()
        if self._file.pages:
            self._exchange(self._file.clear)
        self._base = b""
        self._session = self._record()

    def _exchange(self, pages: Callable[[], None]) -> None:
        """Other pages for the file: its lock goes, so that SQLite looks at the file's counter and drops its cache."""
        for sql in (_LET_GO, "PRAGMA schema_version"):
            self._own(sql, (), cached=False)
        pages()
        self._own(_KEEP_LOCK, (), cached=False)

    def changeset(self) -> bytes:
        """The exact difference between the template and now."""
        with self._authorizer.internal():
            changes = self._session.changeset()
        return apsw.Changeset.concat(self._base, changes) if self._base else changes

    def snapshot(self) -> Image:
        """The state now; later changes do not reach it."""
        return Image(dict(self._file.pages), self._file.size, self.changeset())

    def restore(self, image: Image) -> None:
        """Back to the state of `image` (of this or another instance over the same template)."""
        self._session.close()
        self._exchange(lambda: self._file.load(image.pages, image.size))
        self._base = image.changeset
        self._session = self._record()

    def apply(self, changeset: bytes) -> None:
        """Apply a changeset to the state now. Raises SQLError when it does not fit."""
        check_tables(changeset, self.own)  # SQLite itself leaves out what is of unknown tables
        flags = apsw.SQLITE_CHANGESETAPPLY_FKNOACTION
        try:
            with self._authorizer.internal():
                apsw.Changeset.apply(changeset, self._connection, flags=flags)
        except apsw.AbortError as error:  # the answer to every conflict
            raise SQLError("the changeset does not fit the rows") from error
        except apsw.Error as error:
            raise _told(error) from error

    def fork(self) -> CopyOnWriteEngine:
        """An independent instance in the same state."""
        other = CopyOnWriteEngine(self._file.template)
        other.restore(self.snapshot())
        return other

    def memory_used(self) -> int:
        """Bytes that this instance holds beside the template and its schema: private pages and cached pages."""
        moves = self._file.moves
        if self._measured != moves:
            cached = self._connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0]
            self._measured, self._used = moves, cached + len(self._file.pages) * PAGE_SIZE
        return self._used

    def release_memory(self) -> None:
        """Give back what can be read again from the template and the private pages."""
        self._connection.release_memory()
        self._measured = -1

    def close(self) -> None:
        """Free the instance."""
        self.clock = no_time  # lets go of the World
        self._session.close()
        self._connection.close()
        self._vfs.files.pop(self._name, None)
