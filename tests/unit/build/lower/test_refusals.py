"""What cannot be lowered is refused with its place; what is hostile stays text."""

from __future__ import annotations

import ast
import copy
from typing import Any

import pytest

from envforge.build.lower import lower
from envforge.core.errors import BuildError
from envforge.gates.tool_rules import violations


def operation(conftest: Any, steps: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    base = {
        "name": "do_it",
        "verb": "get",
        "entity": "book",
        "summary": "Do it",
        "parameters": [conftest.BOOK_ID],
        "steps": steps,
        "returns": {"type": "object"},
    }
    return {**base, **changes}


def done(value: str = "book_id") -> dict[str, Any]:
    return {"do": "return", "value": {"done": value}}


FETCH = {"do": "fetch", "name": "book", "table": "books", "where": {"id": "book_id"}}
SELECT = {"do": "select", "name": "books", "table": "books"}
IN_LOOP = {"do": "each", "item": "x", "over": "[1]", "steps": [{"do": "let", "name": "inside", "value": "x"}]}
ONE_WAY = {"do": "when", "that": "book_id", "then": [{"do": "let", "name": "maybe", "value": "1"}]}


FAULTY: list[tuple[list[Any], str]] = [
    ([FETCH], "can end without a return"),
    ([{"do": "when", "that": "True", "then": [done()]}], "can end without a return"),
    ([done(), FETCH], "can never run"),
    ([FETCH, done("book.titel")], "no column 'titel'"),
    ([done("bok_id")], "has no value"),
    ([done("open('x')")], "is not a function"),
    ([done("book_id.__class__")], "private name"),
    ([done("lambda: 1")], "Lambda"),
    ([IN_LOOP, done("inside")], "'inside' has no value"),
    ([ONE_WAY, done("maybe")], "'maybe' has no value"),
    ([SELECT, done("books.items")], "only rows and objects"),
    ([{**SELECT, "page": {"cursor": "start"}}, done()], "not a parameter"),
    ([{**SELECT, "columns": ["titel"]}, done()], "no column 'titel'"),
    ([{**SELECT, "columns": ["title", "author as title"]}, done()], "two result columns"),
    ([{**SELECT, "columns": ["title as t; DROP TABLE books"]}, done()], "is not a name"),
    ([{**SELECT, "table": "boks"}, done()], "no table 'boks'"),
    ([{**SELECT, "where": [{"column": "title", "op": "contains"}]}, done()], "has no value"),
    ([{**SELECT, "columns": ["title"]}, done("[book_summary(b) for b in books]")], "needs the column"),
    ([{"do": "update", "table": "books", "where": {"id": "book_id"}}, done()], "sets nothing"),
    ([{"do": "delete", "table": "books", "where": {}}, done()], "without a condition"),
    ([{"do": "insert", "name": "b", "table": "books", "values": {"id": "book_id"}}, done()], "lacks title"),
    ([{"do": "insert", "name": "b", "table": "books", "values": {"colour": "1"}}, done()], "no column 'colour'"),
    ([{"do": "adapter", "adapter": "nothing"}, done()], "no adapter"),
    ([{"do": "append", "to": "book_id_list", "value": "1"}, done()], "is not a list"),
    ([{"do": "let", "name": "class", "value": "1"}, done()], "cannot name a value"),
    ([{"do": "let", "name": "_page", "value": "1"}, done()], "cannot name a value"),
    ([{"do": "let", "name": "len", "value": "1"}, done("len([1])")], "hides a function"),
    ([{"do": "let", "name": "id", "value": "1"}, done("id")], "hides a function"),
    ([{"do": "require", "that": "True", "code": "conflict", "message": "{"}, done()], "never closed"),
    ([{"do": "require", "that": "True", "code": "conflict", "message": "}"}, done()], "a single"),
    ([{"do": "require", "that": "True", "code": "conflict", "message": "{open('x')}"}, done()], "not a function"),
    ([{"do": "each", "item": "x", "over": "[]", "steps": []}, done()], "nothing is done"),
    ([{"do": "let", "name": "x", "value": "new_id('boks')"}, done()], "name of a table"),
]


@pytest.mark.parametrize(("steps", "message"), FAULTY)
def test_faulty_steps(conftest: Any, steps: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(BuildError, match=message) as caught:
        lower(conftest.blueprint_of([operation(conftest, steps)]))
    assert "operation do_it" in caught.value.where


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT nope FROM books", "no such column"),
        ("DELETE FROM books", "not authorized"),
        ("SELECT 1; DELETE FROM books", "one statement"),
        ("SELECT random() AS r FROM books", "not authorized"),
        ("SELECT date('now') AS d", "clock"),
        ("SELECT CURRENT_TIMESTAMP AS d", "not authorized"),
        ("SELECT * FROM books WHERE id = :other", "disagree on other"),
        ("ATTACH 'x.db' AS x", "not authorized"),
        ("SELECT * FROM sqlite_schema", "prohibited"),
    ],
)
def test_faulty_queries(conftest: Any, query: str, message: str) -> None:
    steps = [{"do": "sql", "name": "rows", "query": query}, done()]
    with pytest.raises(BuildError, match=message):
        lower(conftest.blueprint_of([operation(conftest, steps)]))


@pytest.mark.parametrize("name", ["reset", "get_reward", "class", "GetBook", "_x", "json", "id", "a-b", "büch", ""])
def test_names_no_tool_may_have(conftest: Any, name: str) -> None:
    with pytest.raises(BuildError):
        lower(conftest.blueprint_of([operation(conftest, [done()], name=name)]))


@pytest.mark.parametrize("name", ["world", "class", "_x", "id", "a b", "input", "ö"])
def test_names_no_parameter_may_have(conftest: Any, name: str) -> None:
    broken = operation(conftest, [done("1")], parameters=[conftest.parameter(name)])
    with pytest.raises(BuildError, match="cannot name a parameter"):
        lower(conftest.blueprint_of([broken]))


def test_two_tools_of_one_name(conftest: Any) -> None:
    with pytest.raises(BuildError, match="two tools"):
        lower(conftest.blueprint_of([operation(conftest, [done()]), operation(conftest, [done()])]))


def test_a_result_must_be_the_one_described(conftest: Any) -> None:
    cases: list[tuple[dict[str, Any], str]] = [({}, "has done, which is not"), ({"done": {}, "more": {}}, "lacks more")]
    for properties, message in cases:
        returns: dict[str, Any] = {"type": "object", "properties": properties, "required": sorted(properties)}
        with pytest.raises(BuildError, match=message):
            lower(conftest.blueprint_of([operation(conftest, [done()], returns=returns)]))


def test_a_view_that_shows_itself(conftest: Any) -> None:
    views = [
        {"name": "a", "table": "books", "fields": {"x": "b(row)"}},
        {"name": "b", "table": "books", "fields": {"x": "a(row)"}},
    ]
    with pytest.raises(BuildError, match="shows itself"):
        lower(conftest.blueprint_of([], views=views))


HOSTILE = [
    '"""',
    '"""\n    import os\n    """',
    "\\",
    '\\"""',
    'ends with a quote"',
    "{0} {{braces}} %s",
    "\u202e right to left \x00 \ud800",
    "line\r\nfeed\x0b\x1c",
    "'); DROP TABLE books; --",
    "Ünï¢ødé 😀",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(conftest: Any, text: str) -> None:
    message = text.replace("{", "{{").replace("}", "}}")
    steps: list[dict[str, Any]] = [
        {**FETCH, "message": message, "hint": message},
        {"do": "require", "that": f"book_id != {text!r}", "code": "conflict", "message": message + " {book_id}"},
        {"do": "sql", "name": "n", "query": "SELECT :x AS x", "parameters": {"x": repr(text)}},
        {"do": "let", "name": "known", "value": repr({text: [text]})},
        {"do": "return", "value": {text: repr(text)}},
    ]
    parameters = [
        {"name": "book_id", "description": text, "json_schema": {"type": "string", "enum": [text, "B1"]}},
        {"name": "mode", "description": text, "json_schema": {"type": "string", "pattern": r'^"""$'}, "required": False}
        | {"default": text},
        {
            "name": "more",
            "description": text,
            "json_schema": {"type": "object", "properties": {text: {"type": "string", "enum": [text, "b"]}}},
            "required": False,
        },
    ]
    hostile = operation(conftest, steps, summary=text, description=text, parameters=parameters)
    tables = copy.deepcopy(conftest.TABLES)
    tables[1]["label"] = text
    module, specs = lower(conftest.blueprint_of([hostile], title=text, tables=tables))
    tree = ast.parse(module)
    assert violations(module) == []
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"] == ["do_it"]
    assert len(specs) == 1
    module.encode("utf-8")
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "do_it")
    constants = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
    assert text in constants
    assert "Args:" in (ast.get_docstring(function) or "")


def test_a_hostile_message_is_raised_as_written(conftest: Any, world: Any) -> None:
    text = 'It\'s "{{x}}" \\ """'
    steps = [
        {"do": "require", "that": "False", "code": "conflict", "message": text + " {book_id!r} {1 / 3:.2f}"},
        done(),
    ]
    module, _ = lower(conftest.blueprint_of([operation(conftest, steps)]))
    with pytest.raises(Exception, match="It's") as caught:
        conftest.load(module).do_it(world, book_id="B1")
    assert str(caught.value) == 'It\'s "{x}" \\ """ \'B1\' 0.33'
