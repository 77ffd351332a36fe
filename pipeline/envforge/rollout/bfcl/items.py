"""Items of bfcl-eval as talks, and what came of a talk in bfcl-eval's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.ids import canonical_json
from envforge.core.records.completion import FunctionTool, Message
from envforge.rollout.dialogue import Step, Talk, Talked, UserTurn


@dataclass(frozen=True)
class BfclItem:
    """One of a category."""

    id: str
    talk: Talk


def items_of(told: Mapping[str, Any]) -> tuple[BfclItem, ...]:
    """What the other side said, as talks: one answer where the category has one turn."""
    once, most = not told["multi_turn"], int(told["most_steps"])
    return tuple(
        BfclItem(one["id"], Talk(tuple(map(_turn, one["turns"])), _tools(one["tools"]), most, once))
        for one in told["items"]
    )


def result_of(item: BfclItem, talked: Talked) -> Any:
    """Calls as {name: arguments as JSON}, words as text: by step and turn, or of the one answer."""
    turns = [[_step(step) for step in steps] for steps in talked.turns]
    if not item.talk.once:
        return turns
    return turns[0][0] if turns[0] else ""


def _step(step: Step) -> Any:
    if isinstance(step, str):
        return step
    return [{name: canonical_json(dict(arguments))} for name, arguments in step]


def _turn(told: Mapping[str, Any]) -> UserTurn:
    messages = tuple(Message(role=one["role"], content=one["content"]) for one in told["messages"])
    return UserTurn(messages, _tools(told["more_tools"]))


def _tools(told: Sequence[Mapping[str, Any]]) -> tuple[FunctionTool, ...]:
    return tuple(
        FunctionTool(name=one["name"], description=one.get("description", ""), parameters=one["parameters"])
        for one in told
    )
