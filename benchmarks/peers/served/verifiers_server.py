"""The toy on verifiers: a Toolset, which it starts once per rollout.

Without `from __future__ import annotations`: it reads the tools' signatures behind a wrapper, where texts mean nothing.
"""

import os
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from benchmarks.peers.sqlite_tools import Ledger


class LedgerToolset(vf.Toolset[vf.ToolsetConfig]):
    """A copy of the database and its tools."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """The rollout's database."""
        self._ledger = Ledger.of_file(Path(os.environ["LEDGER"]))

    @vf.tool
    def get_item(self, item_id: int) -> dict[str, Any]:
        """Retrieve an item."""
        return self._ledger.get_item(item_id)

    @vf.tool
    def get_entry(self, entry_id: int) -> dict[str, Any]:
        """Retrieve an entry."""
        return self._ledger.get_entry(entry_id)

    @vf.tool
    def list_items(
        self, supplier_id: int | None = None, page: str | None = None, page_size: int = 20
    ) -> dict[str, Any]:
        """List items."""
        return self._ledger.list_items(supplier_id, page, page_size)

    @vf.tool
    def list_entries(self, item_id: int | None = None, page: str | None = None, page_size: int = 20) -> dict[str, Any]:
        """List entries."""
        return self._ledger.list_entries(item_id, page, page_size)

    @vf.tool
    def create_entry(self, item_id: int, warehouse_id: int, kind: str, quantity: int, booked_on: str) -> dict[str, Any]:
        """Create an entry."""
        return self._ledger.create_entry(item_id, warehouse_id, kind, quantity, booked_on)

    @vf.tool
    def update_item(
        self, item_id: int, reorder_level: int | None = None, unit_price: float | None = None
    ) -> dict[str, Any]:
        """Update an item; only what is given changes."""
        return self._ledger.update_item(item_id, reorder_level, unit_price)


if __name__ == "__main__":
    LedgerToolset.run()
