"""The standard library's SQLite with a copy of the database per instance: deserialize, backup API, file."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.bench.references.workload import (
    DELETE,
    INSERT,
    SELECT,
    UPDATE,
    Changes,
    Instance,
    Row,
    Workload,
    compare_with,
    named,
    select_all,
)


class InMemory:
    """A private copy in memory, by sqlite3_deserialize."""

    def __init__(self, initial: bytes, file: Path, image: bytes | None = None) -> None:
        self._initial = initial
        self._file = file
        self._connection = self._open(image)

    def _open(self, image: Any) -> sqlite3.Connection:
        connection = _connect("file::memory:")
        connection.deserialize(self._initial if image is None else image)
        return connection

    def reset(self) -> None:
        self._connection.close()
        self._connection = self._open(None)

    def touch(self, key: int) -> Row:
        return touch(self._connection, key)

    def add(self, row: Row) -> None:
        change(self._connection, INSERT, tuple(row.values()))

    def drop(self, key: int) -> None:
        change(self._connection, DELETE, (key,))

    def changes(self) -> Changes:
        return compare_with(self._connection, self._file)

    def fork(self) -> InMemory:
        return InMemory(self._initial, self._file, self._connection.serialize())

    def rows(self, table: str) -> list[Row]:
        return select_all(self._connection, table)

    def processes(self) -> list[int]:
        return []

    def close(self) -> None:
        self._connection.close()


class Backup(InMemory):
    """A private copy in memory, by the backup API from a connection that holds the initial state."""

    def __init__(self, initial: sqlite3.Connection, file: Path, image: sqlite3.Connection | None = None) -> None:
        self._source = initial
        self._file = file
        self._connection = self._open(image)

    def _open(self, image: Any) -> sqlite3.Connection:
        connection = _connect("file::memory:")
        (self._source if image is None else image).backup(connection)
        return connection

    def fork(self) -> Backup:
        return Backup(self._source, self._file, self._connection)


class InFile(InMemory):
    """A private copy of the file. Nothing waits for the disk."""

    _numbers = itertools.count()

    def __init__(self, initial: Path, image: Path | None = None) -> None:
        self._file = initial
        self._own = initial.with_name(f"copy-{os.getpid()}-{next(self._numbers)}.sqlite")
        self._connection = self._open(image)

    def _open(self, image: Any) -> sqlite3.Connection:
        shutil.copyfile(self._file if image is None else image, self._own)
        return _connect(f"file:{self._own}")

    def fork(self) -> InFile:
        return InFile(self._file, self._own)

    def close(self) -> None:
        self._connection.close()
        self._own.unlink()


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def touch(connection: sqlite3.Connection, key: int) -> Row:
    """One call in a transaction: select, update."""
    connection.execute("BEGIN")
    row = named(connection.execute(SELECT, (key,)))[0]
    connection.execute(UPDATE, (key,))
    connection.execute("COMMIT")
    return row


def change(connection: sqlite3.Connection, sql: str, params: tuple[Any, ...]) -> None:
    """One call in a transaction: a statement."""
    connection.execute("BEGIN")
    connection.execute(sql, params)
    connection.execute("COMMIT")


@contextmanager
def deserialized(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from the bytes of the file."""
    initial = workload.database.read_bytes()
    yield lambda: InMemory(initial, workload.database)


@contextmanager
def backed_up(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from a connection to the file's bytes in memory."""
    initial = _connect("file::memory:")
    initial.deserialize(workload.database.read_bytes())
    with closing(initial):
        yield lambda: Backup(initial, workload.database)


@contextmanager
def copied_file(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from the file."""
    yield lambda: InFile(workload.database)
