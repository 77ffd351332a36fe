"""Puts a streamed answer together, and notices when half of it is missing."""

from __future__ import annotations

from typing import Any

from envforge.core.model_errors import BrokenStreamError
from envforge.llm.fields import excerpt, list_of, malformed, object_of, text_of
from envforge.llm.server_errors import reported_error

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


class StreamAssembly:
    """Takes the chunks of one answer; `answer()` has the shape of an answer that was not streamed."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._logprobs: list[Any] = []
        self._finish: Any = None
        self._usage: Any = None
        self._model: Any = None

    def add(self, chunk: Any) -> None:
        """One chunk. Raises MalformedAnswerError, or the error that the server reports in it."""
        body = object_of(chunk, "a chunk")
        if body.get("error"):
            raise reported_error(body["error"])
        self._model = body.get("model") or self._model
        self._usage = body.get("usage") or self._usage
        choices = list_of(body.get("choices"), "choices")
        if len(choices) > 1:
            raise malformed("a chunk with several choices", chunk)
        for choice in choices:
            self._add_choice(object_of(choice, "the choice"))

    def _add_choice(self, choice: dict[str, Any]) -> None:
        if choice.get("error"):
            raise reported_error(choice["error"])
        if choice.get("index") not in (0, None):
            raise malformed("a choice that was not asked for", choice)
        delta = object_of(choice.get("delta") or {}, "delta")
        if self._finish and (delta.get("content") or delta.get("tool_calls")):
            raise malformed("the stream goes on after its end", choice)
        for name in _TEXTS:
            if delta.get(name) is not None:
                self._texts[name] = self._texts.get(name, "") + text_of(delta[name], name)
        for place, call in enumerate(list_of(delta.get("tool_calls"), "tool_calls")):
            self._add_call(object_of(call, "a call"), place)
        held = object_of(choice.get("logprobs") or {}, "logprobs")
        self._logprobs += list_of(held.get("content"), "logprobs.content")
        self._finish = choice.get("finish_reason") or self._finish

    def _add_call(self, call: dict[str, Any], place: int) -> None:
        index = call.get("index", place)
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise malformed("a call without a place", call)
        held = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        new = text_of(call.get("id"), "the id of a call")
        if new and held["id"] not in ("", new):
            raise malformed("two calls at one place", call)
        held["id"] = new or held["id"]
        function = object_of(call.get("function") or {}, "the function of a call")
        name = text_of(function.get("name"), "the name of a function")
        # Some servers say the name with every piece.
        held["name"] = held["name"] if name == held["name"] else held["name"] + name
        held["arguments"] += text_of(function.get("arguments"), "arguments")

    @property
    def text(self) -> str:
        """What has come so far."""
        return self._texts.get("content", "")

    def answer(self) -> dict[str, Any]:
        """The whole answer. Raises BrokenStreamError when its end is missing."""
        if not self._finish:
            said = f": {excerpt(self.text)!r}" if self.text else " before anything came"
            raise BrokenStreamError(f"the stream broke off{said}", retryable=True, text=self.text)
        calls = [_whole(self._calls[index]) for index in sorted(self._calls)]
        message = {"role": "assistant", **self._texts, "tool_calls": calls}
        logprobs = {"content": self._logprobs} if self._logprobs else None
        choice = {"index": 0, "message": message, "finish_reason": self._finish, "logprobs": logprobs}
        return {"choices": [choice], "usage": self._usage, "model": self._model}


def _whole(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
