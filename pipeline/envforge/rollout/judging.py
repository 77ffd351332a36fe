"""Items of a rubric that no program can check: a judge decides them, if it is known to be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envforge.core.contracts import Judge
from envforge.core.errors import ModelError
from envforge.core.records.task import RubricItem, Task
from envforge.core.records.trajectory import CheckResult, Trajectory


def judgements(
    judge: Judge | None, items: Sequence[RubricItem], task: Task, trajectory: Trajectory | None
) -> tuple[CheckResult, ...] | str:
    """A result of each item; or, in words, why there is none: then the episode has no score at all."""
    names = ", ".join(item.id for item in items)
    if judge is None or trajectory is None:
        return f"no judge for the rubric items {names}"
    calibration = judge.calibration
    if calibration is None or not calibration.holds:
        return f"the judge is not calibrated, and may not score the rubric items {names}"
    strangers = [item.id for item in items if item.judge != calibration.judge]
    if strangers:
        return f"the rubric items {', '.join(strangers)} are not calibrated for the judge {calibration.judge}"
    found: list[CheckResult] = []
    for item in items:
        try:
            met: Any = judge.is_met(item, task, trajectory)
        except ModelError as error:
            return f"the judge failed on {item.id}: {error}"
        if not isinstance(met, bool):
            return f"the judge cannot say whether {item.id} is met"
        found.append(CheckResult(id=f"judged-{item.id}", passed=met, weight=item.weight, detail=calibration.judge))
    return tuple(found)
