"""What breaks in a run: the endpoint, a worker, the command line in the middle. Each episode ends in the right status,
the rest finishes, and a run that goes on asks for nothing twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.core.model_errors import BudgetError
from envforge.core.records.rewarding import Calibration
from envforge.core.records.task import RubricItem, Task
from envforge.core.records.trajectory import Trajectory
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.loopback.server import Exchange, LoopbackServer
from envforge.llm.retry import RetryPolicy
from envforge.rollout.agents import Action, Answer, Assignment, Call, Seen
from envforge.rollout.model_player import ModelPlay, ModelPlayer
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.playing import InThread, play_episode
from envforge.rollout.request import Clocked, Played, RolloutRequest, planned_requests
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TRAJECTORIES, TrajectoryLog, read_trajectories
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

from .conftest import LATE

RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}
SCRIPT = (
    answer_of(None, calls=[call_of("return_book", {"loan_id": LATE})]),
    answer_of(None, calls=[call_of("burn_book", {})]),
    answer_of(None, calls=[call_of("borrow_book", {"member_id": "M-HHJ5", "book_id": 105})]),
    answer_of(None, calls=[call_of("final_answer", RIGHT)]),
)
"""Four answers, of which the second cannot be read."""
ONCE = RetryPolicy(tries=1)


class Endpoint:
    """Solves the task; `dies` says at which of its requests it cuts the line for good."""

    def __init__(self, dies: int = 10**9) -> None:
        self.dies = dies
        self.asked: list[str] = []

    async def __call__(self, exchange: Exchange) -> None:
        if len(self.asked) >= self.dies:
            exchange.abort()
            return
        said = sum(message["role"] == "assistant" for message in exchange.body["messages"])
        self.asked.append(f"{exchange.body['seed']} {said}")
        await exchange.answer(SCRIPT[said])


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


Run = Callable[..., list[Trajectory]]


@pytest.fixture
def run(library: Environment, graph: Assignment, endpoint: Endpoint, tmp_path: Path) -> Iterator[Run]:
    """Six episodes of a model behind an endpoint; the same folder each time, unless another is given."""
    with LoopbackServer(endpoint) as server:

        def played(
            folder: str = "log", *, budget: int | None = None, stop_after: int | None = None
        ) -> list[Trajectory]:
            done = 0

            def on_done(*_: Any) -> None:
                nonlocal done
                done += 1
                if done == stop_after:
                    raise Stopped

            async def whole() -> None:
                place = tmp_path / folder
                settings = ModelSettings("m", base_url=server.base_url, retry=ONCE, budget_tokens=budget)
                connection = connect(settings, run=place, cache=place / "cache", cache_unusable=True)
                pool = WorldPool([library], isolation="forked")
                try:
                    async with pool:
                        with TrajectoryLog(place, again=["infrastructure"]) as out:
                            players = [ModelPlayer(connection.model, ModelPlay())]
                            requests = planned_requests([graph], players, attempts=6)
                            await run_rollouts(requests, pool=pool, out=out, concurrency=2, on_done=on_done)
                finally:
                    await connection.model.close()

            asyncio.run(whole())
            return list(read_trajectories(tmp_path / folder))

        yield played


class Stopped(Exception):
    """Ctrl-C, as far as a run is concerned."""


def test_a_run_without_faults(run: Run, endpoint: Endpoint) -> None:
    found = run()
    assert [one.reward for one in found] == [1.0] * 6 and len(endpoint.asked) == 24
    assert [[noted.kind for noted in one.malformed] for one in found] == [["unknown_tool"]] * 6


def test_the_endpoint_dies_in_the_middle(run: Run, endpoint: Endpoint) -> None:
    endpoint.dies = 14
    found = run()
    statuses = [one.status for one in found]
    assert set(statuses) == {"completed", "infrastructure"} and len(found) == 6
    for one in found:
        lost = one.status == "infrastructure"
        assert one.reward == (None if lost else 1.0)
        assert (one.failure_kind in ("ConnectionLostError", "CircuitOpenError")) == lost
    # It is back: what was lost is played again, and what the model had answered before is not asked again.
    endpoint.dies = 10**9
    assert [one.reward for one in run()] == [1.0] * 6
    assert len(endpoint.asked) == len(set(endpoint.asked)) == 24


@pytest.mark.parametrize("stop_after", [1, 3])
def test_an_interrupted_run_goes_on_and_repeats_no_call(
    run: Run, endpoint: Endpoint, tmp_path: Path, stop_after: int
) -> None:
    with pytest.raises(Stopped):
        run(stop_after=stop_after)
    assert stop_after <= len(list(read_trajectories(tmp_path / "log"))) < 6
    run()
    # A call that was under way when the run was interrupted may be asked once more: at most one for each episode.
    assert len(set(endpoint.asked)) == 24 and len(endpoint.asked) <= 26
    run("whole")
    log, whole = ((tmp_path / name / TRAJECTORIES).read_bytes() for name in ("log", "whole"))
    assert log == whole


def test_a_budget_that_is_used_up_ends_the_run_and_keeps_what_is_whole(
    run: Run, endpoint: Endpoint, tmp_path: Path
) -> None:
    with pytest.raises(BudgetError):
        run(budget=300)
    kept = list(read_trajectories(tmp_path / "log"))
    assert {one.status for one in kept} == {"completed"} and len(kept) < 6 and len(endpoint.asked) == 12
    assert [one.reward for one in run()] == [1.0] * 6
    assert len(set(endpoint.asked)) == 24


class Killer:
    """An agent that kills the worker of every episode between two of its calls."""

    name = "killer"

    def __init__(self, pool: WorldPool, *, kills: bool) -> None:
        self._pool = pool
        self._kills = kills
        self._step = 0

    async def act(self, seen: Seen | None) -> Action:
        del seen
        self._step += 1
        if self._step == 1:
            return Call("return_book", {"loan_id": LATE})
        if self._step == 2:
            for pid in worker_pids(self._pool) if self._kills else ():
                os.kill(pid, signal.SIGKILL)
            return Call("borrow_book", {"member_id": "M-HHJ5", "book_id": 105})
        return Answer(RIGHT)

    async def close(self) -> None:
        pass


def worker_pids(pool: WorldPool) -> list[int]:
    return [session.worker_pid for session in pool._live]  # pyright: ignore[reportPrivateUsage]


class KillingPlayer(NamedPlayer):
    """Plays the killer, whose first attempt kills, under the settings of another."""

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        return await play_episode(request, pool, lambda: Killer(pool, kills=not request.attempt), clocked)


def test_a_worker_that_is_killed_costs_nobody_anything(library: Environment, graph: Assignment, tmp_path: Path) -> None:
    async def whole() -> int:
        async with WorldPool([library], isolation="forked") as pool:
            with TrajectoryLog(tmp_path) as out:
                requests = list(planned_requests([graph], [KillingPlayer("gold")], attempts=3))
                await run_rollouts(requests, pool=pool, out=out, concurrency=3)
            return pool.figures().replaced

    assert asyncio.run(whole()) >= 1
    assert [one.reward for one in read_trajectories(tmp_path)] == [1.0] * 3


class Rubbish:
    """A judge that is known to be right, and says nothing that is."""

    calibration = Calibration(judge="j", items=40, right_on_met=0.95, right_on_unmet=0.9)

    def is_met(self, item: RubricItem, task: Task, trajectory: Trajectory) -> Any:
        return "as you like"


def test_a_judge_that_says_rubbish_is_no_zero(library: Environment, graph: Assignment, tmp_path: Path) -> None:
    item = RubricItem(id="tone", text="The answer is friendly.", judge="j")
    judged = Assignment(graph.task.model_copy(update={"id": "judged", "rubric": (item,)}), graph.tools)

    async def whole() -> None:
        async with WorldPool([library], isolation="forked") as pool:
            with TrajectoryLog(tmp_path) as out:
                requests = planned_requests([judged, graph], [NamedPlayer("gold")])
                await run_rollouts(requests, pool=pool, out=out, concurrency=2, judge=Rubbish())

    asyncio.run(whole())
    lost, other = read_trajectories(tmp_path)
    assert (lost.status, lost.reward) == ("completed", None) and other.reward == 1.0
    assert lost.verdict is not None and "cannot say" in lost.verdict.reasons[0]


class Slow:
    """An agent of the plain kind, to be awaited."""

    name = "slow"

    def act(self, seen: Seen | None) -> Action:
        raise OSError("the disk is gone")

    def close(self) -> None:
        pass


class SlowPlayer(NamedPlayer):
    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        return await play_episode(request, pool, lambda: InThread(Slow()), clocked)


def test_an_agent_that_breaks_is_an_error(library: Environment, graph: Assignment, tmp_path: Path) -> None:
    async def whole() -> None:
        async with WorldPool([library], isolation="forked") as pool:
            with TrajectoryLog(tmp_path) as out:
                await run_rollouts([RolloutRequest(graph, SlowPlayer("noop"), 1)], pool=pool, out=out, concurrency=1)

    asyncio.run(whole())
    (found,) = read_trajectories(tmp_path)
    assert (found.status, found.failure_kind, found.reward) == ("error", "OSError", None)
    assert found.failure == "OSError: the disk is gone"
