"""Why an episode failed, as kinds that can be counted: from its ending, its checks and its calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from envforge.core.ids import canonical_json
from envforge.core.records.task import Check, Task
from envforge.core.records.trajectory import Ending, Trajectory


class Failure(StrEnum):
    """One way to fail."""

    AGENT_BROKE = "agent_broke"
    INFRASTRUCTURE = "infrastructure"
    UNSCORED = "unscored"
    TURN_LIMIT = "turn_limit"
    GAVE_UP = "gave_up"
    NO_ANSWER = "no_answer"
    WRONG_FIELDS = "wrong_fields"
    WRONG_ANSWER = "wrong_answer"
    WRONG_ROW = "wrong_row"
    WRONG_NEW_ROWS = "wrong_new_rows"
    ROW_LEFT = "row_left"
    WRONG_COUNT = "wrong_count"
    WRONG_DOCUMENT = "wrong_document"
    EXTRA_CHANGE = "extra_change"
    NOT_MET = "not_met"
    """A judged item of the rubric."""


@dataclass(frozen=True)
class Finding:
    """A failure, the check that shows it ("" for an ending) and what it says."""

    failure: Failure
    check: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """What went wrong in an episode, and how its tools were used."""

    findings: tuple[Finding, ...]
    errors: Mapping[str, int]
    """Error code of a call -> how often."""
    repeated: int
    """Calls that repeat the call before them, arguments and all."""
    turns: int

    @property
    def passed(self) -> bool:
        """Nothing went wrong in the end; calls may have been refused on the way."""
        return not self.findings


_ENDINGS: Mapping[Ending, Failure] = {
    "agent_failure": Failure.AGENT_BROKE,
    "infrastructure_failure": Failure.INFRASTRUCTURE,
    "turn_limit": Failure.TURN_LIMIT,
    "gave_up": Failure.GAVE_UP,
}
_KINDS: Mapping[str, Failure] = {
    "row": Failure.WRONG_ROW,
    "absent": Failure.ROW_LEFT,
    "count": Failure.WRONG_COUNT,
    "document": Failure.WRONG_DOCUMENT,
    "unchanged": Failure.EXTRA_CHANGE,
    "answer": Failure.WRONG_ANSWER,
}


def diagnose(task: Task, trajectory: Trajectory) -> Diagnosis:
    """What a scored trajectory shows. Raises ValueError when it has no verdict yet."""
    if trajectory.verdict is None:
        raise ValueError("the trajectory has no verdict: score it first")
    turns = trajectory.turns
    calls = [canonical_json([turn.tool, turn.arguments]) for turn in turns]
    errors = Counter(str(turn.observation.get("error", {}).get("code", "")) for turn in turns if not turn.ok)
    repeated = sum(one == other for one, other in pairwise(calls))
    return Diagnosis(tuple(_findings(task, trajectory)), dict(sorted(errors.items())), repeated, len(turns))


def _findings(task: Task, trajectory: Trajectory) -> list[Finding]:
    verdict = trajectory.verdict
    assert verdict is not None
    ending = _ENDINGS.get(trajectory.ending)
    found = [Finding(ending, detail=trajectory.failure)] if ending else []
    if ending in (Failure.AGENT_BROKE, Failure.INFRASTRUCTURE):
        return found
    if verdict.status == "unscored":
        return [*found, Finding(Failure.UNSCORED, detail="; ".join(verdict.reasons))]
    checks = {check.id: check for check in task.checks}
    answer_said = False
    for result in verdict.checks:
        if result.passed:
            continue
        check = checks.get(result.id)
        failure = Failure.NOT_MET if check is None else _failure(check, task, trajectory)
        if failure in (Failure.NO_ANSWER, Failure.WRONG_FIELDS):
            if answer_said:  # one answer, one finding
                continue
            answer_said = True
        found.append(Finding(failure, result.id, result.detail))
    return found


def _failure(check: Check, task: Task, trajectory: Trajectory) -> Failure:
    if check.kind == "row" and check.inserted:
        return Failure.WRONG_NEW_ROWS
    if check.kind == "answer":
        if trajectory.answer is None:
            return Failure.NO_ANSWER
        fields = {one.path for one in task.checks if one.kind == "answer"}
        if not isinstance(trajectory.answer, dict) or trajectory.answer.keys() != fields:
            return Failure.WRONG_FIELDS
    return _KINDS[check.kind]
