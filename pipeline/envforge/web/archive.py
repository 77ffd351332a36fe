"""Opens archives that nobody vouches for: nothing is written, nothing runs, and every size is bounded."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envforge.core.errors import SourceError
from envforge.web.paths import extension

_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What an archive may cost. `max_ratio` counts from `ratio_floor` bytes on: small texts shrink a lot."""

    max_archive: int = 512 << 20
    max_members: int = 200_000
    max_file: int = 256 << 20
    max_total: int = 512 << 20
    max_unpacked: int = 4 << 30
    max_ratio: int = 200
    ratio_floor: int = 16 << 20


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Contents:
    """All paths of an archive (its single top folder taken off) and the bodies that were asked for."""

    paths: tuple[str, ...]
    bodies: dict[str, bytes]


def read_archive(
    path: Path, select: Callable[[str], bool], *, limits: Limits = DEFAULT_LIMITS, strip: bool = True
) -> Contents:
    """Read the selected files of a tar (gz, bz2, xz) or zip archive into memory.

    Raises:
        SourceError: the archive is broken, names a path or link outside itself, holds a device, or breaks a limit.
    """
    name = path.name
    if path.stat().st_size > limits.max_archive:
        raise _refused(name, f"is larger than {limits.max_archive} bytes")
    with _reported(name):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _read_zip(archive, name, select, limits, strip=strip)
        ceiling = _ceiling(path.stat().st_size, limits)
        with _Bounded(path, ceiling, name) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            return _read_tar(archive, name, select, limits, strip=strip)


def open_nested(
    path: str, body: bytes, select: Callable[[str], bool], *, limits: Limits = DEFAULT_LIMITS
) -> Nested | None:
    """The files inside a `.zip` or `.gz` file, one level deep; None when `path` is neither.

    A packed single file keeps the outer path, as it is the same file in another coat.

    Raises:
        SourceError: as `read_archive`.
    """
    kind = extension(path)
    if kind == ".gz":
        with _reported(path), gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
            inner = _read_bounded(stream, _ceiling(len(body), limits, limits.max_file), path)
        return Nested("gunzip", {path: (path[: -len(kind)], inner)})
    if kind != ".zip":
        return None
    with _reported(path), zipfile.ZipFile(io.BytesIO(body)) as archive:
        contents = _read_zip(archive, path, select, limits, strip=False)
    if len(contents.paths) == 1 and contents.bodies:
        member = contents.paths[0]
        return Nested("unzip", {path: (member, contents.bodies[member])})
    return Nested("unzip", {f"{path}/{member}": (member, inner) for member, inner in sorted(contents.bodies.items())})


@dataclass(frozen=True)
class Nested:
    """What was inside a packed file: outer path -> (name inside, bytes)."""

    transform: str
    files: dict[str, tuple[str, bytes]]


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Bounded(io.BufferedIOBase):
    """The unpacked bytes of a tar file; refuses to give more than its ceiling at any offset."""

    def __init__(self, path: Path, ceiling: int, name: str) -> None:
        super().__init__()
        self._inner = _opened(path)
        self._ceiling = ceiling
        self._name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._inner.tell()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        # A tar reader seeks over members it does not want, which unpacks them all the same.
        if whence == 0 and offset > self._ceiling:
            raise _refused(self._name, f"unpacks to more than {self._ceiling} bytes")
        return self._inner.seek(offset, whence)

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._ceiling + 1 if size is None or size < 0 else size
        data = self._inner.read(wanted)
        if self._inner.tell() > self._ceiling:
            raise _refused(self._name, f"unpacks to more than {self._ceiling} bytes")
        return data

    def close(self) -> None:
        self._inner.close()
        super().close()


def _opened(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as stream:
        head = stream.read(6)
    if head.startswith(b"\x1f\x8b"):
        return gzip.open(path, "rb")
    if head.startswith(b"BZh"):
        return bz2.open(path, "rb")
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.open(path, "rb")
    return path.open("rb")


def _read_tar(
    archive: tarfile.TarFile, name: str, select: Callable[[str], bool], limits: Limits, *, strip: bool
) -> Contents:
    files: list[tuple[str, tarfile.TarInfo]] = []
    for count, member in enumerate(archive, start=1):
        if count > limits.max_members:
            raise _refused(name, f"holds more than {limits.max_members} entries")
        path = _safe_path(member.name, name)
        if member.issym() or member.islnk():
            _check_link(member, path, name)
        elif not (member.isreg() or member.isdir()):
            raise _refused(name, f"holds {path!r}, which is a device or a pipe")
        if not member.isdir():
            files.append((path, member))
    stripped = _without_top([path for path, _ in files]) if strip else [path for path, _ in files]
    wanted = [(path, member) for path, (_, member) in zip(stripped, files, strict=True) if select(path)]
    bodies: dict[str, bytes] = {}
    total = 0
    for path, member in wanted:
        if path in bodies:
            raise _refused(name, f"holds {path!r} twice")
        stream = archive.extractfile(member)  # follows links inside the archive, never on the disk
        if stream is None:
            raise _refused(name, f"has a link {path!r} that leads to no file")
        bodies[path] = _read_bounded(stream, min(limits.max_file, limits.max_total - total), f"{name}/{path}")
        total += len(bodies[path])
    return Contents(tuple(sorted(set(stripped))), dict(sorted(bodies.items())))


def _read_zip(
    archive: zipfile.ZipFile, name: str, select: Callable[[str], bool], limits: Limits, *, strip: bool
) -> Contents:
    members = archive.infolist()
    if len(members) > limits.max_members:
        raise _refused(name, f"holds more than {limits.max_members} entries")
    files: list[tuple[str, zipfile.ZipInfo]] = []
    for member in members:
        # ZipFile cuts names at NUL and turns separators; the name as stored is what must be judged.
        path = _safe_path(member.orig_filename, name)
        if stat.S_ISLNK(member.external_attr >> 16):
            raise _refused(name, f"holds the link {path!r}; links in zip files are not followed")
        if not member.is_dir():
            files.append((path, member))
    stripped = _without_top([path for path, _ in files]) if strip else [path for path, _ in files]
    bodies: dict[str, bytes] = {}
    total = 0
    for path, (_, member) in zip(stripped, files, strict=True):
        if not select(path):
            continue
        if path in bodies:
            raise _refused(name, f"holds {path!r} twice")
        if member.flag_bits & 0x1:
            raise _refused(name, f"holds {path!r} encrypted")
        room = min(_ceiling(member.compress_size, limits, limits.max_file), limits.max_total - total)
        with archive.open(member) as stream:
            bodies[path] = _read_bounded(stream, room, f"{name}/{path}")
        total += len(bodies[path])
    return Contents(tuple(sorted(set(stripped))), dict(sorted(bodies.items())))


def _safe_path(raw: str, archive: str) -> str:
    """The normal form of an entry's path. Raises SourceError if it could leave the folder it is unpacked to."""
    path = raw.removeprefix("./")
    parts = path.rstrip("/").split("/")
    if "\\" in raw or "\x00" in raw or raw.startswith("/") or (len(raw) > 1 and raw[1] == ":") or ".." in parts:
        raise _refused(archive, f"holds {raw!r}, a path outside itself")
    return posixpath.normpath(path)


def _check_link(member: tarfile.TarInfo, path: str, archive: str) -> None:
    """Raise SourceError if a link leads out of the archive."""
    folder = posixpath.dirname(path) if member.issym() else ""
    target = posixpath.normpath(posixpath.join(folder, member.linkname))
    if "\\" in member.linkname or target.startswith("/") or target.split("/")[0] == "..":
        raise _refused(archive, f"holds the link {path!r} to {member.linkname!r}, outside itself")


def _without_top(paths: list[str]) -> list[str]:
    """Take off the one folder that all paths share (`package/`, `name-1.0/`)."""
    tops = {path.partition("/")[0] for path in paths}
    if len(tops) == 1 and all("/" in path for path in paths):
        return [path.partition("/")[2] for path in paths]
    return paths


def _ceiling(packed: int, limits: Limits, cap: int | None = None) -> int:
    return min(cap or limits.max_unpacked, max(limits.ratio_floor, packed * limits.max_ratio))


def _read_bounded(stream: _Readable, ceiling: int, where: str) -> bytes:
    """Read to the end, but never more than `ceiling` bytes: stated sizes are not believed."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):
        size += len(part)
        if size > ceiling:
            raise _refused(where, f"unpacks to more than {ceiling} bytes")
        parts.append(part)
    return b"".join(parts)


@contextmanager
def _reported(name: str) -> Generator[None]:
    """Name the archive in whatever the readers of the standard library raise."""
    try:
        yield
    except _BROKEN as error:
        raise SourceError(
            f"the archive cannot be read: {type(error).__name__}: {error}",
            where=name,
            remedy="fetch it again, or take another version",
        ) from error


def _refused(name: str, why: str) -> SourceError:
    return SourceError(f"the archive {why}", where=name, remedy="it is not opened; take another source")
