from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envforge.core.records.domain import Domain

Infer = Callable[..., Domain]
TEXT = {"type": "string"}


def resource(kind: str, attributes: dict[str, Any], **relationships: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["id", "type"],
        "properties": {
            "type": {"type": "string", "enum": [kind]},
            "id": TEXT,
            "attributes": {"type": "object", "properties": attributes},
            "relationships": {"type": "object", "properties": relationships},
            "links": {"type": "object", "properties": {"self": TEXT}},
        },
    }


def pointer(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"type": {"type": "string", "enum": [kind]}, "id": TEXT}}


def to_one(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"data": pointer(kind)}}


def to_many(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"data": {"type": "array", "items": pointer(kind)}}}


def described(make: Any) -> dict[str, str]:
    words = {"name": TEXT, "state": TEXT, "size": {"type": "integer"}}
    schemas = {
        "Vessel": resource("vessels", words, harbour=to_one("harbours"), crews=to_many("crews")),
        "Harbour": resource("harbours", words),
        "Crew": resource("crews", words),
    }
    paths: dict[str, Any] = {}
    for name, plural in (("Vessel", "vessels"), ("Harbour", "harbours"), ("Crew", "crews")):
        page = {"type": "object", "properties": {"data": make.many(name), "links": {"type": "object"}}}
        paths[f"/v1/{plural}"] = {"get": {"operationId": f"list_{plural}", "responses": make.answer(page)}}
    body = resource("vessels", {"name": TEXT}, harbour=to_one("harbours"))
    paths["/v1/vessels"]["post"] = {
        "operationId": "create_vessel",
        "requestBody": make.body({"data": body}),
        "responses": make.answer({"type": "object", "properties": {"data": make.ref("Vessel")}}),
    }
    return make.openapi(paths, schemas)


def test_attributes_are_columns_and_relationships_are_references(infer: Infer, make: Any) -> None:
    domain = infer(described(make))
    vessel = domain.by_entity("vessel")
    assert {"id", "name", "state", "size", "harbour_id"} <= {column.name for column in vessel.columns}
    reference = vessel.column("harbour_id").references
    assert reference is not None
    assert reference.table == "harbours"
    assert any(table.kind == "link" and {c.name for c in table.columns} >= {"vessel_id"} for table in domain.tables)


def test_bodies_are_opened_as_well(infer: Infer, make: Any) -> None:
    created = next(op for op in infer(described(make)).operations if op.verb == "create")
    assert {one.name: one.meaning for one in created.parameters} == {"name": "column", "harbour_id": "column"}


def test_a_record_that_only_has_a_type_stays_as_it_is(infer: Infer, make: Any) -> None:
    plain = {
        "type": "object",
        "properties": {"id": TEXT, "type": TEXT, "attributes": TEXT, "colour": TEXT, "hue": TEXT},
    }
    paths = {"/stones": {"get": {"operationId": "list_stones", "responses": make.answer(make.many("Stone"))}}}
    domain = infer(make.openapi(paths, {"Stone": plain}))
    assert {"type", "attributes", "colour", "hue"} <= {column.name for column in domain.by_entity("stone").columns}
