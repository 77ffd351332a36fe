"""Ways to tell wrongly: a value is told as all that could decide otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from envforge.gates.solutions import Player, Step
from envforge.synth.dataflow import untrue
from envforge.synth.semantics import Semantics
from envforge.synth.wrong_guesses import Way, greatest_in, rows_for, wrong_ways
from envforge.world.environment import Environment

READ = """def solve(call):
    for card in ("M-4KQ7", "M-7TQ2", "M-9WRD"):
        call("list_loans", member_id=card)
    return {"titles": [call("get_book", book_id=key)["title"] for key in (101, 102, 103)]}
"""


@pytest.fixture(scope="module")
def steps(library: Environment) -> Iterator[tuple[Step, ...]]:
    with Player(library) as player:
        yield player.play(READ).steps


@pytest.fixture(scope="module")
def ways(library: Environment, steps: tuple[Step, ...]) -> tuple[Way, ...]:
    return wrong_ways(Semantics(library), steps, {"author": "Nora Whitfield"})


@pytest.mark.parametrize("fields", [1, 2, 3, 4, 10, 11, 35])
def test_any_two_fields_are_told_in_all_four_combinations(fields: int) -> None:
    names = [f"field-{number:02}" for number in range(fields)]
    told = [greatest_in(number, names) for number in range(rows_for(fields))]
    for one, other in combinations(names, 2):
        assert {(one in greatest, other in greatest) for greatest in told} == {
            (False, False),
            (False, True),
            (True, False),
            (True, True),
        }


def test_a_value_is_never_told_as_it_is(ways: tuple[Way, ...], steps: tuple[Step, ...]) -> None:
    book = next(step.seen.result for step in steps if step.tool == "get_book")
    assert book is not None
    for way in ways:
        guess = way.get("get_book", untrue)
        assert all(guess((name,), value) != value for name, value in book.items())


def test_a_field_is_told_as_less_and_as_more_than_all_others(ways: tuple[Way, ...], steps: tuple[Step, ...]) -> None:
    years = [step.seen.result["published"] for step in steps if step.tool == "get_book" and step.seen.result]
    told = {way.get("get_book", untrue)(("published",), years[0]) for way in ways} - {None}
    assert min(told) < min(years) and max(told) > max(years) and set(years[1:]) <= told


def test_a_key_is_told_as_one_that_nobody_saw(ways: tuple[Way, ...], steps: tuple[Step, ...]) -> None:
    place = ("loans", 0, "book_id")
    seen = {row["book_id"] for step in steps if step.tool == "list_loans" for row in (step.seen.result or {})["loans"]}
    told = {way.get("list_loans", untrue)(place, min(seen)) for way in ways} - {None}
    assert told - seen, "a book that none of these members has"


def test_a_name_that_was_said_is_told_first(ways: tuple[Way, ...]) -> None:
    assert ways[1]["get_book"](("author",), "somebody else") == "Nora Whitfield"
