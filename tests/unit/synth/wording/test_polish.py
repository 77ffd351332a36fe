"""The last touch: what is put right, and that values stay as they were said."""

from __future__ import annotations

import pytest

from envforge.core.records.intent import Say
from envforge.synth.wording.polish import Value, fits, join_opening, mark, polish


def polished(draft: str, *values: tuple[str, Say]) -> str:
    said = [Value(f"v{n}", words, say) for n, (words, say) in enumerate(values)]
    return polish(draft.format(*[mark(n) for n in range(len(said))]), said)[0]


@pytest.mark.parametrize(
    ("draft", "text"),
    [
        ("move it .  tell   me", "Move it. Tell me"),
        ("move it.. tell me, .", "Move it. Tell me."),
        (
            "from a to b, both included,: go. (both included,) yes",
            "From a to b, both included: go. (both included) yes",
        ),
        ("can you?. i hope so...", "Can you? I hope so..."),
        ("one line\n\n\n\nanother  line\n- a point", "One line\n\nAnother line\n- A point"),
        ("ask e.g. the owner", "Ask e.g. the owner"),
        ("it is a hour, a user and an page", "It is an hour, a user and a page"),
        ("a 8:20 am and a 7 am, a 11th and a 12th, a FAQ", "An 8:20 am and a 7 am, an 11th and a 12th, an FAQ"),
        ("class A one", "Class A one"),
    ],
)
def test_spaces_signs_capitals_articles(draft: str, text: str) -> None:
    assert polished(draft) == text


def test_values_are_never_changed() -> None:
    title = '"a  plan ,really..  v2 . a apple"'
    assert polished("rename {0} .", (title, "quoted")) == f"Rename {title}."


def test_prepositions_fit_the_value() -> None:
    assert polished("it is due on {0}", ("tomorrow", "date")) == "It is due tomorrow"
    assert polished("it is due on {0}", ("Thursday the 17th", "date")) == "It is due on Thursday the 17th"
    assert polished("on {0} it is", ("7 am on Thursday the 17th", "date_time")) == "At 7 am on Thursday the 17th it is"
    assert polished("go at {0}", ("tomorrow at 7 am", "date_time")) == "Go tomorrow at 7 am"
    assert polished("it lies on {0}", ("tomorrow island", "place")) == "It lies on tomorrow island"


def test_a_value_begins_a_sentence_with_a_capital_unless_it_is_exact() -> None:
    assert (
        polished("{0} is fine. {1} too", ("tomorrow", "date"), ("twelve", "number")) == "Tomorrow is fine. Twelve too"
    )
    assert polished("{0} is it", ("k4t", "code")) == "k4t is it"
    assert polished("{0} is it", ('"plan"', "quoted")) == '"plan" is it'
    assert polished("{0} is it", ("v2 notes", "text")) == "v2 notes is it"


def test_a_value_that_ends_with_a_point_ends_the_sentence() -> None:
    assert polished("fly {0}. thanks", ("Hawaiian Airlines Inc.", "name")) == "Fly Hawaiian Airlines Inc. Thanks"


def test_articles_fit_the_value_behind_them() -> None:
    assert polished("a {0} and a {1}", ("8:20 am", "clock"), ("7 am", "clock")) == "An 8:20 am and a 7 am"
    assert polished("an {0}", ("unpaid", "label")) == "An unpaid"
    assert polished("an {0}", ("united", "label")) == "A united"


def test_spans_say_where_values_stand() -> None:
    values = [Value("who", "Ada", "name"), Value("day", "tomorrow", "date")]
    text, spans = polish(f"{mark(1)} ask {mark(0)}", values)
    assert [(text[s.start : s.end], s.name) for s in spans] == [("Tomorrow", "day"), ("Ada", "who")]


def test_an_opening_runs_on_only_where_grammar_lets_it() -> None:
    assert join_opening("Hi,", "Could you look?") == "Hi, could you look?"
    assert join_opening("Hi,", "I need this.") == "Hi, I need this."
    assert join_opening("So,", "People are waiting.") == "So, people are waiting."
    assert join_opening("So,", "Home is full.", "['Home', 3]") == "So, Home is full."
    assert join_opening("So,", "PNR lists are late.") == "So, PNR lists are late."
    assert join_opening("So,", f"{mark(0)} is ill.") == f"So, {mark(0)} is ill."
    assert join_opening("Bear with me.", "Could you look?") == "Bear with me. Could you look?"


def test_frames_go_with_the_text() -> None:
    assert fits("A favour, please:", "Could you look?")
    assert not fits("A favour, please:", "Gemma is ill.")
    assert not fits("A favour, please:", "please look at it.")
    assert fits("So,", "Gemma is ill. Nobody saw it.")
    assert not fits("So,", "Gemma is ill. so somebody has to do it.")
    assert not fits("Sorry for the ramble, and thanks.", "Gemma is ill.")
    assert fits("Sorry for the ramble, and thanks.", "Gemma is ill. " * 30)


def test_too_many_values_are_refused() -> None:
    with pytest.raises(ValueError, match="more than"):
        mark(10_000)


def test_a_quote_that_ends_like_a_sentence_ends_the_one_around_it() -> None:
    asked: tuple[str, Say] = ('"Is this done?"', "quoted")
    assert polished("leave this comment: {0}. tell me", asked) == 'Leave this comment: "Is this done?" Tell me'
    assert polished("leave this comment: {0}.", ('"Done"', "quoted")) == 'Leave this comment: "Done".'
    assert polished("leave {0} as a comment", asked) == 'Leave "Is this done?" as a comment'


def test_one_step_gets_no_closing_words_of_a_long_text() -> None:
    assert not fits("Hope that makes sense.", "Please set its priority to High.")
    assert fits("Thanks!", "Please set its priority to High.")
