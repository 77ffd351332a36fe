"""What an episode is worth to a trainer: several rewards side by side, and which of them trains."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

Reward = Literal["outcome", "fraction", "shaped"]


class Rewarding(Record):
    """How rewards are made. All are recorded; `trains` names the one that a trajectory's `reward` is.

    outcome: 1 when every check passed, else 0. fraction: the weighted share of the checks. shaped: the one that `shape`
    names, less the penalties; never under `floor`.
    """

    trains: Reward = "outcome"
    shape: Literal["outcome", "fraction"] = "outcome"
    malformed: float = Field(default=0.0, ge=0, description="penalty for each answer that could not be read")
    most_malformed: float = Field(default=0.2, ge=0, description="of these together")
    long: float = Field(default=0.0, ge=0, description="penalty for every call beyond what is free")
    most_long: float = Field(default=0.2, ge=0, description="of these together")
    free_calls: float = Field(default=2.0, ge=1, description="free: so many times the task's minimal calls")
    floor: float = -1.0


class Calibration(Record):
    """What a judge is known to be worth: how often it agrees with what is known, on items of both sorts."""

    judge: str = Field(description="its identity, with every setting that changes its answers")
    items: int = Field(ge=1)
    right_on_met: float = Field(ge=0, le=1, description="share of the met items that it calls met")
    right_on_unmet: float = Field(ge=0, le=1)
    least: float = Field(default=0.9, gt=0.5, le=1, description="what both shares must reach")
    passed_mutants: int = Field(default=0, ge=0, description="episodes known to have failed that it calls all met")

    @property
    def holds(self) -> bool:
        """It may score. A judge that says "met" to everything is right on half of the sorts only.

        One that lets a failed episode pass whole may not, whatever its shares are.
        """
        return min(self.right_on_met, self.right_on_unmet) >= self.least and not self.passed_mutants
