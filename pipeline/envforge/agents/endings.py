"""When a run of an agent is over though its model says nothing of the kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from envforge.agents.repeats import repeats
from envforge.core.records.agent import AgentLimits, AgentStep, Ending


def ending_of(
    limits: AgentLimits, steps: Sequence[AgentStep], *, tokens: int, seconds: float
) -> tuple[Ending | None, str]:
    """Which limit is reached, and in words; None: none."""
    mistakes = sum(1 for _ in takewhile(lambda step: step.outcome == "malformed", reversed(steps)))
    if mistakes > limits.mistakes:
        return "mistakes", f"{mistakes} answers in a row were no step: {steps[-1].observation}"
    if repeats(steps) > limits.repeats:
        return "loop", f"{repeats(steps)} steps did what was done already, the last one {steps[-1].action}"
    if len(steps) >= limits.steps:
        return "steps", f"all {limits.steps} steps are done"
    if limits.tokens is not None and tokens >= limits.tokens:
        return "tokens", f"{tokens:,} of {limits.tokens:,} tokens are used"
    if limits.seconds is not None and seconds >= limits.seconds:
        return "seconds", f"the {limits.seconds:g} seconds are over"
    return None, ""
