"""A ladder of levels for each family: RLVE (arXiv 2511.07317).

    level h of a family rises by one when, over at least 8 groups at h, the mean reward is at least 0.9
    next: a family at random, a level at random among the highest four up to h

Groups below h do not count; after each decision the counting begins anew. Rungs are the levels that a family has, so
that none is skipped and none is waited for that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumTask
from envforge.train.curricula.base import SeededCurriculum, Told


class LadderSettings(Record):
    """As published."""

    least_groups: int = Field(default=8, ge=1, description="at the highest level, before it is decided")
    least_rate: float = Field(default=0.9, gt=0, le=1, description="mean reward there, to rise")
    window: int = Field(default=4, ge=1, description="levels that are in play")


class Ladder(SeededCurriculum[LadderSettings]):
    """Each family on its own ladder."""

    name = "ladder"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: LadderSettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        self._decks_by(lambda task: _rung(task.family, task.level))
        self._rungs: dict[str, list[int]] = {
            family: sorted({task.level for task in self._tasks if task.family == family})
            for family in sorted({task.family for task in self._tasks})
        }
        self._top = dict.fromkeys(self._rungs, 0)
        """Family → place of its highest level in play."""
        self._tries: dict[str, tuple[int, float]] = {}
        """Family → groups at that level, and the sum of their rates."""

    def highest(self, family: str) -> int:
        """The highest level of a family that is in play."""
        return self._rungs[family][self._top[family]]

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        families = list(self._rungs)
        chosen: list[CurriculumTask] = []
        for _ in range(n):
            family = random.choice(families)
            top = self._top[family]
            level = random.choice(self._rungs[family][max(0, top + 1 - self.settings.window) : top + 1])
            chosen.append(self._decks[_rung(family, level)].deal())
        return chosen

    def _learn(self, told: Sequence[Told]) -> None:
        for task, result in told:
            rate = result.rate
            if rate is None or task.level != self.highest(task.family):
                continue
            groups, won = self._tries.get(task.family, (0, 0.0))
            self._tries[task.family] = (groups + 1, won + rate)
            self._decide(task.family)

    def _decide(self, family: str) -> None:
        groups, won = self._tries[family]
        if groups < self.settings.least_groups:
            return
        del self._tries[family]
        if won / groups >= self.settings.least_rate:
            self._top[family] = min(self._top[family] + 1, len(self._rungs[family]) - 1)

    def _values(self) -> dict[str, Any]:
        tries = {family: list(counted) for family, counted in sorted(self._tries.items())}
        return {"top": dict(self._top), "tries": tries}

    def _take(self, values: dict[str, Any]) -> None:
        top: dict[str, int] = values.get("top", {})
        self._top = {family: top.get(family, 0) for family in self._rungs}
        tries: dict[str, list[float]] = values.get("tries", {})
        self._tries = {family: (int(counted[0]), counted[1]) for family, counted in tries.items()}


def _rung(family: str, level: int) -> str:
    return f"{family} level {level}"
