"""What a rule hands in: a mistake, and how sure it is to be the cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from envforge.core.records.mistake import Mistake
from envforge.rollout.diagnosis.case import Case


class Weight(IntEnum):
    """The smaller, the surer: a mistake of a smaller weight is named before all of larger ones."""

    ENDED_IT = 0
    """It ended the episode by itself."""
    DEED = 1
    """A call that is wrong, in the place of a right one or beside it."""
    GAP = 2
    """Something that is not there: a step, the end, an answer that can be read."""
    CONCLUSION = 3
    """The answer is wrong in a way that says how it came to be."""
    HARMLESS = 4
    """A call that is not the gold one, though its purpose was reached otherwise."""
    REST = 5
    """Something failed, and nobody knows why."""


@dataclass(frozen=True)
class Found:
    """A mistake with its weight."""

    weight: Weight
    mistake: Mistake


Rule: TypeAlias = Callable[[Case], Iterable[Found]]
