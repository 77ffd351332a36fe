"""Every task alike: what any other curriculum has to beat.

    P(task) = 1 / N

Tasks are dealt without repetition, pass after pass, each shuffled anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from envforge.core.records.curriculum import CurriculumTask
from envforge.train.curricula.base import NoSettings, UnlearningCurriculum

_ALL = "all"


class Uniform(UnlearningCurriculum[NoSettings]):
    """All tasks in a random order."""

    name = "uniform"

    def __init__(self, tasks: Sequence[CurriculumTask], settings: NoSettings, seed: int) -> None:
        super().__init__(tasks, settings, seed)
        self._deck = self._decks_by(lambda _: _ALL)[_ALL]

    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        del random  # the deck has its own
        return [self._deck.deal() for _ in range(n)]
