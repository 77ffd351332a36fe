"""FastMCP: its server, its client, Streamable HTTP with JSON answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
from benchmarks.peers.contract import Answer, CannotReset
from benchmarks.peers.served.processes import KeptOpen, Server
from fastmcp import Client


class FastMcpEpisode:
    """A client of one episode's URL."""

    def __init__(self, url: str, held: KeptOpen[Client], client: Client, http: httpx2.AsyncClient) -> None:
        self._url, self._held, self._client, self._http = url, held, client, http

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool; what is an error raises."""
        return (await self._client.call_tool(tool, dict(arguments))).structured_content

    async def reset(self) -> None:
        """The protocol has no such thing."""
        raise CannotReset

    async def close(self) -> None:
        """Close the client, drop the episode."""
        await self._held.close()
        (await self._http.delete(self._url)).raise_for_status()


class FastMcpPeer:
    """One server for all episodes."""

    over = "MCP over HTTP"
    reset_by = "none: a new episode"
    threads = False
    openings = 8
    fresh = None

    def __init__(self, work: Path) -> None:
        self._work = work
        self._names = itertools.count()
        self._server: Server | None = None
        self._http = httpx2.AsyncClient()

    async def start(self) -> None:
        """The server."""
        environment = {"LEDGER": str(self._work / "ledger.sqlite")}
        self._server = Server("fastmcp_server", environment, self._work / "logs" / "fastmcp.log")
        await self._server.listening()

    async def open(self) -> FastMcpEpisode:
        """A client with a URL of its own."""
        assert self._server is not None
        url = f"{self._server.url}/episodes/{next(self._names)}"
        held = KeptOpen(lambda: Client(f"{url}/mcp"))
        return FastMcpEpisode(url, held, await held.client(), self._http)

    async def stop(self) -> None:
        """End the server."""
        await self._http.aclose()
        if self._server is not None:
            await self._server.stop()


def peer(work: Path) -> FastMcpPeer:
    """As the driver asks for it."""
    return FastMcpPeer(work)
