"""verifiers: a tool server per rollout, as `Task.toolsets` has it, and the connection that its harnesses use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from benchmarks.peers.contract import Answer, CannotReset
from benchmarks.peers.served.processes import KeptOpen
from benchmarks.peers.served.verifiers_server import LedgerToolset
from verifiers.v1.harnesses.utils.mcp import MCPConnection
from verifiers.v1.mcp import serve


class VerifiersEpisode:
    """A tool server and a connection to it."""

    def __init__(self, held: KeptOpen[str], url: str, live: set[VerifiersEpisode]) -> None:
        self._held = held
        self._live = live
        live.add(self)
        self._connection = MCPConnection({"url": url})

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        result = await self._connection.run(lambda client: client.call_tool(tool, dict(arguments)))
        if result.is_error:
            raise RuntimeError(str(result.content))
        return result.structured_content

    async def reset(self) -> None:
        """A rollout gets a server of its own; nothing starts one over."""
        raise CannotReset

    async def close(self) -> None:
        """Close the connection, end the server."""
        self._live.discard(self)
        await self._connection.aclose()
        await self._held.close()


class VerifiersPeer:
    """Nothing is shared."""

    over = "MCP over HTTP"
    reset_by = "none: a new tool server"
    threads = False
    openings = 4
    fresh = None

    def __init__(self, work: Path) -> None:
        os.environ["LEDGER"] = str(work.resolve() / "ledger.sqlite")
        self._live: set[VerifiersEpisode] = set()

    async def start(self) -> None:
        """Nothing."""

    async def open(self) -> VerifiersEpisode:
        """A tool server."""
        held = KeptOpen(lambda: serve(LedgerToolset(vf.ToolsetConfig())))
        return VerifiersEpisode(held, await held.client(), self._live)

    async def stop(self) -> None:
        """End what is left."""
        for episode in list(self._live):
            await episode.close()


def peer(work: Path) -> VerifiersPeer:
    """As the driver asks for it."""
    return VerifiersPeer(work)
