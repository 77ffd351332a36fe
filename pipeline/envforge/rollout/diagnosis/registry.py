"""All rules, and which of their findings comes first. A new kind of mistake is a rule and its line here."""

from __future__ import annotations

from envforge.core.records.mistake import Diagnosed
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.diagnosis.answers import answer_format, unknown, wrong_answer
from envforge.rollout.diagnosis.calls import wrong_arguments, wrong_tool
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.effects import extra_changes, missing_step
from envforge.rollout.diagnosis.endings import context_overflow, loop, malformed, premature_stop
from envforge.rollout.diagnosis.found import Rule

RULES: tuple[Rule, ...] = (
    loop,
    context_overflow,
    malformed,
    wrong_arguments,
    wrong_tool,
    extra_changes,
    missing_step,
    premature_stop,
    answer_format,
    wrong_answer,
    unknown,
)
"""Where two findings weigh the same and show at the same call, the rule that stands first decides."""


def diagnosable(trajectory: Trajectory) -> bool:
    """A scored failure: what passed has no mistake, and what was not scored shows none."""
    return trajectory.verdict is not None and trajectory.verdict.score is not None and trajectory.verdict.score < 1


def diagnose_mistakes(case: Case) -> Diagnosed:
    """The mistake that comes first, surest kinds before others, and all that were found beside it."""
    end = len(case.turns)
    held = [(found, place) for place, rule in enumerate(RULES) for found in rule(case)]
    ordered = sorted(
        held,
        key=lambda entry: (
            entry[0].weight,
            end if entry[0].mistake.turn is None else entry[0].mistake.turn,
            entry[1],
        ),
    )
    mistakes = [found.mistake for found, _ in ordered]
    return Diagnosed(kind=mistakes[0].kind, first=mistakes[0], others=tuple(mistakes[1:8]))
