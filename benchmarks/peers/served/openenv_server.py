"""The toy on OpenEnv: an MCPEnvironment per WebSocket session, each with tools of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import uvicorn
from benchmarks.peers.sqlite_tools import Ledger
from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Action, Observation, State

TEMPLATE = Path(os.environ["LEDGER"]).read_bytes()


class LedgerEnvironment(MCPEnvironment):
    """A copy of the database and its tools."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        self._ledger = Ledger(TEMPLATE)
        self._episode_id: str | None = None
        tools = FastMCP("ledger")
        for tool in (self.get_item, self.get_entry, self.list_items, self.list_entries, self.create_entry):
            tools.tool(tool)
        tools.tool(self.update_item)
        super().__init__(tools)

    async def get_item(self, item_id: int) -> dict[str, Any]:
        """Retrieve an item."""
        return self._ledger.get_item(item_id)

    async def get_entry(self, entry_id: int) -> dict[str, Any]:
        """Retrieve an entry."""
        return self._ledger.get_entry(entry_id)

    async def list_items(
        self, supplier_id: int | None = None, page: str | None = None, page_size: int = 20
    ) -> dict[str, Any]:
        """List items."""
        return self._ledger.list_items(supplier_id, page, page_size)

    async def list_entries(
        self, item_id: int | None = None, page: str | None = None, page_size: int = 20
    ) -> dict[str, Any]:
        """List entries."""
        return self._ledger.list_entries(item_id, page, page_size)

    async def create_entry(
        self, item_id: int, warehouse_id: int, kind: str, quantity: int, booked_on: str
    ) -> dict[str, Any]:
        """Create an entry."""
        return self._ledger.create_entry(item_id, warehouse_id, kind, quantity, booked_on)

    async def update_item(
        self, item_id: int, reorder_level: int | None = None, unit_price: float | None = None
    ) -> dict[str, Any]:
        """Update an item; only what is given changes."""
        return self._ledger.update_item(item_id, reorder_level, unit_price)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **more: Any) -> Observation:
        """A fresh copy of the database."""
        self._ledger.close()
        self._ledger = Ledger(TEMPLATE)
        self._episode_id = episode_id
        return Observation(done=False, reward=0.0)

    @property
    def state(self) -> State:
        """Which episode this is."""
        return State(episode_id=self._episode_id, step_count=0)

    def close(self) -> None:
        """Free the database."""
        self._ledger.close()
        super().close()

    def _step_impl(self, action: Action, timeout_s: float | None = None, **more: Any) -> Observation:
        raise ValueError(f"only tools can be called, not {type(action).__name__}")


app = create_app(LedgerEnvironment, CallToolAction, CallToolObservation, env_name="ledger", max_concurrent_envs=1_000)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
