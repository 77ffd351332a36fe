"""Banks become texts: slots, choices, registers, what was said once, and what is refused."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.intent import Intent, IntentFamily, Mention, Reference
from envforge.synth.wording.grammar import REGISTERS, Phrased, phrase

from .conftest import CLOCK, Goal, flight_goal, late_goal


def family(wording: dict[str, tuple[str, ...]], **more: Any) -> IntentFamily:
    mentions = {name: Mention(sql="SELECT 1", say="number") for name in ("count", "least")}
    people = {
        name: Reference(table="users", key="SELECT 1", by=(("first_name", "last_name"),), say={}, short=short)
        for name, short in (("owner", ""), ("lead", "{first_name}"))
    }
    return IntentFamily(
        id="f", kind="question", title="", parameter_sets="SELECT 1", target="SELECT 1", gold="return {}",
        mentions=mentions, references=people, wording=wording, **more,
    )  # fmt: skip


def say(wording: dict[str, tuple[str, ...]], *, seed: int = 0, count: int = 3, **more: Any) -> Phrased:
    owner = {"first_name": "Ada", "last_name": "Ray", "born": "1990-02-03", "seats": 2}
    lead = {"first_name": "Bo", "last_name": "Lind"}
    intent = Intent(
        family="f", kind="question", source="archetype", parameters={}, candidates=1, chosen=1,
        said={"count": count, "least": 1, "owner": owner, "lead": lead},
        spoken={"count": str(count), "least": "one", "owner": "Ada Ray", "lead": "Bo Lind"},
        banks=more.pop("banks", ("target",)),
    )  # fmt: skip
    return phrase(family(wording, **more), intent, "terse", Random(seed), clock=CLOCK)


def test_banks_mentions_and_templates_are_recorded_in_order() -> None:
    said = say({"text": ("{target} {report}.",), "target": ("count {count}",), "report": ("ask {owner}",)})
    assert said.text == "Count 3 ask Ada Ray."
    assert said.banks == ("text", "target", "report")
    assert said.mentions == ("count", "owner")
    assert said.templates == ("text#0", "target#0", "report#0")


def test_a_bank_of_the_register_comes_before_the_plain_one() -> None:
    assert say({"text": ("plain",), "text/terse": ("short",), "text/polite": ("kind",)}).text == "Short"
    assert say({"text": ("plain",), "text/polite": ("kind",)}).text == "Plain"


def test_an_optional_bank_is_said_when_the_goal_needs_it() -> None:
    wording = {"text": ("go. {tie?} now",), "tie": ("take the first.",)}
    assert say(wording).text == "Go. Now"
    assert say(wording, banks=("target", "tie")).text == "Go. Take the first. Now"


def test_choices_take_slots_and_may_be_empty() -> None:
    texts = {say({"text": ("[ask {owner}|call {lead}|] now",)}, seed=seed).text for seed in range(20)}
    assert texts == {"Ask Ada Ray now", "Call Bo Lind now", "Now"}


def test_a_reference_is_said_in_full_once() -> None:
    assert say({"text": ("{owner} and {lead}: {owner}, {lead}",)}).text == "Ada Ray and Bo Lind: Ray, Bo"


def test_short_words_that_fit_another_are_not_used() -> None:
    goal = late_goal()
    other = goal.intent.model_copy(update={"spoken": {**goal.intent.spoken, "page": '"Rosalina again"'}})
    for seed in range(10):
        text = phrase(goal.family, other, "terse", Random(seed)).text
        assert "Rosalina " not in text.replace("Rosalina Vega", "").replace("Rosalina again", "")


def named(template: str, **spoken: str) -> str:
    goal = IntentFamily(
        id="f", kind="question", title="", parameter_sets="SELECT 1", target="SELECT 1", gold="return {}",
        mentions={name: Mention(sql="SELECT 1", say="name") for name in spoken}, wording={"text": (template,)},
    )  # fmt: skip
    intent = Intent(
        family="f", kind="question", source="archetype", parameters={}, candidates=1, chosen=1,
        said=spoken, spoken=spoken, banks=("target",),
    )  # fmt: skip
    return phrase(goal, intent, "terse", Random(0)).text


@pytest.mark.parametrize(
    ("owner", "taker", "text"),
    [
        ("Ada Ray", "Bo Lind", "Ada Ray is off. Give what Ada has to Bo Lind and tell Bo."),
        ("Ada Ray", "Ada Lind", "Ada Ray is off. Give what Ada Ray has to Ada Lind and tell Ada Lind."),
        ("Night service", "Bo", "Night service is off. Give what Night service has to Bo and tell Bo."),
        ("Dr. Ada Ray", "J. Lind", "Dr. Ada Ray is off. Give what Dr. Ada Ray has to J. Lind and tell J. Lind."),
        ("Dr Ada Ray", "Bo Lind", "Dr Ada Ray is off. Give what Dr Ada Ray has to Bo Lind and tell Bo."),
    ],
    ids=["a first name", "a first name of two", "no person's name", "a title and an initial", "a title without a stop"],
)
def test_who_was_named_in_full_is_called_by_the_first_name(owner: str, taker: str, text: str) -> None:
    template = "{owner|first} is off. give what {owner|first} has to {taker|first} and tell {taker|first}."
    assert named(template, owner=owner, taker=taker) == text


def test_columns_of_a_reference_and_their_kinds() -> None:
    said = say({"text": ("{owner.first_name}, born on {owner.born|date}, {owner.seats|number} seats",)})
    assert said.text == "Ada, born on 3 February 1990, two seats"
    with pytest.raises(ConfigError, match=r"owner\.email"):
        say({"text": ("{owner.email}",)})


def test_words_that_fit_a_number() -> None:
    wording = {"text": ("{count} {count|item|items}, {least|row|rows}, {seats|seat|seats}",)}
    assert say(wording, constants={"seats": ["A", "B"]}).text == "3 items, row, seats"
    with pytest.raises(ConfigError, match="two forms"):
        say({"text": ("{count|a|b|c}",)})


def test_constants_are_spoken() -> None:
    constants = {"days": 14, "states": ["Done", "Dropped"], "fee": 2, "home": "Home"}
    said = say({"text": ("{home}: {states} in {days} days, {fee}",)}, constants=constants)
    assert said.text == "Home: Done and Dropped in 14 days, two"
    assert said.mentions == ()


@pytest.mark.parametrize(
    ("wording", "message"),
    [
        ({"text": ("{target}",), "target": ("{more}",), "more": ("{target}",)}, "text > target > more > target"),
        ({"text": ("{whom}",)}, "no bank, mention or reference"),
        ({"text/polite": ("hi",)}, "no bank 'text' for the register 'terse'"),
    ],
)
def test_wrong_banks_are_refused(wording: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        say(wording)


def test_the_same_seed_gives_the_same_text_and_others_differ(goal: Goal) -> None:
    for register in REGISTERS:
        texts = [phrase(goal.family, goal.intent, register, Random(seed)).text for seed in range(12)]
        assert texts == [phrase(goal.family, goal.intent, register, Random(seed)).text for seed in range(12)]
        assert len(set(texts)) > 6


def test_polite_and_rambling_texts_are_framed_now_and_then() -> None:
    goal = flight_goal()
    texts = {r: [phrase(goal.family, goal.intent, r, Random(s)).text for s in range(40)] for r in REGISTERS}
    thanked = {r: sum("hank" in text for text in group) for r, group in texts.items()}
    assert 5 < thanked["polite"] < 35
    assert thanked["terse"] == thanked["implicit"] == 0
    assert not any(text.lower().count("thank") > 1 for text in texts["polite"])
