"""The toy on the MCP SDK: one server, the episode's name in the URL, a copy of the database per episode.

The protocol's newest version has no sessions; the SDK hands a tool the request, and the request its path.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import uvicorn
from benchmarks.peers.sqlite_tools import Ledger
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response

server = MCPServer("ledger")
template = Path(os.environ["LEDGER"]).read_bytes()
episodes: dict[str, Ledger] = {}


def of(context: Context) -> Ledger:
    """The ledger of the request's episode."""
    name = context.request_context.request.path_params["episode"]
    if name not in episodes:
        episodes[name] = Ledger(template)
    return episodes[name]


@server.tool()
async def get_item(item_id: int, context: Context) -> dict[str, Any]:
    """Retrieve an item."""
    return of(context).get_item(item_id)


@server.tool()
async def get_entry(entry_id: int, context: Context) -> dict[str, Any]:
    """Retrieve an entry."""
    return of(context).get_entry(entry_id)


@server.tool()
async def list_items(
    context: Context, supplier_id: int | None = None, page: str | None = None, page_size: int = 20
) -> dict[str, Any]:
    """List items."""
    return of(context).list_items(supplier_id, page, page_size)


@server.tool()
async def list_entries(
    context: Context, item_id: int | None = None, page: str | None = None, page_size: int = 20
) -> dict[str, Any]:
    """List entries."""
    return of(context).list_entries(item_id, page, page_size)


@server.tool()
async def create_entry(
    item_id: int, warehouse_id: int, kind: str, quantity: int, booked_on: str, context: Context
) -> dict[str, Any]:
    """Create an entry."""
    return of(context).create_entry(item_id, warehouse_id, kind, quantity, booked_on)


@server.tool()
async def update_item(
    item_id: int, context: Context, reorder_level: int | None = None, unit_price: float | None = None
) -> dict[str, Any]:
    """Update an item; only what is given changes."""
    return of(context).update_item(item_id, reorder_level, unit_price)


@server.custom_route("/episodes/{episode}", methods=["DELETE"])
async def drop(request: Request) -> Response:
    """End an episode."""
    ledger = episodes.pop(request.path_params["episode"], None)
    if ledger is not None:
        ledger.close()
    return Response(status_code=204)


if __name__ == "__main__":
    app = server.streamable_http_app(
        streamable_http_path="/episodes/{episode}/mcp",
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
