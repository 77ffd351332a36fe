"""The interface of the toy as an OpenAPI description: what envforge builds its tools from, beside the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.peers.ledger import KINDS, UNITS

_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_DATE = {"type": "string", "format": "date"}
_SHAPES: dict[str, dict[str, dict[str, Any]]] = {
    "Warehouse": {"warehouse_id": _WHOLE, "name": _TEXT, "city": _TEXT, "opened_on": _DATE, "docks": _WHOLE},
    "Supplier": {"supplier_id": _WHOLE, "name": _TEXT, "country": _TEXT, "lead_days": _WHOLE},
    "Item": {
        "item_id": _WHOLE,
        "name": _TEXT,
        "supplier_id": _WHOLE,
        "unit": {"type": "string", "enum": list(UNITS)},
        "unit_price": {"type": "number"},
        "reorder_level": _WHOLE,
    },
    "Entry": {
        "entry_id": _WHOLE,
        "item_id": _WHOLE,
        "warehouse_id": _WHOLE,
        "kind": {"type": "string", "enum": list(KINDS)},
        "quantity": _WHOLE,
        "booked_on": _DATE,
    },
}
_COLLECTIONS = {"Warehouse": "warehouses", "Supplier": "suppliers", "Item": "items", "Entry": "entries"}
_FILTERS = {
    "Warehouse": ("city",),
    "Supplier": ("country",),
    "Item": ("supplier_id", "unit"),
    "Entry": ("item_id", "warehouse_id", "kind"),
}


def write_openapi(path: Path) -> None:
    """List, look up, create and update each of the four entities."""
    paths: dict[str, Any] = {}
    for entity, collection in _COLLECTIONS.items():
        key = f"{entity.lower()}_id"
        paths[f"/{collection}"] = {"get": _list(entity, collection), "post": _create(entity, key)}
        paths[f"/{collection}/{{{key}}}"] = {"get": _get(entity, key), "patch": _update(entity, key)}
    schemas = {name: {"type": "object", "required": list(f), "properties": f} for name, f in _SHAPES.items()}
    info = {"title": "Stock ledger", "version": "1"}
    document = {"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas}}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _list(entity: str, collection: str) -> dict[str, Any]:
    names = [*_FILTERS[entity], "page", "page_size"]
    query = [{"name": name, "in": "query", "schema": _SHAPES[entity].get(name, _WHOLE)} for name in names]
    page = {"type": "object", "properties": {"items": {"type": "array", "items": _shape(entity)}}}
    return _operation(f"list_{collection}", f"List {collection}", query, page)


def _get(entity: str, key: str) -> dict[str, Any]:
    return _operation(f"get_{entity.lower()}", f"Get one {entity.lower()}", [_in_path(key)], _shape(entity))


def _create(entity: str, key: str) -> dict[str, Any]:
    fields = {name: shape for name, shape in _SHAPES[entity].items() if name != key}
    body = {"type": "object", "properties": fields, "required": list(fields)}
    return _operation(f"create_{entity.lower()}", f"Create one {entity.lower()}", [], _shape(entity), body)


def _update(entity: str, key: str) -> dict[str, Any]:
    body = {"type": "object", "properties": {n: s for n, s in _SHAPES[entity].items() if n != key}}
    called, said = f"update_{entity.lower()}", f"Update one {entity.lower()}"
    return _operation(called, said, [_in_path(key)], _shape(entity), body)


def _operation(
    name: str,
    summary: str,
    parameters: list[dict[str, Any]],
    answer: dict[str, Any],
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    responses = {"200": {"description": "Done", "content": {"application/json": {"schema": answer}}}}
    said: dict[str, Any] = {"operationId": name, "summary": summary, "parameters": parameters, "responses": responses}
    if body is not None:
        said["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return said


def _in_path(key: str) -> dict[str, Any]:
    return {"name": key, "in": "path", "required": True, "schema": _WHOLE}


def _shape(entity: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{entity}"}
