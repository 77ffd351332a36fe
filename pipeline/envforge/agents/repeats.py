"""Loop detection: the same action again, or a round of actions gone through again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.agent import AgentStep

_COUNTED = ("done", "refused", "denied", "failed")


def deed(action: str, arguments: dict[str, Any], code: str) -> str:
    """What makes two actions the same."""
    return sha256_text(canonical_json([action, arguments, code]))


def done_before(
    steps: Sequence[AgentStep], action: str, arguments: dict[str, Any], code: str, changing: frozenset[str]
) -> AgentStep | None:
    """The step that did just this, if nothing was done since that may make it come out otherwise.

    `changing`: actions after which an earlier one may give something else.
    """
    wanted = deed(action, arguments, code)
    for step in reversed(steps):
        if step.outcome in _COUNTED and deed(step.action, step.arguments, step.code) == wanted:
            return step
        if step.outcome == "done" and step.action in changing:
            return None
    return None


def repeats(steps: Sequence[AgentStep]) -> int:
    """How many steps of the run were repetitions."""
    return sum(step.outcome == "repeated" for step in steps)
