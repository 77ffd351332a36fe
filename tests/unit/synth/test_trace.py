"""References of gold calls: from the latest result that had the value, never for what was said."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.records.environment import ToolSpec
from envforge.gates.solutions import Step
from envforge.synth.trace import gold_answer, gold_calls
from envforge.world.environment import Environment
from envforge.world.observation import Observation


def step(tool: str, given: dict[str, Any], result: dict[str, Any]) -> Step:
    return Step(tool, given, Observation(True, result), False)


@pytest.fixture(scope="module")
def tools(library: Environment) -> tuple[ToolSpec, ...]:
    return library.tools


STEPS = [
    step("search_books", {"query": "Atlas", "limit": 5}, {"books": [{"id": 101}, {"id": 107}]}),
    step("get_book", {"book_id": 107}, {"id": 107, "author": "Nora Whitfield", "free": 2}),
]


def test_arguments_refer_to_results_and_said_values_stay(tools: tuple[ToolSpec, ...]) -> None:
    calls = gold_calls(tools, STEPS, {"title": "Atlas"})
    assert calls[0].arguments == {"query": "Atlas", "limit": 5}
    assert calls[1].arguments == {"book_id": "$1.books[1].id"}


def test_a_said_key_is_no_reference(tools: tuple[ToolSpec, ...]) -> None:
    assert gold_calls(tools, STEPS, {"number": 107})[1].arguments == {"book_id": 107}


def test_the_latest_result_is_taken(tools: tuple[ToolSpec, ...]) -> None:
    steps = [*STEPS, step("get_book", {"book_id": 107}, {"id": 107})]
    assert gold_calls(tools, steps, {})[2].arguments == {"book_id": "$2.id"}


def test_an_answer_is_references_or_none_when_it_was_worked_out(tools: tuple[ToolSpec, ...]) -> None:
    assert gold_answer(tools, STEPS, {}, {"author": "Nora Whitfield", "open": True}) == {
        "author": "$2.author",
        "open": True,
    }
    assert gold_answer(tools, STEPS, {}, {"ids": [101, 107]}) == {"ids": ["$1.books[0].id", "$2.id"]}
    assert gold_answer(tools, STEPS, {}, {"count": 208}) is None
    assert gold_answer(tools, STEPS, {}, ["Nora Whitfield"]) is None
