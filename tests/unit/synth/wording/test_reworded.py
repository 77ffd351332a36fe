"""A text that a model worded: one that says the same passes, each way of losing or adding something is found."""

from __future__ import annotations

from random import Random

import pytest

from envforge.synth.wording.coverage import problems as coverage_problems
from envforge.synth.wording.grammar import Phrased, phrase
from envforge.synth.wording.polish import Span
from envforge.synth.wording.reworded import problems, reworded, sentences_of, values_of

from .conftest import flight_goal

GOAL = flight_goal()
FLIGHT = "our 7:05 am from Newark to Orlando on Thursday the 17th"
GOOD = (
    f"I'm afraid {FLIGHT} isn't going to fly. Could you switch everyone booked on it, except those on a basic fare, to "
    "the next flight we have on that route the same day? Nothing changes for people on a basic fare. I also need to "
    "know how many people were moved."
)


def ours() -> Phrased:
    """The goal in our words, with a negation, an exception and a report."""
    for seed in range(200):
        said = phrase(GOAL.family, GOAL.intent, "polite", Random(seed))
        text = said.text
        if "except" in text and "moved" in text and "next flight" in text and "isn't going" in text:
            return said
    raise AssertionError("no such wording")


def found(text: str) -> list[str]:
    before = ours()
    after = reworded(before, text, "agent:m")
    return [*problems(before, after), *coverage_problems(GOAL.family, GOAL.intent, after, answer=GOAL.answer)]


def test_a_text_that_says_the_same() -> None:
    assert found(GOOD) == []


def test_values_are_found_where_they_stand_now() -> None:
    after = reworded(ours(), f"Basic it is not. {GOOD}", "agent:m")
    words = [after.text[span.start : span.end] for span in after.spans]
    assert words == ["Basic", FLIGHT, "basic", "basic"]
    assert after.templates[0].endswith("~agent:m") and after.banks == ours().banks


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (FLIGHT, "our morning flight to Orlando on Thursday the 17th", f"does not say {FLIGHT!r} word for word"),
        (", except those on a basic fare,", " with a basic fare", "drops an exception"),
        ("the next flight", "the earliest next flight", "adds a lowest: 'earliest'"),
        ("everyone booked", "only those booked", "adds only"),
        ("to the next flight", "to flight 12, the next flight", "the number '12"),
        ("to the next flight", "to the next Delta flight", "the name 'Delta'"),
        ("how many people were moved", "how many of the 41 people were moved", "the number '41"),
        ("I also need", "Use search_flights for it. I also need", "the name of a column or tool search_flights"),
        ("Could you", "If it is no trouble, could you", "adds a condition"),
        ("Nothing changes for people on", "Leave people on", 'drops a negation: it says "isn\'t" instead of'),
    ],
)
def test_what_is_lost_or_added(old: str, new: str, told: str) -> None:
    assert old in GOOD
    wrong = found(GOOD.replace(old, new))
    assert any(told in one for one in wrong), wrong


def test_a_step_that_is_dropped() -> None:
    before = ours()
    bare = f"{FLIGHT} isn't going to run, not for those except a basic fare. Everyone the all others."
    wrong = problems(before, reworded(before, bare, "agent:m"))
    assert any(one.startswith("it leaves out:") for one in wrong), wrong


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"Sure, here is the request: {GOOD}", "speaks about itself"),
        (f"Sure, {GOOD}", "speaks about itself"),
        ("I'm sorry, but I can't help with that.", "speaks about itself"),
        (f"**{GOOD}**", "speaks about itself"),
        ("Move them.", "too short"),
        (" ".join([GOOD] * 4), "too long"),
    ],
)
def test_what_is_no_request(text: str, told: str) -> None:
    assert any(told in one for one in found(text)), found(text)


def test_a_scope_that_is_said_twice_is_kept_twice() -> None:
    """As a model did it: of pages directly below one page and of a place directly below another, one was left."""
    ours = "Move all pages directly below this page so that they sit directly under that one."
    before = Phrased(ours, (), (), ("text#0",), ())
    theirs = "Please move all pages below this page, so that they sit directly under that one."
    wrong = problems(before, reworded(before, theirs, "agent:m"))
    assert wrong == ["it drops a scope: it says 'below', 'directly' instead of 'directly', 'below', 'directly'"]


def test_our_own_text_is_no_other_one() -> None:
    assert "it is the same text" in found(ours().text)


def test_sentences_and_values() -> None:
    text = "Hi, move “A. B.” now. Thanks! How many?"
    said = Phrased(text, (), (), ("text#0",), (Span(9, 16, "title", "quoted"),))
    assert sentences_of(said) == ("Hi, move “A. B.” now.", "How many?")
    assert set(values_of(ours())) == {FLIGHT, "basic"}
