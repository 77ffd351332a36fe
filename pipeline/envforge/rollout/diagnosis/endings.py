"""Mistakes that show in how an episode ended: going in circles, no room left, answers that could not be read, the work
broken off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envforge.core.ids import canonical_json
from envforge.core.records.mistake import Mistake
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.found import Found, Weight

_LONGEST_CYCLE = 4
_LEAST_ROUNDS = 3
_LEAST_CALLS = 4


def loop(case: Case) -> Iterator[Found]:
    """The episode ends in the same calls, one to four of them, at least three times over and four calls long."""
    calls = [canonical_json([turn.tool, turn.arguments]) for turn in case.turns]
    start, length = _last_cycle(calls)
    if not length or (case.trajectory.ending == "answered" and not case.failed):
        return
    told = " → ".join(turn.tool for turn in case.turns[start : start + length])
    rounds = (len(calls) - start) // length
    value = {"tools": told, "rounds": rounds}
    weight = Weight.ENDED_IT if case.trajectory.ending != "answered" else Weight.DEED
    yield Found(weight, Mistake(kind="loop", turn=start, value=value, detail=f"{told}: {rounds} times over"))


def _last_cycle(calls: Sequence[str]) -> tuple[int, int]:
    """Where the cycle begins that the calls end in, and its length; (0, 0) when there is none."""
    for length in range(1, _LONGEST_CYCLE + 1):
        start = len(calls) - length
        while start > 0 and calls[start - 1] == calls[start - 1 + length]:
            start -= 1
        long = len(calls) - start
        if start >= 0 and long >= max(_LEAST_CALLS, _LEAST_ROUNDS * length):
            return start, length
    return 0, 0


def context_overflow(case: Case) -> Iterator[Found]:
    """A limit of tokens ended the episode, or what was dropped for want of room held what the gold solution uses."""
    trajectory = case.trajectory
    if trajectory.ending in ("context_limit", "length_limit"):
        detail = trajectory.failure or trajectory.ending.replace("_", " ")
        yield Found(Weight.ENDED_IT, Mistake(kind="context_overflow", value=trajectory.ending, detail=detail))
        return
    dropped = [place for turn in trajectory.model_turns for place in turn.left_out]
    if dropped and case.missed:
        detail = f"{len(set(dropped))} messages were no longer shown, and {len(case.missed)} steps are missing"
        yield Found(Weight.GAP, Mistake(kind="context_overflow", value=min(dropped), detail=detail))


def malformed(case: Case) -> Iterator[Found]:
    """The episode ended with an answer of the model that is neither a call nor a final answer."""
    if case.trajectory.ending == "malformed":
        last = case.trajectory.malformed[-1] if case.trajectory.malformed else None
        detail = last.detail if last else case.trajectory.failure
        value = last.text if last else None
        yield Found(Weight.ENDED_IT, Mistake(kind="format", value=value, detail=detail))


def premature_stop(case: Case) -> Iterator[Found]:
    """What was done is the beginning of the gold solution, and no more: all that is missing comes after it."""
    if case.trajectory.ending not in ("answered", "gave_up"):
        return
    if case.trajectory.answer is None and case.answers and not case.missed:
        detail = "all steps were made, and no answer was given"
        yield Found(Weight.CONCLUSION, Mistake(kind="premature_stop", turn=len(case.turns), detail=detail))
        return
    done = max(case.matched, default=-1)
    tail = [place for place in case.unexplained if place > done]
    if not tail or (case.claims and case.answers):
        return
    following = case.gold[tail[0]].tool
    detail = f"after {len(case.matched)} of {len(case.gold)} steps; next would have come {following}"
    yield Found(Weight.GAP, Mistake(kind="premature_stop", turn=len(case.turns), value=following, detail=detail))
