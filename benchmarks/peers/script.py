"""The calls that every peer makes, and what each must answer: worked out from the rows, not asked of a database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from benchmarks.peers.contract import Answer
from benchmarks.peers.ledger import ENTRIES, ITEMS, Row, ledger_rows

FIRST_TOOL, FIRST_ARGUMENTS = "get_item", {"item_id": 1}
WAREHOUSE = 3
PAGE = 20
_ITEM_STEP, _CLIENT_STEP = 37, 101
"""How far apart the items of two rounds and of two clients are: each client goes through all of them."""


class WrongAnswer(Exception):
    """A peer answered something else than the rows say."""


@dataclass(frozen=True)
class Rows:
    """The rows at the start, as the calls ask for them."""

    seed: int = 0

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """All tables."""
        return ledger_rows(self.seed)

    @cached_property
    def items(self) -> dict[int, Row]:
        """Items by key."""
        return {row["item_id"]: row for row in self.tables["items"]}

    @cached_property
    def entries(self) -> dict[int, list[Row]]:
        """Entries by item, oldest first."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.tables["entries"]:
            found[row["item_id"]].append(row)
        return dict(found)

    @cached_property
    def pages(self) -> dict[int, list[Row]]:
        """Items by supplier, in the order of a page."""
        names = {row["supplier_id"]: row["name"] for row in self.tables["suppliers"]}
        found: dict[int, list[Row]] = defaultdict(list)
        for row in sorted(self.tables["items"], key=lambda row: (row["name"], row["item_id"])):
            found[row["supplier_id"]].append({**row, "supplier_name": names[row["supplier_id"]]})
        return dict(found)

    @cached_property
    def warehouses(self) -> dict[int, str]:
        """Names by key."""
        return {row["warehouse_id"]: row["name"] for row in self.tables["warehouses"]}


@dataclass(frozen=True)
class Call:
    """A call and its answer. `kind` is what the figures name it."""

    kind: str
    tool: str
    arguments: Mapping[str, Any]
    expected: Answer

    def check(self, answer: Answer) -> None:
        """Raises WrongAnswer."""
        if answer != self.expected:
            said = f"{self.tool} {dict(self.arguments)} answered {answer!r}, not {self.expected!r}"
            raise WrongAnswer(said[:2_000])


@dataclass
class Script:
    """The calls of one client, and what it has written so far. A reset needs a new script."""

    rows: Rows
    client: int = 0
    levels: dict[int, int] = field(default_factory=dict[int, int])
    made: list[Row] = field(default_factory=list[Row])
    turn: int = 0

    def first(self) -> Call:
        """The call that a fresh episode is asked first."""
        return self._get_item("select", FIRST_ARGUMENTS["item_id"])

    def round(self) -> Iterator[Call]:
        """Seven calls of five kinds: by key, a filtered page, insert, update, and one that needs another's answer."""
        item_id = self._item(self.turn)
        self.turn += 1
        yield self._get_item("select", item_id)
        yield self._list_items(self.rows.items[item_id]["supplier_id"])
        yield self.create(item_id)
        yield self.update(item_id)
        yield self._get_item("select", item_id)
        listed = self._list_entries(item_id)
        yield listed
        last = listed.expected["items"][-1]
        details = {name: value for name, value in last.items() if not name.endswith("_name")}
        yield Call("two-step", "get_entry", {"entry_id": last["entry_id"]}, {"entry": details})

    def create(self, item_id: int) -> Call:
        """Insert an entry."""
        fields = {"item_id": item_id, "warehouse_id": WAREHOUSE, "kind": "receipt"}
        fields |= {"quantity": 1 + self.client, "booked_on": "2025-01-02"}
        row = {"entry_id": ENTRIES + 1 + len(self.made), **fields}
        self.made.append(row)
        return Call("insert", "create_entry", fields, {"entry": row})

    def update(self, item_id: int) -> Call:
        """Change an item to what no other client writes."""
        self.levels[item_id] = 1_000 * (self.client + 1) + self.turn
        arguments = {"item_id": item_id, "reorder_level": self.levels[item_id]}
        return Call("update", "update_item", arguments, {"item": self._now(item_id)})

    def read_back(self, item_id: int) -> Iterator[Call]:
        """What must be seen of an item and its entries now: this client's writes, and nobody else's."""
        yield self._get_item("select", item_id)
        yield self._list_entries(item_id, page_size=50)

    def _item(self, turn: int) -> int:
        return 1 + (self.client * _CLIENT_STEP + turn * _ITEM_STEP) % ITEMS

    def _now(self, item_id: int) -> Row:
        row = self.rows.items[item_id]
        return {**row, "reorder_level": self.levels.get(item_id, row["reorder_level"])}

    def _get_item(self, kind: str, item_id: int) -> Call:
        return Call(kind, "get_item", {"item_id": item_id}, {"item": self._now(item_id)})

    def _list_items(self, supplier_id: int) -> Call:
        found = self.rows.pages[supplier_id]
        items = [
            {**row, "reorder_level": self.levels.get(row["item_id"], row["reorder_level"])} for row in found[:PAGE]
        ]
        return Call("page", "list_items", {"supplier_id": supplier_id, "page_size": PAGE}, _page(items, len(found)))

    def _list_entries(self, item_id: int, page_size: int = 5) -> Call:
        found = [*self.rows.entries.get(item_id, []), *(row for row in self.made if row["item_id"] == item_id)]
        named = {"item_name": self.rows.items[item_id]["name"]}
        items = [
            {**row, **named, "warehouse_name": self.rows.warehouses[row["warehouse_id"]]} for row in found[:page_size]
        ]
        arguments = {"item_id": item_id, "page_size": page_size}
        return Call("two-step", "list_entries", arguments, _page(items, len(found), page_size))


def _page(items: list[Row], found: int, page_size: int = PAGE) -> Answer:
    more = found > page_size
    return {"items": items, "next_cursor": f"after-{page_size}" if more else None, "has_more": more}
