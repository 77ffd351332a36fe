"""What a protocol is to the agent: it offers tools, reads answers, and words what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast
from typing import Protocol as Contract

from envforge.core.ids import canonical_json
from envforge.core.records.completion import Completion, FunctionTool, Message, ToolCall
from envforge.store.files import parse_json

ProblemKind = Literal["call", "unknown_tool", "answer", "nothing"]
_SHOWN = 400


@dataclass(frozen=True)
class Toolbox:
    """The tools that are offered, the one that takes the final answer among them.

    `final` None: nothing but words ends a turn, as in talks with a user who goes on (`rollout/dialogue.py`).
    """

    tools: tuple[FunctionTool, ...]
    final: FunctionTool | None

    @property
    def offered(self) -> tuple[FunctionTool, ...]:
        """All of them."""
        return self.tools if self.final is None else (*self.tools, self.final)

    @cached_property
    def names(self) -> frozenset[str]:
        """What can be called."""
        return frozenset(tool.name for tool in self.offered)

    @property
    def final_name(self) -> str:
        """Of the final answer; nothing where there is none."""
        return "" if self.final is None else self.final.name

    @property
    def answer_schema(self) -> str:
        """Of the final answer, as JSON."""
        return "" if self.final is None else canonical_json(self.final.parameters)

    def lines(self, *, with_final: bool) -> str:
        """A tool a line, as JSON."""
        tools = self.offered if with_final else self.tools
        return "\n".join(json.dumps(tool.model_dump(mode="json"), ensure_ascii=False) for tool in tools)


@dataclass(frozen=True)
class Problem:
    """Why an answer cannot be acted on, in words for the model."""

    kind: ProblemKind
    detail: str
    text: str = ""


@dataclass(frozen=True)
class Reading:
    """What an answer says: calls in their order (the final answer is one of `final`), or what is wrong with it."""

    message: Message
    """The answer as it stands in the conversation from now on."""
    calls: tuple[ToolCall, ...] = ()
    problem: Problem | None = None

    @property
    def text(self) -> str:
        """What was said beside the calls."""
        return self.message.content


class Protocol(Contract):
    """Holds nothing: one is used for all episodes."""

    @property
    def name(self) -> str:
        """In the registry."""
        ...

    @property
    def words(self) -> str:
        """Name of the file in `prompts/` that explains the form."""
        ...

    @property
    def native(self) -> bool:
        """The server is told of the tools, and reads the calls."""
        ...

    def fill(self, tools: Toolbox) -> Mapping[str, str]:
        """Values for the places of `words`."""
        ...

    def read(self, completion: Completion, tools: Toolbox, first: int) -> Reading:
        """What an answer says; `first` is the number of the episode's calls so far. Never raises."""
        ...

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> Sequence[Message]:
        """What tools answered, as messages."""
        ...


def call_id(number: int) -> str:
    """Of the episode's call of this number: nine letters and digits, which every server takes."""
    return f"call{number:05d}"


def call_of(name: Any, arguments: Any, raw: str, tools: Toolbox, number: int) -> ToolCall | Problem:
    """A call that a text holds, or why it is none."""
    if not isinstance(name, str) or not name:
        return Problem("call", "The call has no name of a tool.", shown(raw))
    if name not in tools.names:
        there = ", ".join(sorted(tools.names))
        return Problem("unknown_tool", f"There is no tool {shown(name)!r}. There are: {there}.", shown(raw))
    if not isinstance(arguments, dict):
        return Problem("call", f"The arguments of {name} are no JSON object.", shown(raw))
    return ToolCall(id=call_id(number), name=name, raw_arguments=raw, arguments=cast("dict[str, Any]", arguments))


def json_of(text: str) -> Any:
    """The JSON value of a text, which may stand in a block of code. Raises ValueError."""
    held = text.strip()
    if held.startswith("```") and held.endswith("```") and len(held) > 6:
        held = held[3:-3].removeprefix("json").strip()
    return parse_json(held)


def shown(text: str) -> str:
    """The beginning of what a model wrote."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
