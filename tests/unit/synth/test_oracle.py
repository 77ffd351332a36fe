"""The oracle says what must hold, and refuses what does not say it."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.intent import Intent
from envforge.core.records.task import FreeChange
from envforge.synth.checks import answer_schema, checks_of, rubric_of
from envforge.synth.oracle import oracle
from envforge.synth.rejection import UnfitError
from envforge.world.environment import Environment

from .everything import EVERYTHING


def goal(**fields: Any) -> Intent:
    """A goal with these parts."""
    parts: dict[str, Any] = {"expect": [], "allow": [], "answer": {}, **fields}
    return Intent.model_validate({**EVERYTHING.to_json(), **parts})


def update(rows: str, **more: Any) -> dict[str, Any]:
    return {"table": "loans", "change": "update", "rows": rows, **more}


def answer(sql: str, **more: Any) -> dict[str, Any]:
    return {"x": {"sql": sql, "description": "x", **more}}


def test_rows_come_with_their_key_in_its_order(library: Environment) -> None:
    found = oracle(library, EVERYTHING)
    loans, members, gone, title, idle = found.expected
    assert [row["id"][:4] for row in loans.rows] == ["0d7d", "1b0a", "6cad"]
    assert loans.key == ("id",)
    assert [row["name"] for row in members.rows] == ["Ida Roe", "Jo Vane", "Jo Vane"]
    assert gone.rows == ({"id": "M-9WRD"},)
    assert title.rows == ({"id": 105, "title": "NIGHT TRAINS"},)
    assert idle.rows == ()
    assert found.changes == 8


def test_a_row_that_is_as_wanted_already_is_no_change_but_may_be_touched(library: Environment) -> None:
    found = oracle(library, EVERYTHING)
    touched = FreeChange(table="books", changes=("update",), columns=("note",), keys=((107,),))
    assert touched in found.allowed
    assert FreeChange(table="loans", changes=("insert",), column="member_id", values=("M-B3XE",)) in found.allowed


def test_side_effects_of_nothing_are_not_allowed(library: Environment) -> None:
    nothing = {"table": "loans", "column": "member_id", "values": "SELECT id FROM members WHERE 0"}
    anything = {"table": "loans", "changes": ["insert"]}
    assert oracle(library, goal(allow=[nothing])).allowed == ()
    assert oracle(library, goal(allow=[anything])).allowed == (FreeChange(table="loans", changes=("insert",)),)


def test_answers_have_their_types(library: Environment) -> None:
    found = oracle(library, EVERYTHING).answer
    assert (found["count"], found["fine"], found["late"], found["nobody"]) == (7, 1.5, True, None)
    assert found["ids"] == [103, 102, 101]
    assert {"name": "Counting Rivers", "copies": 3} in found["books"]


MALFORMED: dict[str, tuple[dict[str, Any], str]] = {
    "no such table": ({"expect": [{"table": "x", "change": "delete", "rows": "SELECT 1 AS id"}]}, "no table 'x'"),
    "no such column": ({"expect": [update("SELECT id, 1 AS price FROM loans")]}, "no column 'price'"),
    "no such free column": ({"expect": [update("SELECT id, 1 AS fine FROM loans", free=["x"])]}, "no column 'x'"),
    "no key": ({"expect": [update("SELECT 1 AS fine FROM loans")]}, "lack the key"),
    "the key only": ({"expect": [update("SELECT id FROM loans")]}, "the key only"),
    "more than the key": (
        {"expect": [{"table": "loans", "change": "delete", "rows": "SELECT id, fine FROM loans"}]},
        "more than the key",
    ),
    "a row that is not there": ({"expect": [update("SELECT 'x' AS id, 1 AS fine")]}, "not there"),
    "a row twice": ({"expect": [update("SELECT id, 1 AS fine FROM loans UNION ALL SELECT id, 2 FROM loans")]}, "twice"),
    "a row in two parts": (
        {"expect": [update("SELECT id, 1 AS fine FROM loans"), update("SELECT id, '2030-01-01' AS due_on FROM loans")]},
        "two parts expect the row",
    ),
    "a new row that fits two parts": (
        {
            "expect": [
                {"table": "books", "change": "insert", "rows": "SELECT 'A' AS title"},
                {"table": "books", "change": "insert", "rows": "SELECT 'B' AS author"},
            ]
        },
        "could fit two parts",
    ),
    "a document without its text": (
        {"expect": [{"table": "envforge_documents", "change": "insert", "rows": "SELECT 'a.md' AS path"}]},
        "needs path and text",
    ),
    "a new document that is there": (
        {
            "expect": [
                {"table": "envforge_documents", "change": "insert", "rows": "SELECT 'rules.md' AS path, '' AS text"}
            ]
        },
        "there already",
    ),
    "values without a column": ({"allow": [{"table": "loans", "values": "SELECT 1"}]}, "go together"),
    "allowed, no such column": ({"allow": [{"table": "loans", "columns": ["x"]}]}, "no column 'x'"),
    "two values": ({"answer": answer("SELECT id FROM loans")}, "not one value"),
    "two columns": ({"answer": answer("SELECT 'a', 'b'")}, "not one value"),
    "another type": ({"answer": answer("SELECT 'a'", json_type="integer")}, "no integer"),
    "no truth": ({"answer": answer("SELECT 2", json_type="boolean")}, "neither 0 nor 1"),
    "a list that is compared as one": ({"answer": answer("SELECT 1", json_type="array")}, "match exact"),
    "a number of text": ({"answer": answer("SELECT 'a'", match="number")}, "match number"),
    "two columns in a list": (
        {"answer": answer("SELECT 'a', 'b'", json_type="array", match="set")},
        "2 columns for one value",
    ),
    "fields that are not there": (
        {"answer": answer("SELECT 1", json_type="array", match="set", item_type="object", fields=["a", "b"])},
        "1 columns for 2 fields",
    ),
}


@pytest.mark.parametrize(("parts", "reason"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_part_that_says_nothing_is_named(library: Environment, parts: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        oracle(library, goal(**parts))
    assert "everything" in caught.value.where
    assert caught.value.remedy


def test_an_answer_that_is_not_there_is_no_goal(library: Environment) -> None:
    for sql in ("SELECT NULL", "SELECT id FROM loans WHERE 0"):
        with pytest.raises(UnfitError, match="no value"):
            oracle(library, goal(answer=answer(sql)))
        assert oracle(library, goal(answer=answer(sql, optional=True))).answer == {"x": None}


def test_checks_share_weight_and_name_what_they_check(library: Environment) -> None:
    known = oracle(library, EVERYTHING)
    checks = checks_of(known, EVERYTHING)
    assert [check.id for check in checks] == [
        *("update-loans-1", "update-loans-2", "update-loans-3"),
        *("insert-members-1", "insert-members-2", "delete-members-1", "update-books-1"),
        *(f"answer-{name}" for name in EVERYTHING.answer),
        "unchanged",
    ]
    assert [check.weight for check in checks] == [1.0] * (len(checks) - 1) + [0.0]
    assert [check.count for check in checks if check.inserted] == [1, 2]
    rubric = rubric_of(known, checks)
    assert [one for item in rubric for one in item.checks] == [check.id for check in checks]
    assert sum(item.weight for item in rubric) == len(checks) - 1
    assert rubric[0].text == "All 3 rows of loans are changed as asked."


def test_the_answer_schema_says_what_and_not_how(library: Environment) -> None:
    schema = answer_schema(oracle(library, EVERYTHING), EVERYTHING)
    assert schema["required"] == list(EVERYTHING.answer)
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert properties["count"] == {"type": "integer", "description": "n"}
    assert properties["nobody"]["type"] == ["integer", "null"]
    assert properties["ids"]["items"] == {"type": "integer"}
    assert properties["books"]["items"]["properties"] == {"name": {"type": "string"}, "copies": {"type": "integer"}}
    assert "SELECT" not in str(schema)
