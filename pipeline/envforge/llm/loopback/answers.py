"""Bodies of good answers, to be sent as they are or bent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def call_of(name: str, arguments: Any, number: int = 0) -> dict[str, Any]:
    """A tool call; arguments that are text stand as they are."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": raw}}


def answer_of(
    text: str | None = "Good morning.",
    *,
    calls: list[dict[str, Any]] | None = None,
    finish: Any = "",
    usage: Any = None,
    logprobs: Any = None,
    model: str = "loopback",
    **message: Any,
) -> dict[str, Any]:
    """A chat-completions answer. Without `finish` the right one, without `usage` 20 tokens in and 5 out."""
    said: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if calls:
        said["tool_calls"] = calls
    choice = {"index": 0, "message": said, "logprobs": logprobs}
    choice["finish_reason"] = finish if finish != "" else "tool_calls" if calls else "stop"
    used = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25} if usage is None else usage
    return {"id": "1", "object": "chat.completion", "model": model, "choices": [choice], "usage": used}


def chunks_of(answer: dict[str, Any], pieces: int = 4) -> Iterator[dict[str, Any]]:
    """The same answer as a stream: text and arguments in pieces, then the finish, then the usage."""
    choice = answer["choices"][0]
    message = choice["message"]
    yield _chunk(answer, {"role": "assistant", "content": ""})
    for piece in _cut(message.get("content") or "", pieces):
        yield _chunk(answer, {"content": piece})
    for index, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        begun = {"index": index, "id": call["id"], "type": "function"}
        yield _chunk(answer, {"tool_calls": [{**begun, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in _cut(function["arguments"], pieces):
            yield _chunk(answer, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(answer, {}, finish=choice["finish_reason"], logprobs=choice["logprobs"])
    yield {**_chunk(answer, {}), "choices": [], "usage": answer["usage"]}


def _cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _chunk(
    answer: dict[str, Any], delta: dict[str, Any], *, finish: Any = None, logprobs: Any = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": logprobs}
    return {"id": "1", "object": "chat.completion.chunk", "model": answer["model"], "choices": [choice]}
