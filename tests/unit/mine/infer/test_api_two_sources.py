"""Operations from an API description without record shapes, shapes from a client's declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.records.domain import BoundOperation, Domain

Infer = Callable[..., Domain]

DECLARATIONS = """
type Id = string;
type Words = Array<{ plain_text: string; href: string | null }>;
type Person = { object: "person"; id: Id; name: string; email: string; city: string };
type Parent = { type: "sheet_id"; sheet_id: Id } | { type: "row_id"; row_id: Id } | { type: "desk"; desk: true };
type Definition = { id: string; name: string } & (
    | { type: "title"; title: {} }
    | { type: "number"; number: { format: string } }
    | { type: "choice"; choice: { options: Array<{ id: string; name: string }> } }
    | { type: "formula"; formula: { expression: string } }
);
type Value = { id: string } & (
    | { type: "title"; title: Words }
    | { type: "number"; number: number | null }
    | { type: "choice"; choice: { id: string; name: string } | null }
    | { type: "formula"; formula: { type: "number"; number: number } }
);
export type SheetResponse = {
    object: "sheet"; id: Id; title: Words; made_by: Person; folder: string; columns: Record<string, Definition>;
};
export type RowResponse = {
    object: "row"; id: Id; parent: Parent; created_time: string; created_by: { object: "person"; id: Id };
    columns: Record<string, Value>; in_trash: boolean;
};
type GetRowPathParameters = { row_id: Id };
export type GetRowParameters = GetRowPathParameters;
export type GetRowResponse = RowResponse;
/** Retrieve a row */
export declare const getRow: {
    readonly method: "get"; readonly pathParams: readonly ["row_id"]; readonly queryParams: readonly [];
    readonly bodyParams: readonly []; readonly path: (p: GetRowPathParameters) => string;
};
type CreateRowBodyParameters = {
    parent: { sheet_id: Id; type?: "sheet_id" } | { desk: true; type: "desk" };
    columns: Record<string, { title: Words; type?: "title" } | { number: number; type?: "number" }
        | { choice: { name: string }; type?: "choice" }>;
};
export type CreateRowParameters = CreateRowBodyParameters;
export type CreateRowResponse = RowResponse;
/** Create a row */
export declare const createRow: {
    readonly method: "post"; readonly pathParams: readonly []; readonly queryParams: readonly [];
    readonly bodyParams: readonly ["parent", "columns"]; readonly path: () => string;
};
type QuerySheetPathParameters = { sheet_id: Id };
type QuerySheetBodyParameters = {
    filter?: { column: string; equals: string };
    sorts?: Array<{ column: string; direction: "ascending" | "descending" }>;
    start_cursor?: string;
};
export type QuerySheetParameters = QuerySheetPathParameters & QuerySheetBodyParameters;
export type QuerySheetResponse = { object: "list"; next_cursor: string | null; results: Array<RowResponse> };
/** Query a sheet */
export declare const querySheet: {
    readonly method: "post"; readonly pathParams: readonly ["sheet_id"]; readonly queryParams: readonly [];
    readonly bodyParams: readonly ["filter", "sorts", "start_cursor"];
    readonly path: (p: QuerySheetPathParameters) => string;
};
type GetSheetPathParameters = { sheet_id: Id };
export type GetSheetParameters = GetSheetPathParameters;
export type GetSheetResponse = SheetResponse;
/** Retrieve a sheet */
export declare const getSheet: {
    readonly method: "get"; readonly pathParams: readonly ["sheet_id"]; readonly queryParams: readonly [];
    readonly bodyParams: readonly []; readonly path: (p: GetSheetPathParameters) => string;
};
export type ListPersonsParameters = {};
export type ListPersonsResponse = { object: "list"; results: Array<Person>; has_more: boolean };
/** List all persons */
export declare const listPersons: {
    readonly method: "get"; readonly pathParams: readonly []; readonly queryParams: readonly [];
    readonly bodyParams: readonly []; readonly path: () => string;
};
type Robot = { object: "robot"; id: Id; name: string; model: string; speed: number };
export type ListRobotsParameters = {};
export type ListRobotsResponse = { object: "list"; results: Array<Robot>; has_more: boolean };
/** List robots */
export declare const listRobots: {
    readonly method: "get"; readonly pathParams: readonly []; readonly queryParams: readonly [];
    readonly bodyParams: readonly []; readonly path: () => string;
};
export type SearchParameters = { query?: string; filter?: { property: "object"; value: "row" | "sheet" } };
export type SearchResponse = { object: "list"; results: Array<RowResponse | SheetResponse>; has_more: boolean };
/** Search by title */
export declare const search: {
    readonly method: "post"; readonly pathParams: readonly []; readonly queryParams: readonly [];
    readonly bodyParams: readonly ["query", "filter"]; readonly path: () => string;
};
"""


@pytest.fixture
def domain(infer: Infer, make: Any) -> Domain:
    untyped = make.answer({"type": "object"})
    row, sheet = [make.path_parameter("row_id", format="uuid")], [make.path_parameter("sheet_id", format="uuid")]
    paths = {
        "/v1/rows": {"post": {"operationId": "post-row", "summary": "Create a row", "responses": untyped}},
        "/v1/rows/{row_id}": {
            "get": {"operationId": "get-row", "summary": "Retrieve a row", "parameters": row, "responses": untyped}
        },
        "/v1/sheets/{sheet_id}": {
            "get": {
                "operationId": "retrieve-a-sheet",
                "summary": "Retrieve a sheet",
                "parameters": sheet,
                "responses": untyped,
            }
        },
        "/v1/sheets/{sheet_id}/query": {
            "post": {
                "operationId": "post-sheet-query",
                "summary": "Query the rows of one sheet in the way that was asked for",
                "parameters": sheet,
                "responses": untyped,
            }
        },
        "/v1/persons": {
            "get": {"operationId": "get-persons", "summary": "List all persons", "responses": untyped},
        },
        "/v1/search": {"post": {"operationId": "post-search", "summary": "Search by title", "responses": untyped}},
    }
    return infer({**make.openapi(paths), "build/api.d.ts": DECLARATIONS})


def operation(domain: Domain, name: str) -> BoundOperation:
    return next(one for one in domain.operations if one.name == name)


def test_operations_of_both_sources_are_merged_and_named_readably(domain: Domain) -> None:
    assert [(one.name, one.verb, one.entity) for one in domain.operations] == [
        ("create_row", "create", "row"),
        ("retrieve_row", "get", "row"),
        ("retrieve_sheet", "get", "sheet"),
        ("query_sheet", "filter", "row"),
        ("list_persons", "list", "person"),
        ("search", "search", "row"),
    ]
    assert all("2 kinds of source" in one.evidence for one in domain.operations)


def test_what_only_one_kind_of_source_knows_is_outside_the_theme(domain: Domain) -> None:
    assert "robots" not in {table.name for table in domain.tables}
    assert [(one.id, one.reason) for one in domain.rejected] == [("listRobots", "unlisted_entity")]


def test_a_search_declares_all_that_it_answers(domain: Domain) -> None:
    found = operation(domain, "search")
    assert found.also == ("sheets",)
    kind = next(one for one in found.parameters if one.name == "object_type")
    assert (kind.meaning, kind.op, kind.json_type["enum"]) == ("filter", "entity", ["row", "sheet"])


def test_a_property_bag_needs_its_three_tables(domain: Domain) -> None:
    (bag,) = domain.bags
    assert (bag.collection_table, bag.item_table, bag.item_parent_column) == ("sheets", "rows", "parent_sheet_id")
    assert (bag.definition_table, bag.option_table, bag.value_table) == ("columns", "column_options", "column_values")
    assert bag.types == ("title", "number", "choice")
    assert domain.table("column_values").primary_key == ("row_id", "column_id", "position")
    assert domain.table("columns").column("type").enum == bag.types
    assert domain.table("column_values").has("person_id")


def test_the_title_property_is_a_column_of_the_items(domain: Domain) -> None:
    title = domain.table("rows").column("title")
    assert (title.role, title.nullable, "'title' property" in title.evidence) == ("title", False, True)
    given = {one.name: (one.meaning, one.required) for one in operation(domain, "create_row").parameters}
    assert given == {
        "title": ("column", True),
        "parent_sheet_id": ("parent", False),
        "columns": ("bag", False),
    }


def test_queries_of_a_collection_filter_by_its_properties(domain: Domain) -> None:
    found = {one.name: one.meaning for one in operation(domain, "query_sheet").parameters}
    assert found == {"sheet_id": "parent", "filter": "bag_filter", "sorts": "bag_sort", "start_cursor": "cursor"}


def test_people_are_referred_to_by_constant_and_role(domain: Domain) -> None:
    column = domain.table("rows").column("created_by")
    assert column.role == "author"
    assert column.references is not None
    assert (column.references.table, column.references.evidence) == ("people", "embedded person object")


def test_ids_of_an_api_are_of_one_make(domain: Domain) -> None:
    styles = {table.name: table.id_style.kind for table in domain.tables if table.kind == "entity" and table.id_style}
    assert styles == {"sheets": "uuid", "rows": "uuid", "people": "uuid"}


def test_without_the_second_source_nothing_is_claimed(infer: Infer, make: Any) -> None:
    paths = {
        "/v1/persons": {"get": {"operationId": "get-persons", "responses": make.answer({"type": "object"})}},
    }
    domain = infer(make.openapi(paths))
    assert domain.tables == ()
    assert [one.reason for one in domain.rejected] == ["untyped"]
