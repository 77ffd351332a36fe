"""Ids that a description states in its paths, its lists or its answers' examples, and not where one looks first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.records.domain import Domain
from envforge.mine.infer.standing import standing

Infer = Callable[..., Domain]
TEXT = {"type": "string"}
GONE = {"204": {"description": "gone"}}


def record(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT)}


def collection(make: Any, word: str, parameter: str, schema: str) -> dict[str, Any]:
    """A list, one record read and one deleted."""
    return {
        f"/{word}": {"get": {"operationId": f"list_{word}", "responses": make.answer(make.many(schema))}},
        f"/{word}/{{{parameter}}}": {
            "parameters": [make.path_parameter(parameter)],
            "get": {"operationId": f"get_{word}", "responses": make.answer(make.ref(schema))},
            "delete": {"operationId": f"delete_{word}", "responses": GONE},
        },
    }


def entities(domain: Domain) -> set[str]:
    return {table.entity for table in domain.tables if table.kind == "entity"}


@pytest.mark.parametrize(("address", "known"), [("uri", True), ("href", True), ("remark", False)])
def test_a_record_with_an_address_has_the_id_that_its_path_asks_for(
    infer: Infer, make: Any, address: str, known: bool
) -> None:
    schemas = {"Reel": record(address, "name", "length", "mood")}
    domain = infer(make.openapi(collection(make, "reels", "reel_number", "Reel"), schemas))
    assert entities(domain) == ({"reel"} if known else set())
    if known:
        assert domain.by_entity("reel").primary_key == ("id",)
        deleting = next(op for op in domain.operations if op.verb == "delete")
        assert [(one.name, one.semantic) for one in deleting.parameters] == [("reel_number", "reel.id")]


@pytest.mark.parametrize(("said", "known"), [("Resource name.", True), ("What the reel is called.", False)])
def test_a_name_that_is_an_address_holds_the_id_that_the_path_asks_for(
    infer: Infer, make: Any, said: str, known: bool
) -> None:
    reel = record("name", "title", "length", "mood")
    reel["properties"] = {**reel["properties"], "name": {"type": "string", "description": said}}
    domain = infer(make.openapi(collection(make, "reels", "reel_number", "Reel"), {"Reel": reel}))
    assert entities(domain) == ({"reel"} if known else set())


def test_what_only_a_list_shows_is_keyed_by_what_paths_below_it_ask_for(infer: Infer, make: Any) -> None:
    schemas = {"HarbourBerthLookup": record("harbourBerthId", "name", "depth", "side")}
    paths = collection(make, "berths", "harbourBerthId", "HarbourBerthLookup")
    del paths["/berths/{harbourBerthId}"]["get"]
    domain = infer(make.openapi(paths, schemas))
    assert entities(domain) == {"harbour_berth_lookup"}
    assert {op.verb for op in domain.operations} == {"list", "delete"}


def test_a_path_that_answers_an_account_of_something_does_not_rename_its_records(infer: Infer, make: Any) -> None:
    schemas = {"KeeperAccount": record("userId", "name", "mail", "team"), "KeeperAccountRights": record("may", "must")}
    paths = collection(make, "keepers", "userId", "KeeperAccount")
    paths["/keepers/{userId}"]["get"]["responses"] = make.answer(make.ref("KeeperAccountRights"))
    schemas["KeeperAccount"]["properties"]["keeper_id"] = TEXT
    domain = infer(make.openapi(paths, schemas))
    assert {op.verb for op in domain.operations if op.entity == "keeper_account"} == {"list", "delete"}


def test_pages_of_odata_are_pages(infer: Infer, make: Any) -> None:
    page = {
        "type": "object",
        "properties": {"odata.nextLink": TEXT, "value": {"type": "array", "items": make.ref("Ferry")}},
    }
    paths = {"/ferries": {"get": {"operationId": "list", "responses": make.answer(page)}}}
    domain = infer(make.openapi(paths, {"Ferry": record("objectId", "name", "port", "state")}))
    assert domain.by_entity("ferry").primary_key == ("object_id",)


def test_resources_that_only_an_example_shows_are_opened(infer: Infer, make: Any) -> None:
    shown = {"id": "b1", "type": "buoy", "attributes": {"name": "North", "colour": "red", "light": "flashing"}}
    media = {"application/json": {"example": {"data": [shown]}}}
    paths = {"/buoys": {"get": {"operationId": "list", "responses": {"200": {"description": "ok", "content": media}}}}}
    assert {"name", "colour", "light"} <= {c.name for c in infer(make.openapi(paths)).by_entity("buoy").columns}


@pytest.mark.parametrize(("summary", "nested"), [("List all dives", True), ("Plan a dive", False)])
def test_a_post_that_says_it_lists_is_a_list(infer: Infer, make: Any, summary: str, nested: bool) -> None:
    schemas = {"Site": record("id", "name", "place", "depth"), "Dive": record("id", "day", "depth", "gas")}
    paths = collection(make, "sites", "siteId", "Site")
    paths["/sites/{siteId}/dives"] = {
        "parameters": [make.path_parameter("siteId")],
        "post": {"operationId": "postDives", "summary": summary, "responses": make.answer(make.many("Dive"))},
    }
    domain = infer(make.openapi(paths, schemas))
    held = {column.name for table in domain.tables if table.entity == "dive" for column in table.columns}
    assert ("site_id" in held) is nested


def test_the_form_of_an_answer_at_the_end_of_a_path_is_no_word_of_it(infer: Infer, make: Any) -> None:
    paths = collection(make, "tugs", "id", "Tug")
    paths = {f"{path}/json" if path.endswith("tugs") else path: item for path, item in paths.items()}
    domain = infer(make.openapi(paths, {"Tug": record("id", "name", "power", "crew")}))
    assert {op.name for op in domain.operations} == {"list_tugs", "get_tugs", "delete_tug"}
    assert standing(domain).real == ("tug",)
