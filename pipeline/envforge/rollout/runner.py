"""Many episodes at once, each scored and written to the log as soon as it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter

from envforge.core.contracts import Judge
from envforge.core.records.rewarding import Rewarding
from envforge.core.records.trajectory import Timing, Trajectory
from envforge.rollout.request import Clocked, RolloutRequest
from envforge.rollout.rewards import OUTCOME_ONLY
from envforge.rollout.scoring import Desk
from envforge.rollout.trajectory_log import TrajectoryLog
from envforge.world.pool.pool import WorldPool

OnDone = Callable[[RolloutRequest, Trajectory, Timing], None]


async def run_rollouts(
    requests: Iterable[RolloutRequest],
    *,
    pool: WorldPool,
    out: TrajectoryLog,
    concurrency: int,
    on_done: OnDone | None = None,
    rewarding: Rewarding = OUTCOME_ONLY,
    judge: Judge | None = None,
) -> None:
    """Play what is not in the log yet, at most `concurrency` episodes at once, and put the log into order at the end.

    `rewarding` says which reward trains, `judge` decides judged items of rubrics: without one they have no score.
    What goes wrong in an episode is its status, and the rest goes on. Raises what concerns the run: BudgetError,
    CallRefusedError, StoreError when the log cannot be written. Whatever ends it early, cancelling included: the log
    holds whole episodes only, and the same call goes on from there.
    """
    if concurrency < 1:
        raise ValueError("at least one episode is played at once")
    keys: list[str] = []
    waiting = _not_played(requests, out, keys)
    async with Desk(pool.environments, rewarding=rewarding, judge=judge) as desk:

        async def work() -> None:
            # One iterator for all: nothing is awaited between two steps of it.
            for request in waiting:
                trajectory, timing = await _played(request, pool, desk)
                out.append(trajectory, timing)
                if on_done is not None:
                    on_done(request, trajectory, timing)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
    out.finish(keys)


def _not_played(requests: Iterable[RolloutRequest], out: TrajectoryLog, keys: list[str]) -> Iterator[RolloutRequest]:
    begun: set[str] = set()
    for request in requests:
        keys.append(request.key)
        if request.key not in out and request.key not in begun:
            begun.add(request.key)
            yield request


async def _played(request: RolloutRequest, pool: WorldPool, desk: Desk) -> tuple[Trajectory, Timing]:
    began = perf_counter()
    clocked = Clocked()
    player = request.player
    played = await player.play(request, pool, clocked)
    began_scoring = perf_counter()
    trajectory = await desk.settle(request.assignment, played)
    clocked.score = perf_counter() - began_scoring
    known = {"key": request.key, "attempt": request.attempt, "settings": player.settings, "model": player.model}
    timing = Timing(
        key=request.key,
        seconds=perf_counter() - began,
        model_seconds=tuple(clocked.model),
        world_seconds=clocked.world,
        score_seconds=clocked.score,
        cached_calls=clocked.cached_calls,
        cached_prompt_tokens=clocked.cached_prompt_tokens,
    )
    return trajectory.model_copy(update=known), timing
