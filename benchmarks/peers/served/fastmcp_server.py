"""The toy on FastMCP: one server, the episode's name in the URL, a copy of the database per episode.

The protocol's newest version has no sessions, and FastMCP's own keep JSON values; a tool asks for the request instead.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.peers.sqlite_tools import Ledger
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_request
from starlette.requests import Request
from starlette.responses import Response

server = FastMCP("ledger")
template = Path(os.environ["LEDGER"]).read_bytes()
episodes: dict[str, Ledger] = {}


def ledger() -> Ledger:
    """The ledger of the request's episode."""
    name = get_http_request().path_params["episode"]
    if name not in episodes:
        episodes[name] = Ledger(template)
    return episodes[name]


@server.tool()
async def get_item(item_id: int) -> dict[str, Any]:
    """Retrieve an item."""
    return ledger().get_item(item_id)


@server.tool()
async def get_entry(entry_id: int) -> dict[str, Any]:
    """Retrieve an entry."""
    return ledger().get_entry(entry_id)


@server.tool()
async def list_items(supplier_id: int | None = None, page: str | None = None, page_size: int = 20) -> dict[str, Any]:
    """List items."""
    return ledger().list_items(supplier_id, page, page_size)


@server.tool()
async def list_entries(item_id: int | None = None, page: str | None = None, page_size: int = 20) -> dict[str, Any]:
    """List entries."""
    return ledger().list_entries(item_id, page, page_size)


@server.tool()
async def create_entry(item_id: int, warehouse_id: int, kind: str, quantity: int, booked_on: str) -> dict[str, Any]:
    """Create an entry."""
    return ledger().create_entry(item_id, warehouse_id, kind, quantity, booked_on)


@server.tool()
async def update_item(
    item_id: int, reorder_level: int | None = None, unit_price: float | None = None
) -> dict[str, Any]:
    """Update an item; only what is given changes."""
    return ledger().update_item(item_id, reorder_level, unit_price)


@server.custom_route("/episodes/{episode}", methods=["DELETE"])
async def drop(request: Request) -> Response:
    """End an episode."""
    gone = episodes.pop(request.path_params["episode"], None)
    if gone is not None:
        gone.close()
    return Response(status_code=204)


if __name__ == "__main__":
    server.run(
        transport="http",
        host="127.0.0.1",
        port=int(os.environ["PORT"]),
        path="/episodes/{episode}/mcp",
        json_response=True,
        log_level="warning",
        show_banner=False,
    )
