"""Tests of one tool join those of all: what stands in there by an old name is what runs under it."""

from __future__ import annotations

import pytest

from envforge.build.added.testing import more_than_tests

GOOD = """def test_count__success(world):
    assert tools.count(world) == {"count": 2}


def test_count__not_found(world):
    assert world
"""


def test_tests_and_nothing_else() -> None:
    assert list(more_than_tests("count", GOOD)) == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("def broken(:\n", "is no Python"),
        ("import os\n", "no imports"),
        ("def test_count__more(world):\n    from os import path\n    assert path\n", "no imports"),
        ("def test_list__success(world):\n    assert world\n", "test_list__success is no test_count__<case>"),
        ("def test_count__not_found(world):\n    pass\n", "stands there twice"),
        ("tools.count = None\n", "nothing but tests"),
        ("class Help:\n    pass\n", "nothing but tests"),
    ],
)
def test_what_is_more(more: str, told: str) -> None:
    (first, *_) = more_than_tests("count", f"{GOOD}\n\n{more}")
    assert told in first
