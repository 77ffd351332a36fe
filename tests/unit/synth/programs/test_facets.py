"""Columns that people tell rows apart by have words; codes, addresses and constants have none."""

from __future__ import annotations

import sqlite3
from typing import Any, cast

import pytest

from envforge.core.records.domain import Column, Table
from envforge.core.records.extraction import ColumnType
from envforge.synth.keys import Keys
from envforge.synth.programs.facets import Facet, counted_in, facets_of, sayable
from envforge.synth.programs.phrases import adds_up, highest

ROWS = 24


class OneTable:
    """Rows of one table; nothing refers to anything."""

    foreign = ()

    def __init__(self, column: str, values: list[Any]) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute(f'CREATE TABLE things (id, "{column}")')
        self._base.executemany("INSERT INTO things VALUES (?, ?)", list(enumerate(values)))

    def more(self, column: str) -> None:
        """A further column, empty."""
        self._base.execute(f'ALTER TABLE things ADD COLUMN "{column}"')

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._base.execute(sql).fetchall()


def facet(name: str, kind: ColumnType, values: list[Any], **more: Any) -> Facet | None:
    columns = (Column(name="id", type="integer", role="id"), Column(name=name, type=kind, **more))
    table = Table(name="things", entity="thing", label="thing", primary_key=("id",), columns=columns)
    found = list(facets_of(cast("Keys", OneTable(name, values)), table))
    return found[0] if found else None


def some(*values: Any) -> list[Any]:
    return [values[number % len(values)] for number in range(ROWS)]


def test_choices_are_words_that_repeat() -> None:
    found = facet("region", "text", some("North", "South", "East"))
    assert found == Facet("region", "choice", "region", proper=True, choices=("East", "North", "South"))
    assert facet("state", "text", some("lit", "unlit")) == Facet("state", "choice", "state", choices=("lit", "unlit"))
    assert facet("region", "text", [f"Place {number}" for number in range(ROWS)]) is None, "all different"
    assert facet("region", "text", ["North"] * ROWS) is None, "all the same"
    assert facet("page", "text", some("https://a.example/1", "https://a.example/2")) is None


@pytest.mark.parametrize("name", ["ccn3", "x_y", "idd_hash", "since"])
def test_codes_have_no_words(name: str) -> None:
    assert facet(name, "text", some("North", "South")) is None


def test_numbers_have_units_and_years_are_no_numbers() -> None:
    found = facet("height_metres", "integer", list(range(ROWS)))
    assert found == Facet("height_metres", "number", "height", "metres")
    year = facet("built_year", "integer", [1900 + number for number in range(ROWS)])
    assert year is not None and year.nature == "year" and not adds_up(year)
    assert highest(year) == "latest built year" and highest(year, low=True) == "earliest built year"
    assert facet("height", "integer", some(1, 2, 3)) is None, "three values are no scale"


def test_dates_are_told_from_texts() -> None:
    days = [f"20{number:02}-01-05" for number in range(ROWS)]
    assert facet("opened_on", "text", days) is None, "'opened on' is no noun"
    found = facet("release_date", "text", days)
    assert found is not None and found.nature == "date"
    assert facet("release_date", "text", [*days[:-1], "soon"]) is None


def test_ticks_are_predicates() -> None:
    def so(name: str, share: int = 3) -> str:
        found = facet(name, "boolean", [int(number % share == 0) for number in range(ROWS)])
        return found.is_so(True) + "; " + found.is_so(False) if found else ""

    assert so("landlocked") == "that are landlocked; that are not landlocked"
    assert so("accepts_flags") == "that accept flags; that do not accept flags"
    assert so("has_lift") == "that have lift; that do not have lift"
    assert so("un_member") == "that are UN members; that are not UN members"
    assert so("landlocked", share=1) == "", "what everybody is tells nothing"


def test_ticks_that_say_what_a_row_does_are_verbs() -> None:
    found = facet("allow_squash_merge", "boolean", some(0, 1))
    assert found is not None and found.is_so(False) == "that do not allow squash merge"


@pytest.mark.parametrize("name", ["default_allow_edit", "can_create_org", "pull_request_merged"])
def test_ticks_that_nobody_would_say_are_none(name: str) -> None:
    assert facet(name, "boolean", some(0, 1)) is None


def test_seconds_since_some_day_are_no_measure() -> None:
    assert facet("created_time", "real", [float(one) for one in range(ROWS)]) is None


def test_ticks_of_one_word_stand_before_their_noun() -> None:
    def before(name: str) -> tuple[str, str]:
        found = facet(name, "boolean", [int(number % 3 == 0) for number in range(ROWS)])
        assert found is not None
        return found.before(True), found.before(False)

    assert before("archived") == ("archived", "non-archived")
    assert before("draft") == ("draft", "non-draft")
    assert before("accepts_flags") == ("", "") and before("un_member") == ("", "")


def test_counts_are_said_as_counts() -> None:
    seats = facet("seats", "integer", list(range(ROWS)))
    assert seats is not None and counted_in(seats) == "seats"
    assert highest(seats) == "most seats" and highest(seats, low=True) == "fewest seats"
    height = facet("height_metres", "integer", list(range(ROWS)))
    assert height is not None and counted_in(height) == ""


def people(*more: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, type="text") for name in ("full_name", *more))


def of_duty(name: str, *values: str, rest: tuple[Column, ...] = people()) -> bool:
    """Whether a column of a table says what its rows are."""
    columns = (Column(name="id", type="integer", role="id"), Column(name=name, type="text"), *rest)
    table = Table(name="things", entity="thing", label="thing", primary_key=("id",), columns=columns)
    rows = OneTable(name, some(*values))
    for one in rest:
        rows.more(one.name)
    found = next(one for one in facets_of(cast("Keys", rows), table) if one.column == name)
    return found.who


def test_what_people_are_is_a_noun_for_somebody() -> None:
    assert of_duty("duty", "editor", "reviewer") and of_duty("role", "Team_Leader", "Admin")
    assert not of_duty("role", "editor", "engineering"), "what a department is called is nobody"
    assert not of_duty("role", "editor", "other") and not of_duty("mood", "editor", "reviewer")
    assert not of_duty("role", "editor", "reviewer", rest=()), "a membership is no editor"


def test_a_participle_of_the_row_is_no_part_of_its_date() -> None:
    days = [f"20{number:02}-01-05" for number in range(ROWS)]

    def short(name: str) -> str:
        found = facet(name, "text", days)
        assert found is not None
        return found.short

    assert short("discouraged_removal_date") == "removal date"
    assert short("removal_date") == "" and short("retired_date") == ""
    assert short("planned_release_date") == "", "the date is planned, and not the row"
    found = facet("discouraged_removal_date", "text", days)
    assert found is not None and highest(found) == "latest removal date"
    columns = ("id", "discouraged_removal_date", "removal_date")
    table = Table(
        name="things", entity="thing", label="thing", primary_key=("id",),
        columns=tuple(Column(name=name, type="text") for name in columns),
    )  # fmt: skip
    rows = OneTable("discouraged_removal_date", days)
    rows.more("removal_date")
    both = list(facets_of(cast("Keys", rows), table))
    assert [(one.noun, one.short) for one in both] == [("discouraged removal date", "")], "there are two"


def test_words_of_nouns() -> None:
    assert sayable("un regional group") == "UN regional group"
    assert sayable("state of repair") == "state of repair"
    assert sayable("tz offset") == "TZ offset"
    assert sayable("rgb") == "" and sayable("level 3") == "" and sayable("") == ""
