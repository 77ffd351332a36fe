"""Why an agent failed: kinds of mistakes, each with the evidence that decides it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record

MistakeKind = Literal[
    "wrong_tool",
    "wrong_argument",
    "missing_step",
    "premature_stop",
    "hallucinated_entity",
    "ignored_constraint",
    "namesake_confusion",
    "state_damage",
    "format",
    "loop",
    "context_overflow",
    "other",
]
"""wrong_tool: another tool was called on what the right one is for.
wrong_argument: the right tool with a wrong value, or on a wrong record that is not even called alike.
missing_step: a step in the middle was left out. premature_stop: the work breaks off.
hallucinated_entity: a record that nobody mentioned and that does not exist.
ignored_constraint: more was taken than the goal admits. namesake_confusion: another record of a like name.
state_damage: a change that has nothing to do with the goal. format: what was meant cannot be read.
loop: the same calls over and over. context_overflow: there was no more room.
other: the calls are right and the conclusion is wrong, or no rule knows."""


class Mistake(Record):
    """One thing that went wrong."""

    kind: MistakeKind
    turn: int | None = Field(default=None, description="number of the call, from 0; null: the answer, or the end")
    check: str = Field(default="", description="the check that shows it, where one does")
    value: Any = Field(default=None, description="the value, tool or call that decides")
    detail: str = ""


class Diagnosed(Record):
    """What a failed episode failed of: the mistake that comes first, and the others that were found."""

    kind: MistakeKind
    first: Mistake
    others: tuple[Mistake, ...] = ()
