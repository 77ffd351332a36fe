"""A batch that is full of groups to learn from: what a curriculum does not keep is played over with other tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from envforge.core.records.curriculum import CurriculumTask, GroupResult
from envforge.train.curricula.contract import Curriculum

Play: TypeAlias = Callable[[Sequence[CurriculumTask]], Sequence[GroupResult]]
MOST_ROUNDS = 10


@dataclass(frozen=True)
class Filled:
    """What is trained on, and what was played for nothing."""

    kept: tuple[GroupResult, ...]
    dropped: tuple[GroupResult, ...]

    @property
    def episodes(self) -> int:
        """All that were played."""
        return sum(len(result.rewards) for result in (*self.kept, *self.dropped))


def fill(curriculum: Curriculum, n: int, play: Play, *, most_rounds: int = MOST_ROUNDS) -> Filled:
    """`n` groups that the curriculum keeps, or as many as `most_rounds` rounds of playing give."""
    kept: list[GroupResult] = []
    dropped: list[GroupResult] = []
    for _ in range(most_rounds):
        results = play(curriculum.sample(n - len(kept)))
        curriculum.update(results)
        for result in results:
            (kept if curriculum.keeps(result) else dropped).append(result)
        if len(kept) >= n:
            break
    return Filled(tuple(kept), tuple(dropped))
