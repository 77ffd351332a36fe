"""Entries of tools.json."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from envforge.build.lower import lower
from envforge.core.records.environment import ToolSpec

Specs = dict[str, ToolSpec]


def test_parameters_are_closed_json_schemas(specs: Specs) -> None:
    for spec in specs.values():
        Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["additionalProperties"] is False
        assert [name for name, schema in spec.parameters["properties"].items() if not schema["description"]] == []


def test_a_page_states_its_bounds(specs: Specs) -> None:
    size = specs["search_books"].parameters["properties"]["page_size"]
    assert (size["minimum"], size["maximum"], size["default"]) == (1, 3, 2)
    assert specs["search_books"].parameters["required"] == []
    assert specs["lend_books"].parameters["required"] == ["member_id", "book_ids"]


@pytest.mark.parametrize(
    ("tool", "reads", "writes"),
    [
        ("search_books", ("books",), ()),
        ("get_book", ("books", "loans", "members"), ()),
        ("count_loans", ("books", "loans"), ()),
        ("lend_books", ("books", "loans", "members"), ("loans",)),
        ("update_member", ("members",), ("members",)),
        ("delete_book", ("books", "loans"), ("books",)),
        ("renew_loan", ("loans", "members"), ("loans",)),
    ],
)
def test_reads_and_writes_come_from_the_steps(specs: Specs, tool: str, reads: Any, writes: Any) -> None:
    assert (specs[tool].reads, specs[tool].writes) == (reads, writes)


@pytest.mark.parametrize(
    ("tool", "read_only", "destructive", "idempotent"),
    [
        ("search_books", True, False, True),
        ("lend_books", False, False, False),
        ("update_member", False, False, True),
        ("renew_loan", False, False, False),
        ("delete_book", False, True, False),
        ("return_book", False, False, True),
    ],
)
def test_annotations(specs: Specs, tool: str, read_only: bool, destructive: bool, idempotent: bool) -> None:
    found = specs[tool].annotations
    assert (found.read_only, found.destructive, found.idempotent) == (read_only, destructive, idempotent)


def test_moving_to_the_trash_is_destructive(conftest: Any) -> None:
    step = {"do": "update", "table": "books", "where": {"id": "book_id"}, "set": {"genre": "'archived'"}}
    operation = {
        **conftest.DELETE_BOOK,
        "verb": "transition",
        "steps": [step, {"do": "return", "value": {"deleted": "book_id"}}],
    }
    _, specs = lower(conftest.blueprint_of([operation]))
    assert specs[0].annotations.destructive is True


def test_what_is_consumed_and_produced(specs: Specs) -> None:
    assert specs["lend_books"].consumes == {"member_id": "member.id", "book_ids": "book.id"}
    assert specs["search_books"].produces == {"books[].id": "book.id"}


def test_errors_are_collected(specs: Specs) -> None:
    codes = [(error.code, error.when) for error in specs["lend_books"].errors]
    assert ("not_allowed", "<name> may not borrow books.") in codes
    assert ("conflict", "The book <title> is not on the shelf.") in codes
    assert {code for code, _ in codes} == {"invalid_argument", "not_found", "not_allowed", "conflict"}
    assert ("invalid_argument", "There is nothing to change.") in {
        (error.code, error.when) for error in specs["update_member"].errors
    }
