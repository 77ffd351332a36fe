from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from graphql import build_schema, introspection_from_schema

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, Extraction
from envforge.core.records.source import Theme
from envforge.mine.extract.graphql import GraphqlExtractor
from envforge.mine.infer.api import infer_api

Make = Callable[..., Fetched]

SCHEMA = """
scalar DateTime
scalar JSON
interface Node { id: ID! }
enum BoatState { READY REPAIR }
"A boat of the club."
type Boat implements Node {
  id: ID!
  name: String!
  state: BoatState!
  builtAt: DateTime
  extra: JSON
  viewerCanRow: Boolean!
  crewOn(day: String!): [Member!]
  pier: Pier
  "A list of outings with the boat."
  outings(first: Int, after: String, weather: String): OutingConnection!
}
type Pier implements Node { id: ID!, code: String!, depth: Float, boats: [Boat!]! }
type Member implements Node { id: ID!, name: String!, email: String, joinedAt: DateTime! }
type Outing implements Node { id: ID!, boat: Boat!, startedAt: DateTime!, km: Float, weather: String }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type OutingEdge { node: Outing cursor: String! }
type OutingConnection { edges: [OutingEdge] pageInfo: PageInfo! totalCount: Int! }
type BoatConnection { nodes: [Boat] pageInfo: PageInfo! }
union Found = Boat | Member
input BoatFilter { state: BoatState, and: [BoatFilter!] }
input CreateBoatInput { clientMutationId: String, name: String!, pierId: ID, state: BoatState = READY }
input UpdateBoatInput { clientMutationId: String, id: ID!, name: String, state: BoatState }
type CreateBoatPayload { clientMutationId: String, boat: Boat, userErrors: [String!]! }
type UpdateBoatPayload { boat: Boat, errors: [String!] }
type DeletePayload { success: Boolean! }
type Query {
  node(id: ID!): Node
  boat(id: ID!): Boat
  boats(first: Int, after: String, last: Int, before: String, filter: BoatFilter): BoatConnection!
  members(limit: Int, offset: Int): [Member!]!
  search(query: String!): [Found!]!
  old: String @deprecated(reason: "gone")
}
type Mutation {
  createBoat(input: CreateBoatInput!): CreateBoatPayload
  updateBoat(input: UpdateBoatInput!): UpdateBoatPayload
  boatDelete(id: ID!): DeletePayload
  memberCreate(name: String!, email: String): Member
}
type Subscription { boatMoved: Boat }
"""


def read(fetched: Make, text: str, path: str = "api/schema.graphql") -> Extraction:
    return GraphqlExtractor().extract(fetched(path, text))


def operations(extraction: Extraction) -> dict[str, ApiOperation]:
    return {operation.id: operation for operation in extraction.operations}


def places(operation: ApiOperation) -> dict[str, str]:
    return {parameter.name: parameter.location for parameter in operation.parameters}


def test_shapes_are_records_with_scalars_enums_and_references(fetched: Make) -> None:
    extraction = read(fetched, SCHEMA)
    assert sorted(extraction.shapes) == [
        "Boat", "CreateBoatPayload", "DeletePayload", "Member", "Node", "Outing", "Pier", "UpdateBoatPayload"
    ]  # fmt: skip
    boat = {field.name: field for field in extraction.shapes["Boat"].type.fields}
    assert list(boat) == ["id", "name", "state", "builtAt", "extra", "pier"]  # no pages, arguments or caller's views
    assert boat["state"].type.enum == ("READY", "REPAIR") and boat["state"].required
    assert boat["builtAt"].type.format == "date-time" and boat["builtAt"].type.nullable
    assert (boat["pier"].type.kind, boat["pier"].type.name) == ("ref", "Pier")
    assert extraction.shapes["Boat"].description == "A boat of the club."


def test_queries_and_pages(fetched: Make) -> None:
    found = operations(read(fetched, SCHEMA))
    boats = found["boats"]
    assert (boats.method, boats.path, boats.locator) == ("get", "", "Query.boats")
    assert boats.success is not None and boats.success.kind == "array"
    assert boats.success.items is not None and boats.success.items.name == "Boat"
    assert places(boats) == {"filter": "query"}  # relay's paging is left out
    assert places(found["members"]) == {"limit": "query", "offset": "query"}
    assert places(found["boat"]) == {"id": "path"}
    assert found["old"].deprecated
    inner = found["boat/outings"]
    assert places(inner) == {"boat_id": "path", "weather": "query"} and inner.locator == "Boat.outings"
    assert found["getPier"].locator == "Query.node, ... on Pier" and places(found["getPier"]) == {"id": "path"}


def test_filters_that_contain_themselves_end(fetched: Make) -> None:
    boats = operations(read(fetched, SCHEMA))["boats"]
    filter_type = boats.parameters[0].type
    assert [field.name for field in filter_type.fields] == ["state", "and"]
    inner = filter_type.fields[1].type.items
    assert inner is not None and inner.kind == "map"


def test_mutations(fetched: Make) -> None:
    found = operations(read(fetched, SCHEMA))
    create = found["createBoat"]
    assert (create.method, create.locator) == ("", "Mutation.createBoat")
    assert places(create) == {"name": "body", "pierId": "body", "state": "body"}
    assert [p.required for p in create.parameters] == [True, False, False]
    assert create.success is not None and create.success.name == "Boat"
    assert places(found["updateBoat"]) == {"id": "path", "name": "body", "state": "body"}
    assert found["deleteBoat"].locator == "Mutation.boatDelete" and found["deleteBoat"].success is None
    assert places(found["createMember"]) == {"name": "body", "email": "body"}


def test_subscriptions_are_left_out_with_an_issue(fetched: Make) -> None:
    assert [issue.reason for issue in read(fetched, SCHEMA).issues] == ["1 subscriptions are left out"]


def test_introspection_says_the_same_as_the_schema_language(fetched: Make) -> None:
    answer = introspection_from_schema(build_schema(SCHEMA))
    stated = read(fetched, SCHEMA)
    for body in (json.dumps(answer), json.dumps({"data": answer}, indent=2)):
        told = read(fetched, body, "schema.json")
        assert told.shapes == stated.shapes
        assert [(o.id, o.success, o.parameters) for o in told.operations] == [
            (o.id, o.success, o.parameters) for o in stated.operations
        ]


def test_it_becomes_tools(fetched: Make) -> None:
    theme = Theme(slug="club", title="Club", kind="domain")
    domain = infer_api(theme, [read(fetched, SCHEMA)])
    bound = {operation.name: (operation.verb, operation.table) for operation in domain.operations}
    assert bound["list_boats"] == ("list", "boats") and bound["get_boat"] == ("get", "boats")
    assert bound["create_boat"] == ("create", "boats") and bound["update_boat"] == ("update", "boats")
    assert bound["delete_boat"] == ("delete", "boats") and bound["list_outings"] == ("list", "outings")


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("type Query {\n  a: Int\n  b c\n}", "broken GraphQL", "api/schema.graphql:3"),
        ("query Boats {\n  boats { id }\n}", "defines no types", "api/schema.graphql"),
        ("scalar Date\n", "no object type", "api/schema.graphql"),
        ("type Query {\n  boats: [Boat]\n}", "Unknown type: 'Boat'", "api/schema.graphql:2"),
        ("{" * 5_000, "broken GraphQL|too deeply", "api/schema.graphql"),
        ("type Query { a: " + "[" * 20_000 + "Int" + "]" * 20_000 + "}", "too deeply", "api/schema.graphql"),
    ],
    ids=["syntax", "operations-only", "scalars-only", "unknown-type", "braces", "lists"],
)
def test_what_is_no_schema_is_refused(fetched: Make, text: str, message: str, where: str) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        read(fetched, text)
    assert caught.value.where.startswith(where) and caught.value.remedy


@pytest.mark.parametrize(
    "body", ['{"__schema": {}}', '{"__schema": {"types": [{"kind": "OBJECT"}]}}', '{"data": {"__schema": 3}}']
)
def test_introspection_without_types_is_refused(fetched: Make, body: str) -> None:
    with pytest.raises(ExtractError, match="introspection") as caught:
        read(fetched, body, "schema.json")
    assert caught.value.remedy


def test_it_knows_its_kind(fetched: Make) -> None:
    extractor = GraphqlExtractor()
    assert extractor.accepts(fetched("a.gql", "x").source, b"type A { b: Int }")
    assert extractor.accepts(fetched("a.json", "x").source, b'\xef\xbb\xbf {\n "data": {"__schema": {')
    assert not extractor.accepts(fetched("a.json", "x").source, b'{"schema": {"__schema": 1}}')
