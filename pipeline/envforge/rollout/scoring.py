"""Scores episodes of many environments while others are played.

In few threads, each with its own reader of each environment: a reader is not for two at once.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from zlib import crc32

from envforge.core.contracts import Judge
from envforge.core.errors import EnvforgeError, SandboxError
from envforge.core.records.rewarding import Rewarding
from envforge.core.records.trajectory import Trajectory, Verdict
from envforge.rollout.agents.agent import Assignment
from envforge.rollout.request import Played
from envforge.rollout.rewards import OUTCOME_ONLY, rewarded
from envforge.rollout.score import Scorer, unscored
from envforge.rollout.steps import step_changes
from envforge.world.environment import Environment
from envforge.world.session import diff_of

THREADS = 4


class Desk:
    """Takes trajectories, gives verdicts; the event loop goes on meanwhile. `async with` it."""

    def __init__(
        self,
        environments: Mapping[str, Environment],
        *,
        rewarding: Rewarding = OUTCOME_ONLY,
        judge: Judge | None = None,
        threads: int = THREADS,
    ) -> None:
        """`judge` may be asked by several threads at once."""
        self._seats = [_Seat(environments, rewarding, judge) for _ in range(threads)]

    async def settle(self, given: Assignment, played: Played) -> Trajectory:
        """The trajectory with its verdict, and with what it and each of its calls changed.

        Unscored, with the reason, where the episode cannot be scored: never raises for it.
        """
        # The same task goes to the same seat, which holds its verifier.
        seat = self._seats[crc32(given.task.id.encode()) % len(self._seats)]
        return await asyncio.get_running_loop().run_in_executor(seat.thread, seat.settled, given, played)

    async def __aenter__(self) -> Desk:
        return self

    async def __aexit__(self, *_: object) -> None:
        for seat in self._seats:
            seat.close()


class _Seat:
    """One thread, with readers and scorers of its own."""

    def __init__(self, environments: Mapping[str, Environment], rewarding: Rewarding, judge: Judge | None) -> None:
        self._rewarding, self._judge = rewarding, judge
        # A copy has a reader of its own.
        self._environments = {name: replace(environment) for name, environment in environments.items()}
        self._scorers: dict[str, Scorer] = {}
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="scoring")

    def close(self) -> None:
        """End what waits, and the processes of verifiers."""
        self.thread.shutdown(wait=True, cancel_futures=True)
        for scorer in self._scorers.values():
            scorer.close()

    def settled(self, given: Assignment, played: Played) -> Trajectory:
        """The trajectory with verdict and changes."""
        verdict = self._verdict(given, played.trajectory)
        trajectory = played.trajectory.model_copy(update=self._changes(given, played))
        return rewarded(given.task, trajectory, verdict, self._rewarding)

    def _changes(self, given: Assignment, played: Played) -> dict[str, Any]:
        environment = self._environments.get(given.task.environment_id)
        trajectory = played.trajectory
        if environment is None or trajectory.status == "infrastructure":
            return {}
        try:
            diff = diff_of(environment, base64.b64decode(trajectory.changeset))
            turns = trajectory.turns
            if len(played.after) == len(turns):
                turns = tuple(step_changes(environment, turns, played.after))
        except SandboxError:
            return {}  # the verdict says so
        return {"state_diff": {} if diff.empty else diff.to_json(), "turns": turns}

    def _verdict(self, given: Assignment, trajectory: Trajectory) -> Verdict:
        environment = self._environments.get(given.task.environment_id)
        if environment is None:
            return unscored(f"no environment {given.task.environment_id!r} to score it in")
        scorer = self._scorers.setdefault(given.task.environment_id, Scorer(environment, judge=self._judge))
        try:
            return scorer.score_episode(given.task, trajectory, given.verifier or None)
        except EnvforgeError as error:
            # A check or a verifier that broke says nothing of the agent.
            return unscored(f"{error.boundary}: {error}")
