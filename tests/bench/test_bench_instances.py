"""Memory and speed of many instances over one database of 0.1, 8 and 50 MB.

KB per instance is how much the resident memory of a sandboxed worker grows over 1,000 instances, first call included.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.world.engine.budget import CacheBudget
from envforge.world.engine.contract import StateEngine
from envforge.world.environment import Environment
from envforge.world.live import LiveWorld
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.shared import SharedWorkers

LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
ROWS = {"0.1MB": 300, "8MB": 52_000, "50MB": 320_000}
INSTANCES = 1000
PAGE = 4096


@pytest.fixture(scope="module", params=ROWS)
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("bench") / "library"
    shutil.copytree(LIBRARY, folder)
    with (folder / "data" / "books.csv").open("a", encoding="utf-8") as books:
        for key in range(1000, 1000 + ROWS[request.param]):
            books.write(f"{key},Title {key} of shelf {key % 97},Author {key % 1999},1999,3,{'n ' * 50}\n")
    return Environment.open(folder)


@pytest.fixture
def workers(environment: Environment) -> Iterator[SharedWorkers]:
    with environment.share(1, Limits(memory_mb=2048)) as shared:
        yield shared


@pytest.fixture
def engine(environment: Environment) -> Iterator[StateEngine]:
    started = environment.fresh_engine()
    yield started
    started.close()


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE


def _first_call(workers: SharedWorkers, held: list[Session]) -> None:
    session = workers.start(len(held))
    assert session.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108}).ok
    held.append(session)


def test_instance_and_first_call_in_a_shared_worker(
    benchmark: Any, environment: Environment, workers: SharedWorkers
) -> None:
    held: list[Session] = []
    for _ in range(3):
        _first_call(workers, held)
    before = _resident(held[0].worker_pid)
    benchmark.pedantic(_first_call, (workers, held), rounds=INSTANCES)
    grown = _resident(held[0].worker_pid) - before
    benchmark.extra_info["KB per instance"] = round(grown / INSTANCES / 1000, 1)
    benchmark.extra_info["MB of the database"] = round(len(environment.template.data) / 1e6, 1)
    for session in held:
        session.close()


def test_many_instances_that_read_everything(benchmark: Any, environment: Environment) -> None:
    """A whole scan in one instance after the other; the budget keeps their caches from adding up."""
    budget = CacheBudget()
    worlds = [LiveWorld(environment.plan, environment.fresh_engine()) for _ in range(64)]
    turns = iter(range(10_000))

    def scan() -> None:
        world = worlds[next(turns) % len(worlds)]
        world.query("SELECT sum(length(note)) AS n FROM books")
        budget.touched(world.engine)

    benchmark.pedantic(scan, rounds=64)
    held = sum(world.engine.memory_used() for world in worlds)
    benchmark.extra_info["MB cached by all"] = round(held / 1e6, 1)
    for world in worlds:
        world.close()


def test_reset_after_a_write(benchmark: Any, engine: StateEngine) -> None:
    def write() -> None:
        engine.execute("UPDATE books SET copies = 9 WHERE id = 101")

    benchmark.pedantic(engine.reset, setup=write, rounds=2000)
    assert engine.changeset() == b""


def test_budget_of_one_call(benchmark: Any, engine: StateEngine) -> None:
    budget = CacheBudget()
    engine.query("SELECT count(*) AS n FROM books")
    benchmark(budget.touched, engine)
