"""Means over tasks with intervals that respect clusters: tasks of one environment succeed and fail together.

Two ways that check each other: a bootstrap that draws whole clusters (seeded), and the closed form, the
cluster-robust variance of a mean (Liang and Zeger 1986) with Student's t and one degree of freedom less than clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from envforge.core.records.estimate import FEW_CLUSTERS, Clustering, Estimate
from envforge.core.seeds import stream
from envforge.rollout.distributions import student_t_quantile, student_t_tail
from envforge.rollout.passk import pass_all, pass_at

SHARE = 0.95
DRAWS = 2000
_EXACT = 1e-12


@dataclass(frozen=True)
class Tally:
    """What one agent reached on one task. `unscored` episodes are neither passed nor failed.

    `outcomes` holds the scored episodes by number, so that two runs can be compared episode by episode.
    """

    task: str
    cluster: str
    outcomes: Mapping[int, bool]
    unscored: int = 0

    @property
    def scored(self) -> int:
        """Episodes with a score."""
        return len(self.outcomes)

    @property
    def passed(self) -> int:
        """Episodes with score 1."""
        return sum(self.outcomes.values())


Figure = Callable[[Tally], float | None]
"""A number of one task; None where its episodes are too few for it."""


def figure_of(name: str) -> Figure:
    """The figure "pass@K" or "pass^K" of a task. Raises ValueError for another name."""
    kind, k = name[:5], name[5:]
    if kind not in ("pass@", "pass^") or not k.isdecimal() or not int(k):
        raise ValueError(f"{name!r} is no figure: pass@K or pass^K")
    estimate = pass_at if kind == "pass@" else pass_all

    def figure(tally: Tally) -> float | None:
        return estimate(int(k), tally.scored, tally.passed) if tally.scored >= int(k) else None

    return figure


def estimate(tallies: Sequence[Tally], name: str, *, seed: int = 0, draws: int = DRAWS) -> Estimate:
    """The mean over tasks of pass@K or pass^K, with its interval. Raises ValueError for another name."""
    figure = figure_of(name)
    values = [(tally, figure(tally)) for tally in tallies]
    known = [(tally.cluster, tally.task, value) for tally, value in values if value is not None]
    found = _of_equals(as_rate(clustered_mean(known, seed=seed, draws=draws)))
    return found.model_copy(update={"left_out": len(values) - len(known)})


def as_rate(found: Estimate) -> Estimate:
    """Of a mean that lies between 0 and 1 whatever it is: so does the interval of the closed form.

    Where all clusters are alike, both ways give a point, which would say that the mean is known: none is given.
    """
    if found.closed_low is None or found.closed_high is None or found.low is None or found.high is None:
        return found
    if max(found.high - found.low, found.closed_high - found.closed_low) < _EXACT:
        nothing = dict.fromkeys(("low", "high", "closed_low", "closed_high"))
        return found.model_copy(update={**nothing, "note": "all alike: no interval"})
    return found.model_copy(
        update={"closed_low": max(0.0, found.closed_low), "closed_high": min(1.0, found.closed_high)}
    )


def _of_equals(found: Estimate) -> Estimate:
    """Where all tasks passed, or none, nothing varies and both intervals are a point: the exact bound for so many
    independent tasks stands for them.
    """
    if found.value not in (0.0, 1.0) or not found.tasks:
        return found
    bound = ((1 - SHARE) / 2) ** (1 / found.tasks)
    low, high = (bound, 1.0) if found.value else (0.0, 1 - bound)
    note = "all tasks alike: the bound takes them as independent of each other"
    if found.clustered_by == "task":  # of one environment only: as true of a bound as of other intervals
        note = f"{_warning(found.clustered_by, found.clusters)}; {note}"
    return found.model_copy(update={"low": low, "high": high, "closed_low": low, "closed_high": high, "note": note})


def clustered_mean(values: Sequence[tuple[str, str, float]], *, seed: int = 0, draws: int = DRAWS) -> Estimate:
    """Mean of (cluster, task, value). With one cluster its tasks are taken as the clusters, and the note says so."""
    if not values:
        return Estimate(note="no task has enough scored episodes")
    environments = {cluster for cluster, _, _ in values}
    by: Clustering = "environment" if len(environments) > 1 else "task"
    sums = _sums(values, by)
    tasks = len(values)
    mean = fsum(total for total, _ in sums) / tasks
    if len(sums) < 2:
        return Estimate(value=mean, tasks=tasks, clusters=1, note="one task: no interval")
    low, high = _bootstrap(sums, seed, draws)
    half = student_t_quantile(SHARE, len(sums) - 1) * _standard_error(sums, mean)
    return Estimate(
        value=mean,
        low=low,
        high=high,
        closed_low=mean - half,
        closed_high=mean + half,
        tasks=tasks,
        clusters=len(sums),
        clustered_by=by,
        note=_warning(by, len(sums)),
    )


def clustered_p(values: Sequence[tuple[str, str, float]]) -> float | None:
    """Two-sided p of "the mean is 0" by the closed form; None where nothing varies or there is one cluster only."""
    if not values:
        return None
    sums = _sums(values, "environment" if len({cluster for cluster, _, _ in values}) > 1 else "task")
    mean = fsum(total for total, _ in sums) / len(values)
    if len(sums) < 2:
        return None
    error = _standard_error(sums, mean)
    if error < _EXACT:
        return 1.0 if abs(mean) < _EXACT else None
    return student_t_tail(mean / error, len(sums) - 1)


def _sums(values: Sequence[tuple[str, str, float]], by: Clustering) -> list[tuple[float, int]]:
    """(sum, count) of each cluster, in a fixed order: the same values give the same draws."""
    held: defaultdict[str, list[float]] = defaultdict(list)
    for cluster, task, value in values:
        held[cluster if by == "environment" else task].append(value)
    return [(fsum(found), len(found)) for _, found in sorted(held.items())]


def _bootstrap(sums: Sequence[tuple[float, int]], seed: int, draws: int) -> tuple[float, float]:
    """Percentiles of the mean over clusters drawn with replacement."""
    random = stream(seed, "cluster bootstrap", len(sums))
    means: list[float] = []
    for _ in range(draws):
        drawn = random.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    outside = (1 - SHARE) / 2
    return _percentile(means, outside), _percentile(means, 1 - outside)


def _percentile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _standard_error(sums: Sequence[tuple[float, int]], mean: float) -> float:
    """Of a mean over tasks whose clusters are drawn: the sandwich with the usual factor G / (G - 1)."""
    groups, tasks = len(sums), sum(count for _, count in sums)
    meat = sum((total - count * mean) ** 2 for total, count in sums)
    return sqrt(groups / (groups - 1) * meat) / tasks


def _warning(by: Clustering, clusters: int) -> str:
    if by == "task":
        few = f"; {clusters} tasks are few" if clusters < FEW_CLUSTERS else ""
        return f"one environment: the interval is over its tasks and says nothing of other environments{few}"
    if clusters < FEW_CLUSTERS:
        return f"{clusters} environments are few: the wider of two intervals is shown, and is not to be trusted much"
    return ""
