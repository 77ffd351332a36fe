"""The official client over HTTP, in both generations of the protocol."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from envforge.store.files import parse_json
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.serve import app
from envforge.world.serve.offer import Offer
from envforge.world.serve.told import output_schema

from .conftest import Serve, Served, serve_in_thread

GENERATIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def _with(served: Served, mode: str, act: Callable[[Client], Coroutine[Any, Any, Any]], **asked: Any) -> Any:
    url = served.start(**asked)["mcp_url"]

    async def run() -> Any:
        async with Client(url, mode=mode) as client:
            return await act(client)

    return asyncio.run(run())


def _text(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


@pytest.mark.parametrize("mode", GENERATIONS)
def test_tools_are_told_as_they_are(served: Served, library: Environment, mode: str) -> None:
    async def act(client: Client) -> None:
        assert client.protocol_version == GENERATIONS[mode]
        assert client.server_info is not None and client.server_info.name == "envforge/library"
        assert client.instructions is not None and "It is " in client.instructions
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [spec.name for spec in library.tools]
        for tool, spec in zip(listed, library.tools, strict=True):
            assert tool.description == spec.description
            assert tool.input_schema == spec.parameters
            assert tool.output_schema == output_schema(spec.returns)
            hints = tool.annotations
            assert hints is not None
            assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (
                spec.annotations.read_only,
                spec.annotations.destructive,
                spec.annotations.idempotent,
            )

    _with(served, mode, act)


@pytest.mark.parametrize("mode", GENERATIONS)
def test_results_and_refusals_fit_the_output_schema(served: Served, library: Environment, mode: str) -> None:
    async def act(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        calls: list[tuple[str, dict[str, Any], str]] = [
            ("get_book", {"book_id": 101}, ""),
            ("get_book", {"book_id": 999_999}, "not_found"),
            ("get_book", {}, "invalid_argument"),
            ("add_member", {"name": "Ada", "level": "gold?"}, "invalid_argument"),
        ]
        for tool, arguments, code in calls:
            result = await client.call_tool(tool, arguments)
            seen: Any = result.structured_content
            assert parse_json(_text(result)) == seen
            assert result.is_error is bool(code)
            assert seen.get("error", {}).get("code", "") == code
            assert (not code) or seen["error"]["message"]
            Draft202012Validator(schemas[tool] or {}).validate(seen)
        unknown = await client.session.send_request(_call("no_such_tool"), CallToolResult)
        assert unknown.is_error and "unknown_tool" in _text(unknown)

    _with(served, mode, act)


def _call(tool: str) -> Any:
    from mcp_types import CallToolRequest, CallToolRequestParams

    return CallToolRequest(params=CallToolRequestParams(name=tool, arguments={}))


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_result_that_is_too_long_is_cut_and_says_how_to_go_on(served: Served, mode: str) -> None:
    async def act(client: Client) -> None:
        await client.list_tools()
        result = await client.call_tool("add_member", {"name": "many words " * 8000, "level": "adult"})
        seen: Any = result.structured_content
        assert not result.is_error and len(_text(result).encode()) <= 32_768
        assert parse_json(_text(result)) == seen
        assert "many words" in seen["result"]["name"] and seen["truncated"]

    _with(served, mode, act)


@pytest.mark.parametrize("mode", GENERATIONS)
def test_what_one_episode_changes_no_other_sees(served: Served, mode: str) -> None:
    async def add(client: Client) -> Any:
        return (await client.call_tool("add_member", {"name": "Ada", "level": "adult"})).structured_content

    first, second = (_with(served, mode, add) for _ in range(2))
    assert first == second and "result" in first


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_page_of_tools_that_is_not_there(served: Served, mode: str) -> None:
    async def act(client: Client) -> None:
        with pytest.raises(MCPError, match="no such page"):
            await client.list_tools(cursor="2")

    _with(served, mode, act)


@pytest.fixture
def hanging(copy: Path) -> Environment:
    """The library with a tool `get_book` that does not come back."""
    source = (copy / "tools.py").read_text(encoding="utf-8")
    place = source.index("def get_book(")
    body = source.index('"""', source.index('"""', place) + 3) + 3
    (copy / "tools.py").write_text(
        f"{source[:body]}\n    if book_id == 102:\n        while True:\n            pass{source[body:]}",
        encoding="utf-8",
    )
    return Environment.open(copy)


@pytest.mark.parametrize("mode", GENERATIONS)
def test_an_infrastructure_failure_is_no_answer_of_the_tool(hanging: Environment, mode: str) -> None:
    async def act(client: Client) -> None:
        before = await client.call_tool("add_member", {"name": "Ada", "level": "adult"})
        with pytest.raises(MCPError, match="Infrastructure failure, no answer of the tool") as caught:
            await client.call_tool("get_book", {"book_id": 102})
        assert caught.value.data["kind"] == "infrastructure" and caught.value.data["retryable"] is True
        after = await client.call_tool("add_member", {"name": "Ada", "level": "adult"})
        assert not before.is_error and not after.is_error
        assert before.structured_content != after.structured_content

    with serve_in_thread([Offer(hanging)], isolation="forked", limits=Limits(call_seconds=1.0)) as served:
        _with(served, mode, act)
        key = served.start()["episode"]
        answer = served.ask("POST", f"/e/{key}/call", {"tool": "get_book", "arguments": {"book_id": 102}})
        assert answer.status == 503 and answer.failure["code"] == "sandbox" and answer.failure["retryable"] is True


def test_a_request_that_takes_too_long_is_answered(hanging: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "REQUEST_SECONDS", 1.0)
    with serve_in_thread([Offer(hanging)], isolation="forked", limits=Limits(call_seconds=4.0)) as served:
        key = served.start()["episode"]
        rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        call = {"name": "get_book", "arguments": {"book_id": 102}}
        accepting = {"accept": "application/json, text/event-stream"}
        answers = [
            served.ask("POST", f"/e/{key}/call", {"tool": "get_book", "arguments": call["arguments"]}),
            served.ask("POST", f"/e/{key}/mcp", {**rpc, "params": call}, headers=accepting),
        ]
        for answer in answers:
            assert answer.status == 503 and answer.failure["code"] == "timed_out"
            # It may have been made.
            assert answer.failure["retryable"] is False
        metrics = served.ask("GET", "/metrics").body.decode().splitlines()
        assert 'envforge_http_refusals_total{code="timed_out"} 2' in metrics


def test_a_worker_that_dies_takes_nothing_with_it(serve: Serve) -> None:
    async def act(client: Client) -> Any:
        added: Any = await client.call_tool("add_member", {"name": "Ada", "level": "adult"})
        # The worker is what was started last.
        worker = max(psutil.Process().children(recursive=True), key=lambda process: process.create_time())
        os.kill(worker.pid, signal.SIGKILL)
        again: Any = await client.call_tool("add_member", {"name": "Bob", "level": "adult"})
        return added.structured_content, again.structured_content

    with serve() as served:
        first = _with(served, "auto", act)
        assert "result" in first[0] and "result" in first[1] and first[0] != first[1]
        metrics = served.ask("GET", "/metrics").body.decode().splitlines()
        assert "envforge_workers_replaced_total 1" in metrics
        assert served.ask("GET", "/health").status == 200


@pytest.mark.parametrize("mode", GENERATIONS)
def test_an_episode_that_ended_is_told_so(served: Served, mode: str) -> None:
    told = served.start()

    async def run() -> None:
        async with Client(told["mcp_url"], mode=mode) as client:
            await client.list_tools()
            assert served.ask("DELETE", f"/episodes/{told['episode']}").status == 200
            with pytest.raises(MCPError):
                await client.call_tool("get_book", {"book_id": 101})

    asyncio.run(run())


@pytest.mark.parametrize("version", [None, "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01"])
@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', b"[" * 100_000,
     b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\ud800"}}',
     b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}',
     b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "ping"}'],
)  # fmt: skip
def test_messages_that_are_none(served: Served, version: str | None, body: bytes) -> None:
    key = served.start()["episode"]
    headers = {"accept": "application/json, text/event-stream"}
    headers |= {"mcp-protocol-version": version} if version else {}
    answer = served.ask("POST", f"/e/{key}/mcp", body, headers=headers)
    assert answer.status in (200, 400, 404)
    told = answer.json
    assert "error" in told or "failure" in told
    call = {"tool": "get_book", "arguments": {"book_id": 101}}
    assert served.ask("POST", f"/e/{key}/call", call).status == 200
