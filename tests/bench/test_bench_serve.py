"""`envforge serve`: time until it is ready, calls over connections that are kept open, beside a bare MCP server."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def bare(episode: RemoteEpisode) -> Iterator[str]:
    """URL of a server on the same library that answers with the same result and does nothing else."""
    told = json.dumps(dict(episode.call(*CALL).body))
    with subprocess.Popen([sys.executable, "-c", BARE, told], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        finally:
            process.terminate()


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
def test_official_client(benchmark: Any, episode: RemoteEpisode, bare: str, mode: str) -> None:
    """Median of a call, and how many times that of the bare server it is; both take turns."""
    found: dict[str, list[float]] = {episode.mcp_url: [], bare: []}

    def both() -> None:
        for url, times in found.items():
            times += asyncio.run(_times(url, mode))

    benchmark.pedantic(both, rounds=3)
    ours, theirs = (statistics.median(times) * 1000 for times in found.values())
    benchmark.extra_info.update({"ms": round(ours, 2), "bare ms": round(theirs, 2), "ratio": round(ours / theirs, 2)})


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
