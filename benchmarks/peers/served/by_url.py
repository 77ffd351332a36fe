"""Episodes of one MCP server that are told apart by their URL."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Generic, TypeVar

import httpx2
from benchmarks.peers.contract import Answer, CannotReset
from benchmarks.peers.served.processes import KeptOpen, Server

Client = TypeVar("Client", bound=AbstractAsyncContextManager[Any])
Call = Callable[[Client, str, dict[str, Any]], Awaitable[Answer]]
"""Calls a tool with a client. Whatever is no answer raises."""


class UrlEpisode(Generic[Client]):
    """A client of one episode's URL."""

    def __init__(
        self, url: str, held: KeptOpen[Client], client: Client, call: Call[Client], http: httpx2.AsyncClient
    ) -> None:
        self._url, self._held, self._client, self._call, self._http = url, held, client, call, http

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        return await self._call(self._client, tool, dict(arguments))

    async def reset(self) -> None:
        """The protocol has no such thing."""
        raise CannotReset

    async def close(self) -> None:
        """Close the client, drop the episode."""
        await self._held.close()
        (await self._http.delete(self._url)).raise_for_status()


class ByUrl(Generic[Client]):
    """One server for all episodes."""

    over = "MCP over HTTP"
    reset_by = "none: a new episode"
    threads = False
    openings = 8
    fresh = None

    def __init__(self, work: Path, name: str, client: Callable[[str], Client], call: Call[Client]) -> None:
        """`name`: of the peer, whose server is the module <name>_server; `client`: one for a URL."""
        self._work, self._name, self._client, self._call = work, name, client, call
        self._episodes = itertools.count()
        self._server: Server | None = None
        self._http = httpx2.AsyncClient()

    async def start(self) -> None:
        """The server."""
        environment = {"LEDGER": str(self._work / "ledger.sqlite")}
        self._server = Server(f"{self._name}_server", environment, self._work / "logs" / f"{self._name}.log")
        await self._server.listening()

    async def open(self) -> UrlEpisode[Client]:
        """A client with a URL of its own."""
        assert self._server is not None
        url = f"{self._server.url}/episodes/{next(self._episodes)}"
        held = KeptOpen(lambda: self._client(f"{url}/mcp"))
        return UrlEpisode(url, held, await held.client(), self._call, self._http)

    async def stop(self) -> None:
        """End the server."""
        await self._http.aclose()
        if self._server is not None:
            await self._server.stop()
