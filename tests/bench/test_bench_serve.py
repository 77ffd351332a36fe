"""`envforge serve`: time until it is ready, calls over connections that are kept open.

Beside it stand a bare MCP server (the SDK's, with one tool that answers at once) and one that answers with ready bytes:
what a call costs there is the official client's own.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client

from envforge.world.client import EpisodeServer, RemoteEpisode

LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
CALL: tuple[str, dict[str, Any]] = ("list_loans", {"member_id": "M-4KQ7"})
CALLS = 300
AT_ONCE = 16
BARE = """
import asyncio, json, socket, sys, uvicorn
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
told = json.loads(sys.argv[1])
async def tools(context, params):
    return ListToolsResult(tools=[Tool(name="list_loans", input_schema={"type": "object"})])
async def call(context, params):
    return CallToolResult(content=[TextContent(text=json.dumps(told))], structured_content=told)
server = Server("bare", on_list_tools=tools, on_call_tool=call)
app = server.streamable_http_app(json_response=True, stateless_http=True)
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, http="h11", log_level="error", access_log=False)).run(sockets=[listener])
"""
READY_MADE = """
import asyncio, json, socket, sys
told = json.loads(sys.argv[1])
about = {"supportedVersions": ["2026-07-28"], "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
about |= {"serverInfo": {"name": "ready-made", "version": "1"}}
tools = [{"name": "list_loans", "inputSchema": {"type": "object"}}]
call = {"content": [{"type": "text", "text": json.dumps(told)}], "structuredContent": told, "isError": False}
marks = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
results = {"server/discover": {**about, **marks}, "initialize": about, "tools/list": {"tools": tools, **marks}}
results["tools/call"] = {**call, "resultType": "complete"}
class Answers(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.held = transport, b""
    def data_received(self, data):
        self.held += data
        head, found, body = self.held.partition(b"\\r\\n\\r\\n")
        if not found or len(body) < int(head.lower().split(b"content-length: ")[1].split(b"\\r")[0]):
            return
        self.held, asked = b"", json.loads(body)
        if "id" not in asked:
            self.transport.write(b"HTTP/1.1 202 Accepted\\r\\ncontent-length: 0\\r\\n\\r\\n")
            return
        answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}).encode()
        head = f"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: {len(answer)}\\r\\n\\r\\n"
        self.transport.write(head.encode() + answer)
async def main():
    server = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def _running() -> Generator[dict[str, Any]]:
    serve = ("-m", "envforge.cli.main", "serve", str(LIBRARY), "--uncertified", "--port", "0", "--json")
    with subprocess.Popen([sys.executable, *serve], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def server() -> Iterator[EpisodeServer]:
    with _running() as ready, EpisodeServer(ready["url"], ready["token"]) as client:
        yield client


@pytest.fixture(scope="module")
def episode(server: EpisodeServer) -> Iterator[RemoteEpisode]:
    with server.start() as started:
        yield started


@contextmanager
def _beside(script: str, episode: RemoteEpisode) -> Generator[str]:
    """URL of a server that answers with the same result as the library and does nothing else."""
    told = json.dumps(dict(episode.call(*CALL).body))
    with subprocess.Popen([sys.executable, "-c", script, told], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def bare(episode: RemoteEpisode) -> Iterator[str]:
    with _beside(BARE, episode) as url:
        yield url


@pytest.fixture(scope="module")
def ready_made(episode: RemoteEpisode) -> Iterator[str]:
    with _beside(READY_MADE, episode) as url:
        yield url


def test_ready(benchmark: Any) -> None:
    def start() -> None:
        with _running():
            pass

    benchmark.pedantic(start, rounds=3)


async def _times(url: str, mode: str) -> list[float]:
    """Seconds of each call of the official client over one connection."""
    async with Client(url, mode=mode) as client:
        await client.list_tools()
        times: list[float] = []
        for number in range(CALLS + 20):
            begun = time.perf_counter()
            assert not (await client.call_tool(*CALL)).is_error
            if number >= 20:
                times.append(time.perf_counter() - begun)
        return times


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_official_client(benchmark: Any, episode: RemoteEpisode, bare: str, ready_made: str, mode: str) -> None:
    """Median of a call, that on the bare server, and what is left when the server costs nothing."""
    found: dict[str, list[float]] = {episode.mcp_url: [], bare: [], ready_made: []}

    def in_turn() -> None:
        for url, times in found.items():
            times += asyncio.run(_times(url, mode))

    benchmark.pedantic(in_turn, rounds=3)
    _tell(benchmark, "ms", "bare ms", "client alone ms", found)


def test_a_bare_connection(benchmark: Any, episode: RemoteEpisode, bare: str) -> None:
    """The same calls by http.client: next to nothing on the client's side."""
    found: dict[str, list[float]] = {episode.mcp_url: [], bare: []}

    def in_turn() -> None:
        for url, times in found.items():
            times += _bare_times(url)

    benchmark.pedantic(in_turn, rounds=3)
    _tell(benchmark, "ms", "bare ms", "", found)


def _bare_times(url: str) -> list[float]:
    """Seconds of each call over one connection, in the form of the protocol of 2025."""
    place = urlsplit(url)
    accept = "application/json, text/event-stream"
    headers = {"accept": accept, "content-type": "application/json", "mcp-protocol-version": "2025-11-25"}
    call = {"name": CALL[0], "arguments": CALL[1]}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    times: list[float] = []
    with closing(HTTPConnection(str(place.hostname), place.port)) as connection:
        for number in range(CALLS + 20):
            begun = time.perf_counter()
            connection.request("POST", place.path, body, headers)
            answer = json.loads(connection.getresponse().read())
            if number >= 20:
                times.append(time.perf_counter() - begun)
            assert answer["result"]["isError"] is False
    return times


def _tell(benchmark: Any, ours: str, theirs: str, alone: str, found: dict[str, list[float]]) -> None:
    medians = [statistics.median(times) * 1000 for times in found.values()]
    told = {name: round(median, 2) for name, median in zip((ours, theirs, alone), medians, strict=False)}
    benchmark.extra_info.update({**told, "ratio": round(medians[0] / medians[1], 2)})


def test_our_client(benchmark: Any, episode: RemoteEpisode) -> None:
    assert benchmark.pedantic(lambda: episode.call(*CALL), rounds=CALLS, warmup_rounds=20).ok


def test_official_clients_at_once(benchmark: Any, server: EpisodeServer) -> None:
    """Calls per second of several clients, each on an episode of its own, all in one process beside the server."""
    episodes = [server.start() for _ in range(AT_ONCE)]

    async def play() -> None:
        await asyncio.gather(*(_times(one.mcp_url, "auto") for one in episodes))

    def all_of_them() -> float:
        begun = time.perf_counter()
        asyncio.run(play())
        return AT_ONCE * (CALLS + 20) / (time.perf_counter() - begun)

    benchmark.extra_info["calls per second"] = round(benchmark.pedantic(all_of_them, rounds=1))
    for one in episodes:
        one.close()
