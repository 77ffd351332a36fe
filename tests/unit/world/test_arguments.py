"""Argument schemas of strangers are judged in the host's process: nothing is fetched, nothing hangs."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.core.records.environment import ToolSpec
from envforge.world.arguments import ArgumentCheck
from envforge.world.environment import Environment
from envforge.world.session import Session

HANGING = "a" * 60 + "!"


def repr_short(value: Any) -> str:
    return ascii(value)[:20]


def _spoiled(folder: Path, name: dict[str, Any] | bool, **more: Any) -> Environment:
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    tools[0]["parameters"] = {"type": "object", "properties": {"name": name}, **more}
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return Environment.open(folder)


def test_a_pattern_that_is_fast_is_checked(copy: Path) -> None:
    check = _spoiled(copy, {"type": "string", "pattern": "^[a-z]+$"}).checks["search_books"]
    assert check.problem({"name": "ab"}) is None
    problem = check.problem({"name": "AB"})
    assert problem is not None and "of the form" in problem.message


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^(a+)+$"},
        {"type": "object", "patternProperties": {"^(a+)+$": {"type": "string"}}},
    ],
)
def test_a_pattern_that_may_hang_is_left_to_the_sandbox(copy: Path, schema: dict[str, Any]) -> None:
    check = _spoiled(copy, schema).checks["search_books"]
    started = time.process_time()
    assert check.problem({"name": HANGING if schema["type"] == "string" else {HANGING: "x"}}) is None
    assert time.process_time() - started < 1


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/x.json", "file:///etc/hostname", "#/nowhere"])
def test_a_reference_is_never_fetched(copy: Path, target: str) -> None:
    with pytest.raises(StoreError, match=r"tools\.json.*leads nowhere"):
        _ = _spoiled(copy, {"$ref": target}).checks


def test_a_reference_in_a_circle_is_named(copy: Path) -> None:
    environment = _spoiled(copy, {"$ref": "#/$defs/a"}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}})
    with pytest.raises(StoreError, match="circles"):
        _ = environment.checks


def test_properties_and_required_have_their_shapes(copy: Path) -> None:
    with pytest.raises(StoreError, match="properties is no object"):
        _spoiled(copy, True)
    with pytest.raises(StoreError, match="required is no list"):
        _spoiled(copy, {}, required=5)


def _check(**properties: Any) -> ArgumentCheck:
    annotations = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    texts = {"name": "probe", "verb": "get", "entity": "thing", "description": ""}
    spec: dict[str, Any] = {**texts, "returns": {}, "reads": [], "writes": [], "annotations": annotations}
    return ArgumentCheck(ToolSpec.model_validate({**spec, "parameters": {"properties": properties, "$defs": DEFS}}))


DEFS = {
    "node": {"properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/node"}]}, "end": False}},
    **{f"d{number}": {"anyOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(40)},
    "d40": {"type": "string"},
}


def _cycle() -> Any:
    items: list[Any] = []
    items.append(items)
    return items


def _nested(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"next": inner}
    return inner


def _doubled(levels: int) -> Any:
    value: list[Any] = []
    for _ in range(levels):
        value = [value, value]
    return value


STRANGE: dict[str, tuple[Any, str, str]] = {
    "bytes": (b"x", "a", "bytes"),
    "set": ([{1}], "a[0]", "set"),
    "tuple": ((1, 2), "a", "tuple"),
    "decimal": (Decimal("1.5"), "a", "Decimal"),
    "NaN": ({"b": float("nan")}, "a.b", "no such number"),
    "infinity": (float("-inf"), "a", "no such number"),
    "large integer": (10**400, "a", "64 bits"),
    "just too large": (2**63, "a", "64 bits"),
    "half a pair": (["\ud800"], "a[0]", "surrogate"),
    "half a pair as name": ({"\ud800": 1}, "a.?", "surrogate"),
    "name that is a number": ({1: 2}, "a[1]", "names are texts"),
    "name that is null": ({"b": {None: 2}}, "a.b.None", "names are texts"),
    "cycle": (_cycle(), "a[0]", "levels deep"),
    "deep": (_nested(100_000, 1), "a.next", "levels deep"),
    "doubled": (_doubled(60), "a[0]", "values"),
    "long text": ("x" * 10_000_000, "", "characters"),
    "long in sum": (["xy" * 5_000] * 101, "", "characters"),
}


@pytest.mark.parametrize("name", sorted(STRANGE))
def test_strange_values_are_named(session: Session, name: str) -> None:
    value, field, words = STRANGE[name]
    problem = _check(a={}).problem({"a": value})
    assert problem is not None and problem.kind == "caller"
    assert problem.field.startswith(field) and words in problem.message
    assert len(json.dumps(problem.to_json(), ensure_ascii=False).encode("utf-8")) < 2_000
    answer = session.call("search_books", {"query": value})
    assert answer.error is not None and answer.error.code in ("invalid_argument", "limit_exceeded")
    assert session.call("get_book", {"book_id": 101}).ok


class Text(str):
    """A caller's own kind of text."""


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, IntEnum("Size", "small").small, True),  # type: ignore[attr-defined]
        ({"type": "integer"}, -(2**63), 1.5),
        ({"type": "string", "maxLength": 2}, Text("ab"), Text("abc")),
        ({"type": "object", "required": ["b"]}, OrderedDict(b=1), OrderedDict(c=1)),
    ],
    ids=["enumeration", "integers", "texts", "objects"],
)
def test_kinds_of_python_values(schema: dict[str, Any], good: Any, bad: Any) -> None:
    check = _check(a=schema)
    assert check.problem({"a": good}) is None
    problem = check.problem({"a": bad})
    assert problem is not None and (problem.code, problem.field[:1]) == ("invalid_argument", "a")


@pytest.mark.parametrize(
    "arguments", [[1], "x", 7, b"", (), {1: 2}, {None: 2}, {"\ud800": 1}, {"x" * 10_000_000: 1}], ids=repr_short
)
def test_arguments_that_are_no_object_of_names(session: Session, arguments: Any) -> None:
    answer = session.call("get_book", arguments)
    assert answer.error is not None and answer.error.kind == "caller"
    assert len(answer.text().encode("utf-8")) < 1_000


@pytest.mark.parametrize("tool", [None, 7, 1.5, [], {}, b"get_book", "", "\ud800", "x" * 10_000_000], ids=repr_short)
def test_names_that_are_no_tool(session: Session, tool: Any) -> None:
    answer = session.call(tool, {"book_id": 101})
    assert answer.error is not None
    assert (answer.error.code, answer.error.field) == ("unknown_tool", "tool")
    assert "get_book" in answer.error.allowed
    assert len(answer.text().encode("utf-8")) < 1_000


@pytest.mark.parametrize(
    ("schema", "value", "field", "words"),
    [
        ({"type": "array", "items": {"properties": {"title": {}}, "additionalProperties": False}}, [{}, {"titel": 1}],
         "a[1].titel", "Did you mean 'title'?"),
        ({"properties": {"x": {"required": ["y"]}}}, {"x": {}}, "a.x.y", "lacks the field 'y'"),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, 3, "a", "must be object or null"),
        ({"oneOf": [{"properties": {"c": {"enum": ["red", "green"]}}, "required": ["c"]}, {"type": "null"}]},
         {"c": "grene"}, "a.c", "Did you mean 'green'?"),
        ({"maxItems": 1}, [1, 2], "a", "a list of at most 1"),
        ({"uniqueItems": True}, [1, 1], "a", "twice"),
    ],
    ids=["stray field", "missing field", "union", "union of objects", "length", "twice"],
)  # fmt: skip
def test_what_is_wrong_inside(schema: dict[str, Any], value: Any, field: str, words: str) -> None:
    problem = _check(a=schema).problem({"a": value})
    assert problem is not None and problem.field == field
    assert words in f"{problem.message} {problem.hint}"
    assert problem.hint, "every refusal says what to do"


@pytest.mark.parametrize(
    ("schema", "value", "hint"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 50}, 80, "Give a number from 1 to 50."),
        ({"type": "integer", "minimum": 1}, 0, "Give at least 1."),
        ({"type": "string", "maxLength": 2}, "abc", "Give a text at most 2 characters long."),
        ({"type": "array", "minItems": 2, "maxItems": 3}, [1], "Give a list of 2 to 3 items."),
        ({"type": ["boolean", "null"]}, "yes", "Give true or false or null."),
        ({"enum": ["red", "green"]}, "blue", "Give one of the allowed values."),
        ({"type": "array", "uniqueItems": True}, [1, 1], "Name each item once."),
        ({"multipleOf": 5}, 7, "Give it as the tool's parameters describe it."),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_give_instead(schema: dict[str, Any], value: Any, hint: str) -> None:
    problem = _check(a=schema).problem({"a": value})
    assert problem is not None and problem.hint == hint


def test_what_is_missing_is_asked_for() -> None:
    check = _check(a={"type": "string", "description": "Name of the book."})
    assert check.spec.parameters["properties"]["a"]["description"]
    missing = ArgumentCheck(check.spec.model_copy(update={"parameters": {**check.spec.parameters, "required": ["a"]}}))
    problem = missing.problem({})
    assert problem is not None and problem.hint == "Give it: Name of the book."


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#/$defs/node"}, _nested(40, {"end": 1})),
        ({"$ref": "#/$defs/d0"}, 1),
    ],
    ids=["branches per level", "branches per reference"],
)
def test_a_check_that_would_take_for_ever_is_given_up(schema: dict[str, Any], value: Any) -> None:
    check = _check(a=schema)
    assert not check.is_compiled
    problem = check.problem({"a": value})
    assert problem is not None and problem.code == "limit_exceeded"
    assert _check(a={"$ref": "#/$defs/node"}).problem({"a": _nested(50, {})}) is None


def test_a_large_wrong_argument_still_names_its_place() -> None:
    problem = _check(a={"items": {"type": "integer"}}).problem({"a": [*range(90_000), "x"]})
    assert problem is not None and (problem.code, problem.field) == ("invalid_argument", "a[90000]")


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
@pytest.mark.parametrize(
    ("pattern", "name"), [("^(a+)+$", HANGING), ("^a*a*a*$", "a" * 90_000 + "!")], ids=["exponential", "cubic"]
)
def test_names_are_not_matched_for_ever(keyword: str, pattern: str, name: str) -> None:
    check = _check(a={"patternProperties": {pattern: {}}, keyword: False})
    assert check.problem({"a": {name: 1}}) is None


@pytest.mark.parametrize("keyword", ["$id", "$anchor", "$dynamicRef"])
def test_other_bases_are_refused(keyword: str) -> None:
    with pytest.raises(StoreError, match=f"\\{keyword} is not supported"):
        _check(a={keyword: "x"})


def test_what_a_reference_leads_to_is_a_schema() -> None:
    with pytest.raises(StoreError, match="not valid under any"):
        _check(a={"$ref": "#/properties/b/x-more/c"}, b={"x-more": {"c": {"type": 5}}})
