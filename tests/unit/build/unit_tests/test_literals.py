"""Values as Python text."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from envforge.build.unit_tests.literals import WIDTH, Names, literal, one_line

VALUES: list[Any] = [
    {"a": 1, "b": [True, None], "c": {"d": "e"}},
    ["x" * 70, "y" * 70],
    "long " * 60,
    "a 'quoted' \"text\" with \\ and\nlines",
    list(range(200)),
    {"key": [{"id": f"{number:040}", "title": "some title of a row"} for number in range(6)]},
    ("one",),
    (1, 2.5),
    "",
    {},
]


@pytest.mark.parametrize("value", VALUES)
def test_it_says_the_value_on_lines_that_fit(value: Any) -> None:
    text = literal(value)
    assert ast.literal_eval(text) == value
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_short_value_stays_on_its_line() -> None:
    assert literal({"a": [1, "b"]}) == '{"a": [1, "b"]}'


def test_long_fractions_are_compared_approximately() -> None:
    assert one_line(2.5) == "2.5"
    assert one_line(1 / 3) == "pytest.approx(0.3333333333333333)"


def test_ids_of_the_call_go_by_their_names() -> None:
    names = Names({"0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab": "new_page"})
    value = {
        "id": "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab",
        "url": "https://docs.test/0b1c2d3eaaaa4bbb8ccc0123456789ab",
        "other": "0b1c2d3e",
    }
    text = one_line(value, names)
    url = "f\"https://docs.test/{new_page.replace('-', '')}\""
    assert text == f'{{"id": new_page, "url": {url}, "other": "0b1c2d3e"}}'
    new_page = "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab"
    assert eval(text, {"new_page": new_page}) == value
