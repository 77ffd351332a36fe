"""Tasks that are won at a rate of α: the reward of GenEnv's task generator (arXiv 2512.19682), used to choose.

    R_env = exp(−β (p̂ − α)²);   P(arm) ∝ R_env(p̃),  p̃ ~ Beta(2m + successes, 2(1−m) + failures),  |p̃ − α| ≤ band

p̂ is the rate over a *batch* of variations, not of one task: four episodes cannot tell 0.5 from 0.25. The tasks of one
family and level are such a batch here, an arm; its posterior pools their episodes and fades with every batch, also
where the arm is not played. Arms outside the band are left out, as GenEnv leaves out batches; where none is inside, the
nearest is played. A rate is drawn from each posterior instead of its mean, so that arms of which little is known are
tried; m is the rate of all arms together, which is what an unknown arm is taken for. With the published β = 2 an arm at
the edge of the band (0.1) weighs 2 % less than one at α: the band does the work, and a larger β sharpens it.
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
from envforge.train.curricula.posterior import Posterior, take_values, to_values


class AlphaSettings(Record):
    """α and band as published."""

    alpha: float = Field(default=0.5, gt=0, lt=1, description="the rate that is aimed at")
    sharpness: float = Field(default=20.0, gt=0, description="β")
    band: float = Field(default=0.1, gt=0, le=1, description="how far from alpha a rate may be")
    memory: float = Field(default=0.8, gt=0, le=1, description="what a batch leaves of what was known, of any arm")


def environment_reward(rate: float, alpha: float, sharpness: float) -> float:
    """R_env: 1 where tasks are won at the rate `alpha`, less the further away they are."""
    return math.exp(-sharpness * (rate - alpha) ** 2)


class Alpha(SeededCurriculum[AlphaSettings]):
    """Arms near α."""

    name = "alpha"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: AlphaSettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        self._posteriors = {arm: Posterior() for arm in self._decks_by(_arm)}

    def rates(self) -> dict[str, float]:
        """Arm → its expected rate p̂."""
        return {arm: posterior.mean for arm, posterior in self._posteriors.items()}

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        return [self._decks[self._drawn_arm(random)].deal() for _ in range(n)]

    def _drawn_arm(self, random: Random) -> str:
        alpha, sharpness = self.settings.alpha, self.settings.sharpness
        expected = self._expected()
        rates = {arm: posterior.draw(random, expected) for arm, posterior in self._posteriors.items()}
        inside = [arm for arm, rate in rates.items() if abs(rate - alpha) <= self.settings.band]
        if not inside:
            return min(rates, key=lambda arm: (abs(rates[arm] - alpha), arm))
        weights = [environment_reward(rates[arm], alpha, sharpness) for arm in inside]
        return random.choices(inside, weights)[0]

    def _expected(self) -> float:
        """The rate of all arms together: what an arm is taken for of which nothing is known."""
        known = Posterior()
        for one in self._posteriors.values():
            known.successes += one.successes
            known.failures += one.failures
        return known.mean

    def _learn(self, told: Sequence[Told]) -> None:
        for posterior in self._posteriors.values():
            # An agent that learns gets better where nobody looks, too: an arm that was too hard is tried again.
            posterior.fade(self.settings.memory)
        for task, result in told:
            self._posteriors[_arm(task)].learn(result.scores)

    def _values(self) -> dict[str, Any]:
        return {"posteriors": to_values(self._posteriors)}

    def _take(self, values: dict[str, Any]) -> None:
        take_values(self._posteriors, values.get("posteriors", {}))


def _arm(task: CurriculumTask) -> str:
    return f"{task.family} level {task.level}"
