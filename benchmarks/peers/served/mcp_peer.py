"""The MCP SDK: its server, its client, Streamable HTTP with JSON answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Answer
from benchmarks.peers.served.by_url import ByUrl
from mcp import Client


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> Answer:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(str(result.content))
    return result.structured_content


def peer(work: Path) -> ByUrl[Client]:
    """As the driver asks for it."""
    return ByUrl(work, "mcp", Client, _call)
