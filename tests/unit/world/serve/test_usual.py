"""Usual requests are answered as the MCP SDK answers them, and none is taken for usual that is not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.serve.offer import Offer
from envforge.world.serve.usual import read

from .conftest import Answer, Served, serve_in_thread
from .test_protocol import hanging

__all__ = ["hanging"]

USUAL = "application/json, text/event-stream"
OTHERWISE = "text/event-stream, application/json"
"""Says the same in another way: such a request is left to the SDK."""
WHO = {"name": "tests", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": WHO,
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO}
HELLO_MESSAGE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
LOANS = {"name": "list_loans", "arguments": {"member_id": "M-4KQ7"}}


def _modern(method: str, params: dict[str, Any] | None = None, number: Any = 1) -> tuple[dict[str, str], Any]:
    given = {**(params or {}), "_meta": META}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
    headers |= {"mcp-name": str(given["name"])} if "name" in given else {}
    return headers, {"jsonrpc": "2.0", "id": number, "method": method, "params": given}


def _legacy(
    method: str, params: dict[str, Any] | None = None, number: Any = 1, version: str = "2025-11-25"
) -> tuple[dict[str, str], Any]:
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    body |= {} if params is None else {"params": params}
    return {"mcp-protocol-version": version}, body


ASKED: dict[str, tuple[dict[str, str], Any]] = {
    "hello": ({}, HELLO_MESSAGE),
    "hello of June": ({}, {**HELLO_MESSAGE, "params": {**HELLO, "protocolVersion": "2025-06-18"}}),
    "begun": ({"mcp-protocol-version": "2025-11-25"}, {"jsonrpc": "2.0", "method": "notifications/initialized"}),
    "ping": _legacy("ping"),
    "discover": _modern("server/discover"),
    "list": _modern("tools/list"),
    "list, 2025": _legacy("tools/list", {}),
    "list of June": _legacy("tools/list", version="2025-06-18"),
    "call": _modern("tools/call", LOANS),
    "call, 2025": _legacy("tools/call", LOANS, number="seven"),
    "call of June": _legacy("tools/call", LOANS, version="2025-06-18"),
    "refused": _modern("tools/call", {"name": "get_book", "arguments": {"book_id": "\u00e9\u4e2d \U0001f600"}}),
    "refused, 2025": _legacy("tools/call", {"name": "get_book", "arguments": {"book_id": None}}),
    "no arguments": _modern("tools/call", {"name": "get_book"}),
    "no arguments, 2025": _legacy("tools/call", {"name": "get_book"}),
    "no such tool": _modern("tools/call", {"name": "no_such", "arguments": {}}),
    "cut": _legacy("tools/call", {"name": "add_member", "arguments": {"name": "many " * 8000, "level": "adult"}}),
}
"""By name: headers and message."""


def _both(served: Served, headers: dict[str, str], body: Any) -> tuple[Answer, Answer]:
    """The same request to two new episodes, answered here and by the SDK."""
    usual, other = (
        served.ask("POST", f"/e/{served.start()['episode']}/mcp", body, headers={**headers, "accept": accept})
        for accept in (USUAL, OTHERWISE)
    )
    return usual, other


def _headers(given: dict[str, str]) -> list[tuple[bytes, bytes]]:
    whole = {"host": "127.0.0.1", "accept": USUAL, "content-type": "application/json", **given}
    return [(name.encode(), value.encode()) for name, value in whole.items()]


@pytest.mark.parametrize("name", ASKED)
def test_answers_are_those_of_the_sdk(served: Served, name: str) -> None:
    headers, body = ASKED[name]
    assert read(_headers(headers), json.dumps(body).encode()) is not None
    usual, other = _both(served, headers, body)
    assert usual.status == other.status
    assert usual.headers["content-type"] == other.headers["content-type"]
    assert (usual.body and usual.json) == (other.body and other.json)


@pytest.mark.parametrize("asked", [_modern, _legacy])
def test_a_failure_of_the_infrastructure_is_that_of_the_sdk(slow: Served, asked: Any) -> None:
    usual, other = _both(slow, *asked("tools/call", {"name": "get_book", "arguments": {"book_id": 102}}))
    assert usual.status == other.status and usual.json == other.json
    assert usual.json["error"]["data"]["kind"] == "infrastructure"


@pytest.fixture
def slow(hanging: Environment) -> Iterator[Served]:
    with serve_in_thread([Offer(hanging)], isolation="forked", limits=Limits(call_seconds=0.5)) as served:
        yield served


CALL_HEADERS, CALL = _modern("tools/call", LOANS)
OLD_HEADERS, OLD = _legacy("tools/call", LOANS)
NOT_USUAL: dict[str, tuple[dict[str, str], Any]] = {
    "another tool in the header": ({**CALL_HEADERS, "mcp-name": "get_book"}, CALL),
    "no tool in the header": ({k: v for k, v in CALL_HEADERS.items() if k != "mcp-name"}, CALL),
    "another method in the header": ({**CALL_HEADERS, "mcp-method": "tools/list"}, CALL),
    "another kind of body": ({**CALL_HEADERS, "content-type": "text/plain"}, CALL),
    "a session": ({**OLD_HEADERS, "mcp-session-id": "1"}, OLD),
    "a version that is not spoken": ({"mcp-protocol-version": "2025-03-26"}, OLD),
    "no version": ({}, OLD),
    "two versions": (CALL_HEADERS, {**CALL, "params": {**LOANS, "_meta": {**META, next(iter(META)): "2025-11-25"}}}),
    "a client that can do more": (
        CALL_HEADERS,
        {**CALL, "params": {**LOANS, "_meta": {**META, list(META)[2]: {"sampling": {}}}}},
    ),
    "progress is asked for": (OLD_HEADERS, {**OLD, "params": {**LOANS, "_meta": {"progressToken": 1}}}),
    "a field more": (OLD_HEADERS, {**OLD, "more": 1}),
    "a parameter more": (OLD_HEADERS, {**OLD, "params": {**LOANS, "task": {}}}),
    "arguments that are none": (OLD_HEADERS, {**OLD, "params": {**LOANS, "arguments": [1]}}),
    "arguments of nothing": (OLD_HEADERS, {**OLD, "params": {**LOANS, "arguments": None}}),
    "a name that is none": (OLD_HEADERS, {**OLD, "params": {"name": 3}}),
    "an id that is none": (OLD_HEADERS, {**OLD, "id": True}),
    "an id of nothing": (OLD_HEADERS, {**OLD, "id": None}),
    "a call that waits for no answer": (OLD_HEADERS, {k: v for k, v in OLD.items() if k != "id"}),
    "another JSON-RPC": (OLD_HEADERS, {**OLD, "jsonrpc": "1.0"}),
    "a page": (OLD_HEADERS, {**OLD, "method": "tools/list", "params": {"cursor": "2"}}),
    "another method": (OLD_HEADERS, {**OLD, "method": "resources/list", "params": {}}),
    "a batch": (OLD_HEADERS, [OLD]),
    "an unknown version": ({}, {**HELLO_MESSAGE, "params": {**HELLO, "protocolVersion": "1"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_USUAL)
def test_what_is_said_in_another_way_is_left_to_the_sdk(name: str) -> None:
    headers, body = NOT_USUAL[name]
    assert read(_headers(headers), json.dumps(body).encode()) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"id": NaN}', b'{"id": "\\ud800"}', b"\xff"])
def test_what_is_no_json_is_left_to_the_sdk(body: bytes) -> None:
    assert read(_headers(OLD_HEADERS), body) is None


def test_a_header_that_comes_twice_is_left_to_the_sdk() -> None:
    headers = _headers(CALL_HEADERS)
    body = json.dumps(CALL).encode()
    assert read(headers, body) is not None
    assert read([*headers, (b"mcp-name", b"list_loans")], body) is None


def test_a_server_starts_without_the_sdk() -> None:
    """It takes a second to load, which nobody waits for who asks in the usual way."""
    code = "import sys, envforge.world.serve.server; print(sorted({'mcp', 'mcp_types'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "[]\n"


def test_parameters_that_stand_in_headers_too_are_left_to_the_sdk(copy: Path) -> None:
    """The SDK compares the two; a call whose header says something else is refused."""
    path = copy / "tools.json"
    text = path.read_text(encoding="utf-8")
    place = text.index('"member_id"', text.index('"list_loans"'))
    start = text.index("{", place) + 1
    path.write_text(f'{text[:start]}"x-mcp-header": "Member", {text[start:]}', encoding="utf-8")
    with serve_in_thread([Offer(Environment.open(copy))]) as served:
        usual, other = _both(served, {**CALL_HEADERS, "mcp-param-member": "M-NONE"}, CALL)
    assert usual.status == other.status == 400 and usual.json["error"] == other.json["error"]
