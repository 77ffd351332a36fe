"""envforge on the bench, as a server: `envforge serve`, asked by the MCP SDK's client or by its own plain one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.peers.contract import Answer, CannotReset, Episode, Peer
from benchmarks.peers.prepare import THEME
from benchmarks.peers.served.processes import KeptOpen
from mcp import Client

from envforge.world.client import EpisodeServer, RemoteEpisode


class McpEpisode:
    """An episode behind the official client."""

    def __init__(self, episode: RemoteEpisode, held: KeptOpen[Client], client: Client) -> None:
        self._episode, self._held, self._client = episode, held, client

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        told = await self._client.call_tool(tool, dict(arguments))
        if told.is_error or told.structured_content is None:
            raise RuntimeError(str(told.content))
        return cast("Answer", told.structured_content["result"])

    async def reset(self) -> None:
        """The server starts nothing over."""
        raise CannotReset

    async def close(self) -> None:
        """Close the client, end the episode."""
        await self._held.close()
        self._episode.close()


class PlainEpisode:
    """An episode behind our own client: its calls block."""

    def __init__(self, episode: RemoteEpisode) -> None:
        self._episode = episode

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        seen = self._episode.call(tool, arguments)
        if seen.result is None:
            raise RuntimeError(str(seen.error))
        return seen.result

    async def reset(self) -> None:
        """The server starts nothing over."""
        raise CannotReset

    async def close(self) -> None:
        """End the episode."""
        self._episode.close()


class ServedPeer:
    """A server with as many workers as cores."""

    reset_by = "none: a new episode"
    openings = 8
    fresh: Sequence[str] | None = None

    def __init__(self, work: Path, variant: str) -> None:
        self.over = "MCP over HTTP" if variant == "mcp" else "JSON over HTTP"
        self.threads = variant != "mcp"
        self._work = work
        self._process: subprocess.Popen[str] | None = None
        self._control: EpisodeServer | None = None

    async def start(self) -> None:
        """The server."""
        command = [sys.executable, "-m", "envforge.cli.main", "serve", THEME, "--workspace", str(self._work)]
        command += ["--port", "0", "--workers", str(len(os.sched_getaffinity(0))), "--json"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        if not line:
            raise RuntimeError(f"the server ended with {self._process.wait()}")
        ready = json.loads(line)
        self._control = EpisodeServer(ready["url"], ready["token"])

    async def open(self) -> Episode:
        """An episode and a client of it."""
        assert self._control is not None
        episode = self._control.start()
        if self.threads:
            return PlainEpisode(episode)
        held = KeptOpen(lambda: Client(episode.mcp_url))
        return McpEpisode(episode, held, await held.client())

    async def stop(self) -> None:
        """End the server."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.terminate()
            await asyncio.to_thread(self._process.communicate)


def peer(work: Path, variant: str) -> Peer:
    """As the driver asks for it."""
    return ServedPeer(work, variant)
