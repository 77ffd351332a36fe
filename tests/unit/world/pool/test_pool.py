"""Many live episodes of real environments on one event loop."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from envforge.core.errors import ConfigError, SandboxError, StoreError, ToolFault
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.pool.failures import EpisodeGone, PoolFull
from envforge.world.pool.figures import PoolFigures
from envforge.world.pool.pool import PooledCall, WorldPool
from envforge.world.pool.session import PooledSession
from envforge.world.sandbox.limits import Limits

from .loops import on_a_loop

LOAN = {"member_id": "M-HHJ5", "book_id": 108}
GET = {"book_id": 101}
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("borrow_book", LOAN),
    ("borrow_book", {"member_id": "M-4KQ7", "book_id": 101}),
    ("get_book", GET),
    ("borrow_book", {"member_id": "M-4KQ7", "book_id": 9999}),
    ("borrow_book", {"member_id": "M-7TQ2", "book_id": 103}),
    ("search_books", {"query": "a"}),
    ("no_such_tool", {}),
]


def replayed(library: Environment, seed: int, made: list[tuple[str, dict[str, Any]]]) -> str:
    """The digest that these calls lead to in a process of their own."""
    with library.start(seed) as session:
        for tool, arguments in made:
            session.call(tool, arguments)
        return session.digest()


@on_a_loop
async def test_episodes_share_workers_and_nothing_else(library: Environment) -> None:
    async with WorldPool([library], max_live=10, workers=2) as pool:
        sessions = [await pool.start(seed=seed) for seed in range(6)]
        assert len({session.worker_pid for session in sessions}) == 2
        assert (await sessions[0].call("borrow_book", LOAN)).ok
        assert not (await sessions[0].diff()).empty
        for other in sessions[1:]:
            assert (await other.diff()).empty
        assert pool.figures().live == {"library": 6} and pool.figures().workers == {"library": 2}


@on_a_loop
async def test_a_call_answers_as_in_a_session_of_its_own(library: Environment) -> None:
    async with WorldPool([library]) as pool:
        session = await pool.start(seed=3)
        with library.start(3) as alone:
            for tool, arguments in STEPS:
                assert await session.call(tool, arguments) == alone.call(tool, arguments)
            assert await session.digest() == alone.digest()
            assert await session.now() == alone.now()


@on_a_loop
async def test_whatever_dies_every_episode_stands_where_its_calls_lead(library: Environment) -> None:
    """Workers are killed at random moments under concurrent calls; a call that lost three of them says so."""
    chance = random.Random(7)
    made: dict[int, list[tuple[str, dict[str, Any]]]] = {seed: [] for seed in range(12)}
    lost: list[int] = []

    async def play(session: PooledSession, seed: int) -> None:
        for _ in range(40):
            tool, arguments = chance.choice(STEPS)
            try:
                await session.call(tool, arguments)
                made[seed].append((tool, arguments))
            except SandboxError:
                lost.append(seed)
            if chance.random() < 0.04:
                os.kill(session.worker_pid, signal.SIGKILL)

    async with WorldPool([library], workers=2) as pool:
        sessions = [await pool.start(seed=seed) for seed in made]
        await asyncio.gather(*(play(session, seed) for seed, session in enumerate(sessions)))
        digests = [await session.digest() for session in sessions]
        assert pool.figures().replaced >= 2 and pool.figures().lost == len(lost)
    assert digests == [await asyncio.to_thread(replayed, library, seed, calls) for seed, calls in made.items()]


@on_a_loop
async def test_calls_of_one_session_are_made_in_their_order(library: Environment) -> None:
    async with WorldPool([library]) as pool:
        session = await pool.start()
        found = await asyncio.gather(*(session.call("borrow_book", LOAN) for _ in range(4)))
        assert [one.ok for one in found] == sorted((one.ok for one in found), reverse=True)


@on_a_loop
async def test_a_batch_answers_in_its_order_and_says_who_is_gone(library: Environment) -> None:
    async with WorldPool([library]) as pool:
        one, two = await pool.start(), await pool.start()
        await two.close()
        calls = [PooledCall(one, "get_book", GET), PooledCall(two, "get_book", GET), PooledCall(one, "nothing")]
        found = await pool.call_many(calls)
        assert isinstance(found[0], Observation) and found[0].ok
        assert isinstance(found[1], EpisodeGone)
        assert isinstance(found[2], Observation) and not found[2].ok
        assert await pool.call_many([]) == []


@on_a_loop
async def test_a_fork_has_the_same_past_and_future_also_in_a_fresh_worker(library: Environment) -> None:
    async with WorldPool([library], workers=1) as pool:
        session = await pool.start(seed=5)
        await session.call("borrow_book", LOAN)
        twin = await pool.fork(session)
        await twin.call("borrow_book", {"member_id": "M-7TQ2", "book_id": 103})
        os.kill(session.worker_pid, signal.SIGKILL)
        again = await session.call("borrow_book", {"member_id": "M-7TQ2", "book_id": 103})
        assert again.ok and await session.digest() == await twin.digest()
        assert pool.figures().live == {"library": 2}


@on_a_loop
async def test_a_saved_state_is_loaded_and_survives_a_death(library: Environment) -> None:
    async with WorldPool([library], workers=1) as pool:
        first, second = await pool.start(seed=5), await pool.start(seed=9)
        await first.call("borrow_book", LOAN)
        saved = await first.save_state()
        await second.load_state(saved)
        await second.call("borrow_book", {"member_id": "M-7TQ2", "book_id": 103})
        os.kill(second.worker_pid, signal.SIGKILL)
        await first.call("borrow_book", {"member_id": "M-7TQ2", "book_id": 103})
        assert await second.digest() == await first.digest()
        broken = saved.model_copy(update={"changeset": "AAAA"})
        with pytest.raises(StoreError, match="changeset"):
            await second.load_state(broken)
        assert await second.digest() == await first.digest()


@on_a_loop
async def test_a_reset_begins_anew_also_in_a_fresh_worker(library: Environment) -> None:
    async with WorldPool([library], workers=1) as pool:
        session = await pool.start(seed=1)
        await session.call("borrow_book", LOAN)
        await session.reset(2)
        os.kill(session.worker_pid, signal.SIGKILL)
        assert (await session.diff()).empty
        await session.call("borrow_book", LOAN)
        assert await session.digest() == await asyncio.to_thread(replayed, library, 2, [("borrow_book", LOAN)])


@on_a_loop
async def test_a_full_pool_makes_wait_or_refuses(library: Environment) -> None:
    async with WorldPool([library], max_live=2) as pool:
        one, _ = await pool.start(), await pool.start()
        with pytest.raises(PoolFull):
            await pool.start(wait=False)
        with pytest.raises(PoolFull):
            await pool.fork(one, wait=False)
        waiting = asyncio.create_task(pool.start())
        await asyncio.sleep(0.05)
        assert not waiting.done() and pool.figures().waiting == {"library": 1}
        await one.close()
        assert (await (await waiting).call("get_book", GET)).ok


@on_a_loop
async def test_who_is_idle_is_ended_and_told(library: Environment) -> None:
    async with WorldPool([library], max_live=1, idle_seconds=0.2) as pool:
        session = await pool.start()
        other = await pool.start()  # waits until the first one has been idle
        with pytest.raises(EpisodeGone, match=r"not used for 0\.2 s"):
            await session.call("get_book", GET)
        assert not session.alive and other.alive and pool.figures().idled == 1


@on_a_loop
async def test_an_endless_call_fails_alone(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spin = '\n\ndef get_book(world: World, book_id: int) -> dict:\n    """Spin."""\n    while True:\n        pass\n'
    tools = copy / "tools.py"
    tools.write_text(tools.read_text(encoding="utf-8") + spin, encoding="utf-8")
    monkeypatch.setattr("envforge.world.pool.group.admit", lambda *_, **__: None)  # pyright: ignore
    limits = Limits(call_seconds=0.5)
    async with WorldPool([Environment.open(copy)], workers=1, limits=limits) as pool:
        one, two = await pool.start(), await pool.start()
        await two.call("borrow_book", LOAN)
        spinning, reading = await asyncio.gather(
            one.call("get_book", GET), two.call("search_books", {"query": "a"}), return_exceptions=True
        )
        assert isinstance(spinning, SandboxError) and "over its time" in str(spinning)
        assert isinstance(reading, Observation) and reading.ok
        assert not (await two.diff()).empty and (await one.diff()).empty
        assert pool.figures().lost == 1


@on_a_loop
async def test_forked_each_has_a_process_of_its_own_that_ends_with_it(library: Environment) -> None:
    async with WorldPool([library], isolation="forked") as pool:
        one, two = await pool.start(), await pool.start()
        assert one.worker_pid != two.worker_pid
        pid = one.worker_pid
        await one.close()
        await asyncio.sleep(0.05)
        assert not psutil.pid_exists(pid) and (await two.call("get_book", GET)).ok
        assert pool.figures().workers == {"library": 1}


STATEFUL = """
_SEEN = []


def get_book(world: World, book_id: int) -> dict:
    'Keeps.'
    _SEEN.append(1)
    return {"n": len(_SEEN)}
"""


@on_a_loop
async def test_tools_that_keep_something_are_not_shared(copy: Path, caplog: pytest.LogCaptureFixture) -> None:
    tools = copy / "tools.py"
    tools.write_text(tools.read_text(encoding="utf-8") + STATEFUL, encoding="utf-8")
    environment = Environment.open(copy)
    async with WorldPool([environment]) as pool:
        with pytest.raises(ToolFault, match="cannot share a worker"):
            await pool.start()
        assert pool.figures().live == {}
    async with WorldPool([environment], isolation="auto") as pool:
        one, two = await pool.start(), await pool.start()
        assert one.worker_pid != two.worker_pid
        assert "cannot share a worker" in pool.figures().apart["library"]
        (told,) = caplog.messages  # once, not with each episode
        assert told.startswith("library: each episode has a process of its own: ")


@on_a_loop
async def test_workers_that_nobody_uses_end_when_there_are_many(
    library: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(library.folder, tmp_path / "other")
    manifest = tmp_path / "other" / "environment.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"library"', '"other"', 1), encoding="utf-8")
    monkeypatch.setattr("envforge.world.pool.pool._PROCESSES", 1)
    other = Environment.open(tmp_path / "other")
    async with WorldPool([library, other]) as pool:
        await (await pool.start("library")).close()
        assert pool.figures().workers == {"library": 1}  # kept warm
        busy = await pool.start("other")
        assert pool.figures().workers == {"other": 1}
        await pool.start("library")  # nobody is idle now: there are more than there should be
        assert pool.figures().workers == {"library": 1, "other": 1}
        assert (await busy.call("get_book", GET)).ok


@on_a_loop
async def test_environments_are_named(library: Environment, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="two environments have the id library"):
        WorldPool([library, library])
    async with WorldPool([library]) as pool:
        with pytest.raises(ConfigError, match="there is no environment 'other'; the pool has library"):
            await pool.start("other")
    shutil.rmtree(tmp_path)


@on_a_loop
async def test_figures_are_told_and_add_up(library: Environment) -> None:
    told: list[PoolFigures] = []
    async with WorldPool([library], on_figures=told.append, figures_seconds=0.02) as pool:
        session = await pool.start()
        await session.call("get_book", GET)
        await session.call("get_book", {"book_id": 9999})
        await session.call("get_book", {"book": 1})
        await session.close()
        await asyncio.sleep(0.1)
    last = told[-1]
    assert len(told) > 2
    assert (last.started, last.ended, last.calls, last.refused, last.faults) == (1, 1, 2, 2, 0)
    assert last.call_times[-1] == (float("inf"), 2) and 0 < last.quantile(0.5) < 10


@on_a_loop
async def test_a_closed_pool_leaves_no_process_and_says_that_it_is_closed(library: Environment) -> None:
    pool = WorldPool([library])
    session = await pool.start()
    pid = session.worker_pid
    await pool.close()
    assert not psutil.pid_exists(pid)
    with pytest.raises(SandboxError, match="the pool is closed"):
        await session.call("get_book", GET)
    with pytest.raises(SandboxError, match="the pool is closed"):
        await pool.start()
    await pool.close()


@on_a_loop
async def test_a_start_that_fails_gives_its_place_back(copy: Path) -> None:
    (copy / "tools.py").write_text("this is no Python", encoding="utf-8")
    async with WorldPool([Environment.open(copy)], max_live=1, isolation="forked") as pool:
        for _ in range(3):
            with pytest.raises(ToolFault):
                await pool.start(wait=False)
        assert pool.figures().live == {}


@on_a_loop
async def test_a_start_that_is_cancelled_leaves_neither_place_nor_process(library: Environment) -> None:
    async with WorldPool([library], max_live=1, isolation="forked") as pool:
        await (await pool.start()).close()  # the zygote runs
        before = len(psutil.Process().children(recursive=True))
        for steps in range(6):
            starting = asyncio.create_task(pool.start())
            for _ in range(steps):
                await asyncio.sleep(0.002)
            starting.cancel()
            done, _ = await asyncio.wait([starting])
            for one in done:
                if not one.cancelled():
                    await one.result().close()
        assert (await (await pool.start(wait=False)).call("get_book", GET)).ok
        assert len(psutil.Process().children(recursive=True)) == before + 1


@on_a_loop
async def test_an_episode_that_never_came_to_life_costs_the_others_nothing(library: Environment) -> None:
    async with WorldPool([library], workers=1) as pool:
        session = await pool.start()
        await session.call("borrow_book", LOAN)
        await session.twin().close()
        assert not (await session.diff()).empty
        assert pool.figures().replaced == 0
