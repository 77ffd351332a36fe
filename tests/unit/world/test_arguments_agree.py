"""The compiled validator and the exact one agree: on random schemas of the kind tools have, and on the fixtures'."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.core.records.environment import ToolSpec
from envforge.world.argument_schema import Exact, compiled
from envforge.world.arguments import ArgumentCheck

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "environments").glob("*/tools.json"))
SHIPPED = sorted((ROOT / "environments").glob("*/tools.json"))

_NAMES = st.sampled_from(["a", "b", "c", "type", "ä"])
_TEXTS = st.text(alphabet="ab1 ä\n\U0001f600", max_size=4)
_NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([-(2**63), 2**53, 2**53 + 1, 2**63 - 1]),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 0.1, 0.3, 19.99, 2.0**53, 1e300, 1e-9]),
)
_SCALARS = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=6
)
_PATTERNS = st.sampled_from(["^a", "b$", r"^\d+$", r"^[a-z]{1,3}\Z", "(?P<x>a)", r"\w \w", "^(a+)+$", "ä|1"])


def _some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=parts)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    listed = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(_NAMES, inner, max_size=3)
    types = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
    sizes = st.integers(0, 3)
    objects = _some(
        type=st.just("object"),
        properties=named,
        required=st.lists(_NAMES, max_size=2, unique=True),
        additionalProperties=st.booleans() | inner,
        propertyNames=st.fixed_dictionaries({"pattern": _PATTERNS}),
        minProperties=sizes,
        maxProperties=sizes,
        dependentRequired=st.dictionaries(_NAMES, st.lists(_NAMES, max_size=2, unique=True), max_size=1),
        dependentSchemas=st.dictionaries(_NAMES, inner, max_size=1),
        patternProperties=st.dictionaries(_PATTERNS, inner, min_size=1, max_size=1),
        description=_TEXTS,
    )
    arrays = _some(
        type=st.just("array"),
        items=inner,
        prefixItems=listed,
        minItems=sizes,
        maxItems=sizes,
        uniqueItems=st.booleans(),
        contains=inner,
        minContains=sizes,
    )
    texts = _some(type=st.just("string"), minLength=sizes, maxLength=sizes, pattern=_PATTERNS, format=st.just("uuid"))
    numbers = _some(
        type=st.sampled_from(["integer", "number", ["number", "null"]]),
        minimum=_NUMBERS,
        maximum=_NUMBERS,
        exclusiveMinimum=_NUMBERS,
        exclusiveMaximum=_NUMBERS,
        multipleOf=st.sampled_from([1, 2, 0.1, 0.01, 0.5, 3]),
    )
    choices = _some(enum=st.lists(_VALUES, min_size=1, max_size=4), default=_VALUES, examples=st.lists(_VALUES))
    mixed = _some(
        anyOf=listed,
        oneOf=listed,
        allOf=listed,
        **{"not": inner, "if": inner, "then": inner, "else": inner, "const": _VALUES},
        type=types | st.lists(types, min_size=1, max_size=2, unique=True),
        unevaluatedProperties=st.just(False),
    )
    shared = st.sampled_from([{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two", "type": "object"}])
    return st.one_of(objects, arrays, texts, numbers, choices, mixed, shared)


_LEAVES: st.SearchStrategy[Any] = st.booleans() | st.sampled_from([{"type": "string"}, {"type": "integer"}, {}])
_SCHEMAS = st.recursive(_LEAVES, _schemas, max_leaves=8)
_DEFS = {"one": {"type": "string", "minLength": 1}, "two": {"properties": {"a": {"$ref": "#/$defs/one"}}}}


@settings(max_examples=300, deadline=None)
@given(
    schema=_SCHEMAS.filter(lambda schema: isinstance(schema, dict)), values=st.lists(_VALUES, min_size=6, max_size=6)
)
def test_both_validators_say_the_same(schema: dict[str, Any], values: list[Any]) -> None:
    root = {"$defs": _DEFS, **schema}
    check = compiled(root)
    exact = Exact(root)
    for value in values:
        if check is not None:
            assert check.is_valid(value) == (not exact.errors(value)), (schema, value)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"multipleOf": 0.1}, 0.3, 0.35),
        ({"multipleOf": 3}, 3e20, 1e300),
        ({"type": "integer", "maximum": 2**53}, float(2**53), 2**53 + 1),
        ({"enum": [1, "1"]}, 1.0, True),
        ({"uniqueItems": True}, [1, True, "1"], [{"a": 1}, {"a": 1.0}]),
        ({"pattern": r"^\d$"}, "\u0663", "x"),
        ({"pattern": "^a$"}, "a\n", "b"),
        ({"$ref": "#/$defs/one"}, "x", ""),
        ({"$ref": "#/$defs/two", "required": ["b"]}, {"b": 1}, {"a": 1, "b": 1}),
        ({"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"]}]}, {"a": 1}, {}),
        ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}, 2, "a"),
        ({"prefixItems": [{"const": 1}], "items": False}, [1], [1, 2]),
        ({"dependencies": {"a": ["b"]}, "type": "object"}, {"a": 1}, 1),
    ],
    ids=lambda value: json.dumps(value),
)
def test_cases_where_validators_are_known_to_differ(schema: dict[str, Any], good: Any, bad: Any) -> None:
    root = {"$defs": _DEFS, **schema}
    check, exact = compiled(root), Exact(root)
    assert check is not None and check.is_valid(good) and not check.is_valid(bad)
    assert not exact.errors(good) and exact.errors(bad)


def _specs() -> list[Any]:
    found: list[Any] = []
    for path in [*FIXTURES, *SHIPPED]:
        tools = cast("list[Any]", json.loads(path.read_text(encoding="utf-8")))
        found += [pytest.param(tool, id=f"{path.parent.name}-{tool['name']}") for tool in tools]
    return found


@pytest.mark.parametrize("tool", _specs())
def test_tools_are_compiled_and_judged_alike(tool: dict[str, Any]) -> None:
    spec = ToolSpec.model_validate(tool)
    check = ArgumentCheck(spec)
    assert check.is_compiled
    verdicts: set[bool] = set()
    for arguments in _tries(spec.parameters):
        problem, words = check.problem(arguments), check.explain(arguments)
        assert problem == words, arguments
        verdicts.add(problem is None)
    assert verdicts == {True, False}


_ODD_VALUES: list[Any] = [None, True, 0, -1, 1.5, 10**6, "", "x", "x" * 300, [], ["x"], [{}], {}, {"x": 1}]


def _tries(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments that fit, and each with one thing changed."""
    properties: dict[str, Any] = parameters["properties"]
    full = {name: _fitting(schema) for name, schema in properties.items()}
    yield full
    yield {name: full[name] for name in parameters.get("required", ())}
    yield {**full, "stray": 1}
    for name in properties:
        yield {other: value for other, value in full.items() if other != name}
        for value in _ODD_VALUES:
            yield {**full, name: value}


def _fitting(schema: dict[str, Any]) -> Any:
    """A value of a simple schema."""
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", "string")
    match kinds if isinstance(kinds, str) else kinds[0]:
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [_fitting(schema["items"])] * max(1, schema.get("minItems", 1)) if "items" in schema else []
        case "object":
            properties = schema.get("properties", {})
            return {name: _fitting(properties[name]) for name in schema.get("required", ())}
        case _:
            return "abc"
