"""`envforge analyze scaling|difficulty`: runs of evaluation, read together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from envforge.core.errors import ConfigError
from envforge.core.records.evaluation import EvalReport, TaskResult
from envforge.core.records.trend import Trend, TrendLine, TrendPoint
from envforge.factory.eval_files import read_report
from envforge.factory.eval_plan import refuse_strangers
from envforge.rollout.intervals import Tally, estimate
from envforge.rollout.ranks import rank_correlation

_CALLS = (1, 2, 4, 8, 16, 32, 64)


def scaling(runs: Sequence[tuple[float, Path]], x_name: str) -> Trend:
    """pass@k of runs on the same tasks over what they differ in, e.g. environments trained on, or rounds.

    Raises ConfigError for fewer than two runs, for two at one place, and for runs that cannot be compared.
    """
    if len({x for x, _ in runs}) < len(runs) or len(runs) < 2:
        raise ConfigError("give at least two runs, each at a value of its own", where="analyze scaling",
                          remedy="as in 8=runs/eval-a 64=runs/eval-b")  # fmt: skip
    reports = [(x, folder, read_report(folder)) for x, folder in sorted(runs, key=lambda run: run[0])]
    first = reports[0][2]
    for _, folder, report in reports[1:]:
        refuse_strangers(first.evaluation, report.evaluation, folder)
    shared = [
        name for name in first.agents[0].estimates if all(name in one.agents[0].estimates for _, _, one in reports)
    ]
    lines: list[TrendLine] = []
    for name in shared:
        points = tuple(
            TrendPoint(x=x, label=_plain(x), estimate=report.agents[0].estimates[name]) for x, _, report in reports
        )
        known = [(point.x, point.estimate.value) for point in points if point.estimate.value is not None]
        lines.append(TrendLine(name=name, points=points, rank_correlation=rank_correlation(known)))
    note = f"tasks of {len(first.evaluation.sets)} environments; intervals of one run, not of the gap between two: --vs"
    return Trend(title=f"Success over {x_name}", x_name=x_name, lines=tuple(lines), notes=(note,))


def difficulty(runs: Sequence[Path], seed: int = 0) -> tuple[Trend, Trend]:
    """pass@1 of each run over levels, and over the fewest calls that solve a task. Raises ConfigError, StoreError."""
    if not runs:
        raise ConfigError("give at least one run", where="analyze difficulty", remedy="a folder of envforge eval")
    reports = [read_report(folder) for folder in runs]
    names = [report.agents[0].agent.model or report.agents[0].agent.name for report in reports]
    unique = [
        name if names.count(name) == 1 else f"{name} ({folder.name})" for name, folder in zip(names, runs, strict=True)
    ]
    levels = [
        _line(name, one, lambda task: task.level, _plain, seed) for name, one in zip(unique, reports, strict=True)
    ]
    calls = [_line(name, one, _bucket, _range, seed) for name, one in zip(unique, reports, strict=True)]
    return (
        Trend(title="pass@1 by level", x_name="level", lines=tuple(levels)),
        Trend(title="pass@1 by the fewest calls known to solve a task", x_name="calls", lines=tuple(calls)),
    )


def _line(
    name: str, report: EvalReport, place: Callable[[TaskResult], int], label: Callable[[float], str], seed: int
) -> TrendLine:
    results = report.agents[0].results
    points: list[TrendPoint] = []
    for x in sorted({place(one) for one in results}):
        tallies = [_tally(one) for one in results if place(one) == x]
        points.append(TrendPoint(x=x, label=label(x), estimate=estimate(tallies, "pass@1", seed=seed)))
    rates = [(float(place(one)), one.passed / one.scored) for one in results if one.scored]
    return TrendLine(name=name, points=tuple(points), rank_correlation=rank_correlation(rates))


def _tally(one: TaskResult) -> Tally:
    return Tally(one.task, one.environment, {number: number < one.passed for number in range(one.scored)}, one.unscored)


def _bucket(one: TaskResult) -> int:
    return max(least for least in _CALLS if least <= max(1, one.minimal_calls))


def _range(least: float) -> str:
    place = _CALLS.index(int(least))
    if place + 1 == len(_CALLS):
        return f"{least:g}+"
    most = _CALLS[place + 1] - 1
    return f"{least:g}" if most == least else f"{least:g}–{most}"


def _plain(x: float) -> str:
    return f"{x:g}"
