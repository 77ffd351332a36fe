"""Steps as text: Thought, Action, Action Input, Observation, Final Answer (Yao et al. 2023, arXiv 2210.03629)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.records.completion import Completion, Message, ToolCall
from envforge.rollout.protocols.protocol import Problem, Reading, Toolbox, call_of, json_of, shown

_HEADS = ("Thought", "Action Input", "Action", "Observation", "Final Answer")
_HEAD = re.compile(rf"^[ \t]*(?:\*\*)?({'|'.join(_HEADS)})(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*", re.MULTILINE)


class ReAct:
    """Words at the beginning of lines."""

    name = "react"
    words = "react-1"
    native = False

    def fill(self, tools: Toolbox) -> Mapping[str, str]:
        """The tools stand in the prompt; the final answer is no tool there."""
        return {"tools": tools.lines(with_final=False), "answer_schema": tools.answer_schema}

    def read(self, completion: Completion, tools: Toolbox, first: int) -> Reading:
        """The actions up to the first observation, which only we can make; then the final answer."""
        text = _before_observation(completion.text)
        message = Message(role="assistant", content=text)
        calls: list[ToolCall] = []
        parts = _parts(text)
        for place, (head, body) in enumerate(parts):
            if head not in ("Action", "Final Answer"):
                continue
            following = parts[place + 1] if place + 1 < len(parts) else ("", "")
            number = first + len(calls)
            found = _action(body, following, tools, number) if head == "Action" else _final(body, tools, number)
            if isinstance(found, Problem):
                return Reading(message, problem=found)
            calls.append(found)
            if head == "Final Answer":
                break
        return Reading(message, tuple(calls))

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> Sequence[Message]:
        """All in one message, in the order of the calls."""
        return [Message(role="user", content="\n".join(f"Observation: {text}" for _, text in answered))]


def _before_observation(text: str) -> str:
    for found in _HEAD.finditer(text):
        if found[1] == "Observation":
            return text[: found.start()].rstrip()
    return text


def _parts(text: str) -> list[tuple[str, str]]:
    """(head, what stands behind it up to the next head)."""
    heads = list(_HEAD.finditer(text))
    ends = [*(found.start() for found in heads[1:]), len(text)] if heads else []
    return [(found[1], text[found.end() : end].strip()) for found, end in zip(heads, ends, strict=True)]


def _action(name: str, following: tuple[str, str], tools: Toolbox, number: int) -> ToolCall | Problem:
    head, body = following
    if head != "Action Input":
        return Problem("call", f"Action {shown(name)!r} has no Action Input.", shown(name))
    try:
        arguments: Any = json_of(body or "{}")
    except ValueError as error:
        return Problem("call", f"The Action Input of {shown(name)} is no JSON: {error}.", shown(body))
    name = name.strip("`*\"' ")
    if name == tools.final_name:
        return Problem("call", "The final answer is no action: write it behind Final Answer.", shown(body))
    return call_of(name, arguments, body, tools, number)


def _final(body: str, tools: Toolbox, number: int) -> ToolCall | Problem:
    try:
        value: Any = json_of(body)
    except ValueError as error:
        return Problem("answer", f"The Final Answer is no JSON: {error}.", shown(body))
    if not isinstance(value, dict):
        return Problem("answer", "The Final Answer is no JSON object.", shown(body))
    return call_of(tools.final_name, value, body, tools, number)
