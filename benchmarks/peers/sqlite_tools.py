"""The six tools of the toy over the standard library's sqlite3: what OpenEnv, MCP, FastMCP and verifiers serve here.

They answer what the tools that envforge mined answer, to the byte. An episode is a copy of the database in memory
(`deserialize`), the quickest way to a fresh one that the standard library has.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

_SELECT_ENTRIES = """
SELECT entries.entry_id, entries.item_id, entries.warehouse_id, entries.kind, entries.quantity, entries.booked_on,
       items.name AS item_name, warehouses.name AS warehouse_name
FROM entries JOIN items USING (item_id) JOIN warehouses USING (warehouse_id)
"""
_SELECT_ITEMS = """
SELECT items.item_id, items.name, items.supplier_id, items.unit, items.unit_price, items.reorder_level,
       suppliers.name AS supplier_name
FROM items JOIN suppliers USING (supplier_id)
"""

Row = dict[str, Any]


class Ledger:
    """One episode's database and its tools."""

    def __init__(self, template: bytes) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.deserialize(template)
        self._connection.row_factory = sqlite3.Row

    @classmethod
    def of_file(cls, path: Path) -> Ledger:
        """A fresh copy of a SQLite file."""
        return cls(path.read_bytes())

    def get_item(self, item_id: int) -> Row:
        """One item."""
        return {"item": self._one("SELECT * FROM items WHERE item_id = ?", item_id, "item")}

    def get_entry(self, entry_id: int) -> Row:
        """One entry."""
        return {"entry": self._one("SELECT * FROM entries WHERE entry_id = ?", entry_id, "entry")}

    def list_items(self, supplier_id: int | None = None, page: str | None = None, page_size: int = 20) -> Row:
        """Items, by name, a page at a time."""
        where, values = ("WHERE items.supplier_id = ?", [supplier_id]) if supplier_id is not None else ("", [])
        return self._page(f"{_SELECT_ITEMS} {where} ORDER BY items.name, items.item_id", values, page, page_size)

    def list_entries(self, item_id: int | None = None, page: str | None = None, page_size: int = 20) -> Row:
        """Entries, oldest first, a page at a time."""
        where, values = ("WHERE entries.item_id = ?", [item_id]) if item_id is not None else ("", [])
        return self._page(f"{_SELECT_ENTRIES} {where} ORDER BY entries.entry_id", values, page, page_size)

    def create_entry(self, item_id: int, warehouse_id: int, kind: str, quantity: int, booked_on: str) -> Row:
        """A new entry."""
        self._one("SELECT * FROM items WHERE item_id = ?", item_id, "item")
        self._one("SELECT * FROM warehouses WHERE warehouse_id = ?", warehouse_id, "warehouse")
        sql = "INSERT INTO entries (item_id, warehouse_id, kind, quantity, booked_on) VALUES (?, ?, ?, ?, ?)"
        made = self._connection.execute(sql, (item_id, warehouse_id, kind, quantity, booked_on))
        return self.get_entry(int(made.lastrowid or 0))

    def update_item(self, item_id: int, reorder_level: int | None = None, unit_price: float | None = None) -> Row:
        """Change an item; only what is given changes."""
        self._one("SELECT * FROM items WHERE item_id = ?", item_id, "item")
        given = {"reorder_level": reorder_level, "unit_price": unit_price}
        for column, value in given.items():
            if value is not None:
                self._connection.execute(f"UPDATE items SET {column} = ? WHERE item_id = ?", (value, item_id))
        return self.get_item(item_id)

    def close(self) -> None:
        """Free it."""
        self._connection.close()

    def _one(self, sql: str, key: int, what: str) -> Row:
        found = self._connection.execute(sql, (key,)).fetchone()
        if found is None:
            raise ValueError(f"There is no {what} with {what} id {key}.")
        return dict(found)

    def _page(self, sql: str, values: list[Any], page: str | None, page_size: int) -> Row:
        offset = int(page.removeprefix("after-")) if page else 0
        found = self._connection.execute(f"{sql} LIMIT ? OFFSET ?", [*values, page_size + 1, offset]).fetchall()
        more = len(found) > page_size
        cursor = f"after-{offset + page_size}" if more else None
        return {"items": [dict(row) for row in found[:page_size]], "next_cursor": cursor, "has_more": more}


TOOLS = ("get_item", "get_entry", "list_items", "list_entries", "create_entry", "update_item")
