"""The task gates, cheapest first. A candidate goes until one rejects it: what failed once needs no further reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import SandboxError, StoreError
from envforge.core.records.environment import GateResult
from envforge.gates.certificate import load_thresholds
from envforge.gates.solutions import Judge, Player
from envforge.gates.task_case import TaskCase, TaskGate, TaskToolbox
from envforge.gates.task_guessing import NotGuessed
from envforge.gates.task_sets import NoOverlap, NotDuplicate
from envforge.gates.task_solving import AlternativesPass, GoldPasses, MutantsFail, NoopFails, Repeatable
from envforge.gates.task_wording import AnswerHidden, Covered, Grounded, Unambiguous

TASK_GATES: tuple[TaskGate, ...] = (
    NotDuplicate(),
    Covered(),
    AnswerHidden(),
    NotGuessed(),
    NoOverlap(),
    Unambiguous(),
    GoldPasses(),
    Grounded(),
    NoopFails(),
    Repeatable(),
    MutantsFail(),
    AlternativesPass(),
)


def judge_candidate(
    candidate: TaskCandidate,
    player: Player,
    toolbox: TaskToolbox,
    thresholds: Mapping[str, Any],
    *,
    every: bool = False,
) -> tuple[GateResult, ...]:
    """Verdicts of the gates in order, up to the first that rejects; `every`: of all, whatever the others say.

    Raises ConfigError for thresholds that lack one, SandboxError when no worker starts.
    """
    results: list[GateResult] = []
    player.forget()
    with Judge(player.environment, candidate.checks, candidate.verifier) as judge:
        case = TaskCase(candidate, player, judge, toolbox, thresholds)
        for gate in TASK_GATES:
            results.append(judged(gate, case))
            if not results[-1].passed and not every:
                break
    return tuple(results)


def judged(gate: TaskGate, case: TaskCase) -> GateResult:
    """The gate's verdict; where the candidate's own code or checks keep it from running, that is a rejection."""
    try:
        return gate.check(case)
    except (SandboxError, StoreError) as error:
        return GateResult(gate=gate.name, passed=False, reasons=(f"could not run: {error.message}",))


def admitted(results: tuple[GateResult, ...]) -> bool:
    """True when every gate ran and passed."""
    return len(results) == len(TASK_GATES) and all(result.passed for result in results)


def task_thresholds(path: Path) -> Mapping[str, Any]:
    """validators/gates/tasks.json. Raises StoreError."""
    return load_thresholds(path)
