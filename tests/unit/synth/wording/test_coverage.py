"""What a text lacks, adds or gives away is found; a good text has no problem."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from envforge.core.records.intent import IntentFamily, Mention
from envforge.synth.wording.coverage import problems, remainder, stray
from envforge.synth.wording.families import family_problems
from envforge.synth.wording.grammar import REGISTERS, phrase

from .conftest import Goal, flight_family, flight_goal, late_family, late_goal


def with_wording(goal: Goal, **banks: tuple[str, ...]) -> Goal:
    wording = {**{k: v for k, v in goal.family.wording.items() if "/" not in k}, **banks}
    return Goal(goal.family.model_copy(update={"wording": wording}), goal.intent, goal.answer)


def found(goal: Goal, answer: dict[str, Any] | None = None) -> list[str]:
    said = phrase(goal.family, goal.intent, "terse", Random(3))
    return problems(goal.family, goal.intent, said, answer=goal.answer if answer is None else answer)


def test_good_texts_have_no_problem(goal: Goal) -> None:
    for register in REGISTERS:
        for seed in range(25):
            said = phrase(goal.family, goal.intent, register, Random(seed))
            assert problems(goal.family, goal.intent, said, answer=goal.answer) == []


def test_a_text_that_leaves_out_a_node_or_a_mention() -> None:
    goal = with_wording(flight_goal(tie=True), text=("{situation}. {change}. {policy_rest}",))
    assert found(goal) == ["the text does not say the report", "the text does not say the tie"]
    goal = with_wording(flight_goal(), situation=("our flight is off",))
    assert found(goal) == ["the text does not say flight, which the solution starts from"]


def test_a_mention_in_other_words() -> None:
    goal = flight_goal()
    said = phrase(goal.family, goal.intent, "terse", Random(3))
    spoken = {**goal.intent.spoken, "flight": "our 7:05 am to Orlando"}
    other = goal.intent.model_copy(update={"spoken": spoken})
    assert problems(goal.family, other, said) == [
        "the text says flight in other words than 'our 7:05 am to Orlando'",
    ]


def test_a_text_that_says_more_than_the_goal() -> None:
    goal = flight_goal()
    bare = goal.intent.model_copy(update={"banks": ("target", "change")})
    said = phrase(goal.family, bare, "terse", Random(3))
    assert problems(goal.family, bare, said) == [
        "the text has a policy, which the goal has not",
        "the text has a report, which the goal has not",
    ]


def test_a_mention_that_no_solution_needs_is_one_that_all_goals_share() -> None:
    goal = with_wording(flight_goal(), report=("tell {who} how many",))
    for sql, wrong in (("SELECT :who", ["the text says who, which no solution needs"]), ("SELECT 'Ada'", [])):
        family = goal.family.model_copy(update={"mentions": {**goal.family.mentions, "who": Mention(sql=sql)}})
        intent = goal.intent.model_copy(update={"spoken": {**goal.intent.spoken, "who": "Ada"}})
        assert found(Goal(family, intent, goal.answer)) == wrong, sql


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("move 40 people", "the number '40'"),
        ("move seven people", "the number 'seven'"),
        ("tell Priya about it", "the name 'Priya'"),
        ("look in the fare_class", "the name of a column or tool fare_class"),
        ("look at 2013-01-17T07:05:00Z", "the time stamp 2013-01-17T07:05:00Z"),
        ("take 0b5e9c1e-8d7f-4a53-9f0e-0a4c6d7e8f90", "the id 0b5e9c1e"),
        ("take 100454321", "the id 100454321"),
        ("take <<this>>", "was left open"),
    ],
)
def test_what_no_person_would_say_or_nobody_verified(words: str, problem: str) -> None:
    goal = with_wording(flight_goal(), report=(f"{words} and tell me how many",))
    assert any(problem in one for one in found(goal)), found(goal)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"moved": 41}, False),
        ({"moved": 17}, False),
        ({"moved": 7}, False),
        ({"moved": 1}, False),
        ({"city": "Orlando"}, True),
        ({"city": "orlando"}, True),
        ({"city": "Orland"}, False),
        ({"cities": ["Orlando", "Newark"]}, True),
        ({"cities": ["Orlando", "Boston"]}, False),
        ({"rows": [{"city": "Orlando", "day": "2013-01-17"}]}, True),
        ({"day": "2013-01-17"}, True),
        ({"moved": None}, False),
        ({"late": True}, False),
        ({"cities": []}, False),
        ({"late": ["Ada Ray"]}, False),
        ({"late": ["Bo Lind", "Ada Ray"]}, True),
    ],
)
def test_the_answer_is_not_in_the_text(answer: dict[str, Any], given: bool) -> None:
    goal = with_wording(flight_goal(), report=("tell me how many, with {who}",))
    said = {**goal.intent.said, "who": ["Ada Ray", "Bo Lind"]}
    spoken = {**goal.intent.spoken, "who": "Ada Ray and Bo Lind"}
    goal = Goal(goal.family, goal.intent.model_copy(update={"said": said, "spoken": spoken}), {})
    assert any("stands in the text" in one for one in found(goal, answer)) is given


@pytest.mark.parametrize("words", ["three of them", "3 of them", "all 3.", "(3)"])
def test_numbers_are_given_away_as_words_too(words: str) -> None:
    goal = with_wording(flight_goal(), report=(f"tell me how many, I count {words}",))
    assert any("stands in the text" in one for one in found(goal, {"moved": 3}))


@pytest.mark.parametrize("words", ["at 3:15", "at 3 pm", "for $3", "on the 3rd", "in 3,000", "at 1.3"])
def test_numbers_inside_other_values_give_nothing_away(words: str) -> None:
    goal = with_wording(flight_goal(), report=(f"tell me how many {words}",))
    assert not any("stands in the text" in one for one in found(goal, {"moved": 3}))


def test_constants_may_stand_in_the_words() -> None:
    constants = {"days": 14, "states": ["Done", "In review"], "home": "Team Home"}
    assert list(stray("Done or In review: 14 days, fourteen, Team Home. I know. Then OK", constants)) == []
    assert len(list(stray("It is waiting for two weeks under Home page Three", constants))) == 3
    assert list(stray("If two leave together, ask me three things", {})) == []


def test_the_remainder_has_no_value() -> None:
    goal = late_goal()
    said = phrase(goal.family, goal.intent, "polite", Random(1))
    assert not {"Rosalina", "Waiting", "15"} & set(remainder(said).replace('"', " ").split())


def test_the_example_families_are_sound() -> None:
    assert family_problems(flight_family()) == []
    assert family_problems(late_family()) == []


def changed(**banks: tuple[str, ...]) -> IntentFamily:
    family = flight_family()
    kept = {key: value for key, value in family.wording.items() if "/" not in key}
    wording = {**kept, **{key.replace("__", "/"): value for key, value in banks.items()}}
    return family.model_copy(update={"wording": {k: v for k, v in wording.items() if v}})


@pytest.mark.parametrize(
    ("banks", "problem"),
    [
        ({"text__loud": ("{situation}",)}, "bank text/loud: 'loud' is no register"),
        ({"tie": ()}, "no bank says the tie"),
        ({"text__terse": ("{situation}. {change}. {tie?}",)}, "text/terse#0 may leave out the report (terse)"),
        ({"text__terse": ("[{situation}|no]. {change}. {tie?} {report}",)}, "text/terse#0 may leave out flight"),
        ({"situation": ("{flight}", "it is off")}, "may leave out flight, which the gold program starts from"),
        ({"report": ("tell Priya",)}, "report#0 says the name 'Priya'"),
        ({"ask": ("could you quickly",)}, "ask#0 says quickly, which belongs to no node"),
        ({"spare": ("you",)}, "bank spare is never used"),
    ],
)
def test_what_is_wrong_with_a_family(banks: dict[str, tuple[str, ...]], problem: str) -> None:
    assert any(problem in one for one in family_problems(changed(**banks)))
