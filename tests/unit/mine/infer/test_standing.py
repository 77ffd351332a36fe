"""Which specifications found an environment: kinds of interfaces that look alike, told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.records.domain import Domain
from envforge.mine.infer.standing import as_data_source, standing

Infer = Callable[..., Domain]
TEXT = {"type": "string"}
NUMBER = {"type": "number"}


def record(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def crud(make: Any, names: list[str], *, writes: bool = True, item: bool = True) -> dict[str, str]:
    """Records of a kind each, listed, looked up and (with `writes`) created."""
    schemas = {name: record(id=TEXT, name=TEXT, state=TEXT, owner=TEXT) for name in names}
    paths: dict[str, Any] = {}
    for name in names:
        collection: dict[str, Any] = {
            "get": {"operationId": f"list{name}s", "responses": make.answer(make.many(name))},
        }
        if writes:
            collection["post"] = {
                "operationId": f"create{name}",
                "requestBody": make.body({"name": TEXT, "state": TEXT}),
                "responses": make.answer(make.ref(name)),
            }
        paths[f"/{name.lower()}s"] = collection
        if item:
            paths[f"/{name.lower()}s/{{id}}"] = {
                "parameters": [make.path_parameter("id")],
                "get": {"operationId": f"get{name}", "responses": make.answer(make.ref(name))},
            }
    return make.openapi(paths, schemas)


def remote_calls(make: Any) -> dict[str, str]:
    """Verbs as paths: each call has a request and an answer of its own, and nothing can be listed."""
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for verb in ("convertUnits", "computeRoute", "translateText", "validateAddress", "rankWords", "mergePictures"):
        name = verb[0].upper() + verb[1:] + "Response"
        schemas[name] = record(id=TEXT, value=NUMBER, detail=TEXT, cost=NUMBER, unit=TEXT)
        paths[f"/{verb}"] = {
            "post": {
                "operationId": verb,
                "requestBody": make.body({"value": NUMBER, "detail": TEXT}),
                "responses": make.answer(make.ref(name)),
            }
        }
    return make.openapi(paths, schemas)


def measurements(make: Any) -> dict[str, str]:
    """Lists of records with ids, none of which anybody changes; and queries that look like creations."""
    names = ("Station", "Sensor", "Reading", "Alarm", "Region")
    schemas = {name: record(id=TEXT, name=TEXT, value=NUMBER, at=TEXT) for name in names}
    paths: dict[str, Any] = {
        f"/{name.lower()}s": {"get": {"operationId": f"list{name}s", "responses": make.answer(make.many(name))}}
        for name in names
    }
    for word in ("metrics", "statistics", "analytics"):
        paths[f"/readings/{word}"] = {
            "post": {
                "operationId": f"query_{word}",
                "requestBody": make.body({"value": NUMBER, "name": TEXT}),
                "responses": make.answer(make.many("Reading")),
            }
        }
    return make.openapi(paths, schemas)


def renderings(make: Any) -> dict[str, str]:
    """Creations whose results are pictures: templates, previews, thumbnails, exports."""
    names = ("PdfRender", "Thumbnail", "PreviewImage", "ChartExport", "QrCode")
    return crud(make, list(names))


def hooks(make: Any) -> dict[str, str]:
    """Enough kinds of records to count, but most of them serve the interface itself."""
    return crud(make, ["Client", "Order", "Webhook", "AccessToken", "BulkJobExport", "UsageMetric"])


def test_four_kinds_of_records_that_change_found_an_environment(infer: Infer, make: Any) -> None:
    judged = standing(infer(crud(make, ["Client", "Order", "Parcel", "Depot"])))
    assert not judged.is_data_source
    assert set(judged.real) == set(judged.changed) == {"client", "order", "parcel", "depot"}


@pytest.mark.parametrize("kind", [remote_calls, measurements, renderings, hooks])
def test_look_alikes_are_data_sources(infer: Infer, make: Any, kind: Callable[[Any], dict[str, str]]) -> None:
    judged = standing(infer(kind(make)))
    assert judged.is_data_source
    assert judged.words()


def test_three_kinds_are_too_few(infer: Infer, make: Any) -> None:
    judged = standing(infer(crud(make, ["Client", "Order", "Parcel"])))
    assert judged.is_data_source
    assert judged.words() == "3 real entities (client, order, parcel), where an environment needs 4"


def test_records_that_nobody_changes_are_data(infer: Infer, make: Any) -> None:
    judged = standing(infer(crud(make, ["Client", "Order", "Parcel", "Depot"], writes=False)))
    assert judged.is_data_source
    assert judged.words().endswith("and no operation that changes one of them")


def test_records_that_are_only_listed_inside_themselves_lead_nowhere(infer: Infer, make: Any) -> None:
    schemas = {"Nest": record(id=TEXT, name=TEXT, state=TEXT, owner=TEXT)}
    paths: dict[str, Any] = {
        "/nests/{nest_id}/nests": {
            "parameters": [make.path_parameter("nest_id")],
            "get": {"operationId": "listNestsInNest", "responses": make.answer(make.many("Nest"))},
        }
    }
    judged = standing(infer(make.openapi(paths, schemas)))
    assert judged.real == ()
    assert judged.others == {"nest": "no list, no search and no containing record leads to it"}


def test_beside_rows_a_data_source_adds_no_table_and_says_so(infer: Infer, make: Any) -> None:
    domain = infer(crud(make, ["Client", "Order"]))
    left = as_data_source(domain, standing(domain))
    assert left.tables == ()
    assert left.operations == ()
    assert {one.reason for one in left.rejected} == {"data_source"}
    assert len(left.rejected) == len(domain.operations)
    assert any("data source only" in note for note in left.notes)
