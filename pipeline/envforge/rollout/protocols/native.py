"""Tool calling as the chat-completions protocol has it: the server is told of the tools, and reads the calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.completion import Completion, Message, ToolCall
from envforge.rollout.protocols.protocol import Reading, Toolbox, call_id


class Native:
    """Calls are fields of an answer; each is answered by a message of its own."""

    name = "native"
    words = "native-1"
    native = True

    def fill(self, tools: Toolbox) -> Mapping[str, str]:
        """The tools stand in the request."""
        return {"final": tools.final_name}

    def read(self, completion: Completion, tools: Toolbox, first: int) -> Reading:
        """The calls with ids of ours: those of servers differ from run to run."""
        del tools  # the server has compared the calls with them
        calls = tuple(
            call.model_copy(update={"id": call_id(first + number)}) for number, call in enumerate(completion.tool_calls)
        )
        return Reading(Message(role="assistant", content=completion.text, tool_calls=calls), calls)

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> Sequence[Message]:
        """One message each."""
        return [Message(role="tool", content=text, tool_call_id=call.id) for call, text in answered]
