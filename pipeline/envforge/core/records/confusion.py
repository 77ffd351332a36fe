"""How often a diagnosis is right, where the truth is known."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.mistake import MistakeKind


class Miss(Record):
    """An episode whose mistake was named wrongly."""

    task: str
    made: MistakeKind
    way: str = Field(description="how the mistake was made")
    named: MistakeKind
    detail: str


class Confusion(Record):
    """What mistakes were made, and how they were named: `matrix[made][named]` counts episodes."""

    seed: int
    environments: tuple[str, ...]
    matrix: dict[MistakeKind, dict[MistakeKind, int]]
    misses: tuple[Miss, ...] = ()

    @property
    def episodes(self) -> int:
        """All of them."""
        return sum(sum(row.values()) for row in self.matrix.values())

    @property
    def right(self) -> int:
        """Those that were named as they were made."""
        return sum(row.get(kind, 0) for kind, row in self.matrix.items())
