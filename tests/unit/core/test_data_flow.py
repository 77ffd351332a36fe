"""References of gold calls to earlier results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envforge.core.data_flow import ResultReference, reference_in, references_in, resolved

RESULTS: dict[int, Any] = {1: {"items": [{"id": "a"}, {"id": "b"}], "due date": {"n": None}}, 2: {"ok": True}}
WRITTEN = {
    "$1.items[0].id": (1, ("items", 0, "id")),
    "$12.a": (12, ("a",)),
    '$1["due date"].n': (1, ("due date", "n")),
    '$1.a["b\\"]"][3]': (1, ("a", 'b"]', 3)),
}
LITERAL = ["$120", "$3.50", "$1", "costs $1.a", "$0.a", "$1.a b", "$1.", "$1[x]", "1.a", "", "$1.a\n", 7, None, ["$1"]]


@pytest.mark.parametrize(("text", "parts"), WRITTEN.items())
def test_a_reference_is_read_and_written(text: str, parts: tuple[int, Any]) -> None:
    assert reference_in(text) == ResultReference(*parts)
    assert str(ResultReference(*parts)) == text


@pytest.mark.parametrize("value", LITERAL)
def test_what_is_no_reference_stays(value: Any) -> None:
    assert reference_in(value) is None
    assert resolved(value, {}) == value


@given(st.integers(1, 99), st.lists(st.text(max_size=5) | st.integers(0, 99), min_size=1, max_size=4))
def test_any_path_comes_back(call: int, path: list[str | int]) -> None:
    reference = ResultReference(call, tuple(path))
    assert reference_in(str(reference)) == reference


def test_values_are_replaced_inside_lists_and_objects() -> None:
    value = {"ids": ["$1.items[0].id", "$1.items[1].id", "$5"], "done": {"ok": "$2.ok"}, "n": '$1["due date"].n'}
    assert resolved(value, RESULTS) == {"ids": ["a", "b", "$5"], "done": {"ok": True}, "n": None}
    assert [reference.call for reference in references_in(value)] == [1, 1, 2, 1]


@pytest.mark.parametrize("text", ["$3.a", "$1.nothing", "$1.items[2]", "$1.items.id", "$1[0]", "$1.items[0].id.x"])
def test_a_dead_end_is_named(text: str) -> None:
    with pytest.raises(LookupError) as caught:
        resolved({"a": [text]}, RESULTS)
    assert text in str(caught.value)
