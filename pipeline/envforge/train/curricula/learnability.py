"""Tasks that are won as often as lost: sampling for learnability (SFL, arXiv 2408.15099; CurES, arXiv 2510.01037).

    P(task) ∝ E[p (1 − p)]  under  p ~ Beta(1 + successes, 1 + failures)

p(1−p) is the variance of a reward of 0 or 1, and with it the size of the gradient that a group gives. SFL measures p in
extra rollouts and takes the best tasks; here the rollouts of training itself are the measurement (as in CurES), the
posterior forgets as the agent learns, and a share of every draw is uniform, so that no task is given up for ever.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumTask
from envforge.train.curricula.base import SeededCurriculum, Told
from envforge.train.curricula.posterior import Posterior, take_values, to_values


class LearnabilitySettings(Record):
    """How the posterior is used."""

    explore: float = Field(default=0.1, ge=0, le=1, description="share of draws that is uniform")
    memory: float = Field(
        default=0.8, gt=0, le=1, description="what a further group of a task leaves of what was known"
    )
    sharpness: float = Field(default=1.0, gt=0, le=16, description="power to which p(1-p) is raised")


class Learnability(SeededCurriculum[LearnabilitySettings]):
    """In proportion to p(1−p)."""

    name = "learnability"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: LearnabilitySettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        self._posteriors = {task.id: Posterior() for task in self._tasks}

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        chosen: list[CurriculumTask] = []
        while len(chosen) < n:
            chosen += self._without_repetition(min(n - len(chosen), len(self._tasks)), random)
        return chosen

    def _without_repetition(self, n: int, random: Random) -> list[CurriculumTask]:
        """Weighted, each at most once: who comes first when each waits exponentially, at a rate that is its weight."""
        powers = [self._posteriors[task.id].learnability ** self.settings.sharpness for task in self._tasks]
        whole, floor = sum(powers), self.settings.explore / len(self._tasks)
        waits: list[tuple[float, int]] = []
        for place, power in enumerate(powers):
            weight = floor + (1 - self.settings.explore) * power / whole
            waits.append((random.expovariate(1.0) / weight, place))
        return [self._tasks[place] for _, place in heapq.nsmallest(n, waits)]

    def _learn(self, told: Sequence[Told]) -> None:
        for task, result in told:
            posterior = self._posteriors[task.id]
            posterior.fade(self.settings.memory)
            posterior.learn(result.scores)

    def _values(self) -> dict[str, Any]:
        return {"posteriors": to_values(self._posteriors)}

    def _take(self, values: dict[str, Any]) -> None:
        take_values(self._posteriors, values.get("posteriors", {}))
