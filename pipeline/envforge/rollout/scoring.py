"""Scores episodes of many environments while others are played.

One after the other, in a thread: the host's reader of an environment is one.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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


class Desk:
    """Takes trajectories, gives verdicts; the event loop goes on meanwhile. `async with` it."""

    def __init__(
        self,
        environments: Mapping[str, Environment],
        *,
        rewarding: Rewarding = OUTCOME_ONLY,
        judge: Judge | None = None,
    ) -> None:
        self._environments = environments
        self._rewarding, self._judge = rewarding, judge
        self._scorers: dict[str, Scorer] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scoring")

    async def settle(self, given: Assignment, played: Played) -> Trajectory:
        """The trajectory with its verdict, and with what it and each of its calls changed.

        Unscored, with the reason, where the episode cannot be scored: never raises for it.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._settled, given, played)

    def _settled(self, given: Assignment, played: Played) -> Trajectory:
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

    async def __aenter__(self) -> Desk:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
        for scorer in self._scorers.values():
            scorer.close()
