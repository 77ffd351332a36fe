from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, Extraction, TypeExpr
from envforge.mine.extract.openapi import OpenApiExtractor

Make = Callable[..., Fetched]


def document(**parts: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {"title": "Library", "version": "1"}, "paths": {}, **parts}


def schemas(**named: Any) -> dict[str, Any]:
    return document(components={"schemas": named})


def extract(fetched: Make, value: Any, path: str = "api.json") -> Extraction:
    return OpenApiExtractor().extract(fetched(path, value if isinstance(value, str) else json.dumps(value)))


def shape(fetched: Make, name: str, **named: Any) -> TypeExpr:
    return extract(fetched, schemas(**named)).shapes[name].type


def fields(expr: TypeExpr) -> dict[str, TypeExpr]:
    return {field.name: field.type for field in expr.fields}


def operation(fetched: Make, path: str, method: str, node: dict[str, Any], **parts: Any) -> ApiOperation:
    return extract(fetched, document(paths={path: {method: node}}, **parts)).operations[0]


def test_scalars_keep_format_bounds_and_default(fetched: Make) -> None:
    expr = shape(
        fetched,
        "Loan",
        Loan={
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "format": "uuid", "readOnly": True},
                "days": {"type": "integer", "minimum": 1, "maximum": 30, "default": 14},
                "note": {"type": ["string", "null"], "maxLength": 80, "deprecated": True},
                "state": {"type": "string", "enum": ["open", "closed", None], "nullable": True},
            },
        },
    )
    by_name = {field.name: field for field in expr.fields}
    assert by_name["id"].required and by_name["id"].read_only and by_name["id"].type.format == "uuid"
    assert (by_name["days"].type.minimum, by_name["days"].type.maximum, by_name["days"].type.default) == (1, 30, 14)
    assert by_name["note"].type.nullable and by_name["note"].deprecated and by_name["note"].type.max_length == 80
    assert by_name["state"].type.enum == ("open", "closed") and by_name["state"].type.nullable
    assert not by_name["days"].required


def test_a_list_of_bytes_is_text_and_a_list_of_small_numbers_is_none(fetched: Make) -> None:
    """Ids of 16 bytes are written as one text, whatever the language that they were taken from keeps."""
    expr = shape(
        fetched,
        "Loan",
        Id={"type": "array", "items": {"type": "integer", "format": "uint8"}},
        Loan={
            "type": "object",
            "properties": {
                "id": {"$ref": "#/components/schemas/Id"},
                "raw": {"type": "array", "items": {"type": "integer", "format": "uint8"}},
                "floors": {"type": "array", "items": {"type": "integer", "format": "int32"}},
            },
        },
    )
    assert fields(expr)["raw"].kind == "string" and fields(expr)["floors"].kind == "array"
    assert shape(fetched, "Id", Id={"type": "array", "items": {"type": "integer", "format": "uint8"}}).kind == "string"


def test_all_of_is_merged_and_required_reaches_inherited_fields(fetched: Make) -> None:
    expr = shape(
        fetched,
        "Book",
        Item={"type": "object", "properties": {"id": {"type": "string"}, "kind": {"type": "string"}}},
        Book={
            "allOf": [{"$ref": "#/components/schemas/Item"}, {"properties": {"pages": {"type": "integer"}}}],
            "required": ["id"],
            "properties": {"kind": {"const": "book"}},
        },
    )
    assert [field.name for field in expr.fields] == ["id", "kind", "pages"]
    assert [field.required for field in expr.fields] == [True, False, False]
    assert fields(expr)["kind"].enum == ("book",)


def test_all_of_around_one_reference_stays_a_reference(fetched: Make) -> None:
    expr = shape(
        fetched,
        "Loan",
        Book={"type": "object", "properties": {"id": {"type": "string"}}},
        Loan={"properties": {"book": {"allOf": [{"$ref": "#/components/schemas/Book"}], "nullable": True}}},
    )
    book = fields(expr)["book"]
    assert (book.kind, book.name, book.nullable) == ("ref", "Book", True)


def test_one_of_gets_its_discriminator_from_a_shared_literal(fetched: Make) -> None:
    result = extract(
        fetched,
        schemas(
            A={"properties": {"type": {"const": "a"}, "size": {"type": "integer"}}},
            B={"properties": {"type": {"enum": ["b"]}}},
            Either={
                "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}, {"type": "null"}]
            },
            Stated={
                "anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "object"}],
                "discriminator": {"propertyName": "size"},
            },
            Unlike={"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "object", "properties": {"x": {}}}]},
        ),
    )
    either = result.shapes["Either"].type
    assert either.discriminator == "type" and either.nullable and len(either.variants) == 2
    assert result.shapes["Stated"].type.discriminator == "size"
    assert result.shapes["Unlike"].type.discriminator is None


def test_additional_properties_make_a_map(fetched: Make) -> None:
    expr = shape(fetched, "Prices", Prices={"type": "object", "additionalProperties": {"type": "number"}})
    assert expr.kind == "map" and expr.items is not None and expr.items.kind == "number"


def test_recursive_schema_is_cut_at_a_reference(fetched: Make) -> None:
    expr = shape(
        fetched,
        "Node",
        Node={"properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}},
    )
    children = fields(expr)["children"]
    assert children.items is not None and (children.items.kind, children.items.name) == ("ref", "Node")


def test_circle_of_references_is_an_issue_not_a_hang(fetched: Make) -> None:
    result = extract(
        fetched,
        schemas(
            a={"$ref": "#/components/schemas/b"},
            b={"$ref": "#/components/schemas/a"},
            c={"allOf": [{"$ref": "#/components/schemas/c"}, {"properties": {"x": {"type": "string"}}}]},
        ),
    )
    assert result.shapes["a"].type.kind == "any"
    assert [field.name for field in result.shapes["c"].type.fields] == ["x"]
    reasons = " | ".join(issue.reason for issue in result.issues)
    assert "a → b → a" in reasons and "composed of itself" in reasons


def test_references_that_lead_nowhere_or_elsewhere_are_issues(fetched: Make) -> None:
    result = extract(fetched, schemas(A={"properties": {"x": {"$ref": "#/nowhere"}, "y": {"$ref": "other.json#/Z"}}}))
    assert [field.type.kind for field in result.shapes["A"].type.fields] == ["any", "any"]
    assert {issue.locator for issue in result.issues} == {
        "#/components/schemas/A/properties/x",
        "#/components/schemas/A/properties/y",
    }


def test_references_into_other_schemas_become_shapes_and_stay_small(fetched: Make) -> None:
    pair = {"left": {"type": "object"}, "right": {"type": "object"}}
    named: dict[str, Any] = {"S0": {"properties": {"in": {"properties": pair}}}}
    for number in range(1, 40):
        target = {"$ref": f"#/components/schemas/S{number - 1}/properties/in"}
        named[f"S{number}"] = {"properties": {"in": {"properties": {"left": target, "right": target}}}}
    result = extract(fetched, schemas(**named))
    assert result.shapes["S0.in"].locator == "#/components/schemas/S0/properties/in"
    assert len(json.dumps([shape.to_json() for shape in result.shapes.values()])) < 40_000


def test_a_union_that_contains_itself_ends(fetched: Make) -> None:
    result = extract(
        fetched,
        schemas(
            U={"oneOf": [{"$ref": "#/components/schemas/V"}, {"type": "object", "properties": {"a": {}}}]},
            V={"oneOf": [{"$ref": "#/components/schemas/U"}, {"type": "object", "properties": {"b": {}}}]},
            W={"allOf": [{"$ref": "#/components/schemas/U"}, {"type": "object", "properties": {"c": {}}}]},
        ),
    )
    variants = result.shapes["W"].type.variants
    assert sorted(sorted(field.name for field in variant.fields) for variant in variants) == [["a", "c"], ["b", "c"]]


def test_product_of_unions_stays_finite(fetched: Make) -> None:
    def choice(word: str) -> dict[str, Any]:
        return {"oneOf": [{"properties": {f"{word}{n}": {"type": "string"}}} for n in range(9)]}

    expr = shape(fetched, "Big", Big={"allOf": [choice("a"), choice("b"), choice("c")]})
    assert expr.kind == "object" and len(expr.fields) == 27 and not any(field.required for field in expr.fields)


def test_parameters_of_path_and_operation_are_merged(fetched: Make) -> None:
    result = extract(
        fetched,
        document(
            components={"parameters": {"page": {"name": "page", "in": "query", "schema": {"type": "integer"}}}},
            paths={
                "/books/{book_id}/loans/{undeclared}": {
                    "parameters": [
                        {"name": "book_id", "in": "path", "required": True, "schema": {"type": "string"}},
                        {"name": "limit", "in": "query", "schema": {"type": "string"}},
                        {"name": "token", "in": "cookie", "schema": {"type": "string"}},
                    ],
                    "get": {
                        "operationId": "listLoans",
                        "parameters": [
                            {"name": "limit", "in": "query", "required": True, "schema": {"type": "integer"}},
                            {"$ref": "#/components/parameters/page"},
                        ],
                    },
                }
            },
        ),
    )
    found = {p.name: p for p in result.operations[0].parameters}
    assert found["limit"].type.kind == "integer" and found["limit"].required
    assert found["page"].type.kind == "integer" and found["undeclared"].location == "path"
    assert "token" not in found
    assert any("token" in issue.reason for issue in result.issues)
    assert result.operations[0].locator == "#/paths/~1books~1{book_id}~1loans~1{undeclared}/get"


def test_object_body_is_listed_field_by_field(fetched: Make) -> None:
    found = operation(
        fetched,
        "/books",
        "post",
        {
            "requestBody": {
                "content": {
                    "text/plain": {"schema": {"type": "string"}},
                    "application/json": {
                        "schema": {
                            "required": ["title"],
                            "properties": {"title": {"type": "string"}, "id": {"type": "string", "readOnly": True}},
                        }
                    },
                }
            },
            "responses": {"204": {"description": ""}},
        },
    )
    assert [(p.name, p.location, p.required) for p in found.parameters] == [("title", "body", True)]
    assert found.id == "post_books" and found.success is None


def test_success_prefers_2xx_with_content_over_default(fetched: Make) -> None:
    def answer(name: str) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": {"properties": {name: {"type": "string"}}}}}}

    responses = {"default": answer("error"), "404": answer("missing"), "204": {}, "201": answer("made")}
    found = operation(fetched, "/books", "post", {"responses": responses})
    assert found.success is not None and [field.name for field in found.success.fields] == ["made"]
    only_default = operation(fetched, "/books", "get", {"responses": {"default": answer("all")}})
    assert only_default.success is not None and [field.name for field in only_default.success.fields] == ["all"]


def test_untyped_response_is_inferred_from_its_example(fetched: Make) -> None:
    result = extract(
        fetched,
        document(
            paths={
                "/books": {
                    "get": {
                        "operationId": "books",
                        "responses": {
                            "200": {
                                "content": {
                                    "application/json": {"examples": {"one": {"value": {"object": "list", "n": 3}}}}
                                }
                            }
                        },
                    }
                }
            }
        ),
    )
    success = result.operations[0].success
    assert (
        success is not None and fields(success)["object"].enum == ("list",) and fields(success)["n"].kind == "integer"
    )
    assert result.examples[0].shape == "books.response"
    assert any("inferred" in issue.reason for issue in result.issues)


def test_examples_of_a_list_belong_to_the_item_shape(fetched: Make) -> None:
    result = extract(
        fetched,
        document(
            components={"schemas": {"Book": {"properties": {"id": {"type": "string"}}}}},
            paths={
                "/books": {
                    "get": {
                        "responses": {
                            "200": {
                                "content": {
                                    "application/json": {
                                        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Book"}},
                                        "example": [{"id": "b1"}, {"id": "b2"}],
                                    }
                                }
                            }
                        }
                    }
                }
            },
        ),
    )
    assert [(example.shape, example.value["id"]) for example in result.examples] == [("Book", "b1"), ("Book", "b2")]


def test_version_2_in_yaml(fetched: Make) -> None:
    result = extract(
        fetched,
        """
swagger: "2.0"
info: {title: Library, version: 2024-01-01}
definitions:
  Book:
    type: object
    properties:
      published: {type: string, format: date, example: 2001-02-03}
      answer: {type: string, enum: [yes, no]}
paths:
  /books:
    post:
      operationId: addBook
      parameters:
        - {name: body, in: body, schema: {$ref: "#/definitions/Book"}}
        - {name: cover, in: formData, type: file}
      responses:
        200: {description: ok, schema: {$ref: "#/definitions/Book"}}
""",
        "api.yaml",
    )
    found = result.operations[0]
    assert found.success is not None and found.success.name == "Book"
    assert [p.name for p in found.parameters] == ["cover", "published", "answer"]
    book = fields(result.shapes["Book"].type)
    assert book["answer"].enum == ("yes", "no") and book["published"].example == "2001-02-03"


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("api.json", '{"openapi": "3.0.0",\n "paths": {,}}', "api.json:2"),
        ("api.yaml", "openapi: 3.0.0\npaths:\n  /a: [1, 2\n", "api.yaml:4"),
    ],
)
def test_broken_text_names_file_and_line(fetched: Make, path: str, text: str, line: str) -> None:
    assert OpenApiExtractor().accepts(fetched(path, text).source, text.encode())
    with pytest.raises(ExtractError) as caught:
        extract(fetched, text, path)
    assert caught.value.where == line and caught.value.remedy


def test_yaml_alias_bomb_is_refused(fetched: Make) -> None:
    lines = ["openapi: 3.0.0", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(ExtractError, match="aliases unfold"):
        extract(fetched, "\n".join(lines), "bomb.yaml")


def test_yaml_alias_that_contains_itself_is_refused(fetched: Make) -> None:
    with pytest.raises(ExtractError, match="contains itself"):
        extract(fetched, "openapi: 3.0.0\npaths: &p\n  /a: *p\n", "loop.yaml")


@pytest.mark.parametrize("path", ["deep.json", "deep.yaml"])
@pytest.mark.parametrize("depth", [200, 100_000])
def test_huge_nesting_is_refused(fetched: Make, path: str, depth: int) -> None:
    prefix = '{"openapi": "3.0.0", "x": ' if path.endswith("json") else "openapi: 3.0.0\nx: "
    text = prefix + "[" * depth + "]" * depth + ("}" if path.endswith("json") else "")
    with pytest.raises(ExtractError):
        extract(fetched, text, path)


def test_nesting_below_the_bound_is_read(fetched: Make) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        schema = {"properties": {"a": schema}}
    assert extract(fetched, schemas(Deep=schema)).shapes["Deep"].type.kind == "object"


def test_accepts_by_content_not_by_name(fetched: Make) -> None:
    extractor = OpenApiExtractor()
    plain = fetched("openapi.json", '{"name": "x"}')
    named = fetched("README", '{"swagger": "2.0"}')
    sorted_keys = fetched("x.json", '{"components": {"schemas": {"A": {"$ref": "#/components/schemas/B"}}}}')
    assert not extractor.accepts(plain.source, plain.body)
    assert extractor.accepts(named.source, named.body)
    assert extractor.accepts(sorted_keys.source, sorted_keys.body)


def test_a_bound_that_no_number_holds_is_none(fetched: Make) -> None:
    read = extract(fetched, schemas(Count={"type": "integer", "minimum": 1, "maximum": 10**400})).shapes["Count"].type
    assert (read.minimum, read.maximum) == (1, None)
