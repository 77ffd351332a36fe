"""A learner that costs nothing: to see what a curriculum does before episodes are spent on it.

An agent has a skill in each family and one that all families share; a task is won at the rate

    p = 1 / (1 + exp(−(general + skill_family − difficulty)))

and a group moves the skill along the gradient of its own success rate, estimated from the group alone as policy
gradients do: step · v, with v the variance of the group's scores. A group that is all right or all wrong teaches
nothing. That is the assumption under which p(1−p) is the best measure of a task; no language model is in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, pvariance

from envforge.core.records.curriculum import CurriculumTask, GroupResult
from envforge.core.seeds import stream

_SHARED = 0.3
"""Share of what is learned in a family that helps in all."""


class SimulatedLearner:
    """Plays groups of episodes, and learns from those that it is given to learn from."""

    def __init__(self, difficulties: Mapping[str, float], *, seed: int, group: int = 8, step: float = 0.05) -> None:
        """`difficulties`: of each task by id; at skill 0 a task of difficulty 0 is won every second time."""
        self._difficulties = difficulties
        self._seed, self._group, self._step = seed, group, step
        self._general = 0.0
        self._skills: dict[str, float] = {}
        self._played = 0

    def rate(self, task: CurriculumTask) -> float:
        """How often a task is won now."""
        skill = self._general + self._skills.get(task.family, 0.0)
        return 1 / (1 + math.exp(self._difficulties[task.id] - skill))

    def play(self, tasks: Sequence[CurriculumTask]) -> list[GroupResult]:
        """A group of episodes of each task."""
        return [self._one(task) for task in tasks]

    def _one(self, task: CurriculumTask) -> GroupResult:
        random = stream(self._seed, "group", self._played)
        self._played += 1
        rate = self.rate(task)
        return GroupResult(task=task.id, rewards=tuple(float(random.random() < rate) for _ in range(self._group)))

    def learn(self, groups: Sequence[tuple[CurriculumTask, GroupResult]]) -> None:
        """A step of training on a batch."""
        for task, result in groups:
            gained = self._step * pvariance(result.scores) if result.scores else 0.0
            self._general += _SHARED * gained
            self._skills[task.family] = self._skills.get(task.family, 0.0) + (1 - _SHARED) * gained

    def success(self, tasks: Sequence[CurriculumTask]) -> float:
        """The mean rate over tasks."""
        return fmean(self.rate(task) for task in tasks)
