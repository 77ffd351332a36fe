"""Reads a server's answer. What comes out is whole and is what was asked for, or a typed error is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from envforge.core.model_errors import (
    AnswerError,
    EmptyAnswerError,
    FilteredAnswerError,
    RefusedAnswerError,
    ToolChoiceError,
    TruncatedAnswerError,
    WrongFinishError,
)
from envforge.core.records.completion import Completion, CompletionRequest, ToolCall, Usage
from envforge.llm.calls import tool_calls
from envforge.llm.fields import content_of, count_of, excerpt, list_of, malformed, object_of, text_of
from envforge.llm.logprobs import logprobs_of, token_ids_of
from envforge.llm.schema_answer import parsed_answer
from envforge.llm.server_errors import reported_error
from envforge.llm.tokens import estimate_answer, estimate_request

_T = TypeVar("_T")
_GOOD = ("stop", "tool_calls")


def read_answer(answer: Any, request: CompletionRequest) -> Completion:
    """The completion that a chat-completions answer holds. Raises ModelError, see `core/model_errors.py`.

    An error raised over an answer that cost something knows its usage.
    """
    body = object_of(answer, "the answer")
    if body.get("error"):
        raise reported_error(body["error"])
    message, finish = _only_choice(body)
    usage = usage_of(body, message, request)
    return _costing(usage, lambda: _completion(body, message, finish, request, usage))


def _costing(usage: Usage, read: Callable[[], _T]) -> _T:
    try:
        return read()
    except AnswerError as error:
        error.usage = error.usage or usage
        raise


def _only_choice(body: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    choices = list_of(body.get("choices"), "choices")
    if len(choices) != 1:
        raise malformed(f"{len(choices)} choices instead of one", body)
    choice = object_of(choices[0], "the choice")
    if choice.get("error"):
        raise reported_error(choice["error"])
    message = object_of(choice.get("message"), "the message")
    beside = {name: choice.get(name) for name in ("logprobs", "token_ids")}
    return {**message, **beside}, choice.get("finish_reason")


def _completion(
    body: dict[str, Any], message: dict[str, Any], finish: Any, request: CompletionRequest, usage: Usage
) -> Completion:
    text = content_of(message.get("content"))
    _check_refusal(message)
    _check_finish(finish, text)
    calls = tool_calls(message.get("tool_calls"), request)
    _check_calls(calls, finish, request, text)
    if not calls and not text.strip():
        raise EmptyAnswerError("the answer is empty: neither text nor a call")
    reason = "tool_calls" if calls else "stop"
    schema = None if calls else request.json_schema
    return Completion(
        text=text,
        tool_calls=calls,
        parsed=None if schema is None else parsed_answer(text, schema),
        finish_reason=reason,
        usage=usage,
        # Many servers give none for calls.
        logprobs=logprobs_of(message.get("logprobs"), request.top_logprobs, needed=not calls),
        prompt_token_ids=token_ids_of(body.get("prompt_token_ids"), "prompt_token_ids"),
        token_ids=token_ids_of(message.get("token_ids"), "token_ids"),
        reasoning=text_of(message.get("reasoning_content") or message.get("reasoning"), "reasoning"),
        model=text_of(body.get("model"), "model"),
    )


def _check_refusal(message: dict[str, Any]) -> None:
    refusal = text_of(message.get("refusal"), "refusal")
    if refusal:
        raise RefusedAnswerError(f"the model refused: {excerpt(refusal)}", text=refusal)


def _check_finish(finish: Any, text: str) -> None:
    if finish == "length":
        remedy = "give more max_tokens, or ask for less"
        raise TruncatedAnswerError("the answer was cut at the limit of tokens", remedy=remedy, text=text)
    if finish == "content_filter":
        raise FilteredAnswerError("the answer was held back by a content filter", text=text)
    if finish not in _GOOD:
        raise WrongFinishError(f"the answer ended for the reason {excerpt(repr(finish))}, which is none", text=text)


def _check_calls(calls: tuple[ToolCall, ...], finish: Any, request: CompletionRequest, text: str) -> None:
    """Servers end an answer with calls by `stop` too where a tool was named: that is no contradiction."""
    if finish == "tool_calls" and not calls:
        raise WrongFinishError("the answer ended for the reason 'tool_calls' and holds no call", text=text)
    choice, names = request.tool_choice, [call.name for call in calls]
    if not request.tools or choice == "auto":
        problem = ""
    elif choice == "none":
        problem = f"no call was allowed, {names} came" if names else ""
    elif not names:
        problem = f"a call was demanded ({choice}), none came"
    else:
        problem = f"{choice} was demanded, {names} came" if choice != "required" and set(names) != {choice} else ""
    if not problem and request.parallel_tool_calls is False and len(names) > 1:
        problem = f"one call at a time was allowed, {len(names)} came"
    if problem:
        raise ToolChoiceError(f"the tool choice was not kept: {problem}", text=text)


def usage_of(body: dict[str, Any], message: dict[str, Any], request: CompletionRequest) -> Usage:
    """What the server says the call cost, or an estimate where it says nothing or what cannot be.

    Raises MalformedAnswerError where it says what is no number.
    """
    said = object_of(body.get("usage") or {}, "usage")
    into, out = (count_of(said.get(name), f"usage.{name}") for name in ("prompt_tokens", "completion_tokens"))
    details = object_of(said.get("prompt_tokens_details") or {}, "usage.prompt_tokens_details")
    again = count_of(details.get("cached_tokens"), "usage.prompt_tokens_details.cached_tokens")
    text = str(message.get("content") or "") + str(message.get("tool_calls") or "")
    if into and (out or not text):
        return Usage(prompt_tokens=into, completion_tokens=out, cached_prompt_tokens=min(again, into))
    return Usage(
        prompt_tokens=into or estimate_request(request),
        completion_tokens=out or estimate_answer(text),
        cached_prompt_tokens=min(again, into),
        estimated=True,
    )
