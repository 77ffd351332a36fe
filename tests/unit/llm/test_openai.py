"""The openai provider over real HTTP: what is sent, what good answers become, and what is never shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ConfigError
from envforge.core.records.completion import Completion, CompletionRequest, FunctionTool, Message, ToolCall, Usage
from envforge.llm.connect import ModelSettings, open_provider
from envforge.llm.loopback.answers import answer_of, call_of, chunks_of
from envforge.llm.loopback.faults import FAULTS, says, streams, well
from envforge.llm.loopback.server import Behaviour, LoopbackServer
from envforge.llm.permission import CALLS_VARIABLE, Secret, is_loopback
from envforge.llm.providers.openai import OpenAIModel

Ask = Callable[..., CompletionRequest]
KEY = "k-abc-very-secret-def"


def answered(behaviour: Behaviour, request: CompletionRequest, **settings: Any) -> tuple[Completion, dict[str, Any]]:
    """The completion, and the body that the server saw."""

    async def main(base_url: str) -> Completion:
        model = OpenAIModel("m", base_url=base_url, timeout_seconds=60, **settings)
        try:
            return await model.complete(request)
        finally:
            await model.close()

    with LoopbackServer(behaviour) as server:
        return asyncio.run(main(server.base_url)), server.seen[0].body


def test_the_whole_request_is_sent(ask: Ask, weather: FunctionTool) -> None:
    call = ToolCall(id="1", name="weather", raw_arguments='{"city": "Oslo"}', arguments={"city": "Oslo"})
    messages = (
        Message(role="user", content="Weather?"),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content="snow", tool_call_id="1"),
    )
    request = ask(tools=(weather,), tool_choice="weather", parallel_tool_calls=False, seed=7, top_logprobs=2)
    request = request.model_copy(update={"messages": messages})
    answer = answer_of(None, calls=[call_of("weather", {"city": "Lima"})])
    got, body = answered(well(answer), request, extra={"cache_prompt": False})
    assert got.tool_calls[0].arguments == {"city": "Lima"} and got.finish_reason == "tool_calls"
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert body["messages"] == [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"role": "tool", "content": "snow", "tool_call_id": "1"},
    ]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    assert body["tools"][0]["function"]["parameters"] == weather.parameters
    plain = {name: body[name] for name in ("model", "seed", "logprobs", "top_logprobs", "cache_prompt", "max_tokens")}
    assert plain == {
        "model": "m",
        "seed": 7,
        "logprobs": True,
        "top_logprobs": 2,
        "cache_prompt": False,
        "max_tokens": 1024,
    }
    assert body["parallel_tool_calls"] is False and "stream" not in body and "response_format" not in body


@pytest.mark.parametrize("stream", [False, True])
def test_a_stream_and_a_whole_answer_become_the_same(ask: Ask, weather: FunctionTool, stream: bool) -> None:
    logprobs = {"content": [{"token": "Hm", "logprob": -0.5, "top_logprobs": [{"token": "Oh", "logprob": -1.0}]}]}
    calls = [call_of("weather", {"city": "Oslo"}), call_of("weather", {"city": "Lima"}, 1)]
    for answer, wish in (
        (answer_of("Hm. Snow, “ja”.", logprobs=logprobs), {"top_logprobs": 1}),
        (answer_of("Let me see.", calls=calls), {"tools": (weather,)}),
        (answer_of('{"city": "Oslo"}'), {"json_schema": weather.parameters}),
    ):
        got, _ = answered(well(answer), ask(stream=stream, **wish))
        expected, _ = answered(well(answer), ask(**wish))
        same = {"latency_seconds": 0.0}
        assert got.model_copy(update=same) == expected.model_copy(update=same)
        assert got.usage == Usage(prompt_tokens=20, completion_tokens=5) and got.model == "loopback"


def test_ways_of_writing_that_servers_have(ask: Ask, weather: FunctionTool) -> None:
    tools = {"tools": (weather.model_copy(update={"parameters": {"type": "object"}}),)}
    nameless = {"function": {"name": "weather", "arguments": ""}}
    got, _ = answered(well(answer_of("", calls=[nameless], finish="stop")), ask(**tools))
    assert (got.tool_calls[0].id, got.tool_calls[0].arguments, got.finish_reason) == ("call_0", {}, "tool_calls")
    parts: Any = [{"type": "text", "text": "Good "}, {"type": "text", "text": "morning."}]
    assert answered(says(answer_of(parts)), ask())[0].text == "Good morning."
    thought, _ = answered(well(answer_of("Yes.", reasoning_content="Hm.")), ask())
    assert (thought.text, thought.reasoning) == ("Yes.", "Hm.")
    # Without the mark at its end a stream is whole all the same, once it has said why it ended.
    assert answered(streams(*chunks_of(answer_of()), done=False), ask(stream=True))[0].text == "Good morning."


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 20}])
def test_tokens_that_nobody_counted_are_estimated(ask: Ask, usage: dict[str, int]) -> None:
    got, _ = answered(says(answer_of("Good morning.", usage=usage)), ask())
    assert got.usage.estimated and got.usage.prompt_tokens >= 16 and got.usage.completion_tokens == 4


def test_an_answer_that_may_not_be_used_knows_what_it_cost(ask: Ask) -> None:
    for fault in ("truncated", "empty", "filtered", "refused", "unknown-tool", "schema-fenced"):
        wish = {"json_schema": {"type": "object"}} if fault.startswith("schema") else {}
        with pytest.raises(errors.AnswerError) as caught:
            answered(FAULTS[fault], ask(**wish))
        assert caught.value.usage == Usage(prompt_tokens=20, completion_tokens=5)


def test_a_key_is_sent_and_shown_nowhere(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def main(base_url: str) -> str:
        model = OpenAIModel("m", base_url=base_url, key=Secret(KEY), timeout_seconds=60)
        with pytest.raises(errors.AccessDeniedError) as caught:
            await model.complete(ask())
        await model.close()
        shown = [repr(model), model.identity, repr(caught.value), str(caught.value), repr(vars(caught.value))]
        return " ".join([*shown, repr(caught.value.__cause__), repr(vars(model)["_key"])])

    with LoopbackServer(FAULTS["echo-key"]) as server:
        shown = asyncio.run(main(server.base_url))
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in shown and KEY not in caplog.text and "Incorrect API key" in shown


def test_redirects_are_not_followed(ask: Ask) -> None:
    with LoopbackServer(well()) as other, pytest.raises(errors.BadRequestError, match="302"):
        location = {"location": f"{other.base_url}/chat/completions"}

        async def redirect(exchange: Any) -> None:
            await exchange.answer({}, status=302, headers=location)

        try:
            answered(redirect, ask())
        finally:
            assert other.seen == []


def test_a_server_that_is_not_there(ask: Ask) -> None:
    async def main() -> None:
        model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1", timeout_seconds=60)
        with pytest.raises(errors.ConnectionLostError) as caught:
            await model.complete(ask())
        await model.close()
        assert caught.value.retryable and caught.value.remedy and "127.0.0.1:9" in str(caught.value)

    asyncio.run(main())


@pytest.mark.parametrize(
    "behaviour",
    [says({"data": 7}), says({"data": "m"}), says([1]), FAULTS["html"], FAULTS["trickle"], FAULTS["half-json"]],
)
def test_a_context_that_cannot_be_read_is_not_told(behaviour: Behaviour) -> None:
    async def main(base_url: str) -> int | None:
        model = OpenAIModel("m", base_url=base_url, timeout_seconds=0.5)
        try:
            return await model.context()
        finally:
            await model.close()

    with LoopbackServer(behaviour) as server:
        assert asyncio.run(main(server.base_url)) is None and server.seen[0].path.endswith("/models")


@pytest.mark.parametrize(
    ("base_url", "told"),
    [
        ("ftp://x.example/v1", "no http"),
        ("x.example", "no http"),
        ("https://me:pw@x.example/v1", "credentials"),
        ("http://x.example/v1", "encryption"),
        ("http://[::1/v1", "no http"),
        ("http://127.0.0.1:abc/v1", "no http"),
        ("http://127.0.0.1:99999/v1", "no http"),
        ("https://x.example/v1?token=pw", "query"),
        ("https://x.example/v1#pw", "fragment"),
    ],
)
def test_addresses_that_are_refused(monkeypatch: pytest.MonkeyPatch, base_url: str, told: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigError, match=told) as caught:
        open_provider(ModelSettings("m", base_url=base_url))
    assert KEY not in str(caught.value) and "pw" not in str(caught.value)


def test_a_key_comes_from_the_environment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY: is not set"):
        open_provider(ModelSettings("m"))
    with pytest.raises(ConfigError, match="OTHER_KEY"):
        open_provider(ModelSettings("m", key_variable="OTHER_KEY"))
    monkeypatch.setenv("OTHER_KEY", "two words")
    with pytest.raises(ConfigError, match="character") as caught:
        open_provider(ModelSettings("m", key_variable="OTHER_KEY"))
    assert "two words" not in str(caught.value)


def test_tests_call_loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(errors.CallRefusedError, match="refused"):
        open_provider(ModelSettings("m"))
    monkeypatch.delenv(CALLS_VARIABLE)
    model, _ = open_provider(ModelSettings("m"))
    asyncio.run(model.close())


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://10.0.0.1/v1", False),
        ("http://0.0.0.0/v1", False),
    ],
)
def test_what_is_loopback(base_url: str, expected: bool) -> None:
    assert is_loopback(base_url) is expected
