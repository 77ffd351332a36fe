"""Calls as JSON within <tool_call></tool_call>, answers within <tool_response></tool_response>."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.completion import Completion, Message, ToolCall
from envforge.rollout.protocols.protocol import Problem, Reading, Toolbox, call_of, json_of, shown

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_MARK = re.compile(r"</?tool_call>")


class Hermes:
    """Tags in the text."""

    name = "hermes"
    words = "hermes-1"
    native = False

    def fill(self, tools: Toolbox) -> Mapping[str, str]:
        """The tools stand in the prompt."""
        return {"tools": tools.lines(with_final=True), "final": tools.final_name}

    def read(self, completion: Completion, tools: Toolbox, first: int) -> Reading:
        """The calls of all tags; a tag that does not close is a call that cannot be read."""
        text = completion.text
        # What a model makes up as a response is not the tool's.
        text = text.partition("<tool_response>")[0]
        message = Message(role="assistant", content=text)
        if _MARK.search(_CALL.sub("", text)):
            return Reading(message, problem=Problem("call", "A <tool_call> is not closed.", shown(text)))
        calls: list[ToolCall] = []
        for inside in _CALL.findall(text):
            found = _call(inside, tools, first + len(calls))
            if isinstance(found, Problem):
                return Reading(message, problem=found)
            calls.append(found)
        return Reading(message, tuple(calls))

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> Sequence[Message]:
        """All in one message, in the order of the calls."""
        parts = [f"<tool_response>\n{text}\n</tool_response>" for _, text in answered]
        return [Message(role="user", content="\n".join(parts))]


def _call(inside: str, tools: Toolbox, number: int) -> ToolCall | Problem:
    try:
        value: Any = json_of(inside)
    except ValueError as error:
        return Problem("call", f"What stands in <tool_call> is no JSON: {error}.", shown(inside))
    if not isinstance(value, dict):
        return Problem("call", "What stands in <tool_call> is no JSON object.", shown(inside))
    held = cast("dict[str, Any]", value)
    arguments: Any = held.get("arguments", {})
    raw = canonical_json(arguments) if isinstance(arguments, dict) else inside
    return call_of(held.get("name"), arguments, raw, tools, number)
