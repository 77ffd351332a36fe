"""DuckDB in memory: a database per instance, a transaction per call; reset by loading again or by rolling back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import duckdb
from tests.bench.references.workload import (
    DELETE,
    INSERT,
    SELECT,
    TABLES,
    UPDATE,
    Changes,
    Instance,
    Row,
    Workload,
    paired,
    without_empty,
)

_SCHEMA = """
CREATE TABLE members (id VARCHAR PRIMARY KEY, name VARCHAR, email VARCHAR, level VARCHAR, active BIGINT);
CREATE TABLE books (id BIGINT PRIMARY KEY, title VARCHAR, author VARCHAR, published BIGINT, copies BIGINT,
                    note VARCHAR);
CREATE TABLE loans (id VARCHAR PRIMARY KEY, member_id VARCHAR, book_id BIGINT, borrowed_at VARCHAR, due_on VARCHAR,
                    returned_at VARCHAR, fine DOUBLE);
"""
_numbers = itertools.count()


class Loaded:
    """Each call commits; a reset copies the initial database again."""

    def __init__(self, root: Any, source: str = "template") -> None:
        self._root = root
        self._cursor = root.cursor()
        self._name = ""
        self._load(source)

    def _load(self, source: str) -> None:
        self._name = f"instance_{next(_numbers)}"
        self._cursor.execute(f"ATTACH ':memory:' AS {self._name}")
        self._cursor.execute(f"COPY FROM DATABASE {source} TO {self._name}")
        self._cursor.execute(f"USE {self._name}")

    def _unload(self) -> None:
        self._cursor.execute("USE template")
        self._cursor.execute(f"DETACH {self._name}")

    def reset(self) -> None:
        self._unload()
        self._load("template")

    def touch(self, key: int) -> Row:
        self._begin()
        row = _named(self._cursor.execute(SELECT, (key,)))[0]
        self._cursor.execute(UPDATE, (key,))
        self._commit()
        return row

    def add(self, row: Row) -> None:
        self._change(INSERT, tuple(row.values()))

    def drop(self, key: int) -> None:
        self._change(DELETE, (key,))

    def _change(self, sql: str, params: tuple[Any, ...]) -> None:
        self._begin()
        self._cursor.execute(sql, params)
        self._commit()

    def _begin(self) -> None:
        self._cursor.execute("BEGIN")

    def _commit(self) -> None:
        self._cursor.execute("COMMIT")

    def changes(self) -> Changes:
        changes: Changes = {}
        for table in TABLES:
            ours, theirs = f"SELECT * FROM {self._name}.{table}", f"SELECT * FROM template.{table}"
            gone = _named(self._cursor.execute(f"{theirs} EXCEPT {ours}"))
            come = _named(self._cursor.execute(f"{ours} EXCEPT {theirs}"))
            changes[table] = paired(table, gone, come)
        return without_empty(changes)

    def fork(self) -> Loaded:
        return Loaded(self._root, self._name)

    def rows(self, table: str) -> list[Row]:
        return _named(self._cursor.execute(f"SELECT * FROM {table} ORDER BY {TABLES[table]}"))

    def processes(self) -> list[int]:
        return []

    def close(self) -> None:
        self._unload()
        self._cursor.close()


class RolledBack(Loaded):
    """The whole episode is one transaction: a reset rolls it back. A call that fails cannot be undone alone."""

    def _load(self, source: str) -> None:
        super()._load(source)
        self._cursor.execute("BEGIN")

    def _unload(self) -> None:
        self._cursor.execute("ROLLBACK")
        super()._unload()

    def reset(self) -> None:
        self._cursor.execute("ROLLBACK")
        self._cursor.execute("BEGIN")

    def _begin(self) -> None:
        """The episode's transaction is open."""

    def _commit(self) -> None:
        """Nothing is kept."""

    def fork(self) -> Loaded:
        raise NotImplementedError("an open transaction cannot be copied")


def _named(cursor: Any) -> list[Row]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _root(workload: Workload) -> Any:
    root = duckdb.connect(":memory:")
    root.execute("SET threads = 1")
    root.execute("ATTACH ':memory:' AS template; USE template;" + _SCHEMA)
    for table in TABLES:
        path = str(workload.csv / f"{table}.csv")
        root.execute(f"INSERT INTO {table} SELECT * FROM read_csv(?, header=true, allow_quoted_nulls=false)", (path,))
    return root


@contextmanager
def loaded(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances that load the template again."""
    with _root(workload) as root:
        yield lambda: Loaded(root)


@contextmanager
def rolled_back(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances that are one transaction."""
    with _root(workload) as root:
        yield lambda: RolledBack(root)
