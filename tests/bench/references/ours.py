"""The World itself: in this process, in a worker that many instances share, and in a process per instance."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from tests.bench.references.workload import DELETE, SELECT, TABLES, UPDATE, Changes, Instance, Row, Workload

from envforge.world.changes import TableChanges
from envforge.world.live import LiveWorld
from envforge.world.session import Session


class InProcess:
    """A LiveWorld, without a sandbox."""

    def __init__(self, world: LiveWorld) -> None:
        self._world = world

    def reset(self) -> None:
        self._world.reset()

    def touch(self, key: int) -> Row:
        return self._world.run(_touch, {"key": key})

    def add(self, row: Row) -> None:
        self._world.run(_add, {"row": row})

    def drop(self, key: int) -> None:
        self._world.run(_drop, {"key": key})

    def changes(self) -> Changes:
        return _canonical(self._world.changes())

    def fork(self) -> InProcess:
        return InProcess(self._world.fork())

    def rows(self, table: str) -> list[Row]:
        return self._world.query(f"SELECT * FROM {table} ORDER BY {TABLES[table]}")

    def processes(self) -> list[int]:
        return []

    def close(self) -> None:
        self._world.close()


def _touch(world: LiveWorld, key: int) -> Row:
    rows = world.query(SELECT, (key,))
    world.execute(UPDATE, (key,))
    return rows[0]


def _add(world: LiveWorld, row: Row) -> None:
    world.execute("INSERT INTO books VALUES (:id, :title, :author, :published, :copies, :note)", row)


def _drop(world: LiveWorld, key: int) -> None:
    world.execute(DELETE, (key,))


class Sandboxed:
    """A Session: calls go through a sandboxed worker."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reset(self) -> None:
        self._session.reset()

    def touch(self, key: int) -> Row:
        return self._call("touch_book", {"book_id": key})

    def add(self, row: Row) -> None:
        self._call("add_book", {"book": row})

    def drop(self, key: int) -> None:
        self._call("drop_book", {"book_id": key})

    def changes(self) -> Changes:
        return _canonical(self._session.diff().tables)

    def fork(self) -> Sandboxed:
        return Sandboxed(self._session.fork())

    def rows(self, table: str) -> list[Row]:
        return self._session.query(f"SELECT * FROM {table} ORDER BY {TABLES[table]}")

    def processes(self) -> list[int]:
        return [self._session.worker_pid]

    def close(self) -> None:
        self._session.close()

    def _call(self, tool: str, arguments: dict[str, Any]) -> Row:
        observation = self._session.call(tool, arguments)
        assert observation.result is not None, observation
        return observation.result


def _canonical(changes: Any) -> Changes:
    tables: dict[str, TableChanges] = dict(changes)
    return {
        table: {
            "inserted": found.inserted,
            "updated": [[before, after] for before, after in found.updated],
            "deleted": found.deleted,
        }
        for table, found in tables.items()
    }


@contextmanager
def in_process(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances over one template in this process."""
    environment = workload.environment
    yield lambda: InProcess(LiveWorld(environment.plan, environment.fresh_engine()))


@contextmanager
def shared_worker(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances in one sandboxed worker."""
    with workload.environment.share() as group:
        yield lambda: Sandboxed(group.start())


@contextmanager
def own_process(workload: Workload) -> Generator[Callable[[], Instance]]:
    """A sandboxed process per instance."""
    yield lambda: Sandboxed(workload.environment.start())
