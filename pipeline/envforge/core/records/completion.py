"""What a model is asked and what it answers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.base import Record

MAX_TOKENS = 1024
"""Of an answer, where the caller says nothing: budgets need a bound."""


class ToolCall(Record):
    """A call that a model wants made: the arguments as it wrote them, and as they were read."""

    id: str
    name: str
    raw_arguments: str
    arguments: dict[str, Any]


class Message(Record):
    """One message of a conversation. `tool_calls` are an assistant's, `tool_call_id` names the call answered."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


class FunctionTool(Record):
    """A tool offered to a model; `parameters` is a JSON Schema of an object."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class CompletionRequest(Record):
    """One call of a model.

    `tool_choice` is auto, none, required or the name of a tool. `json_schema`: the text must be JSON that fits.
    `temperature` None leaves it to the server (some models take no other). `top_logprobs`: None, or how many
    alternatives are wanted beside the token chosen. `stage` names who asks, for the accounts; it is no part of what is
    asked, and neither is `stream` (whether the answer comes in pieces).
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    tools: tuple[FunctionTool, ...] = ()
    tool_choice: str = "auto"
    parallel_tool_calls: bool | None = None
    json_schema: dict[str, Any] | None = None
    seed: int | None = None
    temperature: float | None = Field(default=0.0, ge=0)
    max_tokens: int = Field(default=MAX_TOKENS, ge=1)
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    stream: bool = False
    stage: str = ""

    def key(self, identity: str) -> str:
        """Hash of what is asked of whom: equal for equal questions to the same model."""
        asked = self.model_dump(mode="json", exclude={"stage", "stream"})
        return sha256_text(canonical_json({"model": identity, "request": asked}))

    @property
    def sampled(self) -> bool:
        """True where asking again may honestly give another answer."""
        return self.temperature != 0 and self.seed is None


class Usage(Record):
    """Tokens of a call. `estimated`: the server did not say, or what it said cannot be."""

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    cached_prompt_tokens: int = Field(default=0, ge=0)
    estimated: bool = False

    @property
    def total(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


class TokenLogprob(Record):
    """A token of the answer, its log-probability, and the alternatives with theirs."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class Completion(Record):
    """A whole answer: text, or calls, or both. What is empty, cut or refused never becomes one."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    parsed: Any = None
    """The JSON value, where the request gave a schema."""
    finish_reason: Literal["stop", "tool_calls"] = "stop"
    usage: Usage = Usage()
    logprobs: tuple[TokenLogprob, ...] = ()
    prompt_token_ids: tuple[int, ...] = ()
    """As the server numbers tokens, where it tells."""
    token_ids: tuple[int, ...] = ()
    """Of the answer."""
    reasoning: str = ""
    model: str = ""
    latency_seconds: float = 0.0
    cached: bool = False
