from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, Extraction
from envforge.core.records.source import Theme
from envforge.mine.extract.mcp_tools import McpToolsExtractor
from envforge.mine.extract.registry import choose
from envforge.mine.infer.api import infer_api

Make = Callable[..., Fetched]

SHIP = {
    "title": "Ship", "type": "object", "required": ["id", "name"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "tonnage": {"type": "integer"},
                   "berth_id": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
}  # fmt: skip
BERTH = {
    "type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "length": {"type": "number"},
                                     "free": {"type": "boolean"}},
}  # fmt: skip


def given(**properties: Any) -> dict[str, Any]:
    required = [name for name, schema in properties.items() if schema.pop("needed", False)]
    return {"type": "object", "properties": properties, "required": required}


TOOLS: list[dict[str, Any]] = [
    {"name": "list_ships", "description": "List ships.", "inputSchema": given(berth_id={"type": "string"}),
     "annotations": {"readOnlyHint": True},
     "outputSchema": {"type": "object", "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Ship"}}},
                      "$defs": {"Ship": SHIP}}},
    {"name": "get_ship", "title": "Look a ship up", "inputSchema": given(ship_id={"type": "string", "needed": True}),
     "outputSchema": SHIP},
    {"name": "update_ship", "inputSchema": given(ship_id={"type": "string", "needed": True}, name={"type": "string"}),
     "outputSchema": SHIP},
    {"name": "list_berths", "inputSchema": given(),
     "outputSchema": {"type": "array", "items": {"$ref": "#/definitions/Ship"}, "definitions": {"Ship": BERTH}}},
    {"name": "ping", "inputSchema": {"type": "object"}},
    {"description": "no name"},
]  # fmt: skip


def read(fetched: Make, value: Any) -> Extraction:
    return McpToolsExtractor().extract(fetched("tools.json", json.dumps(value)))


def operations(extraction: Extraction) -> dict[str, ApiOperation]:
    return {operation.id: operation for operation in extraction.operations}


def test_tools_are_operations(fetched: Make) -> None:
    extraction = read(fetched, {"tools": json.loads(json.dumps(TOOLS))})
    found = operations(extraction)
    assert list(found) == ["list_ships", "get_ship", "update_ship", "list_berths", "ping"]
    assert (found["list_ships"].method, found["update_ship"].method) == ("get", "")
    assert found["get_ship"].summary == "Look a ship up" and found["get_ship"].locator == "#/tools/1"
    assert {p.name: p.location for p in found["update_ship"].parameters} == {"ship_id": "path", "name": "body"}
    assert {p.name: p.location for p in found["list_ships"].parameters} == {"berth_id": "query"}
    answer = found["list_ships"].success
    assert answer is not None and answer.kind == "array" and answer.items is not None and answer.items.name == "Ship"
    assert found["get_ship"].success == answer.items
    assert [issue.reason for issue in extraction.issues] == [
        "no tool: a name and an input schema are missing", "1 tools do not say what they answer"
    ]  # fmt: skip


def test_definitions_of_one_name_and_two_meanings_are_told_apart(fetched: Make) -> None:
    extraction = read(fetched, TOOLS)
    assert sorted(extraction.shapes) == ["Ship", "Ship2"]
    berths = operations(extraction)["list_berths"].success
    assert berths is not None and berths.items is not None and berths.items.name == "Ship2"
    assert [f.name for f in extraction.shapes["Ship2"].type.fields] == ["id", "name", "length", "free"]


def test_they_become_tools_of_an_environment(fetched: Make) -> None:
    domain = infer_api(Theme(slug="harbour", title="Harbour", kind="domain"), [read(fetched, TOOLS)])
    bound = {operation.name: operation.verb for operation in domain.operations}
    assert {name: bound.get(name) for name in ("list_ships", "get_ship", "update_ship", "list_berths")} == {
        "list_ships": "list", "get_ship": "get", "update_ship": "update", "list_berths": "list"
    }  # fmt: skip


@pytest.mark.parametrize("wrap", ["%s", '{"tools": %s}', '{"jsonrpc": "2.0", "result": {"tools": %s}}'])
def test_the_registry_knows_a_list_in_any_wrapping(fetched: Make, wrap: str) -> None:
    file = fetched("x.json", wrap % json.dumps(TOOLS), mime="application/json")
    assert isinstance(choose(file), McpToolsExtractor)
    assert len(McpToolsExtractor().extract(file).operations) == 5


def test_references_that_lead_nowhere_or_in_circles_end(fetched: Make) -> None:
    loop = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    tools = [{"name": "get_a", "inputSchema": loop}, {"name": "get_b", "inputSchema": {"$ref": "#/nowhere"}}]
    extraction = read(fetched, tools)
    assert [o.parameters for o in extraction.operations] == [(), ()] and extraction.issues


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tools": [{"name": "a"}], "inputSchema": {}}', "no tool"),
        ('{"tools": {"inputSchema": {}}}', "a list of tools is expected"),
        ('{"tools": [', "broken JSON"),
    ],
)
def test_what_is_no_list_is_refused(fetched: Make, text: str, message: str) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        McpToolsExtractor().extract(fetched("tools.json", text))
    assert caught.value.where.startswith("tools.json") and caught.value.remedy
