"""Live episodes for trainers, which do not wait: a pool of Worlds and a desk that scores, in a thread with its loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import Any, Literal, TypeVar

from envforge.core.errors import ConfigError, SandboxError
from envforge.core.records.rewarding import Rewarding
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents.agent import Assignment
from envforge.rollout.request import Played
from envforge.rollout.rewards import OUTCOME_ONLY
from envforge.rollout.scoring import Desk
from envforge.train.live import EpisodeLimits, LiveEpisode
from envforge.train.notes import EpisodeNote, note_of
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

T = TypeVar("T")


class EpisodeHost:
    """Opens episodes of known tasks. `with` it; what is open at the end is ended.

    Args:
        given: every task that may be asked for.
        max_live: episodes at once: the rollouts of a batch.
        workers: processes of an environment.
    """

    def __init__(
        self,
        environments: Iterable[Environment],
        given: Iterable[Assignment],
        *,
        limits: EpisodeLimits | None = None,
        rewarding: Rewarding = OUTCOME_ONLY,
        max_live: int = 1024,
        workers: int = 1,
        isolation: Literal["auto", "shared", "forked"] = "auto",
    ) -> None:
        self._environments = tuple(environments)
        self._given = {(one.task.environment_id, one.task.id): one for one in given}
        self.limits = limits or EpisodeLimits()
        self._rewarding = rewarding
        self._pool_settings: dict[str, Any] = {"max_live": max_live, "workers": workers, "isolation": isolation}
        self._families = {one.manifest.id: one.manifest.family for one in self._environments}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="episodes", daemon=True)
        self._stack = AsyncExitStack()
        self._pool: WorldPool | None = None
        self._desk: Desk | None = None
        self._notes: list[EpisodeNote] = []

    def __enter__(self) -> EpisodeHost:
        self._thread.start()
        self.wait(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.wait(self._stack.aclose())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _open(self) -> None:
        self._pool = await self._stack.enter_async_context(WorldPool(self._environments, **self._pool_settings))
        self._desk = await self._stack.enter_async_context(Desk(self._pool.environments, rewarding=self._rewarding))

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have it done in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Have it done, and wait. Raises what it raises."""
        return self.submit(work).result()

    async def begin(self, environment_id: str, task_id: str, seed: int, final: str) -> LiveEpisode:
        """A fresh episode; one whose World could not be had is broken, and has no reward.

        Raises ConfigError for a task that is not known here.
        """
        given = self._given.get((environment_id, task_id))
        if given is None or self._pool is None:
            remedy = "rows and tasks have to be of one training set"
            raise ConfigError(f"{environment_id} has no task {task_id!r} here", where="row", remedy=remedy)
        live = LiveEpisode(given, final, seed, self.limits)
        await live.open(self._pool)
        return live

    async def finish(self, live: LiveEpisode) -> float | None:
        """The reward of an episode, once and for all; None: it could not be scored, and trains nobody."""
        if live.trajectory is not None:
            return live.trajectory.reward
        played = await live.end(self._environment(live.given))
        live.trajectory = found = await self._settled(live.given, played)
        self._notes.append(note_of(found, live, self._families[live.given.task.environment_id]))
        return found.reward

    def notes(self) -> list[EpisodeNote]:
        """What is known of the episodes that were scored since this was asked last."""
        taken, self._notes = self._notes, []
        return taken

    @property
    def families(self) -> Mapping[str, str]:
        """Environment -> family."""
        return self._families

    def assignment(self, environment_id: str, task_id: str) -> Assignment:
        """A task with what stands beside it. Raises KeyError."""
        return self._given[environment_id, task_id]

    async def _settled(self, given: Assignment, played: Played) -> Trajectory:
        if self._desk is None:
            raise SandboxError("the host of episodes is not open", remedy="use it in a with statement")
        return await self._desk.settle(given, played)

    def _environment(self, given: Assignment) -> Environment:
        return next(one for one in self._environments if one.manifest.id == given.task.environment_id)
