"""agent-world-model's way: an episode is a copy of the database file and a server process of its own.

Its launcher (a second interpreter, which writes and starts the server's file) is left out, which favours it.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Answer
from benchmarks.peers.served.processes import KeptOpen, Server
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


@asynccontextmanager
async def _session(url: str) -> AsyncIterator[ClientSession]:
    async with streamable_http_client(url) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        yield session


class AwmEpisode:
    """A server process and a client session."""

    def __init__(self, template: Path, file: Path, log: Path, live: set[AwmEpisode]) -> None:
        self._template, self._file, self._log = template, file, log
        self._live = live
        self._server: Server | None = None
        self._held: KeptOpen[ClientSession] | None = None
        self._client: ClientSession | None = None

    async def begin(self) -> None:
        """Copy the database, start the server, connect."""
        self._live.add(self)
        shutil.copyfile(self._template, self._file)
        self._server = Server("awm_server", {"DATABASE_PATH": f"sqlite:///{self._file}"}, self._log)
        await self._server.listening()
        url = f"{self._server.url}/mcp"
        self._held = KeptOpen(lambda: _session(url))
        self._client = await self._held.client()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        assert self._client is not None
        result = await self._client.call_tool(tool, dict(arguments))
        if result.isError:
            raise RuntimeError(str(result.content))
        return json.loads(result.content[0].text)

    async def reset(self) -> None:
        """A fresh database file in a fresh server process."""
        await self.close()
        await self.begin()

    async def close(self) -> None:
        """End client and server."""
        self._live.discard(self)
        if self._held is not None:
            await self._held.close()
        if self._server is not None:
            await self._server.stop()
        self._file.unlink(missing_ok=True)


class AwmPeer:
    """Nothing is shared."""

    over = "MCP over HTTP"
    reset_by = "a new server process"
    threads = False
    openings = 2
    fresh = None

    def __init__(self, work: Path) -> None:
        self._work = work
        self._names = itertools.count()
        self._live: set[AwmEpisode] = set()

    async def start(self) -> None:
        """A place for the files."""
        (self._work / "awm").mkdir(exist_ok=True)

    async def open(self) -> AwmEpisode:
        """A server process."""
        file = self._work / "awm" / f"{next(self._names)}.sqlite"
        episode = AwmEpisode(self._work / "ledger.sqlite", file, self._work / "logs" / "awm.log", self._live)
        await episode.begin()
        return episode

    async def stop(self) -> None:
        """End what is left."""
        for episode in list(self._live):
            await episode.close()
        shutil.rmtree(self._work / "awm", ignore_errors=True)


def peer(work: Path) -> AwmPeer:
    """As the driver asks for it."""
    return AwmPeer(work)
