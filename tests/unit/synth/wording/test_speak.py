"""Spoken values: exact, never alike, refused where no words would do."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envforge.core.records.intent import Say
from envforge.synth.wording.dates import dates_together
from envforge.synth.wording.speak import number_words, speak, speak_row

CLOCK = "2013-01-15T09:00:00Z"
FORMS = 12
"""Seeds tried to see every form of a value."""


def forms(value: Any, say: Say, clock: str | None = CLOCK) -> set[str]:
    return {speak(value, say, rng=Random(seed), clock=clock) for seed in range(FORMS)}


@pytest.mark.parametrize(
    ("value", "say", "words"),
    [
        ("2013-01-17", "date", "Thursday the 17th"),
        ("2013-01-21", "date", "Monday the 21st"),
        ("2013-04-17", "date", "17 April"),
        ("2012-12-17", "date", "17 December"),
        ("2014-04-17", "date", "17 April 2014"),
        ("2013-01-17T07:05:00", "clock", "7:05 am"),
        ("19:00", "clock", "7 pm"),
        ("12:00", "clock", "12 noon"),
        ("00:00", "clock", "midnight"),
        ("00:05", "clock", "12:05 am"),
        ("2013-01-17T12:05:00Z", "clock", "12:05 pm UTC"),
        ("2013-01-17T07:05:00", "date_time", "7:05 am on Thursday the 17th"),
        ("2013-01-17 00:00:00", "date_time", "midnight at the start of Thursday the 17th"),
        ("2013-03", "month", "March"),
        ("2015-03", "month", "March 2015"),
        (7, "number", "seven"),
        (12, "number", "twelve"),
        (13, "number", "13"),
        (1204, "number", "1,204"),
        (3.0, "number", "three"),
        (3.25, "number", "3.25"),
        (-2, "number", "minus two"),
        (1204, "money", "$1,204"),
        (1204.5, "money", "$1,204.50"),
        (45, "duration", "45 minutes"),
        (60, "duration", "an hour"),
        (150, "duration", "two and a half hours"),
        (125, "duration", "two hours and five minutes"),
        (2880, "duration", "two days"),
        ("in_progress", "label", "in progress"),
        (["Ada", "Bo", "Cy"], "list", "Ada, Bo and Cy"),
        (["Ada"], "list", "Ada"),
        (["Plan, draft", "Budget"], "list", '"Plan, draft" and "Budget"'),
        ("Q3 plan", "quoted", '"Q3 plan"'),
        ('The "big" plan', "quoted", '“The "big" plan”'),
        ("K4T2ZQ", "code", "K4T2ZQ"),
    ],
)  # fmt: skip
def test_the_first_form(value: Any, say: Say, words: str) -> None:
    assert speak(value, say, clock=CLOCK) == words


@pytest.mark.parametrize(
    ("value", "say", "reason"),
    [
        (None, "text", "nothing to say"),
        ("  ", "text", "nothing to say"),
        ("2013-01-17", "text", "say it as date"),
        ("a\nb", "text", "cannot be heard"),
        ("a {b}", "quoted", "brace"),
        ("0b5e9c1e-8d7f-4a53-9f0e-0a4c6d7e8f90", "code", "no code"),
        ("0b5e9c1e8d7f4a539f0e0a4c6d7e8f90", "text", "no person knows"),
        ("first_name", "name", "no name"),
        ("“a” and \"b\"", "quoted", "both kinds"),
        ("2013-01-17T07:05:00", "date", "a moment, not a date"),
        ("17/01/2013", "date", "no date in ISO form"),
        ("07:05:30", "clock", "no time of day"),
        ("2013-01-17T07:05:00-05:00", "clock", "no time of day"),
        ("2013-13", "month", "no month"),
        (True, "number", "no number"),
        (1 / 3, "number", "too many digits"),
        (-3, "money", "without a sign"),
        (1.005, "money", "fractions of a cent"),
        (0, "duration", "no whole number of minutes"),
        ([], "list", "no list"),
        (list(range(9)), "list", "too many"),
        (["Ada", "ada"], "list", "sound alike"),
        (3, "label", "has no label"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(value: Any, say: Say, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        speak(value, say, clock=CLOCK)


def test_labels_are_used_for_labels_and_lists() -> None:
    labels = {"in_progress": "in flight", "1": "aisle"}
    assert speak("in_progress", "label", labels=labels) == "in flight"
    assert speak(1, "label", labels=labels) == "aisle"
    assert speak(["in_progress", "late"], "list", labels=labels) == "in flight and late"


def test_without_a_clock_a_date_has_its_year() -> None:
    assert forms("2013-01-17", "date", None) == {"17 January 2013"}
    assert forms("2013-03", "month", None) == {"March 2013"}


def test_tomorrow_is_said_only_where_everybody_has_the_same_date() -> None:
    assert "tomorrow" in forms("2013-01-16", "date", "2013-01-15T09:00:00Z")
    assert "tomorrow" not in forms("2013-01-16", "date", "2013-01-15T20:00:00Z")


@given(st.integers(-365, 365), st.integers(-365, 365), st.integers(0, 23))
def test_different_dates_never_sound_alike(one: int, other: int, hour: int) -> None:
    clock = datetime(2013, 1, 15, hour)
    days = {n: (date(2013, 1, 15) + timedelta(days=n)).isoformat() for n in (one, other)}
    said = {n: forms(day, "date", clock.isoformat() + "Z") for n, day in days.items()}
    assert one == other or not said[one] & said[other]


@given(st.datetimes(datetime(2012, 6, 1), datetime(2013, 9, 1)), st.integers(-3000, 3000))
def test_different_moments_never_sound_alike(moment: datetime, minutes: int) -> None:
    moment = moment.replace(second=0, microsecond=0)
    other = moment + timedelta(minutes=minutes)
    said = [forms(m.isoformat(), "date_time") for m in (moment, other)]
    assert moment == other or not said[0] & said[1]


@given(st.times(), st.times())
def test_different_clocks_never_sound_alike(one: Any, other: Any) -> None:
    texts = [t.strftime("%H:%M") for t in (one, other)]
    assert texts[0] == texts[1] or not forms(texts[0], "clock") & forms(texts[1], "clock")


@given(st.integers(-5000, 5000), st.integers(-5000, 5000))
def test_different_numbers_and_durations_never_sound_alike(one: int, other: int) -> None:
    for say in ("number", "money", "duration"):
        try:
            said = [forms(n, say) for n in (one, other)]
        except ValueError:
            assert say != "number" and min(one, other) <= 0
            continue
        assert one == other or not said[0] & said[1]


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_different_fractions_never_sound_alike(one: int, other: int) -> None:
    for say in ("number", "money"):
        assert one == other or not forms(one / 100, say) & forms(other / 100, say)


def test_months_of_three_years_never_sound_alike() -> None:
    months = [f"{year}-{month:02d}" for year in (2012, 2013, 2014) for month in range(1, 13)]
    said = [forms(month, "month") for month in months]
    assert len(set[str]().union(*said)) == sum(len(words) for words in said)


def test_a_row_is_spoken_by_its_columns() -> None:
    row = {"name": "Chris Curtis", "born": "1945-11-03", "state": "in_progress", "seats": 2}
    words = speak_row(
        "{name}, born on {born|date}, {state|label} with {seats} seats",
        row,
        labels={"state": {"in_progress": "in flight"}},
        clock=CLOCK,
    )
    assert words == "Chris Curtis, born on 3 November 1945, in flight with two seats"
    with pytest.raises(ValueError, match="no column 'age'"):
        speak_row("{age}", row)
    with pytest.raises(ValueError, match="'loud' is none of"):
        speak_row("{name|loud}", row)


def test_the_ways_to_write_a_number() -> None:
    assert number_words(7) == ("seven", "7")
    assert number_words(1204) == ("1,204", "1204")
    assert number_words(3.5) == ("3.5",)


TOGETHER: dict[str, tuple[dict[str, tuple[str, str]], str]] = {
    "a month, where one has it": (
        {"since": ("2013-01-17", "Thursday the 17th"), "by": ("2013-04-08", "8 April")},
        "17 January to 8 April",
    ),
    "weekdays of all": (
        {"since": ("2013-01-17", "Thursday the 17th"), "by": ("2013-04-08", "Monday 8 April")},
        "Thursday 17 January to Monday 8 April",
    ),
    "a year, where one has it": (
        {"since": ("2012-04-04", "4 April 2012"), "by": ("2012-11-08", "Thursday 8 November")},
        "4 April 2012 to 8 November 2012",
    ),
    "a date, where one is said from today on": (
        {"since": ("2013-01-15", "today"), "by": ("2013-01-17", "Thursday the 17th")},
        "Tuesday 15 January to Thursday 17 January",
    ),
    "all of them from today on": (
        {"since": ("2013-01-15", "today"), "by": ("2013-01-16", "tomorrow")},
        "today to tomorrow",
    ),
}


@pytest.mark.parametrize(("dates", "words"), TOGETHER.values(), ids=TOGETHER)
def test_dates_of_one_text_are_said_alike(dates: dict[str, tuple[str, str]], words: str) -> None:
    spoken = {name: said for name, (_, said) in dates.items()}
    found = dates_together(spoken, {name: day for name, (day, _) in dates.items()})
    assert " to ".join(found.values()) == words


def test_a_single_date_stays_as_it_is() -> None:
    assert dates_together({"day": "Thursday the 17th"}, {"day": "2013-01-17"}) == {"day": "Thursday the 17th"}
