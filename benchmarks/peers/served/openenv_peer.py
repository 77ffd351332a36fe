"""OpenEnv: one server, a WebSocket session per episode, its generic client."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Answer
from benchmarks.peers.served.processes import Server
from openenv.core.generic_client import GenericEnvClient


class OpenEnvEpisode:
    """A session."""

    def __init__(self, client: GenericEnvClient) -> None:
        self._client = client

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Step with a tool call."""
        stepped = await self._client.step({"type": "call_tool", "tool_name": tool, "arguments": dict(arguments)})
        told = stepped.observation
        if told.get("error"):
            raise RuntimeError(str(told["error"]))
        return told["result"]["structured_content"]

    async def reset(self) -> None:
        """As its protocol has it."""
        await self._client.reset()

    async def close(self) -> None:
        """Close the session."""
        await self._client.close()


class OpenEnvPeer:
    """One server for all episodes."""

    over = "WebSocket"
    reset_by = "reset()"
    threads = False
    openings = 8
    fresh = None

    def __init__(self, work: Path) -> None:
        self._work = work
        self._server: Server | None = None

    async def start(self) -> None:
        """The server."""
        environment = {"LEDGER": str(self._work / "ledger.sqlite"), "ENABLE_WEB_INTERFACE": "false"}
        self._server = Server("openenv_server", environment, self._work / "logs" / "openenv.log")
        await self._server.listening()

    async def open(self) -> OpenEnvEpisode:
        """Connect, and reset as a rollout does first."""
        assert self._server is not None
        client = GenericEnvClient(base_url=self._server.url)
        await client.connect()
        await client.reset()
        return OpenEnvEpisode(client)

    async def stop(self) -> None:
        """End the server."""
        if self._server is not None:
            await self._server.stop()


def peer(work: Path) -> OpenEnvPeer:
    """As the driver asks for it."""
    return OpenEnvPeer(work)
