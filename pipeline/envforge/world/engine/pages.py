"""The file of an instance as SQLite sees it: a template's pages, overlaid by its own. An apsw VFS in plain Python.

Standard library and apsw only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import apsw

from envforge.world.engine.contract import PAGE_SIZE

_HEADER_COUNTER = slice(24, 28)
_HEADER_VALID_FOR = slice(92, 96)


class Pages:
    """One instance's file: template pages, overlaid by the pages it wrote. Called by SQLite through the VFS."""

    def __init__(self, template: Any) -> None:
        self.template = template
        self.template_size = len(template)
        self.pages: dict[int, bytes] = {}
        self.size = self.template_size
        self.moves = 0
        """Goes up whenever pages come or go: as long as it stays, an instance's memory does too."""
        self._newest = 0

    def clear(self) -> None:
        """Back to the template."""
        self.moves += 1
        self._newest = max(self._newest, self.counter())
        self.pages.clear()
        self.size = self.template_size

    def load(self, pages: Mapping[int, bytes], size: int) -> None:
        """Take over `pages`; the file's change counter moves on, so that SQLite drops what it has cached."""
        self.moves += 1
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
        """Bytes at a place."""
        self.moves += 1
        page = self.pages.get(offset)
        if page is not None:
            return page if amount == PAGE_SIZE else page[:amount]
        inside = offset % PAGE_SIZE
        if inside and offset - inside in self.pages:
            return self.pages[offset - inside][inside : inside + amount]
        return bytes(self.template[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        """Take over one whole page."""
        self.moves += 1
        if len(data) != PAGE_SIZE or offset % PAGE_SIZE:
            raise apsw.IOError(f"a write of {len(data)} bytes at {offset} is not one page")
        self.pages[offset] = bytes(data)
        self.size = max(self.size, offset + PAGE_SIZE)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        """Forget what lies behind `size`."""
        self.moves += 1
        self.size = size
        for offset in [offset for offset in self.pages if offset >= size]:
            del self.pages[offset]

    def xFileSize(self) -> int:  # noqa: N802
        """Bytes of the file."""
        return self.size

    def xLock(self, level: int) -> None:  # noqa: N802
        """Nobody else opens this file."""

    def xUnlock(self, level: int) -> None:  # noqa: N802
        """Nobody else opens this file."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        """Nobody else opens this file."""
        return False

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Nothing is ever on a disk."""

    def xClose(self) -> None:  # noqa: N802
        """Pages die with the instance."""

    def xSectorSize(self) -> int:  # noqa: N802
        """As large as a page."""
        return PAGE_SIZE

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        """None worth naming."""
        return 0

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: ARG002, N802
        """Nothing is controlled."""
        return False


class CopyOnWriteFiles(apsw.VFS):
    """The VFS: hands out instances by name, reaches no disk, and lets SQL's 'now' be the World's time."""

    NAME = "envforge-copy-on-write"

    def __init__(self) -> None:
        super().__init__(self.NAME, "")
        self.files: dict[str, Pages] = {}
        self.clock: Callable[[], float] | None = None

    def xOpen(self, name: Any, flags: Any) -> Any:  # noqa: ARG002, N802
        """The pages of an instance, by its name."""
        key = name.filename() if name is not None else ""
        if key not in self.files:
            raise apsw.CantOpenError(f"no instance {key!r}")
        return self.files[key]

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: ARG002, N802
        """There is no other file."""
        return False

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """There are no journals on a disk."""

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        """Names are whole already."""
        return name

    def xCurrentTimeInt64(self) -> int:  # noqa: N802
        """What SQL's 'now' answers: milliseconds of the Julian day."""
        seconds = self.clock() if self.clock is not None else 0.0
        return 210_866_760_000_000 + int(seconds) * 1000


_vfs: list[CopyOnWriteFiles] = []


def the_files() -> CopyOnWriteFiles:
    """The VFS of this process, registered when it is first asked for."""
    if not _vfs:
        _vfs.append(CopyOnWriteFiles())
    return _vfs[0]
