"""What a curriculum chooses from, what it is told, and what it remembers."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envforge.core.records.base import Record


class CurriculumTask(Record):
    """A task that may be chosen."""

    id: str = Field(description="environment and task: unique among all tasks of a training set")
    family: str
    level: int = Field(ge=1)
    lineage: str = Field(description="tasks that are one goal made harder and harder have one lineage")
    generation: int = Field(ge=0, description="place in the lineage: the larger, the harder")


class GroupResult(Record):
    """The episodes of one task that were played together. None: it could not be scored, and says nothing."""

    task: str
    rewards: tuple[float | None, ...]

    @property
    def scores(self) -> tuple[float, ...]:
        """Of the episodes that could be scored, each from 0 to 1."""
        return tuple(min(1.0, max(0.0, reward)) for reward in self.rewards if reward is not None)

    @property
    def rate(self) -> float | None:
        """The mean score; None where none of the episodes could be scored."""
        scores = self.scores
        return sum(scores) / len(scores) if scores else None

    @property
    def varied(self) -> bool:
        """The rewards differ: only then does the group say which episode was better."""
        return len({reward for reward in self.rewards if reward is not None}) > 1


class CurriculumState(Record):
    """What a checkpoint keeps of a curriculum: restored, it goes on as if nothing had been."""

    name: str
    seed: int
    settings: dict[str, Any] = Field(default_factory=dict)
    tasks: str = Field(description="SHA-256 of the tasks that it chooses from")
    draws: int = Field(default=0, ge=0, description="how often it was asked")
    decks: dict[str, int] = Field(default_factory=dict, description="deck -> cards dealt")
    values: dict[str, Any] = Field(default_factory=dict, description="what it learned; by curriculum")
