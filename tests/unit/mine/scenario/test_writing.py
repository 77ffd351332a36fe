"""Light markup, filled texts, addresses and working days."""

from __future__ import annotations

import pytest

from envforge.core.errors import BuildError
from envforge.mine.scenario.writing import day_words, fill, outline, slug, workday


def shape(text: str) -> list[tuple[str, object, int, int]]:
    return [(p["kind"], p["text"], p["depth"], p["position"]) for p in outline(text)]


def test_marks_become_kinds_in_order() -> None:
    text = "# Plan\nSome words\n- one\n- two\n1. first\n> said\n! mind\n---"
    assert shape(text) == [
        ("heading_1", "Plan", 0, 0),
        ("paragraph", "Some words", 0, 1),
        ("bullet", "one", 0, 2),
        ("bullet", "two", 0, 3),
        ("numbered", "first", 0, 4),
        ("quote", "said", 0, 5),
        ("callout", "mind", 0, 6),
        ("divider", None, 0, 7),
    ]


def test_two_blanks_put_a_line_inside_the_one_above() -> None:
    text = "+ More\n  - inner\n    deeper\n  - next\n- outer\n      far too deep"
    assert shape(text) == [
        ("toggle", "More", 0, 0),
        ("bullet", "inner", 1, 0),
        ("paragraph", "deeper", 2, 0),
        ("bullet", "next", 1, 1),
        ("bullet", "outer", 0, 1),
        ("paragraph", "far too deep", 1, 0),
    ]


def test_boxes_code_and_links_carry_what_is_theirs() -> None:
    done, open_box, code, link, bare = outline(
        "[x] sent\n[ ] paid\n~sql SELECT 1\n@ https://a.example/b A page\n@ https://a.example"
    )
    assert (done["kind"], done["checked"], open_box["checked"]) == ("to_do", True, False)
    assert (code["kind"], code["language"], code["text"]) == ("code", "sql", "SELECT 1")
    assert (link["kind"], link["url"], link["text"]) == ("bookmark", "https://a.example/b", "A page")
    assert bare["text"] is None and bare["url"] == "https://a.example"


def test_empty_lines_are_no_pieces() -> None:
    assert outline("\n \n") == []


def test_slots_are_filled_and_a_missing_one_is_an_error() -> None:
    assert fill("{who} writes to {who}", {"who": "Ann"}) == "Ann writes to Ann"
    with pytest.raises(BuildError, match="whom"):
        fill("{whom} knows", {"who": "Ann"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Talk: hut warden", "talk-hut-warden"), ("Tomás & Søn", "tomas-sn"), ("Q1 2025", "q1-2025"), ("¿?", "untitled")],
)
def test_slugs_are_plain(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        ("2025-03-07", 0, "2025-03-07"),
        ("2025-03-08", 0, "2025-03-10"),
        ("2025-03-07", 1, "2025-03-10"),
        ("2025-03-10", -1, "2025-03-07"),
        ("2024-12-23", 1, "2025-01-02"),
        ("2024-12-25", 0, "2025-01-02"),
    ],
)
def test_working_days(day: str, count: int, expected: str) -> None:
    assert workday(day, count) == expected


def test_days_in_words() -> None:
    assert day_words("2025-03-04T09:00:00Z") == "4 March"
    assert day_words("2024-11-30", True) == "30 November 2024"
