"""Words of conditions and questions: who owns what, what people are, and openings that fit what is asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from envforge.synth.programs.asked import commonest, counted, listed
from envforge.synth.programs.body import Selection, joined, phrase
from envforge.synth.programs.conditions import OWNERS, Condition
from envforge.synth.programs.facets import Facet
from envforge.synth.programs.families import fit
from envforge.synth.programs.goals import goals_of
from envforge.synth.programs.phrases import Ask, banks
from envforge.synth.programs.ranked import best, top
from envforge.synth.programs.subject import Subject

CURATORS = cast("Subject", SimpleNamespace(label="curator", plural="curators", people=False))
COLLECTIONS = cast("Subject", SimpleNamespace(label="collection", plural="collections", people=False))
STATUS = Condition("is", "wanted_status", Facet("status", "choice", "status", choices=("active", "away")))
DUTY = Condition("is", "wanted_duty", Facet("duty", "choice", "duty", choices=("editor", "reviewer"), who=True))


def owned(noun: str) -> Condition:
    return Condition("of", "whom", Facet(f"{noun}_id", "choice", noun), to=CURATORS, column=f"{noun}_id")


def words(ask: Ask) -> dict[str, tuple[str, ...]]:
    return banks(ask, ("collections",))


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("owner", "owned by {whom}"),
        ("holder", "held by {whom}"),
        ("assignee", "assigned to {whom}"),
        ("author", "by {whom}"),
    ],
)
def test_what_belongs_to_somebody_is_said_with_a_verb(noun: str, said: str) -> None:
    assert owned(noun).words() == said


@pytest.mark.parametrize("noun", sorted(OWNERS))
def test_every_verb_stands_before_further_clauses(noun: str) -> None:
    many = Condition("over", "least", Facet("items", "number", "number of items"))
    said = phrase(Selection(COLLECTIONS, ()), [many, owned(noun)])
    assert said == f"collections {OWNERS[noun]} {{whom}} with more than {{least}} items"


def test_other_ties_are_said_with_their_noun() -> None:
    assert owned("reviewer").words() == "with {whom} as reviewer"
    assert joined(["with more than {a} items", "owned by {whom}"]) == "owned by {whom} with more than {a} items"


def test_what_people_are_stands_in_place_of_what_the_table_is_called() -> None:
    assert phrase(Selection(CURATORS, (STATUS, DUTY)), [DUTY, STATUS]) == "{wanted_status} {wanted_duty}"
    assert phrase(Selection(CURATORS, (STATUS,)), [STATUS]) == "{wanted_status} curators"
    assert DUTY.those() == "{wanted_duty}"
    mention = DUTY.mentions["wanted_duty"]
    assert mention.say == "label" and mention.labels == {"editor": "editors", "reviewer": "reviewers"}


def test_a_date_of_the_row_is_said_without_what_the_row_is() -> None:
    date = Facet("discouraged_removal_date", "date", "discouraged removal date", short="removal date")
    assert Condition("since", "year", date).words() == "with a removal date in {year} or later"


def test_nobody_argues_about_a_list() -> None:
    def argued(ask: Ask) -> bool:
        return any("arguing" in one or "talk" in one for one in words(ask)["report/rambling"])

    assert not argued(Ask("which {target} are there", "which {target} there are", "the names of all {target}"))
    assert argued(Ask("which is the largest", "which is the largest", "the largest", ranked=True))


def test_courtesy_fits_the_length_of_what_is_asked() -> None:
    asked = ("which {target} are there", "which {target} there are", "the names of all {target}")
    short, long = words(Ask(*asked)), words(Ask(*asked, (("each once.",),)))
    assert not any("be glad" in one for bank in short.values() for one in bank)
    assert {name for name, bank in long.items() if any("be glad" in one for one in bank)} == {"report/polite"}


@pytest.mark.parametrize("indirect", ["how many {target} there are", "the total of the {target}"])
def test_every_way_to_ask_is_a_sentence_with_a_verb(indirect: str) -> None:
    for name, bank in words(Ask("what is the total of the {target}", indirect, "the total of the {target}")).items():
        assert len(bank) == len(set(bank))
        if name.startswith("report"):
            assert not any(one.startswith(("The total", "Wanted")) for one in bank), bank
            assert not any("asked me the" in one for one in bank), bank


def threshold(noun: str) -> Condition:
    return Condition("over", f"more_{noun}", Facet(noun, "number", noun))


def among(noun: str) -> Condition:
    return Condition("is", f"wanted_{noun}", Facet(noun, "choice", noun, proper=True, choices=("Asia", "Americas")))


def test_only_what_somebody_would_ask_together_is_put_together() -> None:
    assert fit(threshold("area"), among("region")) and fit(among("colour"), among("region"))
    assert not fit(threshold("area"), threshold("height")), "two thresholds are a puzzle"
    assert not fit(among("region"), among("subregion")), "the one says nothing of the other"


def test_nobody_asks_for_the_commonest_state() -> None:
    facets = tuple(Facet(noun, "choice", noun) for noun in ("state", "state reason", "colour"))
    ground = SimpleNamespace(bonds=())
    subject = SimpleNamespace(
        label="lamp", plural="lamps", table="lamps", key="id", title="name", title_noun="name", owner="", facets=facets,
        ground=ground, within="", listing=SimpleNamespace(scope=None),
    )  # fmt: skip
    for owner in ("", "shop"):
        subject.owner = owner
        whats = {goal.what for goal in goals_of(Selection(cast("Subject", subject), ()), lambda _: None)}
        assert whats == {"list", "count", "commonest-colour"}


def test_states_and_places_are_said_as_people_say_them() -> None:
    gone = Condition("is", "wanted_status", Facet("status", "choice", "status", choices=("active", "left")))
    assert gone.mentions["wanted_status"].labels == {"active": "active", "left": "former"}
    assert among("region").mentions["wanted_region"].labels == {"Asia": "Asia", "Americas": "the Americas"}
    assert among("region").words() == "in {wanted_region}"


RELEASED = Facet("release_date", "date", "release date")
NEW = Condition("since", "year", RELEASED)


def dated(label: str, *conditions: Condition) -> Selection:
    subject = SimpleNamespace(
        label=label, plural=f"{label}s", table="t", key="id", title="name", title_noun="name", owner="", within="",
        listing=SimpleNamespace(scope=None),
    )  # fmt: skip
    return Selection(cast("Subject", subject), conditions)


def test_what_was_released_first_is_the_oldest() -> None:
    oldest = best(dated("release"), RELEASED, low=True).ask
    assert oldest.question == "which of the {target} is the oldest, and what is its release date"
    assert oldest.noun == "the name of the oldest of the {target}, and its release date"
    few = top(dated("release"), RELEASED, low=False).ask
    assert (few.question, few.indirect) == (
        "which are the {how_many} latest {target}",
        "the {how_many} latest {target}",
    )
    other = best(dated("game"), RELEASED, low=True).ask
    assert other.question == "which of the {target} has the earliest release date, and which date is that"


def test_the_verb_stands_before_two_conditions_and_more() -> None:
    assert counted(dated("release", NEW)).ask.indirect == "how many {target} there are"
    many = dated("release", STATUS, NEW)
    assert counted(many).ask.indirect == "the number of {target}"
    assert listed(many).ask.indirect == "the names of all {target}"
    assert best(many, RELEASED, low=False).ask.indirect.startswith("which is the latest of the {target}, and")
    area = Facet("area", "number", "area")
    assert best(many, area, low=False).ask.question.startswith("which one has the largest area among the {target}")


def test_small_numbers_are_not_asked_for() -> None:
    """A gate turns down what a guess finds; it is not proposed in the first place."""
    subject = SimpleNamespace(
        label="lamp", plural="lamps", table="lamps", key="id", title="name", title_noun="name", within="",
        listing=SimpleNamespace(scope=None),
    )  # fmt: skip
    lamps = Selection(cast("Subject", subject), ())
    least = counted(lamps).sizes[0]
    assert 1 / ((least + 1) * (least + 2)) < 0.02 < 1 / (least * (least + 1))
    assert ">= 4" in commonest(lamps, Facet("colour", "choice", "colour")).checks[0]
