"""Mistakes in what was done as a whole: steps left out, more done than was asked, changes out of nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from envforge.core.records.mistake import Mistake
from envforge.rollout.diagnosis.case import Case, scalars
from envforge.rollout.diagnosis.found import Found, Weight


def missing_step(case: Case) -> Iterator[Found]:
    """A gold call that nothing stands for, though later ones were made, or though an answer is given as if it were."""
    done = max(case.matched, default=-1)
    claimed = case.answers and case.claims
    for place in case.unexplained:
        wanted = case.gold[place]
        if place < done or claimed:
            turn = min((made for at, made in case.matched.items() if at > place), default=len(case.turns))
            detail = f"{wanted.tool} was not called with {wanted.arguments!r}"
            value = {"tool": wanted.tool, "arguments": wanted.arguments}
            yield Found(_weight(case, place), Mistake(kind="missing_step", turn=turn, value=value, detail=detail[:500]))


def _weight(case: Case, place: int) -> Weight:
    """A read that nobody made is harmless where what it shows was used all the same."""
    wanted = case.gold[place]
    if case.writes(wanted):
        return Weight.GAP
    shown = set(scalars(wanted.observation)) - {
        text for turn in case.gold[:place] for text in scalars(turn.observation)
    }
    used = any(text in shown for at in case.matched if at > place for text in scalars(case.gold[at].arguments))
    return Weight.HARMLESS if used else Weight.GAP


def extra_changes(case: Case) -> Iterator[Found]:
    """Writing calls that stand in no gold call's place: more of what was asked, or something else altogether."""
    asked = {turn.tool for turn in case.gold if case.writes(turn)}
    checks = [name for name in case.failed if case.checks[name].kind in ("unchanged", "count")]
    instead = {one.tool for one in (case.gold[place] for place in case.unexplained)}
    for place in case.stray:
        turn = case.turns[place]
        if not turn.ok or not case.writes(turn) or not checks:
            continue
        check = checks[0]
        detail = next(result.detail for result in case.verdict.checks if result.id == check)
        if turn.tool in asked and turn.tool not in instead:
            told = f"{turn.tool} once more, on {turn.arguments!r}"
            kind = "ignored_constraint"
        else:
            told = f"{turn.tool} has nothing to do with the goal: {detail}"
            kind = "state_damage"
        yield Found(Weight.DEED, Mistake(kind=kind, turn=place, check=check, value=turn.tool, detail=told[:500]))
