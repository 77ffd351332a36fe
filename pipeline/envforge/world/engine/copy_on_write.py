"""The state of one instance: a copy-on-write SQLite database over a read-only template.

The template is one bytes-like object shared by all instances. An instance keeps only the pages it wrote, so a reset
forgets them, a snapshot copies a small dict, and both are exact to the byte (row order without ORDER BY included).
SQLite's session extension records what changed; `changeset` is the exact difference to the template.
Standard library and apsw only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import apsw

from envforge.world.engine.guard import Authorizer

PAGE_SIZE = 4096
CACHE_KIB = 32 * 1024
STEPS_BETWEEN_CLOCK_LOOKS = 20_000
MAX_VALUE_BYTES = 16 * 1024 * 1024
_HEADER_COUNTER = slice(24, 28)
_HEADER_VALID_FOR = slice(92, 96)

Params = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True)
class Image:
    """Frozen state of an instance: its private pages and the changeset that leads from the template to it."""

    pages: dict[int, bytes]
    size: int
    changeset: bytes


class StateEngine(Protocol):
    """What holds the state of one instance. Another engine is another file behind these methods."""

    connection: apsw.Connection

    def reset(self) -> None:
        """Back to the template."""
        ...

    def changeset(self) -> bytes:
        """The exact difference between the template and now."""
        ...

    def snapshot(self) -> Image:
        """The state now; later changes do not reach it."""
        ...

    def restore(self, image: Image) -> None:
        """Back to the state of `image` (of this or another instance over the same template)."""
        ...

    def fork(self) -> StateEngine:
        """An independent instance in the same state."""
        ...

    def close(self) -> None:
        """Free the instance."""
        ...


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


def set_sql_clock(clock: Callable[[], float]) -> None:
    """What SQL's 'now' answers, in seconds since 1970."""
    _the_vfs().clock = clock


class CopyOnWriteEngine:
    """The default StateEngine. `template` is a serialized database with 4 KiB pages (see `template.py`)."""

    def __init__(self, template: Any, *, read_only: bool = False) -> None:
        self._file = _Pages(template)
        self._name = f"instance-{next(_numbers)}"
        self._base = b""
        self.deadline = 0.0
        """Monotonic time at which running SQL is stopped; 0 is never."""
        _the_vfs().files[self._name] = self._file
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self.connection = apsw.Connection(self._name, flags=flags, vfs=_CopyOnWrite.NAME)
        self.authorizer = Authorizer(read_only=read_only)
        self._harden()
        self._session = self._record()

    def _harden(self) -> None:
        connection = self.connection
        for pragma in ("journal_mode=memory", "synchronous=off", "temp_store=memory", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}").fetchall()
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.set_progress_handler(self._too_late, STEPS_BETWEEN_CLOCK_LOOKS)
        connection.authorizer = self.authorizer

    def _too_late(self) -> bool:
        return bool(self.deadline) and time.monotonic() > self.deadline

    def _record(self) -> apsw.Session:
        session = apsw.Session(self.connection, "main")
        session.attach()
        return session

    def reset(self) -> None:
        """Back to the template."""
        self._session.close()
        self._file.clear()
        self._base = b""
        self.connection.set_last_insert_rowid(0)
        self._session = self._record()

    def changeset(self) -> bytes:
        """The exact difference between the template and now."""
        with self.authorizer.internal():
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
        self.connection.set_last_insert_rowid(0)
        self._session = self._record()

    def apply(self, changeset: bytes) -> None:
        """Apply a changeset to the state now. Raises apsw.Error when it does not fit."""
        flags = apsw.SQLITE_CHANGESETAPPLY_FKNOACTION
        with self.authorizer.internal():
            apsw.Changeset.apply(changeset, self.connection, flags=flags)

    def fork(self) -> CopyOnWriteEngine:
        """An independent instance in the same state."""
        other = CopyOnWriteEngine(self._file.template)
        other.restore(self.snapshot())
        return other

    def close(self) -> None:
        """Free the instance."""
        self._session.close()
        self.connection.close()
        _the_vfs().files.pop(self._name, None)
