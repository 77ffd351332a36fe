"""When an answer's value is as expected: the rules of Check, one by one, and that nothing odd is an error."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envforge.core.records.intent import Match
from envforge.rollout.values import matches, same, same_text
from envforge.world.argument_values import plain_answer

ALIKE: list[tuple[str, Match, Any, Any, float]] = [
    ("text", "exact", "Orlando", "Orlando", 0),
    ("12 is 12.0", "exact", 12, 12.0, 0),
    ("a billionth", "exact", 0.1 + 0.2, 0.3, 0),
    ("null", "exact", None, None, 0),
    ("true", "exact", True, True, 0),
    ("inside", "exact", {"a": [1, None]}, {"a": [1.0, None]}, 0),
    ("apart", "number", 12.34, 12.35, 0.01),
    ("just apart", "number", 1.0, 1.01, 0.01),
    ("integers apart", "number", 10, 12, 2),
    ("no number wanted", "number", None, None, 0.01),
    ("any order", "set", ["a", "b"], ["b", "a"], 0),
    ("nothing", "set", [], [], 0),
    ("objects", "set", [{"n": "a", "v": 1.0}, {"n": "b", "v": 2}], [{"n": "b", "v": 2.0}, {"v": 1, "n": "a"}], 0),
    ("pairs that greed would miss", "set", [1.01, 1.0], [1.0, 1.02], 0.01),
    ("order", "ordered", ["a", 2], ["a", 2.0], 0),
    ("case and spacing", "normalised_text", "Late - again!", " late AGAIN", 0),
    ("full width", "normalised_text", "Flat 2", "Ｆｌａｔ ２", 0),
    ("marks only", "normalised_text", "!!", " !! ", 0),
    ("null text", "normalised_text", None, None, 0),
]
APART: list[tuple[str, Match, Any, Any, float]] = [
    ("case", "exact", "Orlando", "orlando", 0),
    ("text of a number", "exact", 12, "12", 0),
    ("true is not 1", "exact", 1, True, 0),
    ("1 is not true", "exact", True, 1, 0),
    ("null is not 0", "exact", 0, None, 0),
    ("null is not ''", "exact", "", None, 0),
    ("integers", "exact", 10**15, 10**15 + 1, 0),
    ("a list for a value", "exact", "a", ["a"], 0),
    ("too far", "number", 12.34, 12.36, 0.01),
    ("number as text", "number", 12.5, "12.5", 0.01),
    ("true as number", "number", 1, True, 0.5),
    ("not a number", "number", 1.0, math.nan, 5),
    ("endless", "number", 1.0, math.inf, 5),
    ("huge", "number", 1.5, 10**400, 5),
    ("one more", "set", ["a"], ["a", "a"], 0),
    ("one twice", "set", ["a", "b"], ["a", "a"], 0),
    ("one less", "set", ["a", "a"], ["a"], 0),
    ("more fields", "set", [{"n": "a"}], [{"n": "a", "v": 1}], 0),
    ("fewer fields", "set", [{"n": "a", "v": 1}], [{"n": "a"}], 0),
    ("no list", "set", ["a"], "a", 0),
    ("an object for a list", "set", [], {}, 0),
    ("other order", "ordered", ["a", "b"], ["b", "a"], 0),
    ("other words", "normalised_text", "late again", "again late", 0),
    ("marks differ", "normalised_text", "!!", "??", 0),
    ("no text", "normalised_text", "12", 12, 0),
]


@pytest.mark.parametrize(("match", "expected", "given", "tolerance"), [c[1:] for c in ALIKE], ids=[c[0] for c in ALIKE])
def test_alike(match: Match, expected: Any, given: Any, tolerance: float) -> None:
    assert matches(match, expected, given, tolerance)


@pytest.mark.parametrize(("match", "expected", "given", "tolerance"), [c[1:] for c in APART], ids=[c[0] for c in APART])
def test_apart(match: Match, expected: Any, given: Any, tolerance: float) -> None:
    assert not matches(match, expected, given, tolerance)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner)
)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=6)
MATCHES: list[Match] = ["exact", "number", "set", "ordered", "normalised_text"]


@given(ANYTHING, ANYTHING, st.sampled_from(MATCHES), st.sampled_from([0.0, 0.5]))
def test_nothing_raises(expected: Any, given: Any, match: Match, tolerance: float) -> None:
    assert matches(match, expected, given, tolerance) in (True, False)


@given(st.lists(PLAIN, max_size=6).flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))))
def test_a_set_has_no_order(lists: tuple[list[Any], list[Any]]) -> None:
    expected, shuffled = lists
    assert matches("set", expected, shuffled)
    assert matches("ordered", expected, shuffled) == all(map(same, expected, shuffled))


@given(st.lists(st.integers(0, 6), max_size=5), st.lists(st.integers(0, 6), max_size=5))
def test_pairs_are_found_whenever_there_are_any(expected: list[int], given: list[int]) -> None:
    some = len(expected) == len(given) and any(
        all(abs(a - b) <= 1 for a, b in zip(expected, order, strict=True)) for order in permutations(given)
    )
    assert matches("set", expected, given, 1.0) == some


@given(st.text(), st.text())
def test_text_is_compared_both_ways_alike(one: str, other: str) -> None:
    assert same_text(one, other) == same_text(other, one)
    assert same_text(one, f" {one}\t")


def deep(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("answer", [math.nan, 10**400, {"a": math.inf}, deep(5000), {1: 2}, {"a": {1}}, b"a", "\ud800"])
def test_what_json_cannot_hold_counts_as_null(answer: Any) -> None:
    assert plain_answer(answer) is None


@pytest.mark.parametrize("answer", [None, 0, "", {"a": [1, {"b": None}]}, deep(20)])
def test_an_answer_stays_as_it_is(answer: Any) -> None:
    assert plain_answer(answer) == answer
