"""Speed of live environments: start, call, reset, diff, fork, unit tests; on a small and on an 8 MB database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.world.environment import Environment
from envforge.world.live import LiveWorld
from envforge.world.session import Session
from envforge.world.test_runner import Mutant, run_mutants, run_tests

LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
LOAN = {"member_id": "M-HHJ5", "book_id": 108}


@pytest.fixture(scope="module", params=[0, 42_000], ids=["small", "8MB"])
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("bench") / "library"
    shutil.copytree(LIBRARY, folder)
    with (folder / "data" / "books.csv").open("a", encoding="utf-8") as books:
        for number in range(request.param):
            books.write(
                f"{1000 + number},Title {number} of shelf {number % 97},Author {number % 1999},1999,3,{'n ' * 50}\n"
            )
    return Environment.open(folder)


@pytest.fixture
def session(environment: Environment) -> Iterator[Session]:
    with environment.start() as started:
        yield started


def _touch(world: LiveWorld, key: int) -> dict[str, Any]:
    world.query("SELECT * FROM books WHERE id = ?", (key,))
    world.execute("UPDATE books SET copies = copies + 1 WHERE id = ?", (key,))
    return {}


@pytest.fixture
def world(environment: Environment) -> Iterator[LiveWorld]:
    live = LiveWorld(environment.plan, environment.fresh_engine())
    for key in range(101, 106):
        live.run(_touch, {"key": key})
    yield live
    live.close()


def test_start_to_first_call(benchmark: Any, environment: Environment) -> None:
    def start() -> bool:
        with environment.start() as session:
            return session.call("get_book", {"book_id": 101}).ok

    assert benchmark.pedantic(start, rounds=10)


def test_read_call_through_the_worker(benchmark: Any, session: Session) -> None:
    assert benchmark(session.call, "get_book", {"book_id": 101}).ok


def test_reset_through_the_worker(benchmark: Any, session: Session) -> None:
    session.call("borrow_book", LOAN)
    benchmark(session.reset)


def test_diff_through_the_worker(benchmark: Any, session: Session) -> None:
    session.call("borrow_book", LOAN)
    assert not benchmark(session.diff).empty


def test_instance_in_process(benchmark: Any, environment: Environment) -> None:
    benchmark(lambda: LiveWorld(environment.plan, environment.fresh_engine()).close())


def test_select_and_update_in_process(benchmark: Any, world: LiveWorld) -> None:
    benchmark(world.run, _touch, {"key": 103})


def test_reset_in_process(benchmark: Any, world: LiveWorld) -> None:
    benchmark(world.reset)


def test_diff_of_five_writes_in_process(benchmark: Any, world: LiveWorld) -> None:
    assert len(benchmark(world.changes)["books"].updated) == 5


def test_fork_in_process(benchmark: Any, world: LiveWorld) -> None:
    benchmark(lambda: world.fork().close())


def test_150_mutants_of_5_tests(benchmark: Any, environment: Environment) -> None:
    names = run_tests(environment.folder).passed[:5]
    mutants = [Mutant(str(number), f"{environment.source}\n# {number}\n", names) for number in range(150)]
    verdicts = benchmark.pedantic(run_mutants, (environment.folder, mutants), rounds=2)
    assert not any(verdict.killed for verdict in verdicts)
