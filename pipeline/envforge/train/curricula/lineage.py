"""A walk along lineages: EL, the scheduler of Environment Evolution (arXiv 2609.04128).

    each lineage stands at a generation g, at first the easiest
    g ← the next one  when the rate over 8 episodes at g is more than 6/8

A lineage is one goal that is made harder and harder. Where a lineage has several tasks at a generation, they are dealt
in turn and their episodes counted together; after every decision counting begins anew. A lineage that is through its
last generation is done: it is played again only when all others are done too.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumTask
from envforge.train.curricula.base import SeededCurriculum, Told


class LineageSettings(Record):
    """As published."""

    episodes: int = Field(default=8, ge=1, description="at a generation, before it is decided")
    more_than: float = Field(default=0.75, ge=0, lt=1, description="rate there, to go on")


class Lineage(SeededCurriculum[LineageSettings]):
    """Each lineage at its own generation."""

    name = "lineage"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: LineageSettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        self._decks_by(lambda task: _step(task.lineage, task.generation))
        self._generations: dict[str, list[int]] = {
            lineage: sorted({task.generation for task in self._tasks if task.lineage == lineage})
            for lineage in sorted({task.lineage for task in self._tasks})
        }
        self._place = dict.fromkeys(self._generations, 0)
        """Lineage → place of its generation; behind the last one, it is done."""
        self._tries: dict[str, tuple[int, float]] = {}

    def generation(self, lineage: str) -> int | None:
        """Where a lineage stands; None: it is done."""
        place = self._place[lineage]
        there = self._generations[lineage]
        return there[place] if place < len(there) else None

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        walking = [name for name in self._generations if self.generation(name) is not None]
        lineages = walking or list(self._generations)
        chosen: list[CurriculumTask] = []
        while len(chosen) < n:
            for lineage in random.sample(lineages, min(len(lineages), n - len(chosen))):
                generation = self.generation(lineage)
                last = self._generations[lineage][-1]
                chosen.append(self._decks[_step(lineage, last if generation is None else generation)].deal())
        return chosen

    def _learn(self, told: Sequence[Told]) -> None:
        for task, result in told:
            if task.generation != self.generation(task.lineage):
                continue
            episodes, won = self._tries.get(task.lineage, (0, 0.0))
            episodes, won = episodes + len(result.scores), won + sum(result.scores)
            if episodes < self.settings.episodes:
                self._tries[task.lineage] = (episodes, won)
                continue
            self._tries.pop(task.lineage, None)
            self._place[task.lineage] += won / episodes > self.settings.more_than

    def _values(self) -> dict[str, Any]:
        tries = {lineage: list(counted) for lineage, counted in sorted(self._tries.items())}
        return {"place": {name: place for name, place in self._place.items() if place}, "tries": tries}

    def _take(self, values: dict[str, Any]) -> None:
        place: dict[str, int] = values.get("place", {})
        self._place = {lineage: place.get(lineage, 0) for lineage in self._generations}
        tries: dict[str, list[float]] = values.get("tries", {})
        self._tries = {lineage: (int(counted[0]), counted[1]) for lineage, counted in tries.items()}


def _step(lineage: str, generation: int) -> str:
    return f"{lineage} generation {generation}"
