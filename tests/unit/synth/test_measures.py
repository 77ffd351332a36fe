"""Which attributes are weighed, summed up and asked for together, and in which words."""

from __future__ import annotations

import pytest

from envforge.synth.chain_measures import are, being, contact, earlier, is_had, measure, moves, questions, together
from envforge.synth.chain_owner import UnsayableError
from envforge.synth.chain_words import having, place_name
from envforge.synth.entities import Attribute, Nature


def attribute(noun: str, nature: Nature = "number", unit: str = "") -> Attribute:
    return Attribute((noun,), noun, nature, noun, "", unit)


@pytest.mark.parametrize(
    ("noun", "unit", "more", "apart"),
    [
        ("lead time", "weeks", "has the longer lead time", "by how many weeks"),
        ("unit cost", "GBP", "costs more", "by how much"),
        ("budget", "GBP", "has the larger budget", "by how much"),
        ("weight", "kg", "is heavier", "by how many kilograms"),
        ("number of additions", "", "has more additions", "by how many"),
        ("distance", "miles", "has the longer distance", "by how many miles"),
        ("area", "", "has the larger area", "by how much"),
        ("estimate", "h", "has the larger estimate", "by how many hours"),
    ],
)
def test_each_measure_has_its_comparative(noun: str, unit: str, more: str, apart: str) -> None:
    found = measure(attribute(noun, unit=unit))
    assert (found.more, found.apart) == (more, apart)


def test_an_amount_is_asked_and_told() -> None:
    asked = {noun: measure(attribute(noun)) for noun in ("weight", "budget", "lead time", "number of files")}
    assert {noun: (one.amount, one.told) for noun, one in asked.items()} == {
        "weight": ("how much does it weigh", "how much it weighs"),
        "budget": ("how much is it", "how much it is"),
        "lead time": ("how long is it", "how long it is"),
        "number of files": ("how many does it have", "how many it has"),
    }


def test_dates_are_earlier() -> None:
    assert earlier(attribute("target date", "date")) == "has the earlier target date"


@pytest.mark.parametrize("noun", ["order below", "seat limit", "minimum stay", "capacity"])
def test_thresholds_are_not_weighed(noun: str) -> None:
    with pytest.raises(UnsayableError):
        measure(attribute(noun))


@pytest.mark.parametrize(
    ("noun", "unit", "question"),
    [
        ("weight", "kilograms", "how much do the bags weigh in all, in kilograms"),
        ("fare", "USD", "what do the bags cost in all, without tax"),
        ("tax", "USD", "how much tax is there on the bags in all"),
        ("fee", "USD", "what do the fees for the bags come to in all"),
        ("number of files", "", "how many files do the bags have in all"),
    ],
)
def test_sums_say_what_is_summed_once_and_their_unit(noun: str, unit: str, question: str) -> None:
    assert together(attribute(noun, unit=unit), "the bags", [attribute("tax")])[0] == question


def test_what_makes_no_sum() -> None:
    for noun in ("departure delay", "distance", "order below"):
        with pytest.raises(UnsayableError):
            together(attribute(noun), "the bags", [])


def test_states_that_follow_are() -> None:
    values = ["open", "closed", "checked_in", "departed", "booked", "no_show", "In progress", "failed"]
    assert are(values) == ["open", "closed", "checked_in"]


def test_what_can_go_on_to_another_state_is_now_in_this_one() -> None:
    values = ("open", "blocked", "checked_in", "accepted", "scheduled", "unconfirmed", "cancelled")
    said = {value: being(value) for value in values}
    assert said == {
        "open": "are open",
        "blocked": "are blocked",
        "checked_in": "are now checked in",
        "accepted": "are now accepted",
        "scheduled": "are scheduled",
        "unconfirmed": "are unconfirmed",
        "cancelled": "have been cancelled",
    }


def test_what_is_asked_at_once_belongs_together() -> None:
    natures: dict[str, Nature] = {
        "full name": "name",
        "e-mail address": "text",
        "phone number": "text",
        "channel": "choice",
        "bio": "text",
    }
    person = [attribute(noun, nature) for noun, nature in natures.items()]
    asked = [[one.noun for one in group] for group in questions(person, people=True)]
    assert asked == [["full name", "e-mail address"], ["e-mail address", "phone number"]]
    project = [
        attribute("title", "name"),
        attribute("stage", "choice"),
        attribute("budget"),
        attribute("due date", "date"),
    ]
    asked = [[one.noun for one in group] for group in questions(project, people=False)]
    assert asked == [["title", "stage"], ["due date"], ["budget"]]


def test_what_a_thing_is_does_not_move() -> None:
    assert all(moves(attribute(noun, "choice")) for noun in ("status", "stage", "priority", "severity"))
    assert not any(moves(attribute(noun, "choice")) for noun in ("sort", "channel", "kind", "supplier", ""))
    assert not moves(attribute("status", "text"))


def test_where_somebody_can_be_reached() -> None:
    assert all(contact(attribute(noun, "text")) for noun in ("e-mail address", "contact phone number", "login"))
    assert not any(contact(attribute(noun, "text")) for noun in ("status", "full name", "number of files"))


def test_only_some_choices_are_had() -> None:
    assert is_had(attribute("tier", "choice")) and is_had(attribute("baseline status", "choice"))
    assert not is_had(attribute("evidence", "choice")) and is_had(attribute("paid", "tick"))


def test_things_lie_in_places() -> None:
    assert having(attribute("region", "choice"), False) == ("are in {wanted}", {})
    assert having(attribute("tier", "choice"), False) == ('have the tier "{wanted}"', {})
    assert [place_name(one) for one in ("Asia", "Americas")] == ["Asia", "the Americas"]


def test_of_somebody_whose_name_is_known_the_name_is_not_asked() -> None:
    known = [attribute("name", "name"), attribute("e-mail address", "text"), attribute("tier", "choice")]
    asked = [[one.noun for one in pair] for pair in questions(known, people=True, named=True)]
    assert ["e-mail address"] in asked and all("name" not in pair for pair in asked)
    assert ["name", "e-mail address"] in [[one.noun for one in pair] for pair in questions(known, people=True)]
