"""Which bindings of a family are goals, and why the others are not."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

from envforge.core.records.archetype import Lifecycle
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Intent, IntentFamily
from envforge.synth.candidates import MOST_BROKEN, candidates
from envforge.synth.rejection import Rejection
from envforge.synth.wording.coverage import problems
from envforge.synth.wording.grammar import phrase
from envforge.world.environment import Environment

from .families import LEND, LENT_OUT, TAKE_BACK


def changed(family: IntentFamily, **fields: Any) -> IntentFamily:
    return IntentFamily.model_validate({**family.to_json(), **fields})


def found(
    library: Environment, knowledge: EnvironmentBlueprint, family: IntentFamily, seed: int = 1
) -> list[Intent | Rejection]:
    return list(candidates(library, knowledge, family, seed))


def intents(library: Environment, knowledge: EnvironmentBlueprint, family: IntentFamily) -> list[Intent]:
    return [one for one in found(library, knowledge, family) if isinstance(one, Intent)]


def only_rejection(library: Environment, knowledge: EnvironmentBlueprint, family: IntentFamily) -> Rejection:
    """The reason why the family gives nothing at all."""
    all_of_it = found(library, knowledge, family)
    assert len(all_of_it) == 1
    (one,) = all_of_it
    assert isinstance(one, Rejection)
    return one


def test_a_policy_must_tell_the_candidates_apart(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    (intent,) = intents(library, knowledge, TAKE_BACK)
    assert intent.parameters == {"member": "M-7TQ2"}
    assert (intent.candidates, intent.chosen) == (2, 1)
    assert intent.said == {"card": "M-7TQ2", "today": "2024-03-01"}
    assert intent.spoken == {"card": "M-7TQ2"}
    assert intent.banks == ("target", "policy", "change", "report")
    for policy, reason in {
        "row.due_on < '2000'": "chooses none of 2",
        "row.due_on > '2000'": "chooses all of 2",
    }.items():
        rejected = found(library, knowledge, changed(TAKE_BACK, policy=policy))
        assert all(isinstance(one, Rejection) for one in rejected)
        assert reason in " ".join(one.reason for one in rejected if isinstance(one, Rejection) and one.part == "policy")


def test_every_rejection_says_which_values_and_why(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    rejected = {
        one.parameters["member"]: (one.part, one.reason)
        for one in found(library, knowledge, TAKE_BACK)
        if isinstance(one, Rejection)
    }
    assert rejected["M-9WRD"] == ("target", "the target is empty")
    assert rejected["M-4KQ7"] == ("sizes", "the target has 1 rows, wanted are 2 to 20")
    assert set(rejected) == {"M-9WRD", "M-4KQ7", "M-B3XE", "M-HHJ5"}


def test_another_reading_is_said_only_where_it_leads_elsewhere(
    library: Environment, knowledge: EnvironmentBlueprint
) -> None:
    banks = {intent.parameters["member"]: intent.banks for intent in intents(library, knowledge, LENT_OUT)}
    assert banks == {
        "M-4KQ7": ("target", "report", "open_only"),
        "M-HHJ5": ("target", "report", "open_only"),
        "M-7TQ2": ("target", "report"),
        "M-B3XE": ("target", "report"),
    }


def test_the_shortest_attributes_that_fit_one_row_are_said(
    library: Environment, knowledge: EnvironmentBlueprint
) -> None:
    said = {
        intent.parameters["book"]: (intent.said["book"], intent.spoken["book"])
        for intent in intents(library, knowledge, LEND)
    }
    assert said[107] == ({"author": "Hamid Rostami"}, "the book by Hamid Rostami")
    assert said[101] == ({"title": "The Lighthouse Keeper's Atlas"}, '"The Lighthouse Keeper\'s Atlas"')


REFERENCES: dict[str, tuple[dict[str, Any], str]] = {
    "two books of one author": ({"by": [["author"]]}, "author: fits 2 rows"),
    "a value that is not known": (
        {"by": [["published"]], "say": {"published": "the one of {published|number}"}},
        "is not known",
    ),
    "a value that nobody can say": ({"by": [["title"]], "say": {"title": "{title|number}"}}, "is no number"),
    "no such row": ({"key": "SELECT id FROM books WHERE id < 0"}, "its key is nothing"),
    "two rows": ({"key": "SELECT id FROM books"}, "its key is 8 rows"),
}


@pytest.mark.parametrize(("change", "reason"), REFERENCES.values(), ids=REFERENCES.keys())
def test_a_row_that_no_words_name_is_no_goal(
    library: Environment, knowledge: EnvironmentBlueprint, change: dict[str, Any], reason: str
) -> None:
    reference = {**LEND.references["book"].to_json(), **change}
    family = changed(LEND, references={"book": reference})
    rejected = [one for one in found(library, knowledge, family) if isinstance(one, Rejection)]
    assert rejected
    assert {one.part for one in rejected} == {"reference book"}
    assert any(reason in one.reason for one in rejected)


def test_what_the_words_around_it_say_narrows_a_reference(
    library: Environment, knowledge: EnvironmentBlueprint
) -> None:
    reference = {
        **LEND.references["book"].to_json(),
        "by": [["author"]],
        "among": "published < 1990 OR author <> 'Nora Whitfield'",
    }
    family = changed(LEND, references={"book": reference})
    assert 101 in {intent.parameters["book"] for intent in intents(library, knowledge, family)}


def test_a_time_of_day_is_told_apart_from_the_same_time_on_other_days(
    library: Environment, knowledge: EnvironmentBlueprint
) -> None:
    """Loans of 10:05 on one day and 10:20 on another are two times; two loans at one time of day are not told apart."""
    family = changed(
        LENT_OUT,
        parameter_sets="SELECT id AS loan, member_id AS member FROM loans WHERE id LIKE '0d7d%'",
        references={
            "loan": {
                "table": "loans",
                "key": "SELECT :loan",
                "by": [["borrowed_at"]],
                "say": {"borrowed_at": "the loan of {borrowed_at|clock}"},
            }
        },
    )
    (intent,) = intents(library, knowledge, family)
    assert intent.spoken["loan"] == "the loan of 10:05 am UTC"
    engine = library.fresh_engine()
    engine.begin()
    engine.execute("UPDATE loans SET borrowed_at = '2024-02-20T10:05:00Z' WHERE id LIKE '6cad%'")
    engine.commit()
    moved = Environment(library.folder, library.manifest, library.tools, library.source, library.template)
    moved.__dict__["reader"] = engine
    (refused,) = found(moved, knowledge, family)
    assert isinstance(refused, Rejection)
    assert "borrowed_at: fits 2 rows" in refused.reason


def test_labels_of_lifecycles_are_spoken(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    lifecycle = Lifecycle(
        table="members", column="level", initial="adult", states={"adult": "grown-up", "junior": "child"}
    )
    known = knowledge.model_copy(update={"lifecycles": (lifecycle,)})
    reference = {"table": "members", "key": "SELECT :member", "by": [["level"]], "say": {"level": "the {level|label}"}}
    spoken = [one.spoken["who"] for one in intents(library, known, changed(LENT_OUT, references={"who": reference}))]
    assert spoken == ["the child"]


def test_words_that_could_mean_another_goal_are_refused(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    family = changed(
        LENT_OUT, mentions={"card": {"sql": "SELECT level FROM members WHERE id = :member", "say": "label"}}
    )
    by_member = {
        one.parameters["member"]: one for one in found(library, knowledge, family) if isinstance(one, Rejection)
    }
    assert by_member["M-4KQ7"].part == "mentions"
    assert "could as well mean" in by_member["M-4KQ7"].reason
    assert [one.parameters["member"] for one in intents(library, knowledge, family)] == ["M-B3XE"]


MENTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({"sql": "SELECT id FROM members WHERE id = 'x'", "say": "code"}, "there is nothing to say"),
    "NULL": ({"sql": "SELECT NULL", "say": "text"}, "the value is NULL"),
    "empty": ({"sql": "SELECT ''", "say": "text"}, "nothing to say"),
    "two values": ({"sql": "SELECT id FROM members", "say": "code"}, "5 values where one is said"),
    "a day that is not said": ({"sql": "SELECT '2024-03-01T10:00:00'", "say": "clock"}, "a date that is not said"),
    "no number": ({"sql": "SELECT 'x'", "say": "number"}, "is no number"),
}


@pytest.mark.parametrize(("mention", "reason"), MENTIONS.values(), ids=MENTIONS.keys())
def test_what_cannot_be_said_is_no_goal(
    library: Environment, knowledge: EnvironmentBlueprint, mention: dict[str, Any], reason: str
) -> None:
    family = changed(LENT_OUT, mentions={**LENT_OUT.to_json()["mentions"], "odd": mention})
    rejected = [
        one for one in found(library, knowledge, family) if isinstance(one, Rejection) and one.part == "mention odd"
    ]
    assert len(rejected) == 4
    assert all(reason in one.reason for one in rejected)


FAMILIES_THAT_CANNOT_WORK: dict[str, tuple[dict[str, Any], str, str]] = {
    "a tool that is not there": ({"gold": "return call('lend', card=card)"}, "tools", "no tool lend"),
    "a name that nothing gives": ({"gold": "return {'x': nobody}"}, "family", "nobody"),
    "no Python": ({"gold": "return ("}, "family", "line 1"),
    "no such case": ({"parameter_sets": "SELECT id AS member FROM members WHERE 0"}, "parameter_sets", "no such case"),
    "broken SQL": ({"parameter_sets": "SELECT member FROM nowhere"}, "family", "no such table"),
    "two statements": ({"parameter_sets": "SELECT 1 AS member; SELECT 2"}, "family", "parameter_sets"),
    "SQL that writes": ({"parameter_sets": "DELETE FROM loans RETURNING id AS member"}, "family", "parameter_sets"),
    "one name twice": ({"parameter_sets": "SELECT id AS member, name AS member FROM members"}, "family", "one name"),
    "an endless number": ({"parameter_sets": "SELECT 9e999 AS member"}, "family", "holds inf"),
    "a blob": ({"parameter_sets": "SELECT x'00' AS member"}, "family", "parameter_sets"),
    "a policy that is none": ({"policy": "import os"}, "family", "policy"),
    "nothing to do": ({"answer": {}}, "family", "expects no change and asks nothing"),
}


@pytest.mark.parametrize(
    ("change", "part", "reason"), FAMILIES_THAT_CANNOT_WORK.values(), ids=FAMILIES_THAT_CANNOT_WORK
)
def test_a_family_that_cannot_work_is_one_rejection(
    library: Environment, knowledge: EnvironmentBlueprint, change: dict[str, Any], part: str, reason: str
) -> None:
    rejected = only_rejection(library, knowledge, changed(LENT_OUT, **change))
    assert rejected.whole_family
    assert rejected.part == part
    assert reason in rejected.reason


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "target": ({"target": "SELECT nothing FROM loans"}, "target"),
    "target, one key twice": ({"target": "SELECT 1 AS k UNION ALL SELECT 1"}, "two rows have one key"),
    "target, an unknown parameter": ({"target": "SELECT id FROM loans WHERE member_id = :nobody"}, "target"),
    "reading": ({"readings": [{"bank": "open_only", "target": "SELECT"}]}, "reading open_only"),
    "mention": ({"mentions": {"card": {"sql": "SELECT id, name FROM members LIMIT 1", "say": "code"}}}, "mention card"),
    "answer": ({"answer": {"count": {"sql": "SELECT 1, 2", "description": "x"}}}, "answer count"),
}


@pytest.mark.parametrize(("change", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_query_ends_the_family_after_a_few(
    library: Environment, knowledge: EnvironmentBlueprint, change: dict[str, Any], reason: str
) -> None:
    everybody = "SELECT id || '' AS member FROM members UNION SELECT 'M-' || id FROM books"
    rejected = found(library, knowledge, changed(LENT_OUT, parameter_sets=everybody, **change))
    broken = [one for one in rejected if isinstance(one, Rejection) and one.part == "family"]
    assert len(broken) == MOST_BROKEN
    assert [one.whole_family for one in broken] == [False] * (MOST_BROKEN - 1) + [True]
    assert rejected[-1] is broken[-1]
    assert all(reason in one.reason for one in broken)


def test_an_endless_query_is_stopped(
    library: Environment, knowledge: EnvironmentBlueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS member FROM n"
    monkeypatch.setattr("envforge.synth.queries.SECONDS", 0.05)
    rejected = only_rejection(library, knowledge, changed(LENT_OUT, parameter_sets=endless))
    assert rejected.whole_family
    assert library.reader.query("SELECT count(*) FROM books")[1] == [(8,)]


def test_a_change_that_changes_nothing_is_no_goal(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    idle = {"table": "loans", "change": "update", "rows": "SELECT id, due_on FROM loans WHERE member_id = :member"}
    rejected = [
        one for one in found(library, knowledge, changed(TAKE_BACK, expect=[idle])) if isinstance(one, Rejection)
    ]
    assert ("expect", "nothing would change") in {(one.part, one.reason) for one in rejected}


def test_the_seed_gives_the_order_and_nothing_else(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    assert intents(library, knowledge, LEND) == intents(library, knowledge, LEND)
    orders = [[one.parameters for one in found(library, knowledge, LEND, seed)] for seed in (1, 2)]
    assert orders[0] != orders[1]
    assert sorted(map(str, orders[0])) == sorted(map(str, orders[1]))


def test_of_the_first_sets_every_second_is_a_large_one(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12) "
    family = changed(
        LENT_OUT,
        parameter_sets=f"{numbers}SELECT 'M-B3XE' AS member, i FROM n",
        target=f"{numbers}SELECT i AS id FROM n WHERE i <= :i",
        readings=[],
        mentions={**LENT_OUT.to_json()["mentions"], "number": {"sql": "SELECT :i", "say": "number"}},
    )
    sizes = [intent.candidates for intent in intents(library, knowledge, family)]
    assert sorted(sizes) == list(range(1, 13)) and sizes != sorted(sizes, reverse=True)
    for place in range(0, 12, 2):
        assert sizes[place] == max(sizes[place:])


def test_candidates_come_one_after_the_other(library: Environment, knowledge: EnvironmentBlueprint) -> None:
    endless = changed(
        LENT_OUT,
        parameter_sets="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000) "
        "SELECT m.id AS member, i FROM n, members m WHERE m.id = 'M-B3XE'",
        mentions={**LENT_OUT.to_json()["mentions"], "number": {"sql": "SELECT :i", "say": "number"}},
    )
    some = list(itertools.islice(candidates(library, knowledge, endless, 3), 2))
    assert all(isinstance(one, Intent) for one in some)


def test_dates_of_one_goal_are_said_alike_and_the_text_says_them_so(
    library: Environment, knowledge: EnvironmentBlueprint
) -> None:
    mentions = {
        **LENT_OUT.to_json()["mentions"],
        "near": {"sql": "SELECT date(:clock, '+2 days')", "say": "date"},
        "far": {"sql": "SELECT '2023-04-08'", "say": "date"},
    }
    wording = {**LENT_OUT.wording, "target": ["from {far} to {near}, does the holder of card {card} have"]}
    family = changed(LENT_OUT, mentions=mentions, gold=f"near, far\n{LENT_OUT.gold}", wording=wording)
    goals = intents(library, knowledge, family)
    assert [(goal.spoken["far"], goal.spoken["near"]) for goal in goals] == [("8 April 2023", "3 March 2024")] * 4
    texts = [phrase(family, goal, "terse", Random(0)) for goal in goals]
    said = [problem for goal, text in zip(goals, texts, strict=True) for problem in problems(family, goal, text)]
    assert not [problem for problem in said if "other words" in problem]
