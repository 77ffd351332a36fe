"""Figures with their uncertainty: what a run of an agent says of its success rate, and of the gap to another one's."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

Clustering = Literal["environment", "task", "none"]


FEW_CLUSTERS = 10
"""With fewer, a bootstrap over clusters is known to give intervals that are too narrow."""


class Estimate(Record):
    """The mean of a figure over tasks, and where the truth may lie.

    `low` and `high` are a 95 % interval of a bootstrap over clusters, `closed_low` and `closed_high` the same from the
    cluster-robust variance and Student's t: where both differ much, there is too little to say. None: nothing to go
    by. `clusters` are environments; with one environment they are its tasks, and the interval speaks of it alone.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    closed_low: float | None = None
    closed_high: float | None = None
    tasks: int = 0
    clusters: int = 0
    clustered_by: Clustering = "none"
    left_out: int = Field(default=0, description="tasks with too few scored episodes for the figure")
    note: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval to show: of few clusters the wider of both, as either is known to be too narrow then."""
        if self.low is None or self.high is None:
            return None
        if self.clusters >= FEW_CLUSTERS or self.closed_low is None or self.closed_high is None:
            return self.low, self.high
        return min(self.low, self.closed_low), max(self.high, self.closed_high)


class PairedComparison(Record):
    """Two agents on the same tasks: the gap (ours minus theirs), its interval, and exact tests.

    `p_clustered` is of Student's t with the cluster-robust variance of the gap by task. McNemar's test looks at the
    first scored episode of each task in both runs; the sign test at which of both passes a task more often. These two
    take tasks as independent of each other, which tasks of one environment are not quite.
    """

    figure: str
    ours: float | None
    theirs: float | None
    gap: Estimate
    p_clustered: float | None = None
    only_ours: int = Field(default=0, description="tasks whose first episode passes here only")
    only_theirs: int = 0
    p_mcnemar: float | None = None
    better: int = Field(default=0, description="tasks that are passed more often here")
    worse: int = 0
    p_sign: float | None = None
