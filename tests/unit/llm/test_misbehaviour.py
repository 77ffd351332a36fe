"""Every misbehaviour of the loopback server becomes the typed error it should, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ModelError
from envforge.core.records.completion import Completion, CompletionRequest, FunctionTool, Message
from envforge.llm.loopback.faults import FAULTS, by_name, well
from envforge.llm.loopback.server import LoopbackServer
from envforge.llm.permission import Secret
from envforge.llm.providers.openai import OpenAIModel

KEY = "k-123-very-secret-456"
WEATHER = FunctionTool(
    name="weather",
    description="The weather of a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PLAIN = CompletionRequest(messages=(Message(role="user", content="Good morning."),))
SILENT = {"hang", "hang-in-body", "hang-in-stream", "trickle", "comments-for-ever"}
"""Faults that end with our patience only."""

EXPECTED: dict[str, tuple[type[ModelError], bool]] = {
    "status-400": (errors.BadRequestError, False),
    "status-401": (errors.AccessDeniedError, False),
    "status-402": (errors.QuotaError, False),
    "status-403": (errors.AccessDeniedError, False),
    "status-404": (errors.UnknownModelError, False),
    "status-408": (errors.ModelTimeoutError, True),
    "status-409": (errors.ServerFaultError, True),
    "status-413": (errors.ContextTooLongError, False),
    "status-422": (errors.BadRequestError, False),
    "status-429": (errors.RateLimitedError, True),
    "status-429-retry-after": (errors.RateLimitedError, True),
    "status-429-retry-after-date": (errors.RateLimitedError, True),
    "status-429-no-money": (errors.QuotaError, False),
    "status-500": (errors.ServerFaultError, True),
    "status-503-html": (errors.ServerFaultError, True),
    "status-529": (errors.ServerFaultError, True),
    "context-too-long": (errors.ContextTooLongError, False),
    "redirect": (errors.BadRequestError, False),
    "echo-key": (errors.AccessDeniedError, False),
    "hang": (errors.ModelTimeoutError, True),
    "hang-in-body": (errors.ModelTimeoutError, True),
    "hang-in-stream": (errors.ModelTimeoutError, True),
    "trickle": (errors.ModelTimeoutError, True),
    "comments-for-ever": (errors.ModelTimeoutError, True),
    "close-at-once": (errors.ConnectionLostError, True),
    "no-http": (errors.ConnectionLostError, True),
    "short-body": (errors.ConnectionLostError, True),
    "error-in-body": (errors.ServerFaultError, True),
    "error-in-body-text": (errors.ServerFaultError, True),
    "error-in-body-too-long": (errors.ContextTooLongError, False),
    "error-in-choice": (errors.RateLimitedError, True),
    "html": (errors.MalformedAnswerError, False),
    "empty-body": (errors.MalformedAnswerError, False),
    "half-json": (errors.MalformedAnswerError, False),
    "not-a-number": (errors.MalformedAnswerError, False),
    "json-array": (errors.MalformedAnswerError, False),
    "no-choices": (errors.MalformedAnswerError, False),
    "empty-choices": (errors.MalformedAnswerError, False),
    "two-choices": (errors.MalformedAnswerError, False),
    "choices-no-array": (errors.MalformedAnswerError, False),
    "no-message": (errors.MalformedAnswerError, False),
    "content-number": (errors.MalformedAnswerError, False),
    "content-image": (errors.MalformedAnswerError, False),
    "usage-negative": (errors.MalformedAnswerError, False),
    "usage-text": (errors.MalformedAnswerError, False),
    "usage-array": (errors.MalformedAnswerError, False),
    "empty": (errors.EmptyAnswerError, False),
    "empty-null": (errors.EmptyAnswerError, False),
    "empty-blank": (errors.EmptyAnswerError, False),
    "only-reasoning": (errors.EmptyAnswerError, False),
    "truncated": (errors.TruncatedAnswerError, False),
    "truncated-empty": (errors.TruncatedAnswerError, False),
    "filtered": (errors.FilteredAnswerError, False),
    "refused": (errors.RefusedAnswerError, False),
    "finish-null": (errors.WrongFinishError, False),
    "finish-unknown": (errors.WrongFinishError, False),
    "finish-error": (errors.WrongFinishError, False),
    "finish-calls-without-calls": (errors.WrongFinishError, False),
    "unknown-tool": (errors.UnknownToolError, False),
    "nameless-tool": (errors.UnknownToolError, False),
    "arguments-half": (errors.MalformedArgumentsError, False),
    "arguments-array": (errors.MalformedArgumentsError, False),
    "arguments-object": (errors.MalformedArgumentsError, False),
    "arguments-empty": (errors.MalformedArgumentsError, False),
    "call-cut": (errors.TruncatedAnswerError, False),
    "call-text": (errors.MalformedAnswerError, False),
    "call-other-type": (errors.MalformedAnswerError, False),
    "calls-one-id": (errors.MalformedAnswerError, False),
    "logprobs-missing": (errors.MissingLogprobsError, False),
    "logprobs-positive": (errors.MalformedAnswerError, False),
    "schema-no-json": (errors.NotJsonError, False),
    "schema-fenced": (errors.NotJsonError, False),
    "schema-mismatch": (errors.SchemaMismatchError, False),
    "stream-empty": (errors.BrokenStreamError, True),
    "stream-only-done": (errors.BrokenStreamError, True),
    "stream-half": (errors.BrokenStreamError, True),
    "stream-half-done": (errors.BrokenStreamError, True),
    "stream-no-finish": (errors.BrokenStreamError, True),
    "stream-half-call": (errors.BrokenStreamError, True),
    "stream-abort": (errors.BrokenStreamError, True),
    "stream-half-json": (errors.MalformedAnswerError, False),
    "stream-text": (errors.MalformedAnswerError, False),
    "stream-array": (errors.MalformedAnswerError, False),
    "stream-html": (errors.BrokenStreamError, True),
    "stream-error": (errors.ServerFaultError, True),
    "stream-whole-json": (errors.BrokenStreamError, True),
    "stream-truncated": (errors.TruncatedAnswerError, False),
    "stream-after-end": (errors.MalformedAnswerError, False),
    "stream-other-choice": (errors.MalformedAnswerError, False),
    "stream-two-calls-at-one-place": (errors.MalformedAnswerError, False),
    "stream-unknown-tool": (errors.UnknownToolError, False),
}
"""Fault → the error that it is, and whether trying again may help."""

STREAMED = {"hang-in-stream", "comments-for-ever"}


@pytest.fixture(scope="module")
def server() -> Generator[LoopbackServer]:
    with LoopbackServer(by_name(well())) as running:
        yield running


def ask(server: LoopbackServer, fault: str, request: CompletionRequest) -> Completion:
    async def main() -> Completion:
        seconds = 0.3 if fault in SILENT else 60.0
        name, key = f"fault:{fault}", Secret(KEY)
        asked = OpenAIModel(name, base_url=server.base_url, key=key, timeout_seconds=seconds)
        try:
            return await asked.complete(request)
        finally:
            await asked.close()

    return asyncio.run(main())


def request_for(fault: str) -> CompletionRequest:
    """The request under which a fault is one."""
    wish: dict[str, object] = {"tools": (WEATHER,)} if "call" in fault or "tool" in fault or "arg" in fault else {}
    wish |= {"json_schema": SCHEMA} if fault.startswith("schema") else {}
    wish |= {"top_logprobs": 0} if fault.startswith("logprobs") else {}
    wish |= {"stream": True} if fault.startswith("stream") or fault in STREAMED else {}
    return PLAIN.model_copy(update=wish)


def test_every_fault_has_its_error() -> None:
    assert EXPECTED.keys() == FAULTS.keys() and len(FAULTS) >= 80


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_the_error_it_should_be(server: LoopbackServer, fault: str) -> None:
    kind, retryable = EXPECTED[fault]
    with pytest.raises(ModelError) as caught:
        ask(server, fault, request_for(fault))
    assert (type(caught.value), caught.value.retryable) == (kind, retryable)
    shown = f"{caught.value} {caught.value!r} {caught.value.__cause__!r} {caught.value.__dict__}"
    assert KEY not in shown and caught.value.message
