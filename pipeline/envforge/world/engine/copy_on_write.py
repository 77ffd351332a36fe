"""The state of one instance: a copy-on-write SQLite database over a read-only template.

The template is one bytes-like object shared by all instances. An instance keeps only the pages it wrote, so a reset
forgets them, a snapshot copies a small dict, and both are exact to the byte (row order without ORDER BY included).
SQLite's session extension records what changed; `changeset` is the exact difference to the template.
Standard library and apsw only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
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

CACHE_KIB = 32 * 1024
"""Most that one instance caches; `budget.py` bounds all of them together."""
STATEMENTS = 16
"""Statements that stay prepared, some 5 KB each: more than a call uses, and an instance stays small."""
_HEADER_COUNTER = slice(24, 28)
_HEADER_VALID_FOR = slice(92, 96)

_ERRORS: dict[type[Exception], type[SQLError]] = {
    apsw.ConstraintError: ConstraintError,
    apsw.AuthError: AuthError,
    apsw.InterruptError: InterruptError,
    apsw.BindingsError: BindingsError,
}

apsw.allow_missing_dict_bindings(False)


class _Pages:
    """One instance's file: template pages, overlaid by the pages it wrote. Called by SQLite through the VFS."""

    def __init__(self, template: Any) -> None:
        self.template = template
        self.template_size = len(template)
        self.pages: dict[int, bytes] = {}
        self.size = self.template_size
        self._newest = 0

    def clear(self) -> None:
        self._newest = max(self._newest, self.counter())
        self.pages.clear()
        self.size = self.template_size

    def load(self, pages: Mapping[int, bytes], size: int) -> None:
        """Take over `pages`; the file's change counter moves on, so that SQLite drops what it has cached."""
        self._newest = max(self._newest, self.counter()) + 1
        self.pages = dict(pages)
        self.size = size
        header = bytearray(self._page(0))
        mark = (self._newest & 0x7FFFFFFF).to_bytes(4, "big")
        header[_HEADER_COUNTER] = mark
        header[_HEADER_VALID_FOR] = mark
        self.pages[0] = bytes(header)

    def counter(self) -> int:
        """The file's change counter (bytes 24 to 27 of page one)."""
        return int.from_bytes(self._page(0)[_HEADER_COUNTER], "big")

    def _page(self, offset: int) -> bytes:
        page = self.pages.get(offset)
        return page if page is not None else bytes(self.template[offset : offset + PAGE_SIZE])

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        page = self.pages.get(offset)
        if page is not None:
            return page if amount == PAGE_SIZE else page[:amount]
        inside = offset % PAGE_SIZE
        if inside:
            return self._page(offset - inside)[inside : inside + amount]
        return bytes(self.template[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if len(data) != PAGE_SIZE or offset % PAGE_SIZE:
            raise apsw.IOError(f"a write of {len(data)} bytes at {offset} is not one page")
        self.pages[offset] = bytes(data)
        self.size = max(self.size, offset + PAGE_SIZE)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self.size = size
        for offset in [offset for offset in self.pages if offset >= size]:
            del self.pages[offset]

    def xFileSize(self) -> int:  # noqa: N802
        return self.size

    def xLock(self, level: int) -> None:  # noqa: N802
        """Nobody else opens this file."""

    def xUnlock(self, level: int) -> None:  # noqa: N802
        """Nobody else opens this file."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Nothing is ever on a disk."""

    def xClose(self) -> None:  # noqa: N802
        """Pages die with the instance."""

    def xSectorSize(self) -> int:  # noqa: N802
        return PAGE_SIZE

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: ARG002, N802
        return False


class _CopyOnWrite(apsw.VFS):
    """The VFS: hands out instances by name, reaches no disk, and lets SQL's 'now' be the World's time."""

    NAME = "envforge-copy-on-write"

    def __init__(self) -> None:
        super().__init__(self.NAME, "")
        self.files: dict[str, _Pages] = {}
        self.clock: Callable[[], float] | None = None

    def xOpen(self, name: Any, flags: Any) -> Any:  # noqa: ARG002, N802
        key = name.filename() if name is not None else ""
        if key not in self.files:
            raise apsw.CantOpenError(f"no instance {key!r}")
        return self.files[key]

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: ARG002, N802
        return False

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """There are no journals on a disk."""

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xCurrentTimeInt64(self) -> int:  # noqa: N802
        seconds = self.clock() if self.clock is not None else 0.0
        return 210_866_760_000_000 + int(seconds) * 1000


_vfs: list[_CopyOnWrite] = []
_numbers = itertools.count(1)


def _the_vfs() -> _CopyOnWrite:
    if not _vfs:
        _vfs.append(_CopyOnWrite())
    return _vfs[0]


_REFUSALS = (apsw.Error, UnicodeDecodeError)
"""SQL can make text that is none: CAST(x'ff' AS TEXT)."""


def _told(error: Exception) -> SQLError:
    """The same error without the library's type."""
    return _ERRORS.get(type(error), SQLError)(str(error))


class CopyOnWriteEngine:
    """The default StateEngine. `template` is a serialized database with 4 KiB pages (see `template.py`)."""

    def __init__(self, template: Any, *, read_only: bool = False) -> None:
        self._file = _Pages(template)
        self._name = f"instance-{next(_numbers)}"
        self._base = b""
        self.deadline = 0.0
        """Monotonic time at which running SQL is stopped; 0 is never."""
        self.clock: Callable[[], float] = no_time
        """What SQL's 'now' answers, in seconds since 1970."""
        self._begun = False
        self._before = 0
        self._vfs = _the_vfs()
        self._vfs.files[self._name] = self._file
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self._connection = apsw.Connection(
            self._name, flags=flags, vfs=_CopyOnWrite.NAME, statementcachesize=STATEMENTS
        )
        self._authorizer = Authorizer(read_only=read_only)
        self._harden()
        self._session = self._record()

    def _harden(self) -> None:
        connection = self._connection
        for pragma in ("journal_mode=memory", "synchronous=off", "temp_store=memory", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}").fetchall()
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
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
        return self._connection.in_transaction

    def query(self, sql: str, params: Params = ()) -> tuple[list[str], list[Values]]:
        """Column names and rows of a statement that reads. Raises SQLError; ValueError when it changed rows."""
        connection = self._connection
        before = connection.total_changes()
        try:
            cursor = self._start(sql, params)
            names = [column[0] for column in cursor.get_description()]
            rows: list[Values] = cursor.fetchall()
        except apsw.ExecutionCompleteError:  # a statement without columns
            names, rows = [], []
        except _REFUSALS as error:
            raise _told(error) from error
        if connection.total_changes() != before:
            raise ValueError("query() reads only; use execute() to change rows")
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
        self._check_begun()
        # Never cached: a cached statement would skip the authorizer when a tool sends the same text.
        try:
            with self._authorizer.internal():
                cursor: Any = self._connection.execute(sql, params, can_cache=False)
                return cursor.fetchall()
        except _REFUSALS as error:
            raise _told(error) from error

    def begin(self) -> None:
        """Start a transaction. No SQL of a tool can start or end one."""
        self.own("BEGIN")
        self._before = self._connection.total_changes()
        self._begun = True

    def commit(self) -> bool:
        """Keep what the transaction did; True when it changed rows."""
        self._check_begun()
        self.own("COMMIT")
        self._begun = False
        return self._connection.total_changes() != self._before

    def rollback(self) -> None:
        """Undo what the transaction did; nothing to do when there is none."""
        self._begun = False
        if self._connection.in_transaction:
            self.own("ROLLBACK")

    def _start(self, sql: str, params: Params) -> Any:
        self._check_begun()
        if ";" in sql:
            refuse_second_statement(sql, apsw.complete)
        self._vfs.clock = self.clock
        return self._connection.execute(sql, params)

    def _check_begun(self) -> None:
        if self._begun and not self._connection.in_transaction:
            raise RuntimeError("the call's transaction was ended by a statement with ROLLBACK")

    def reset(self) -> None:
        """Back to the template."""
        if self._connection.in_transaction:
            self.rollback()
        self._session.close()
        self._file.clear()
        self._base = b""
        self._session = self._record()

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
        self._file.load(image.pages, image.size)
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
        cached = self._connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0]
        return cached + len(self._file.pages) * PAGE_SIZE

    def release_memory(self) -> None:
        """Give back what can be read again from the template and the private pages."""
        self._connection.release_memory()

    def close(self) -> None:
        """Free the instance."""
        self.clock = no_time  # lets go of the World
        self._session.close()
        self._connection.close()
        self._vfs.files.pop(self._name, None)
