"""A file of records that several processes may append to: a record is there whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from envforge.core.errors import StoreError

_CHUNK = 1 << 16


def append_record(path: Path, value: Mapping[str, Any], *, sort_keys: bool = True) -> None:
    """One more line of JSON. What another process left half-written is dropped first. Raises StoreError."""
    line = json.dumps(value, sort_keys=sort_keys, ensure_ascii=False, separators=(",", ":")) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _append(handle, line.encode("utf-8"))
        finally:
            os.close(handle)
    except OSError as error:
        message = f"could not be written: {error.strerror or error}"
        remedy = "check free disk space and permissions; nothing half-written was left"
        raise StoreError(message, where=str(path), remedy=remedy) from error


def _append(handle: int, data: bytes) -> None:
    size = _whole(handle)
    try:
        os.ftruncate(handle, size)
        os.lseek(handle, size, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        os.ftruncate(handle, size)
        raise


def _whole(handle: int) -> int:
    """Bytes up to the end of the last whole line."""
    at = os.fstat(handle).st_size
    while at:
        start = max(0, at - _CHUNK)
        found = os.pread(handle, at - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return 0


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its place in the file, but one that was cut when its writer ended. Raises StoreError."""
    try:
        with path.open("rb") as stream:
            at = 0
            for line in stream:
                if line.endswith(b"\n"):
                    yield at, line
                at += len(line)
    except OSError as error:
        raise StoreError(f"could not be read: {error.strerror or error}", where=str(path)) from error


def keep_lines(path: Path, places: Iterable[int]) -> None:
    """Leave the lines that begin at these places, in this order, atomically. Raises StoreError."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with path.open("rb") as source, scratch.open("wb") as target:
            for place in places:
                source.seek(place)
                target.write(source.readline())
            target.flush()
            os.fsync(target.fileno())
        scratch.replace(path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        message = f"could not be written: {error.strerror or error}"
        raise StoreError(message, where=str(path), remedy="check free disk space and permissions") from error
