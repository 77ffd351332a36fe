from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, Extraction
from envforge.core.records.source import Theme
from envforge.mine.extract.aws_models import AwsModelExtractor
from envforge.mine.extract.registry import choose
from envforge.mine.infer.api import infer_api

Make = Callable[..., Fetched]


def structure(*required: str, **members: Any) -> dict[str, Any]:
    named: dict[str, Any] = {
        name: {"shape": value} if isinstance(value, str) else value for name, value in members.items()
    }
    return {"type": "structure", "required": list(required), "members": named}


def action(name: str, method: str = "POST", uri: str = "/", output: bool = True) -> dict[str, Any]:
    stated: dict[str, Any] = {
        "name": name,
        "http": {"method": method, "requestUri": uri},
        "input": {"shape": f"{name}Request"},
        "documentation": f"<p>Does <code>{name}</code> &amp; says so.</p>",
    }
    return stated | ({"output": {"shape": f"{name}Response"}} if output else {})


SHAPES: dict[str, Any] = {
    "String": {"type": "string"}, "Integer": {"type": "integer"}, "Time": {"type": "timestamp"},
    "Blob": {"type": "blob"},
    "State": {"type": "string", "enum": ["FREE", "TAKEN"]},
    "Berth": structure("berthId", berthId="String", name="String", state="State", made="Time", tags="Tags",
                       next="Berth"),
    "Berths": {"type": "list", "member": {"shape": "Berth"}},
    "Tags": {"type": "map", "key": {"shape": "String"}, "value": {"shape": "String"}},
    "Loop": {"type": "list", "member": {"shape": "Loop"}},
    "NotFound": structure(message="String") | {"exception": True},
    "ListBerthsRequest": structure(nextToken="String", maxResults="Integer", state="State", Key="String"),
    "ListBerthsResponse": structure(berths="Berths", nextToken="String"),
    "DescribeBerthRequest": structure("berthId", berthId="String"),
    "DescribeBerthResponse": structure(berth="Berth"),
    "UpdateBerthRequest": structure("berthId", berthId="String", name="String", loop="Loop"),
    "UpdateBerthResponse": structure(berth="Berth"),
    "CreateBerthRequest": structure("name", name="String"),
    "CreateBerthResponse": structure(berth="Berth"),
    "DeleteBerthRequest": structure("berthId", berthId="String"),
}  # fmt: skip


def model(protocol: str, **shapes: Any) -> dict[str, Any]:
    rest = protocol.startswith("rest")
    item = "/berths/{berthId}" if rest else "/"
    return {
        "version": "2.0",
        "metadata": {
            "apiVersion": "2024-01-01",
            "endpointPrefix": "harbour",
            "protocol": protocol,
            "serviceId": "Harbour",
        },
        "operations": {
            "ListBerths": action("ListBerths", "GET" if rest else "POST", "/berths" if rest else "/"),
            "DescribeBerth": action("DescribeBerth", "GET" if rest else "POST", item),
            "UpdateBerth": action("UpdateBerth", "PATCH" if rest else "POST", item),
            "CreateBerth": action("CreateBerth", "POST", "/berths?mode=x" if rest else "/"),
            "DeleteBerth": action("DeleteBerth", "DELETE" if rest else "POST", item, output=False),
        },
        "shapes": SHAPES | shapes,
    }


def in_path() -> dict[str, Any]:
    there = {"shape": "String", "location": "uri", "locationName": "berthId"}
    query = {"shape": "State", "location": "querystring", "locationName": "berth-state"}
    return {
        **{f"{verb}BerthRequest": structure("id", id=there) for verb in ("Describe", "Delete")},
        "UpdateBerthRequest": structure("id", id=there, body={"shape": "Berth"}) | {"payload": "body"},
        "ListBerthsRequest": structure(nextToken="String", state=query),
    }


def read(fetched: Make, value: Any) -> Extraction:
    return AwsModelExtractor().extract(fetched("service-2.json", json.dumps(value)))


def operations(extraction: Extraction) -> dict[str, ApiOperation]:
    return {operation.id: operation for operation in extraction.operations}


def places(operation: ApiOperation) -> dict[str, str]:
    return {parameter.name: parameter.location for parameter in operation.parameters}


def test_named_actions_get_method_and_key_from_their_names(fetched: Make) -> None:
    found = operations(read(fetched, model("json")))
    assert {name: op.method for name, op in found.items()} == {
        "ListBerths": "get", "DescribeBerth": "get", "UpdateBerth": "", "CreateBerth": "", "DeleteBerth": ""
    }  # fmt: skip
    assert all(op.path == "" for op in found.values())
    assert places(found["ListBerths"]) == {"maxResults": "query", "state": "query", "Key": "query"}  # no token
    assert places(found["DescribeBerth"]) == {"berthId": "path"}
    assert places(found["UpdateBerth"]) == {"berthId": "path", "name": "body", "loop": "body"}
    assert places(found["CreateBerth"]) == {"name": "body"}
    assert found["UpdateBerth"].description == "Does UpdateBerth & says so."
    assert found["UpdateBerth"].locator == "#/operations/UpdateBerth"


def test_rest_protocols_have_paths_queries_and_payloads(fetched: Make) -> None:
    found = operations(read(fetched, model("rest-json", **in_path())))
    assert (found["UpdateBerth"].method, found["UpdateBerth"].path) == ("patch", "/berths/{berthId}")
    assert found["CreateBerth"].path == "/berths"
    assert places(found["ListBerths"]) == {"berth-state": "query"}
    assert places(found["UpdateBerth"]) == {
        "berthId": "path", "name": "body", "state": "body", "made": "body", "tags": "body", "next": "body"
    }  # fmt: skip


def test_answers_are_unwrapped_and_shapes_typed(fetched: Make) -> None:
    extraction = read(fetched, model("json"))
    found = operations(extraction)
    listed, described = found["ListBerths"].success, found["DescribeBerth"].success
    assert listed is not None and listed.items is not None and listed.items.name == "Berth"
    assert described is not None and (described.kind, described.name) == ("ref", "Berth")
    assert found["DeleteBerth"].success is None
    assert list(extraction.shapes) == ["Berth"]  # no frames of requests, no exceptions
    fields = {field.name: field for field in extraction.shapes["Berth"].type.fields}
    assert fields["berthId"].required and fields["state"].type.enum == ("FREE", "TAKEN")
    assert fields["made"].type.format == "date-time" and fields["tags"].type.kind == "map"


def test_lists_that_contain_themselves_end_with_an_issue(fetched: Make) -> None:
    issues = read(fetched, model("json")).issues
    assert [issue.locator for issue in issues] == ["#/shapes/Loop"]


@pytest.mark.parametrize("protocol", ["json", "query", "ec2", "rest-json", "rest-xml"])
def test_it_becomes_tools(fetched: Make, protocol: str) -> None:
    value = model(protocol, **(in_path() if protocol.startswith("rest") else {}))
    domain = infer_api(Theme(slug="harbour", title="Harbour", kind="domain"), [read(fetched, value)])
    bound = {operation.verb: operation.name for operation in domain.operations}
    assert bound == {
        "list": "list_berths", "get": "describe_berth", "update": "update_berth", "create": "create_berth",
        "delete": "delete_berth",
    }  # fmt: skip


def test_the_registry_knows_it(fetched: Make) -> None:
    file = fetched("service-2.json", json.dumps(model("query")), mime="application/json")
    assert isinstance(choose(file), AwsModelExtractor)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"metadata": {"apiVersion": "1", "endpointPrefix": "x", "protocol": "json"}}', "no operation"),
        ('{"metadata": {"apiVersion": "1",\n "endpointPrefix": }', "broken JSON"),
    ],
)
def test_what_states_nothing_is_refused(fetched: Make, text: str, message: str) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        AwsModelExtractor().extract(fetched("service-2.json", text))
    assert caught.value.where.startswith("service-2.json") and caught.value.remedy
