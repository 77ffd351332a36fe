from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from envforge.core.records.domain import BoundOperation, Domain

Infer = Callable[..., Domain]
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def record(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def described(make: Any, *, linked: bool = True, placed: bool = True) -> dict[str, str]:
    """People keep depots, depots have repairs with a number of their own; a depot is called by its keeper and name."""
    keeper, depot, number = (make.path_parameter(name) for name in ("keeper", "depot", "index"))
    number["schema"] = NUMBER
    schemas = {
        "User": record(id=NUMBER, login=TEXT, mail=TEXT, town=TEXT),
        "Depot": record(id=NUMBER, name=TEXT, town=TEXT, size=NUMBER, keeper=make.ref("User")),
        "Repair": record(id=NUMBER, number=NUMBER, title=TEXT, state=TEXT, depot=make.ref("Depot")),
        "Remark": record(id=NUMBER, text=TEXT, tone=TEXT, written=TEXT),
    }
    if not linked:
        del schemas["Depot"]["properties"]["keeper"]
    if not placed:
        del schemas["Repair"]["properties"]["depot"]
    both = [keeper, depot]
    paths: dict[str, Any] = {
        "/users": {"get": {"operationId": "listUsers", "responses": make.answer(make.many("User"))}},
        "/users/{id}/depots": {
            "parameters": [make.path_parameter("id", "integer")],
            "get": {"operationId": "listDepots", "responses": make.answer(make.many("Depot"))},
        },
        "/depots/{keeper}/{depot}": {
            "parameters": both,
            "get": {"operationId": "getDepot", "responses": make.answer(make.ref("Depot"))},
        },
        "/depots/{keeper}/{depot}/repairs": {
            "parameters": both,
            "get": {"operationId": "listRepairs", "responses": make.answer(make.many("Repair"))},
        },
        "/depots/{keeper}/{depot}/repairs/{index}": {
            "parameters": [*both, number],
            "get": {"operationId": "getRepair", "responses": make.answer(make.ref("Repair"))},
            "patch": {
                "operationId": "updateRepair",
                "requestBody": {"content": {"application/json": {"schema": make.ref("Repair")}}},
                "responses": make.answer(make.ref("Repair")),
            },
        },
        "/depots/{keeper}/{depot}/repairs/{index}/remarks": {
            "parameters": [*both, number],
            "get": {"operationId": "listRemarks", "responses": make.answer(make.many("Remark"))},
        },
    }
    return make.openapi(paths, schemas)


def way(operation: BoundOperation) -> list[tuple[str, str, str | None, str | None]]:
    return [(one.name, one.meaning, one.semantic, one.column) for one in operation.parameters]


def test_a_record_is_found_by_what_it_is_in_and_its_own_name_there(infer: Infer, make: Any) -> None:
    found = {op.id: op for op in infer(described(make)).operations}
    keeper = ("keeper", "scope", "user.login", "keeper_id")
    assert way(found["getDepot"]) == [keeper, ("depot", "key", "depot.name", "name")]
    depot = ("depot", "scope", "depot.name", "depot_id")
    assert way(found["listRepairs"]) == [keeper, depot]
    assert way(found["getRepair"]) == [keeper, depot, ("index", "key", "repair.number", "number")]
    assert way(found["listRemarks"]) == [keeper, depot, ("index", "scope", "repair.number", "repair_id")]
    assert all(found[name].addressed_by_parts for name in ("getDepot", "listRepairs", "getRepair", "listRemarks"))


def test_a_field_of_the_body_does_not_change_what_its_namesake_in_the_path_means(infer: Infer, make: Any) -> None:
    """Repairs hold their depot as a record; the path still calls it by its name."""
    found = {op.id: op for op in infer(described(make)).operations}
    assert way(found["updateRepair"])[:3] == way(found["getRepair"])


def test_what_a_path_begins_with_keeps_its_key(infer: Infer, make: Any) -> None:
    domain = infer(described(make))
    depots = next(op for op in domain.operations if op.id == "listDepots")
    assert [(one.meaning, one.semantic) for one in depots.parameters] == [("parent", "user.id")]


def test_half_of_a_name_that_leads_to_no_record_is_refused(infer: Infer, make: Any) -> None:
    domain = infer(described(make, linked=False))
    assert "getDepot" not in {op.id for op in domain.operations}
    refused = {one.id: one.reason for one in domain.rejected}
    assert refused["getDepot"] == "unbound_parameter"


def test_what_a_record_is_in_may_be_said_by_its_path_alone(infer: Infer, make: Any) -> None:
    plain, placed = infer(described(make, placed=False)), infer(described(make))
    ways = [{op.id: way(op) for op in domain.operations} for domain in (plain, placed)]
    assert ways[0] == ways[1]
    repairs = next(table for table in plain.tables if table.entity == "repair")
    holder = repairs.column("depot_id").references
    assert holder is not None and holder.table == "depots"


def test_a_chain_with_a_gap_is_no_chain(infer: Infer, make: Any) -> None:
    """Nothing in a tag says which depot wears it, so that the depot on the way to it finds nothing."""
    api = json.loads(described(make)["api.json"])
    api["components"]["schemas"]["Tag"] = record(id=NUMBER, name=TEXT, colour=TEXT, made=TEXT)
    keeper, depot, tag = (make.path_parameter(name) for name in ("keeper", "depot", "tag_id"))
    api["paths"]["/tags"] = {"get": {"operationId": "listTags", "responses": make.answer(make.many("Tag"))}}
    api["paths"]["/depots/{keeper}/{depot}/tags/{tag_id}"] = {
        "parameters": [keeper, depot, tag],
        "get": {"operationId": "getTag", "responses": make.answer(make.ref("Tag"))},
        "delete": {"operationId": "dropTag", "responses": {"204": {"description": "done"}}},
    }
    domain = infer({"api.json": json.dumps(api)})
    assert {one.id: one.reason for one in domain.rejected} == dict.fromkeys(("getTag", "dropTag"), "unbound_parameter")
    ways = [{op.id: way(op) for op in one.operations} for one in (domain, infer(described(make)))]
    assert ways[0] == ways[1] | {"listTags": []}
