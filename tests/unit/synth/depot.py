"""A depot whose tools tempt: lists that cut titles, filters that match parts of names, a tally that leaves some out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA = """CREATE TABLE depots (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL) STRICT;
CREATE TABLE parcels (
  id TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  weight INTEGER NOT NULL,
  depot_id TEXT NOT NULL REFERENCES depots (id),
  note TEXT
) STRICT;
"""
DEPOTS = """id,name,city
dep-1,North,Aldby
dep-2,Northgate,Aldby
dep-3,Quay,Bexholm
"""
STATES = ("waiting", "collected", "waiting", "cancelled")
TITLES = ("Lamp", "Kettle with a long lead", "Bookshelf, unassembled", "Rug")


def parcels() -> str:
    """Twelve of North and Quay in turn, one of Northgate."""
    lines = ["id,title,status,weight,depot_id,note"]
    for number in range(12):
        title, state = TITLES[number % 4], STATES[number // 2 % 4]
        lines.append(f'par-{number:02d},"{title}",{state},{100 + number},{("dep-1", "dep-3")[number % 2]},')
    return "\n".join([*lines, "par-90,Crate,waiting,500,dep-2,"]) + "\n"


TOOLS = '''"""Tools of a depot."""

from __future__ import annotations

from envforge.world.api import ToolError, World

_WHERE = (
    " FROM parcels p JOIN depots d ON d.id = p.depot_id WHERE (:status IS NULL OR p.status = :status)"
    " AND (:depot_id IS NULL OR p.depot_id = :depot_id) AND (:depot_name IS NULL OR d.name LIKE :depot_name || '%')"
)


def list_parcels(
    world: World,
    status: str | None = None,
    depot_id: str | None = None,
    depot_name: str | None = None,
    limit: int = 2,
    cursor: str | None = None,
) -> dict:
    given = {"status": status, "depot_id": depot_id, "depot_name": depot_name}
    start = int(cursor or 0)
    sql = "SELECT p.id, substr(p.title, 1, 12) AS title, p.status, p.weight, p.depot_id" + _WHERE
    rows = world.query(sql + " ORDER BY p.id LIMIT :n OFFSET :start", {**given, "n": limit + 1, "start": start})
    following = str(start + limit) if len(rows) > limit else None
    return {"items": rows[:limit], "next_cursor": following}


def get_parcel(world: World, parcel_id: str) -> dict:
    rows = world.query("SELECT * FROM parcels WHERE id = ?", (parcel_id,))
    if not rows:
        raise ToolError("not_found", f"There is no parcel {parcel_id}.", "list_parcels shows them.")
    return {"parcel": rows[0]}


def find_depots(world: World, name: str) -> dict:
    return {"items": world.query("SELECT id, name FROM depots WHERE name = ?", (name,))}


def list_depots(world: World) -> dict:
    return {"items": world.query("SELECT id, name, city FROM depots ORDER BY id")}


def get_depot(world: World, depot_id: str) -> dict:
    return {"depot": world.query("SELECT * FROM depots WHERE id = ?", (depot_id,))[0]}


def count_parcels(world: World, status: str | None = None, depot_id: str | None = None) -> dict:
    given = {"status": status, "depot_id": depot_id, "depot_name": None}
    return {"count": world.query("SELECT count(*) AS n" + _WHERE, given)[0]["n"]}


def tally_parcels(world: World, status: str | None = None, depot_id: str | None = None) -> dict:
    given = {"status": status, "depot_id": depot_id, "depot_name": None}
    return {"tally": world.query("SELECT count(*) AS n" + _WHERE + " AND p.status <> 'cancelled'", given)[0]["n"]}


def collect_parcel(world: World, parcel_id: str) -> dict:
    world.execute("UPDATE parcels SET status = 'collected' WHERE id = ?", (parcel_id,))
    return {"collected": parcel_id}
'''
_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_STATE: dict[str, Any] = {"type": ["string", "null"], "enum": ["waiting", "collected", "cancelled", None]}
_KEY: dict[str, Any] = {"type": "string"}
_PARCEL = ("id", "title", "status", "weight", "depot_id")
_WANTED: dict[str, Any] = {"status": _STATE, "depot_id": _TEXT}
_ITEMS: dict[str, Any] = {"items": {"type": "array", "items": {"type": "object"}}}


def _tool(name: str, parameters: dict[str, Any], returns: dict[str, Any], **more: Any) -> dict[str, Any]:
    verb, _, entity = name.partition("_")
    required = [key for key, schema in parameters.items() if schema["type"] == "string"]
    kinds = {"parcel_id": "parcel.id", "depot_id": "depot.id"}
    return {
        "name": name,
        "verb": {"find": "search", "count": "aggregate", "tally": "aggregate", "collect": "update"}.get(verb, verb),
        "entity": entity.removesuffix("s"),
        "description": name.replace("_", " ").capitalize() + ".",
        "parameters": {
            "type": "object",
            "properties": parameters,
            "required": required,
            "additionalProperties": False,
        },
        "returns": {"type": "object", "properties": returns},
        "reads": ["parcels", "depots"],
        "writes": ["parcels"] if verb == "collect" else [],
        "consumes": {key: kind for key, kind in kinds.items() if key in parameters},
        "produces": more.get("produces", {}),
        "annotations": {
            "readOnlyHint": verb != "collect",
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def specs() -> list[dict[str, Any]]:
    """tools.json."""
    paging: dict[str, Any] = {"limit": {"type": "integer", "default": 2, "maximum": 5}, "cursor": _TEXT}
    listed = {"items[].id": "parcel.id", "items[].depot_id": "depot.id"}
    shown = {"items[].id": "depot.id"}
    return [
        _tool(
            "list_parcels",
            {**_WANTED, "depot_name": _TEXT, **paging},
            {**_ITEMS, "next_cursor": _TEXT},
            produces=listed,
        ),
        _tool("get_parcel", {"parcel_id": _KEY}, {"parcel": {"type": "object"}}, produces={"parcel.id": "parcel.id"}),
        _tool("find_depots", {"name": _KEY}, _ITEMS, produces=shown),
        _tool("list_depots", {}, _ITEMS, produces=shown),
        _tool("get_depot", {"depot_id": _KEY}, {"depot": {"type": "object"}}, produces={"depot.id": "depot.id"}),
        _tool("count_parcels", _WANTED, {"count": {"type": "integer"}}),
        _tool("tally_parcels", _WANTED, {"tally": {"type": "integer"}}),
        _tool("collect_parcel", {"parcel_id": _KEY}, {"collected": _TEXT}),
    ]


def write(folder: Path) -> Path:
    """The environment's folder."""
    (folder / "data").mkdir(parents=True)
    manifest: dict[str, Any] = {
        "id": "depot",
        "theme": "depot",
        "family": "depot-000000000000",
        "database_seed": 0,
        "title": "A depot",
        "licence": "CC0-1.0",
        "sources": [],
        "clock": {"epoch": "2024-03-01T09:00:00Z", "step_seconds": 60},
        "ids": {"depots": {"kind": "uuid"}, "parcels": {"kind": "uuid"}},
        "authors": {"tools": "hand"},
        "grounding": "spec",
    }
    files = {
        "environment.json": json.dumps(manifest),
        "schema.sql": SCHEMA,
        "tools.py": TOOLS,
        "tools.json": json.dumps(specs()),
        "data/depots.csv": DEPOTS,
        "data/parcels.csv": parcels(),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
