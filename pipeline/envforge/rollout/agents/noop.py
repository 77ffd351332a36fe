"""Agents that do nothing and answer at once: what they score is what a task gives away for free."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from envforge.rollout.agents.agent import Action, Answer, Assignment, Seen
from envforge.rollout.agents.sampling import Sampler

Style: TypeAlias = Literal["empty", "unknown", "plausible"]


class NoOpAgent:
    """Makes no call. empty: answers null; unknown: "I don't know"; plausible: something that fits the answer schema."""

    def __init__(self, assignment: Assignment, seed: int, style: Style = "empty") -> None:
        self.name = "noop" if style == "empty" else f"noop-{style}"
        self._answer = _answer(assignment.task.answer_schema, seed, style)

    def act(self, seen: Seen | None) -> Action:
        """The answer."""
        del seen
        return Answer(self._answer)

    def close(self) -> None:
        """Nothing to free."""


def _answer(schema: dict[str, Any], seed: int, style: Style) -> Any:
    if style == "empty":
        return None
    if style == "plausible":
        return Sampler(seed, "plausible").value(schema)
    names: list[str] = list(schema.get("properties", {}))
    return dict.fromkeys(names, "I don't know") if names else "I don't know"
