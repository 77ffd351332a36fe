"""Calls per second through the pool with 1,000 live episodes: one after the other in each, many at once, in batches."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.pool.pool import PooledCall, WorldPool
from envforge.world.pool.session import PooledSession

LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
Call = tuple[str, dict[str, Any]]
LIVE = 1000
MEMBER: Call = ("list_loans", {"member_id": "M-4KQ7"})
"""Two queries, and a list of rows."""
BOOK: Call = ("get_book", {"book_id": 1005})
"""A look-up by key, and a count."""
MANY = 10_000


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The library with a database of 1 MB."""
    folder = tmp_path_factory.mktemp("bench") / "library"
    shutil.copytree(LIBRARY, folder)
    with (folder / "data" / "books.csv").open("a", encoding="utf-8") as books:
        for number in range(5000):
            books.write(
                f"{1000 + number},Title {number} of shelf {number % 97},Author {number % 1999},1999,3,{'n ' * 50}\n"
            )
    return Environment.open(folder)


class Loop:
    """An event loop with a pool that outlives single runs."""

    def __init__(self, environment: Environment, live: int, workers: int) -> None:
        self.runner = asyncio.Runner()
        self.pool = WorldPool([environment], max_live=live, workers=workers)
        self.sessions: list[PooledSession] = self.runner.run(self._start(live))

    async def _start(self, live: int) -> list[PooledSession]:
        return [await self.pool.start(seed=seed) for seed in range(live)]

    def close(self) -> None:
        self.runner.run(self.pool.close())
        self.runner.close()


@pytest.fixture(scope="module")
def loop(environment: Environment) -> Iterator[Loop]:
    held = Loop(environment, LIVE, workers=2)
    yield held
    held.close()


def _per_second(benchmark: Any, loop: Loop, work: Callable[[Loop], Awaitable[int]]) -> None:
    """Rounds of `work`, which tells how many calls it made; the rate stands in the extra figures."""
    made = benchmark.pedantic(lambda: loop.runner.run(work(loop)), rounds=5, warmup_rounds=1)  # pyright: ignore
    if benchmark.stats is not None:
        benchmark.extra_info["calls per second"] = round(made / benchmark.stats.stats.median)


def _scattered(call: Call) -> Callable[[Loop], Awaitable[int]]:
    """Each episode waits for its own answer before it asks again."""

    async def work(loop: Loop) -> int:
        async def play(session: PooledSession) -> None:
            for _ in range(10):
                assert (await session.call(*call)).ok

        await asyncio.gather(*(play(session) for session in loop.sessions))
        return 10 * len(loop.sessions)

    return work


def _in_batches(call: Call) -> Callable[[Loop], Awaitable[int]]:
    """A step of all episodes at once, as lockstep rollouts make it."""

    async def work(loop: Loop) -> int:
        for _ in range(10):
            found = await loop.pool.call_many([PooledCall(session, *call) for session in loop.sessions])
            assert all(isinstance(one, Observation) and one.ok for one in found)
        return 10 * len(loop.sessions)

    return work


async def _one_at_a_time(loop: Loop) -> int:
    for session in loop.sessions[:500]:
        assert (await session.call(*MEMBER)).ok
    return 500


@pytest.mark.parametrize("call", [MEMBER, BOOK], ids=["list", "look-up"])
@pytest.mark.parametrize("way", [_scattered, _in_batches], ids=["scattered", "in batches"])
def test_calls_over_live_episodes(
    benchmark: Any, loop: Loop, way: Callable[[Call], Callable[[Loop], Awaitable[int]]], call: Call
) -> None:
    _per_second(benchmark, loop, way(call))


def test_one_call_at_a_time(benchmark: Any, loop: Loop) -> None:
    _per_second(benchmark, loop, _one_at_a_time)


def test_many_live_episodes_of_a_megabyte(benchmark: Any, environment: Environment) -> None:
    """10,000 episodes that have each been called; memory of the workers and of the host (PSS)."""

    def hold() -> dict[str, float]:
        before = psutil.Process().memory_full_info().pss
        held = Loop(environment, MANY, workers=2)
        try:
            found = held.runner.run(held.pool.call_many([PooledCall(one, *MEMBER) for one in held.sessions]))
            assert all(isinstance(one, Observation) and one.ok for one in found)
            children = psutil.Process().children(recursive=True)
            workers = sum(child.memory_full_info().pss for child in children)
            host = psutil.Process().memory_full_info().pss - before
            return {"workers MB": round(workers / 2**20), "host MB": round(host / 2**20)}
        finally:
            held.close()

    benchmark.extra_info.update(benchmark.pedantic(hold, rounds=1))


def test_recovery_of_500_episodes_from_a_killed_worker(benchmark: Any, loop: Loop) -> None:
    """From the kill to the answer of every episode that lived there."""

    async def die() -> int:
        pid = loop.sessions[0].worker_pid
        lost = [session for session in loop.sessions if session.worker_pid == pid]
        psutil.Process(pid).kill()
        await asyncio.gather(*(session.call(*MEMBER) for session in lost))
        return len(lost)

    assert benchmark.pedantic(lambda: loop.runner.run(die()), rounds=3) > 100
