"""The toy: a stock ledger of four tables, about one megabyte, the same rows for the same seed.

Standard library only, like everything here that runs in the interpreters of the peers too.
"""

from __future__ import annotations

import csv
import datetime
import random
import sqlite3
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE warehouses (
  warehouse_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, opened_on TEXT NOT NULL,
  docks INTEGER NOT NULL
);
CREATE TABLE suppliers (
  supplier_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, lead_days INTEGER NOT NULL
);
CREATE TABLE items (
  item_id INTEGER PRIMARY KEY, name TEXT NOT NULL, supplier_id INTEGER NOT NULL REFERENCES suppliers (supplier_id),
  unit TEXT NOT NULL, unit_price REAL NOT NULL, reorder_level INTEGER NOT NULL
);
CREATE INDEX items_supplier_id ON items (supplier_id);
CREATE TABLE entries (
  entry_id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL REFERENCES items (item_id),
  warehouse_id INTEGER NOT NULL REFERENCES warehouses (warehouse_id), kind TEXT NOT NULL, quantity INTEGER NOT NULL,
  booked_on TEXT NOT NULL
);
CREATE INDEX entries_item_id ON entries (item_id);
CREATE INDEX entries_warehouse_id ON entries (warehouse_id);
"""
COLUMNS = {
    "warehouses": ("warehouse_id", "name", "city", "opened_on", "docks"),
    "suppliers": ("supplier_id", "name", "country", "lead_days"),
    "items": ("item_id", "name", "supplier_id", "unit", "unit_price", "reorder_level"),
    "entries": ("entry_id", "item_id", "warehouse_id", "kind", "quantity", "booked_on"),
}
ITEMS, ENTRIES = 2_000, 15_000
KINDS = ("issue", "receipt", "return")
UNITS = ("box", "pallet", "piece")

_FIRST_DAY = datetime.date(2024, 1, 1)
_CITIES = ("Gdansk", "Porto", "Turku", "Leeds", "Graz", "Ghent", "Aarhus", "Bergen", "Brno", "Lyon", "Malaga", "Split")
_COUNTRIES = ("Austria", "Belgium", "Denmark", "Finland", "France", "Norway", "Poland", "Portugal", "Spain")
_FIRMS = ("Alder", "Beacon", "Cobalt", "Dover", "Ember", "Falcon", "Granite", "Harbour", "Juniper", "Keystone")
_TRADES = ("Fasteners", "Fittings", "Hardware", "Metals", "Plastics", "Timber")
_MATERIALS = ("brass", "bronze", "galvanised", "nylon", "oak", "stainless", "steel", "zinc")
_THINGS = ("anchor", "bolt", "bracket", "clamp", "coupling", "flange", "hinge", "nut", "pin", "screw", "washer")
_SIZES = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
_GOODS = tuple(f"{material} {thing} {size} mm" for material in _MATERIALS for thing in _THINGS for size in _SIZES)

Row = dict[str, Any]


def ledger_rows(seed: int = 0) -> dict[str, list[Row]]:
    """All rows, by table."""
    draw = random.Random(seed)
    suppliers = [_supplier(draw, number, name) for number, name in enumerate(_firms(), 1)]
    return {
        "warehouses": [_warehouse(draw, number, city) for number, city in enumerate(_CITIES, 1)],
        "suppliers": suppliers,
        "items": [_item(draw, number, len(suppliers)) for number in range(1, ITEMS + 1)],
        "entries": [_entry(draw, number) for number in range(1, ENTRIES + 1)],
    }


def write_csv(folder: Path, seed: int = 0) -> None:
    """A CSV file per table: what envforge mines."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, found in ledger_rows(seed).items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS[table], lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)


def write_sqlite(path: Path, seed: int = 0) -> None:
    """The same rows as a SQLite file: what the servers of the peers begin with."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    try:
        connection.executescript(SCHEMA)
        for table, found in ledger_rows(seed).items():
            marks = ", ".join(f":{column}" for column in COLUMNS[table])
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", found)
        connection.commit()
        connection.execute("VACUUM")
    finally:
        connection.close()


def _firms() -> list[str]:
    return [f"{firm} {trade}" for firm in _FIRMS for trade in _TRADES]


def _warehouse(draw: random.Random, number: int, city: str) -> Row:
    opened_on = _day(draw, 9_000, _FIRST_DAY - datetime.timedelta(days=9_000))
    docks = draw.randint(2, 14)
    return {"warehouse_id": number, "name": f"{city} depot", "city": city, "opened_on": opened_on, "docks": docks}


def _supplier(draw: random.Random, number: int, name: str) -> Row:
    country, lead_days = draw.choice(_COUNTRIES), draw.randint(2, 45)
    return {"supplier_id": number, "name": name, "country": country, "lead_days": lead_days}


def _item(draw: random.Random, number: int, suppliers: int) -> Row:
    return {
        "item_id": number,
        "name": f"{_GOODS[number % len(_GOODS)]}, pack of {10 * (1 + number // len(_GOODS))}",
        "supplier_id": draw.randint(1, suppliers),
        "unit": draw.choice(UNITS),
        "unit_price": draw.randrange(40, 9_000) / 100,
        "reorder_level": draw.randint(5, 200),
    }


def _entry(draw: random.Random, number: int) -> Row:
    return {
        "entry_id": number,
        "item_id": draw.randint(1, ITEMS),
        "warehouse_id": draw.randint(1, len(_CITIES)),
        "kind": draw.choice(KINDS),
        "quantity": draw.randint(1, 120),
        "booked_on": _day(draw, 360, _FIRST_DAY),
    }


def _day(draw: random.Random, days: int, first: datetime.date) -> str:
    return (first + datetime.timedelta(days=draw.randrange(days))).isoformat()
