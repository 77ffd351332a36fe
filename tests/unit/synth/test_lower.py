"""Gold bodies become programs that run: said values, paging, nothing else."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.environment import ToolSpec
from envforge.core.records.intent import Intent
from envforge.synth.literals import literal
from envforge.synth.lower import program_of
from envforge.synth.paging import Paging, paging_of
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.programs import ProgramRunner

from .everything import EVERYTHING


def said(**values: Any) -> Intent:
    return EVERYTHING.model_copy(update={"said": values, "spoken": {name: f"the\nwords of {name}" for name in values}})


def tool(name: str, parameters: dict[str, Any], returns: dict[str, Any]) -> ToolSpec:
    return ToolSpec.model_validate(
        {
            "name": name,
            "verb": "list",
            "entity": "thing",
            "description": "Things.",
            "parameters": {"type": "object", "properties": parameters},
            "returns": {"type": "object", "properties": returns},
            "reads": [],
            "writes": [],
            "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        }
    )


CURSOR = tool(
    "list_things",
    {"start_cursor": {"type": "string"}, "page_size": {"type": "integer", "maximum": 3}, "of": {"type": "string"}},
    {"tier": {"type": "string"}, "items": {"type": "array"}, "next_cursor": {"type": ["string", "null"]}},
)
SHAPES = {
    "cursor": (CURSOR, Paging("items", "start_cursor", "next_cursor", "page_size", 3)),
    "token": (
        tool(
            "t",
            {"page_token": {"type": "string"}, "per_page": {"type": "integer", "maximum": 100}},
            {"rows": {"type": "array"}, "next_page_token": {"type": "string"}},
        ),
        Paging("rows", "page_token", "next_page_token", "per_page", 100),
    ),
    "one page": (tool("t", {"limit": {"type": "integer", "maximum": 25}}, {}), Paging("", "", "", "limit", 25)),
    "two lists": (tool("t", {}, {"a": {"type": "array"}, "b": {"type": "array"}}), Paging()),
    "a list": (tool("t", {"size": {"type": "integer", "maximum": 9}}, {"a": {"type": "array"}}), Paging("a")),
    "a page that is no number": (
        tool(
            "t",
            {"page": {"type": "string", "description": "The next_cursor of the previous page."}},
            {"items": {"type": "array"}, "next_cursor": {"type": ["string", "null"]}},
        ),
        Paging("items", "page", "next_cursor"),
    ),
    "a page of a book": (
        tool(
            "t",
            {"page": {"type": "string", "description": "The page that is read."}},
            {"items": {"type": "array"}, "next_cursor": {"type": ["string", "null"]}},
        ),
        Paging("items"),
    ),
    "a cursor that leads nowhere": (tool("t", {"cursor": {"type": "string"}}, {"a": {"type": "array"}}), Paging("a")),
}


@pytest.mark.parametrize(("spec", "expected"), SHAPES.values(), ids=SHAPES.keys())
def test_paging_is_read_from_the_tools(spec: ToolSpec, expected: Paging) -> None:
    assert paging_of(spec) == expected


@pytest.fixture
def with_paging(library: Environment) -> Environment:
    return Environment(library.folder, library.manifest, (*library.tools, CURSOR), library.source, library.template)


def test_all_items_of_all_pages(with_paging: Environment, runner: ProgramRunner) -> None:
    made: list[dict[str, Any]] = []

    def call(name: str, arguments: dict[str, Any]) -> Observation:
        made.append(arguments)
        start = int(arguments.get("start_cursor", "0"))
        end = start + int(arguments["page_size"])
        return Observation(
            True, {"items": list(range(start, min(end, 7))), "next_cursor": str(end) if end < 7 else None}
        )

    body = "list = pages('list_things', of=name)\nreturn {'all': list, 'two': pages('list_things', page_size=2)}"
    answer = runner.run(program_of(with_paging, said(name="x"), body), call)
    assert answer == {"all": list(range(7)), "two": list(range(7))}
    assert made[:3] == [
        {"page_size": 3, "of": "x"},
        {"page_size": 3, "of": "x", "start_cursor": "3"},
        {"page_size": 3, "of": "x", "start_cursor": "6"},
    ]
    assert len(made) == 3 + 4


def test_a_program_starts_from_what_was_said(library: Environment, runner: ProgramRunner) -> None:
    values = {"day": "2024-03-01", "names": ['a "b"', "c\\d", "é\n"], "row": {"n": 1.5, "none": None}, "unused": 3}
    body = '''if datetime.date.fromisoformat(day).year != 2024:
    return {}
text = """two
 lines"""
try:
    call('get_book', book_id=9)
except ToolError as error:
    return {'names': names, 'row': row, 'text': text, 'code': error.code}'''
    source = program_of(library, said(**values), body + "\nreturn {}")
    with library.start() as session:
        answer = runner.run(source, session.call)
    assert answer == {"names": values["names"], "row": values["row"], "text": "two\n lines", "code": "not_found"}
    assert '    day = "2024-03-01"  # the words of day\n' in source
    assert "unused" not in source
    assert source == program_of(library, said(**values), body + "\nreturn {}")


REFUSED = {
    "a name that nothing gives": ("return {'x': nobody}", "line 1: nothing gives the name 'nobody'"),
    "an import": ("import os\nreturn {}", "line 1: Import"),
    "no return": ("call('get_book', book_id=1)", "does not end in"),
    "a tool that is not there": ("return {'x': pages('list_pages')}", "no tool 'list_pages'"),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_a_body_that_no_program_may_have(library: Environment, body: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        program_of(library, said(), body)
    assert "everything" in caught.value.where


@pytest.mark.parametrize(
    "value",
    [None, True, 1, -2.5, 'a "b" \\ \n ☃', [], (), (1,), {"a": [1, (2, 3)], "b": {}}, {"k" * 60: ["v" * 60] * 3}],
    ids=str,
)
def test_literals_mean_what_they_say(value: Any) -> None:
    assert ast.literal_eval(literal(value)) == value


@pytest.mark.parametrize("value", [float("inf"), float("nan")], ids=str)
def test_what_has_no_literal(value: float) -> None:
    with pytest.raises(ValueError, match="no literal"):
        literal(value)
    with pytest.raises(TypeError, match="no literal"):
        literal({value})
