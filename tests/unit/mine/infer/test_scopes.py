from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envforge.core.records.domain import Domain

Infer = Callable[..., Domain]
TEXT = {"type": "string"}


def paths(make: Any, *, listed: bool) -> dict[str, Any]:
    company = make.path_parameter("companyId")
    found: dict[str, Any] = {}
    for name in ("Bill", "Client", "Stock"):
        plural = f"{name.lower()}s"
        found[f"/companies/{{companyId}}/{plural}"] = {
            "parameters": [company],
            "get": {"operationId": f"list{name}s", "responses": make.answer(make.many(name))},
        }
        found[f"/companies/{{companyId}}/{plural}/{{id}}"] = {
            "parameters": [company, make.path_parameter("id")],
            "get": {"operationId": f"get{name}", "responses": make.answer(make.ref(name))},
        }
    if listed:
        found["/companies"] = {
            "get": {"operationId": "listCompanies", "responses": make.answer(make.many("Company"))},
        }
    return found


def schemas() -> dict[str, Any]:
    fields = {"id": TEXT, "name": TEXT, "city": TEXT, "note": TEXT}
    return {name: {"type": "object", "properties": fields} for name in ("Bill", "Client", "Stock", "Company")}


def test_a_tenant_that_nothing_answers_is_the_world_itself(infer: Infer, make: Any) -> None:
    domain = infer(make.openapi(paths(make, listed=False), schemas()))
    assert {op.name for op in domain.operations} == {
        "list_bills", "get_bill", "list_clients", "get_client", "list_stocks", "get_stock"
    }  # fmt: skip
    assert all(one.source_name != "companyId" for op in domain.operations for one in op.parameters)


def test_a_tenant_that_can_be_listed_is_a_record(infer: Infer, make: Any) -> None:
    domain = infer(make.openapi(paths(make, listed=True), schemas()))
    listing = next(op for op in domain.operations if op.name.startswith("list_bills"))
    assert [one.semantic for one in listing.parameters if one.meaning == "parent"] == ["company.id"]


def test_a_holder_in_mid_path_that_no_tool_finds_is_not_asked_for(infer: Infer, make: Any) -> None:
    device = {"type": "object", "properties": dict.fromkeys(("id", "name", "model", "state"), TEXT)}
    place = {"type": "object", "properties": dict.fromkeys(("id", "name"), TEXT)}
    described = {
        "/places": {"get": {"operationId": "listPlaces", "responses": make.answer(make.many("Place"))}},
        "/places/{placeId}/devices": {
            "parameters": [make.path_parameter("placeId")],
            "get": {"operationId": "listDevices", "responses": make.answer(make.many("Device"))},
        },
        "/places/{placeId}/devices/{deviceId}": {
            "parameters": [make.path_parameter("placeId"), make.path_parameter("deviceId")],
            "delete": {"operationId": "deleteDevice", "responses": {"204": {"description": "gone"}}},
        },
    }
    domain = infer(make.openapi(described, {"Device": device, "Place": place}))
    asked = {op.name: [one.name for one in op.parameters] for op in domain.operations}
    assert asked == {"list_devices": [], "delete_device": ["device_id"]}


def fleets(make: Any, *, found: bool) -> dict[str, Any]:
    """Half of the paths begin with a fleet; fleets are listed under owners, whom something lists or nothing does."""
    described = paths(make, listed=False)
    inside = {path.replace("companies/{companyId}", "fleets/{companyId}"): item for path, item in described.items()}
    lists = {"get": {"operationId": "listFleets", "responses": make.answer(make.many("Fleet"))}}
    inside["/owners/{ownerId}/fleets"] = {"parameters": [make.path_parameter("ownerId")], **lists}
    inside["/fleets/{companyId}"] = {
        "parameters": [make.path_parameter("companyId")],
        "get": {"operationId": "getFleet", "responses": make.answer(make.ref("Fleet"))},
    }
    owner = {"get": {"operationId": "getOwner", "responses": make.answer(make.ref("Owner"))}}
    inside["/owners/{ownerId}"] = {"parameters": [make.path_parameter("ownerId")], **owner}
    if found:
        inside["/owners"] = {"get": {"operationId": "listOwners", "responses": make.answer(make.many("Owner"))}}
    return inside


def test_a_holder_that_only_an_unlisted_one_lists_is_the_world_too(infer: Infer, make: Any) -> None:
    known = schemas()
    known |= {"Fleet": known["Bill"], "Owner": known["Client"]}
    asked: dict[bool, list[str]] = {}
    for found in (True, False):
        domain = infer(make.openapi(fleets(make, found=found), known))
        listing = next(op for op in domain.operations if op.name.startswith("list_bills"))
        asked[found] = [str(one.semantic) for one in listing.parameters]
    assert asked == {True: ["fleet.id"], False: []}
