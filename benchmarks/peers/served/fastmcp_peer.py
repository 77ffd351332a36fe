"""FastMCP: its server, its client, Streamable HTTP with JSON answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Answer
from benchmarks.peers.served.by_url import ByUrl
from fastmcp import Client


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> Answer:
    return (await client.call_tool(tool, arguments)).structured_content  # what is an error raises


def peer(work: Path) -> ByUrl[Client]:
    """As the driver asks for it."""
    return ByUrl(work, "fastmcp", Client, _call)
