"""What a curriculum is to a trainer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from envforge.core.records.curriculum import CurriculumState, CurriculumTask, GroupResult


class Curriculum(Protocol):
    """Chooses tasks, and learns from what came of them. The same seed and the same results choose the same tasks."""

    @property
    def name(self) -> str:
        """In the registry."""
        ...

    def sample(self, n: int) -> tuple[CurriculumTask, ...]:
        """The next `n` tasks. Where there are fewer than `n` to choose from, some are there twice."""
        ...

    def update(self, results: Sequence[GroupResult]) -> None:
        """What came of a batch. Groups without a score change nothing. Raises ConfigError for unknown tasks."""
        ...

    def keeps(self, result: GroupResult) -> bool:
        """Whether a group may be trained on; else others are played in its place (`filling.fill`)."""
        ...

    def state(self) -> CurriculumState:
        """All that it remembers."""
        ...

    def restore(self, state: CurriculumState) -> None:
        """Go on from there. Raises ConfigError for a state of another curriculum, or of other tasks."""
        ...
