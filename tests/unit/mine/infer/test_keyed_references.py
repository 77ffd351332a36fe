"""A field that names an entity together with its key refers to it: `room_sid`, where rooms have a `sid`."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.mine.infer.conftest import Infer

from envforge.core.records.domain import Domain


def specification(key: str) -> dict[str, str]:
    """Rooms and the notes in them, told apart by `key`; a note says its room by `room_<key>`."""

    def listed(name: str) -> dict[str, Any]:
        schema = {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}
        return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}

    text = {"type": "string"}
    schemas = {
        "Room": {
            "type": "object",
            "required": [key],
            "properties": {key: text, "title": text, "floor": text, "seats": text},
        },
        "Note": {
            "type": "object",
            "required": [key],
            "properties": {key: text, f"room_{key}": text, "words": text, "color": text, "shape": text},
        },
    }
    paths: dict[str, Any] = {}
    for name, plural in (("Room", "rooms"), ("Note", "notes")):
        one = {"name": key, "in": "path", "required": True, "schema": text}
        single = {
            "200": {
                "description": "",
                "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
            }
        }
        paths[f"/{plural}"] = {"get": {"operationId": f"list{name}s", "responses": listed(name)}}
        paths[f"/{plural}/{{{key}}}"] = {"get": {"operationId": f"get{name}", "parameters": [one], "responses": single}}
    document = {
        "openapi": "3.0.3", "info": {"title": "Rooms", "version": "1"},
        "paths": paths, "components": {"schemas": schemas},
    }  # fmt: skip
    return {"rooms.json": json.dumps(document)}


def referred(domain: Domain, column: str) -> str | None:
    notes = next(table for table in domain.tables if table.name == "notes")
    found = next((one for one in notes.columns if one.name == column), None)
    return found.references.table if found is not None and found.references is not None else None


def test_the_key_of_the_other_record_makes_a_reference(infer: Infer) -> None:
    assert referred(infer(specification("sid")), "room_sid") == "rooms"


def test_a_word_that_only_describes_makes_none(infer: Infer) -> None:
    """`room_name` may be a copy of a name; names tell rooms apart only where there is nothing better."""
    assert referred(infer(specification("name")), "room_name") is None
