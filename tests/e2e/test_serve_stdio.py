"""`envforge serve --stdio`: one episode for one client, and nothing but the protocol on standard output."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from envforge.core.records.trajectory import Trajectory
from envforge.store.episodes import read_episodes
from envforge.store.record_lines import read_records
from envforge.store.tasks import read_tasks
from envforge.world.environment import Environment
from envforge.world.replay import audit
from envforge.world.serve.exchange import MOST_BODY

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "tests" / "fixtures" / "environments" / "library"
GENERATIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
Variables = Callable[[Mapping[str, str]], dict[str, str]]
WHO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def _arguments(*arguments: str) -> list[str]:
    return ["-m", "envforge.cli.main", "serve", *arguments, "--stdio"]


@pytest.mark.parametrize("mode", GENERATIONS)
def test_the_official_client_works_on_a_task(child_environment: Variables, tmp_path: Path, mode: str) -> None:
    task = read_tasks(ROOT / "tasks" / "notion").tasks[0]
    arguments = _arguments("notion", "--task", "1", "--seed", "3", "--record", str(tmp_path), "--workspace", str(ROOT))
    server = StdioServerParameters(command=sys.executable, args=arguments, env=child_environment({}))

    async def run() -> None:
        async with Client(server, mode=mode) as client:
            assert client.protocol_version == GENERATIONS[mode]
            assert client.instructions is not None and task.instruction in client.instructions
            assert len((await client.list_tools()).tools) > 10
            written = await client.call_tool("create_page", {"title": "Over stdio"})
            assert not written.is_error
            found: Any = (await client.call_tool("search", {"query": "Over stdio"})).structured_content
            assert found["result"]["items"][0]["title"] == "Over stdio"
            assert (await client.call_tool("search", {"query": 3})).is_error

    asyncio.run(run())
    (made,) = read_records(tmp_path / "notion" / "trajectories.jsonl", Trajectory, "")
    assert (made.task_id, made.ending, made.seed, len(made.turns)) == (task.id, "gave_up", 3, 3)
    episodes = read_episodes(tmp_path / "notion" / "episodes.jsonl")
    assert audit(Environment.open(ROOT / "environments" / "notion"), episodes, share=1.0) == []


class Talk:
    """A program that is spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: Any = None) -> Any:
        self._number += 1
        given = {} if params is None else {"params": params}
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, **given}).encode())
        return self.receive()

    def call(self) -> Any:
        return self.ask("tools/call", {"name": "get_book", "arguments": {"book_id": 101}})


@pytest.fixture
def talk(child_environment: Variables) -> Callable[[], Any]:
    """talk() → a context with a connected server of the library."""

    @contextmanager
    def start() -> Generator[Talk]:
        command = [sys.executable, *_arguments(str(LIBRARY), "--uncertified", "--isolation", "forked")]
        pipe, variables = subprocess.PIPE, child_environment({})
        with subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, stderr=pipe) as process:
            try:
                talk = Talk(process)
                assert talk.ask("initialize", WHO)["result"]["protocolVersion"] == "2025-06-18"
                yield talk
            finally:
                process.kill()

    return start


NO_MESSAGES = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": {}, "method": 3}', b"[" * 100_000]


def test_lines_that_are_no_messages_are_answered_and_the_episode_goes_on(talk: Callable[[], Any]) -> None:
    with talk() as server:
        for line in NO_MESSAGES:
            server.send(line)
            assert server.receive()["error"]["code"] == -32700
        server.send(
            b'{"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {"name": "' + b"x" * MOST_BODY + b'"}}'
        )
        assert "bytes" in server.receive()["error"]["message"]
        half = b'{"jsonrpc": "2.0", "id": 901, "method": "tools/call", "params": {"name": "\\ud800", "arguments": {}}}'
        server.send(half)
        assert server.receive()["id"] in (901, None)
        assert server.ask("no/such/method")["error"]["code"] == -32601
        assert server.call()["result"]["structuredContent"]["result"]["id"] == 101


@pytest.mark.parametrize("end", ["closed", "SIGTERM", "SIGINT"])
def test_it_ends_with_its_client_or_a_signal_and_leaves_nothing(talk: Callable[[], Any], end: str) -> None:
    with talk() as server:
        assert "result" in server.call()
        below = psutil.Process(server.process.pid).children(recursive=True)
        assert below
        if end == "closed":
            server.process.stdin.close()
        else:
            server.process.send_signal(getattr(signal, end))
        assert server.process.wait(timeout=60) == 0
        assert server.process.stdout.read() == b"" and server.process.stderr.read() == b""
        _, alive = psutil.wait_procs(below, timeout=20)
        assert not alive


def test_what_is_asked_before_the_client_leaves_is_answered(talk: Callable[[], Any]) -> None:
    with talk() as server:
        request = {
            "jsonrpc": "2.0",
            "method": "tools/call",
            "params": {"name": "get_book", "arguments": {"book_id": 101}},
        }
        for number in range(20):
            server.send(json.dumps({**request, "id": number}).encode())
        server.process.stdin.close()
        answers = [json.loads(line) for line in server.process.stdout.read().splitlines()]
        assert server.process.wait(timeout=60) == 0
        assert {answer["id"] for answer in answers} <= set(range(20))


def test_a_client_that_does_not_read_does_not_hold_it(talk: Callable[[], Any]) -> None:
    with talk() as server:
        # More than a pipe takes.
        request = {"jsonrpc": "2.0", "method": "tools/list"}
        for number in range(40):
            server.send(json.dumps({**request, "id": number}).encode())
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=60) == 0, server.process.stderr.read().decode()


def test_a_worker_that_dies_is_replaced(talk: Callable[[], Any]) -> None:
    with talk() as server:
        assert "result" in server.call()
        below = psutil.Process(server.process.pid).children(recursive=True)
        os.kill(max(below, key=lambda process: process.create_time()).pid, signal.SIGKILL)
        assert "result" in server.call()
