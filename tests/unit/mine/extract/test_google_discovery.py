from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, Extraction
from envforge.core.records.source import Theme
from envforge.mine.extract.google_discovery import GoogleDiscoveryExtractor
from envforge.mine.extract.registry import choose
from envforge.mine.infer.api import infer_api

Make = Callable[..., Fetched]

PAGE = {"pageSize": {"location": "query", "type": "integer"}, "pageToken": {"location": "query", "type": "string"}}
NAME = {"name": {"location": "path", "required": True, "type": "string", "pattern": "^harbours/[^/]+/berths/[^/]+$"}}
DOCUMENT: dict[str, Any] = {
    "discoveryVersion": "v1",
    "kind": "discovery#restDescription",
    "name": "harbour",
    "servicePath": "",
    "schemas": {
        "Berth": {
            "id": "Berth", "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Identifier. The resource name."},
                "title": {"type": "string", "description": "Required. What it is called."},
                "state": {"type": "string", "enum": ["FREE", "TAKEN"], "enumDescriptions": ["a", "b"]},
                "updateTime": {"type": "string", "format": "google-datetime", "readOnly": True},
                "length": {"type": "number", "format": "double"},
                "owner": {"$ref": "Owner"},
            },
        },
        "Owner": {"type": "object", "properties": {"email": {"type": "string"}, "next": {"$ref": "Owner"}}},
        "ListBerthsResponse": {
            "type": "object",
            "properties": {
                "berths": {"type": "array", "items": {"$ref": "Berth"}}, "nextPageToken": {"type": "string"}
            },
        },
    },
    "resources": {
        "harbours": {
            "resources": {
                "berths": {
                    "methods": {
                        "list": {
                            "id": "harbour.harbours.berths.list", "httpMethod": "GET", "path": "v1/{+parent}/berths",
                            "flatPath": "v1/harbours/{harboursId}/berths", "response": {"$ref": "ListBerthsResponse"},
                            "parameters": {"parent": {"location": "path", "required": True, "type": "string"}, **PAGE},
                        },
                        "get": {
                            "id": "harbour.harbours.berths.get", "httpMethod": "GET", "path": "v1/{+name}",
                            "flatPath": "v1/harbours/{harboursId}/berths/{berthsId}", "parameters": NAME,
                            "response": {"$ref": "Berth"},
                        },
                        "patch": {
                            "id": "harbour.harbours.berths.patch", "httpMethod": "PATCH", "path": "v1/{+name}",
                            "flatPath": "v1/harbours/{harboursId}/berths/{berthsId}", "parameters": NAME,
                            "request": {"$ref": "Berth"}, "response": {"$ref": "Berth"},
                        },
                        "close": {
                            "id": "harbour.harbours.berths.close", "httpMethod": "POST", "path": "v1/{+name}:close",
                            "flatPath": "v1/harbours/{harboursId}/berths/{berthsId}:close", "parameters": NAME,
                            "response": {"$ref": "Berth"}, "deprecated": True,
                        },
                        "tags": {
                            "id": "harbour.harbours.berths.tags", "path": "v1/tags/{tag}",
                            "parameters": {"tag": {"location": "path", "type": "string", "required": True},
                                           "words": {"location": "query", "type": "string", "repeated": True},
                                           "alt": {"location": "query", "type": "string"}},
                        },
                    }
                }
            }
        }
    },
}  # fmt: skip


def read(fetched: Make, value: Any = DOCUMENT) -> Extraction:
    return GoogleDiscoveryExtractor().extract(fetched("harbour.v1.json", json.dumps(value)))


def operations(extraction: Extraction) -> dict[str, ApiOperation]:
    return {operation.id.rpartition("/")[2]: operation for operation in extraction.operations}


def test_methods_have_their_path_place_and_types(fetched: Make) -> None:
    found = operations(read(fetched))
    listing = found["list"]
    assert (listing.id, listing.method, listing.path) == (
        "harbours.berths/list",
        "get",
        "/v1/harbours/{harboursId}/berths",
    )
    assert listing.locator == "#/resources/harbours/resources/berths/methods/list"
    assert [(p.name, p.location) for p in listing.parameters] == [
        ("pageSize", "query"), ("pageToken", "query"), ("harboursId", "path")
    ]  # fmt: skip
    assert found["get"].path == "/v1/harbours/{harboursId}/berths/{name}"
    assert found["close"].path.endswith("/{name}/close") and found["close"].deprecated
    words = {p.name: p for p in found["tags"].parameters}
    assert set(words) == {"tag", "words"} and words["words"].type.kind == "array" and found["tags"].method == "get"


def test_schemas_are_shapes(fetched: Make) -> None:
    extraction = read(fetched)
    fields = {field.name: field for field in extraction.shapes["Berth"].type.fields}
    assert fields["title"].required and not fields["state"].required
    assert fields["state"].type.enum == ("FREE", "TAKEN") and fields["updateTime"].read_only
    assert (fields["owner"].type.kind, fields["owner"].type.name) == ("ref", "Owner")
    assert extraction.shapes["Berth"].locator == "#/schemas/Berth"
    body = operations(extraction)["patch"].parameters
    assert "updateTime" not in {p.name for p in body} and {"title", "state"} <= {p.name for p in body}


def test_resource_names_are_identities(fetched: Make) -> None:
    domain = infer_api(Theme(slug="harbour", title="Harbour", kind="domain"), [read(fetched)])
    bound = {operation.verb: operation.table for operation in domain.operations}
    assert {"list", "get", "update"} <= set(bound) and set(bound.values()) == {"berths"}


def test_the_registry_knows_it_and_no_index_of_documents(fetched: Make) -> None:
    assert isinstance(
        choose(fetched("x.json", json.dumps(DOCUMENT), mime="application/json")), GoogleDiscoveryExtractor
    )
    index = {"kind": "discovery#directoryList", "discoveryVersion": "v1", "items": [{"id": "a"}]}
    assert not isinstance(
        choose(fetched("x.json", json.dumps(index), mime="application/json")), GoogleDiscoveryExtractor
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"discoveryVersion": "v1"}', "no method"), ('{"discoveryVersion": "v1",\n "resources": }', "broken JSON")],
)
def test_what_states_nothing_is_refused(fetched: Make, text: str, message: str) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        GoogleDiscoveryExtractor().extract(fetched("harbour.v1.json", text))
    assert caught.value.where.startswith("harbour.v1.json") and caught.value.remedy


def test_references_that_lead_nowhere_become_issues(fetched: Make) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["schemas"]["Berth"]["properties"]["owner"] = {"$ref": "Nobody"}
    issues = read(fetched, document).issues
    assert [issue.reason for issue in issues] == ["$ref leads nowhere: #/components/schemas/Nobody"]
    assert issues[0].locator.startswith("#/schemas/Berth")
