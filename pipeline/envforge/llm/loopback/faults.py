"""Misbehaviour of servers, by name: what real endpoints and the gateways before them were seen to do, and worse."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from envforge.llm.loopback.answers import answer_of, call_of, chunks_of
from envforge.llm.loopback.server import Behaviour, Exchange

_LONG = 3600.0
_HTML = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def status(number: int, message: str = "no", *, headers: dict[str, str] | None = None, **error: Any) -> Behaviour:
    """An error by HTTP status, with a body as endpoints write it."""

    async def behave(exchange: Exchange) -> None:
        body = {"error": {"message": message, "type": "error", "code": None, **error}}
        await exchange.answer(body, status=number, headers=headers)

    return behave


def says(body: Any) -> Behaviour:
    """Any JSON, with status 200 and not as a stream."""

    async def behave(exchange: Exchange) -> None:
        await exchange.answer(body)

    return behave


def raw(text: str, kind: str = "application/json", code: int = 200) -> Behaviour:
    """Any text."""

    async def behave(exchange: Exchange) -> None:
        await exchange.answer_text(text, status=code, kind=kind)

    return behave


def streams(*events: Any, done: bool = True) -> Behaviour:
    """These events, then the end of the connection."""

    async def behave(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for event in events:
            await exchange.event(event)
        if done:
            await exchange.event("[DONE]")

    return behave


def well(answer: dict[str, Any] | None = None) -> Behaviour:
    """A good answer, as a stream where one was asked for."""

    async def behave(exchange: Exchange) -> None:
        held = answer or answer_of()
        if exchange.body.get("stream"):
            await streams(*chunks_of(held))(exchange)
        else:
            await exchange.answer(held)

    return behave


def after(seconds: float, then: Behaviour) -> Behaviour:
    """The same, later."""

    async def behave(exchange: Exchange) -> None:
        await asyncio.sleep(seconds)
        await then(exchange)

    return behave


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """The first for the first request, and so on; the last for all that follow."""

    async def behave(exchange: Exchange) -> None:
        await behaviours[min(exchange.number, len(behaviours) - 1)](exchange)

    return behave


async def _abort(exchange: Exchange) -> None:
    exchange.abort()


async def _no_http(exchange: Exchange) -> None:
    await exchange.send(b"\x16\x03\x01 hello\r\n\r\n")


async def _short_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{")


async def _hang_in_body(exchange: Exchange) -> None:
    await _short_body(exchange)
    await asyncio.sleep(_LONG)


async def _hang_in_stream(exchange: Exchange) -> None:
    await exchange.begin_stream()
    await exchange.event(next(chunks_of(answer_of())))
    await asyncio.sleep(_LONG)


async def _comments_for_ever(exchange: Exchange) -> None:
    await exchange.begin_stream()
    while True:
        await exchange.send(b": PROCESSING\n\n")
        await asyncio.sleep(0.02)


async def _trickle(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        await exchange.send(b" ")
        await asyncio.sleep(0.02)


async def _stream_abort(exchange: Exchange) -> None:
    await exchange.begin_stream()
    for chunk in itertools.islice(chunks_of(answer_of()), 3):
        await exchange.event(chunk)
    exchange.abort()


async def _echo_key(exchange: Exchange) -> None:
    key = exchange.headers.get("authorization", "").removeprefix("Bearer ")
    await status(401, f"Incorrect API key provided: {key}")(exchange)


def _half(count: int, answer: dict[str, Any]) -> list[dict[str, Any]]:
    return list(itertools.islice(chunks_of(answer), count))


def _without_finish(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for c in chunks_of(answer) if not any(choice["finish_reason"] for choice in c["choices"])]


_CALLED = answer_of(None, calls=[call_of("weather", {"city": "Oslo"})])
_ERROR_CHUNK: dict[str, Any] = {"error": {"code": 502, "message": "the provider went away"}, "choices": []}
_TOO_LONG_ERROR = {"message": "context length exceeded", "code": 400}


def _bent(**fields: Any) -> Behaviour:
    return says({**answer_of(), **fields})


FAULTS: dict[str, Behaviour] = {
    # No answer
    "status-400": status(400, "unknown parameter"),
    "status-401": status(401, "bad key"),
    "status-402": status(402, "insufficient credits"),
    "status-403": status(403, "not allowed"),
    "status-404": status(404, "no such model"),
    "status-408": status(408),
    "status-409": status(409),
    "status-413": status(413),
    "status-422": status(422, "max_tokens: not a number"),
    "status-429": status(429, "slow down"),
    "status-429-retry-after": status(429, "slow down", headers={"retry-after": "7"}),
    "status-429-retry-after-date": status(
        429, "slow down", headers={"retry-after": "Fri, 31 Dec 2100 23:59:59 GMT"}
    ),
    "status-429-no-money": status(429, "You exceeded your quota", code="insufficient_quota"),
    "status-500": status(500),
    "status-503-html": raw(_HTML, "text/html", 503),
    "status-529": status(529, "overloaded"),
    "context-too-long": status(400, "This model's maximum context length is 8192 tokens"),
    "redirect": status(302, headers={"location": "http://127.0.0.1:9/v1/chat/completions"}),
    "echo-key": _echo_key,
    "hang": after(_LONG, well()),
    "hang-in-body": _hang_in_body,
    "hang-in-stream": _hang_in_stream,
    "trickle": _trickle,
    "comments-for-ever": _comments_for_ever,
    "close-at-once": _abort,
    "no-http": _no_http,
    "short-body": _short_body,
    "error-in-body": says({"error": {"code": 503, "message": "upstream unavailable"}}),
    "error-in-body-text": says({"error": "model overloaded"}),
    "error-in-body-too-long": says({"error": _TOO_LONG_ERROR}),
    "error-in-choice": says({"choices": [{"error": {"code": 429, "message": "limit"}, "finish_reason": "error"}]}),
    # Answers that are none
    "html": raw(_HTML, "text/html"),
    "empty-body": raw(""),
    "half-json": raw('{"choices": [{"message": {"content": "Good mor'),
    "not-a-number": raw('{"choices": [], "usage": NaN}'),
    "json-array": says([1, 2]),
    "no-choices": says({"object": "chat.completion"}),
    "empty-choices": _bent(choices=[]),
    "two-choices": _bent(choices=answer_of()["choices"] * 2),
    "choices-no-array": _bent(choices="none"),
    "no-message": _bent(choices=[{"index": 0, "finish_reason": "stop"}]),
    "content-number": says(answer_of(7)),  # type: ignore[arg-type]
    "content-image": says(answer_of([{"type": "image"}])),  # type: ignore[arg-type]
    "usage-negative": says(answer_of(usage={"prompt_tokens": -1, "completion_tokens": 5})),
    "usage-text": says(answer_of(usage={"prompt_tokens": "many", "completion_tokens": 5})),
    "usage-array": says(answer_of(usage=[20, 5])),
    # Answers that may not be used
    "empty": says(answer_of("")),
    "empty-null": says(answer_of(None)),
    "empty-blank": says(answer_of(" \n")),
    "only-reasoning": says(answer_of("", reasoning_content="Let me think.")),
    "truncated": says(answer_of("Good mor", finish="length")),
    "truncated-empty": says(answer_of("", finish="length")),
    "filtered": says(answer_of("Good", finish="content_filter")),
    "refused": says(answer_of(None, refusal="I cannot help with that.")),
    "finish-null": says(answer_of(finish=None)),
    "finish-unknown": says(answer_of(finish="because")),
    "finish-error": says(answer_of(finish="error")),
    "finish-calls-without-calls": says(answer_of(finish="tool_calls")),
    "unknown-tool": says(answer_of(None, calls=[call_of("launch", {})])),
    "nameless-tool": says(answer_of(None, calls=[call_of("", {})])),
    "arguments-half": says(answer_of(None, calls=[call_of("weather", '{"city": "Os')])),
    "arguments-array": says(answer_of(None, calls=[call_of("weather", "[1]")])),
    "arguments-object": says(answer_of(None, calls=[{"id": "1", "function": {"name": "weather", "arguments": {}}}])),
    "arguments-empty": says(answer_of(None, calls=[call_of("weather", "")])),
    "call-cut": says(answer_of(None, calls=[call_of("weather", '{"city": "Os')], finish="length")),
    "call-text": says(answer_of(None, calls=["weather"])),  # type: ignore[list-item]
    "call-other-type": says(answer_of(None, calls=[{**call_of("weather", {}), "type": "custom"}])),
    "calls-one-id": says(answer_of(None, calls=[call_of("weather", {"city": "A"}), call_of("weather", {"city": "B"})])),
    "logprobs-missing": well(),
    "logprobs-positive": says(answer_of(logprobs={"content": [{"token": "Good", "logprob": 0.5}]})),
    "schema-no-json": well(answer_of("Here you are: {}")),
    "schema-fenced": well(answer_of('```json\n{"city": "Oslo"}\n```')),
    "schema-mismatch": well(answer_of('{"city": 7}')),
    # Streams
    "stream-empty": streams(done=False),
    "stream-only-done": streams(),
    "stream-half": streams(*_half(3, answer_of()), done=False),
    "stream-half-done": streams(*_half(3, answer_of())),
    "stream-no-finish": streams(*_without_finish(answer_of())),
    "stream-half-call": streams(*_half(4, _CALLED)),
    "stream-abort": _stream_abort,
    "stream-half-json": streams(*_half(2, answer_of()), '{"choices": [{"del'),
    "stream-text": streams("hello"),
    "stream-array": streams([1]),
    "stream-html": raw(_HTML, "text/html"),
    "stream-error": streams(*_half(3, answer_of()), _ERROR_CHUNK),
    "stream-whole-json": says(answer_of()),
    "stream-truncated": streams(*chunks_of(answer_of("Good mor", finish="length"))),
    "stream-after-end": streams(*chunks_of(answer_of()), *_half(2, answer_of())),
    "stream-other-choice": streams({"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": None}]}),
    "stream-two-calls-at-one-place": streams(
        *_half(3, _CALLED), {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "other"}]}}]}
    ),
    "stream-unknown-tool": streams(*chunks_of(answer_of(None, calls=[call_of("launch", {})]))),
}  # fmt: skip
"""Name → behaviour."""


def by_name(otherwise: Behaviour) -> Behaviour:
    """The fault that the request names as its model (`fault:NAME`), else `otherwise`."""

    async def behave(exchange: Exchange) -> None:
        name = str(exchange.body.get("model", ""))
        await _chosen(name, otherwise)(exchange)

    return behave


def _chosen(name: str, otherwise: Behaviour) -> Callable[[Exchange], Any]:
    kind, _, fault = name.partition(":")
    if kind != "fault":
        return otherwise
    return FAULTS.get(fault, status(404, f"no fault {fault!r}"))
