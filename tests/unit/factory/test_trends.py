"""Runs read together."""

from __future__ import annotations

from pathlib import Path

import pytest

from envforge.cli.commands.analyze_command import run_scaling
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.estimate import Estimate
from envforge.core.records.evaluation import (
    AgentReport,
    EvalReport,
    EvaluatedAgent,
    EvaluatedSet,
    Evaluation,
    TaskResult,
)
from envforge.core.records.trajectory import EpisodeSettings
from envforge.factory.trends import difficulty, scaling
from envforge.store.files import write_json
from envforge.studio.trend_page import trend_columns, trend_page, trend_rows

TASKS = tuple((f"t{number}", level, calls) for number, (level, calls) in enumerate([(1, 1), (1, 3), (3, 9), (5, 80)]))


def run(
    folder: Path, passed: tuple[int, ...], *, turns: int = 60, tasks: tuple[str, ...] = ("t0", "t1", "t2", "t3")
) -> Path:
    agent = EvaluatedAgent(name="a", model=folder.name, episodes=4,
                           settings=EpisodeSettings(max_turns=turns, shown_bytes=999))  # fmt: skip
    sets = EvaluatedSet(environment_id="e", environment_hash="h", grounding="mined", tasks=tasks)
    results = tuple(
        TaskResult(task=task, environment="e", level=level, minimal_calls=calls, scored=4, passed=count)
        for (task, level, calls), count in zip(TASKS, passed, strict=True)
    )
    rate = sum(passed) / 16
    estimates = {"pass@1": Estimate(value=rate, low=rate - 0.1, high=rate + 0.1, tasks=4, clusters=1)}
    report = AgentReport(agent=agent, episodes=16, scored=16, passed=sum(passed), estimates=estimates, results=results)
    evaluation = Evaluation(sets=(sets,), agents=(agent,))
    write_json(folder / "report.json", EvalReport(evaluation=evaluation, agents=(report,)).to_json())
    return folder


def test_scaling_is_in_the_order_of_x(tmp_path: Path) -> None:
    runs = [(64.0, run(tmp_path / "c", (4, 4, 3, 1))), (8.0, run(tmp_path / "a", (3, 1, 0, 0))),
            (16.0, run(tmp_path / "b", (4, 2, 1, 0)))]  # fmt: skip
    found = scaling(runs, "environments")
    (line,) = found.lines
    assert [(point.x, point.estimate.value) for point in line.points] == [(8, 0.25), (16, 7 / 16), (64, 0.75)]
    assert line.rank_correlation == 1.0
    assert trend_columns(found) == ("environments", "8", "16", "64", "rank correlation")
    name, first, _, last, rho = trend_rows(found)[0]
    assert (name, first, last, rho) == ("pass@1", "25.0% (15.0 to 35.0)", "75.0% (65.0 to 85.0)", "+1.00")
    assert trend_page([found]).count("<circle") == 3


def test_difficulty_by_level_and_calls(tmp_path: Path) -> None:
    levels, calls = difficulty([run(tmp_path / "m", (4, 3, 2, 0))])
    assert [(point.label, point.estimate.value) for point in levels.lines[0].points] == [
        ("1", 0.875), ("3", 0.5), ("5", 0.0)
    ]  # fmt: skip
    assert [point.label for point in calls.lines[0].points] == ["1", "2–3", "8–15", "64+"]
    assert calls.lines[0].rank_correlation == -1.0
    assert levels.lines[0].rank_correlation == pytest.approx(-0.9487, abs=1e-4)


def test_runs_that_cannot_be_put_together(tmp_path: Path) -> None:
    one = run(tmp_path / "a", (1, 1, 1, 1))
    for other, said in (
        (run(tmp_path / "b", (1, 1, 1, 1), turns=9), "max_turns is 9 there and 60"),
        (run(tmp_path / "c", (1, 1, 1, 1), tasks=("t0",)), "other tasks"),
    ):
        with pytest.raises(ConfigError, match=said):
            scaling([(1, one), (2, other)], "rounds")
    for runs in ([(1.0, one)], [(1.0, one), (1.0, one)]):
        with pytest.raises(ConfigError, match="at least two runs"):
            scaling(runs, "rounds")
    for wrong in ("runs/a", "x=runs/a", "nan=runs/a"):
        with pytest.raises(ConfigError, match="is no number and folder"):
            run_scaling([wrong], by="rounds", out=None, shared=SharedOptions(quiet=True))
    with pytest.raises(ConfigError, match="at least one run"):
        difficulty([])
    with pytest.raises(ConfigError, match="no run of envforge eval"):
        difficulty([tmp_path])
