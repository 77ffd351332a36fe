"""What several runs of evaluation say together: how success goes with something that grows."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.estimate import Estimate


class TrendPoint(Record):
    """Success at one value of what grows."""

    x: float
    label: str
    estimate: Estimate


class TrendLine(Record):
    """One run, or one figure, over what grows.

    `rank_correlation` is Spearman's between x and the rate of each task (or point): None where nothing varies.
    """

    name: str
    points: tuple[TrendPoint, ...]
    rank_correlation: float | None = None


class Trend(Record):
    """A table that is also a plot."""

    title: str
    x_name: str
    lines: tuple[TrendLine, ...]
    notes: tuple[str, ...] = Field(default=())
