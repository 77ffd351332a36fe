"""A difficulty that follows the reward: AdaRFT (arXiv 2504.05520).

    T ← clip(T + η · tanh(α · (R̄ − β)), d_min, d_max);   next: the tasks with the smallest |d − T|

R̄ is the mean reward of a batch, β the reward that is aimed at. Difficulties are 0 to 100, as published with η = 50,
α = 2, β = 0.5; here a task's is its level, spread evenly over that range. Tasks of one difficulty are dealt in turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumTask
from envforge.train.curricula.base import SeededCurriculum, Told
from envforge.train.curricula.deck import Deck

LEAST, MOST = 0.0, 100.0


class TargetSettings(Record):
    """As published."""

    step: float = Field(default=50.0, gt=0, description="η")
    slope: float = Field(default=2.0, gt=0, description="α")
    aim: float = Field(default=0.5, gt=0, lt=1, description="β")
    start: float = Field(default=LEAST, ge=LEAST, le=MOST, description="T at first")


class Target(SeededCurriculum[TargetSettings]):
    """The tasks nearest to a target that rises with the reward."""

    name = "adarft"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: TargetSettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        levels = sorted({task.level for task in self._tasks})
        spread = max(1, len(levels) - 1)
        decks = self._decks_by(lambda task: f"level {task.level}")
        self._at: list[tuple[float, Deck[CurriculumTask]]] = [
            (LEAST + (MOST - LEAST) * place / spread, decks[f"level {level}"]) for place, level in enumerate(levels)
        ]
        self.target = settings.start

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        del random  # decks have their own
        chosen: list[CurriculumTask] = []
        nearest = sorted(self._at, key=lambda one: (abs(one[0] - self.target), one[0]))
        while len(chosen) < n:
            # Where the nearest difficulty has too few tasks for the batch, the next one goes on.
            for _, deck in nearest:
                chosen += [deck.deal() for _ in range(min(len(deck), n - len(chosen)))]
        return chosen

    def _learn(self, told: Sequence[Told]) -> None:
        scores = [score for _, result in told for score in result.scores]
        mean = sum(scores) / len(scores)
        moved = self.target + self.settings.step * math.tanh(self.settings.slope * (mean - self.settings.aim))
        self.target = min(MOST, max(LEAST, moved))

    def _values(self) -> dict[str, Any]:
        return {"target": self.target}

    def _take(self, values: dict[str, Any]) -> None:
        self.target = float(values.get("target", self.settings.start))
