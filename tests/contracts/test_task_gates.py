"""Every task gate passes sound tasks of the library and rejects one that was broken in the way it is there for.

A new gate adds what it must reject to BREAKS.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.records.environment import GateResult
from envforge.core.records.intent import Reading, Reference
from envforge.core.records.task import Check, FreeChange
from envforge.gates.overlap import BenchmarkIndex
from envforge.gates.solutions import Judge, Player
from envforge.gates.task_case import TaskCase, TaskToolbox
from envforge.gates.task_sets import Admitted, balance
from envforge.gates.tasks import TASK_GATES, admitted, judge_candidate, judged, task_thresholds
from envforge.synth.toolbox import toolbox_of
from envforge.world.environment import Environment

ROOT = Path(__file__).parents[2]
THRESHOLDS = task_thresholds(ROOT / "validators/gates/tasks.json")
GATES = {gate.name: gate for gate in TASK_GATES}
SOUND = ("books-at-home", "lend-three", "lend-what-is-free", "take-back")
Candidates = Mapping[str, TaskCandidate]
Break = Callable[[TaskCandidate], TaskCandidate]


def nothing(_: TaskCandidate) -> list[str]:
    return []


@pytest.fixture(scope="module")
def player(library: Environment) -> Iterator[Player]:
    with Player(library) as started:
        yield started


@pytest.fixture(scope="module")
def toolbox(library: Environment, library_candidates: Candidates) -> TaskToolbox:
    """One task is admitted already, and one text is known from a benchmark."""
    known = Admitted(THRESHOLDS)
    known.add(library_candidates["strike-off"])
    index = BenchmarkIndex.of([OF_A_BENCHMARK])
    return toolbox_of(
        library,
        THRESHOLDS,
        coverage=nothing,
        duplicates=known.problems,
        overlap=index.problems,
    )


def verdict_of(gate: str, candidate: TaskCandidate, player: Player, toolbox: TaskToolbox) -> GateResult:
    player.forget()
    with Judge(player.environment, candidate.checks, candidate.verifier) as judge:
        return judged(GATES[gate], TaskCase(candidate, player, judge, toolbox, THRESHOLDS))


# ---- sound tasks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", SOUND)
def test_a_sound_task_is_admitted(
    family: str, library_candidates: Candidates, player: Player, toolbox: TaskToolbox
) -> None:
    results = judge_candidate(library_candidates[family], player, toolbox, THRESHOLDS)
    assert [(result.gate, result.reasons) for result in results if not result.passed] == []
    assert admitted(results) and [result.gate for result in results] == list(GATES)


def test_a_candidate_goes_until_a_gate_rejects_it(
    library_candidates: Candidates, player: Player, toolbox: TaskToolbox
) -> None:
    hollow = dataclasses.replace(library_candidates["take-back"], instruction="")
    stopped = judge_candidate(hollow, player, toolbox, THRESHOLDS)
    assert [result.passed for result in stopped] == [True, False] and not admitted(stopped)
    whole = judge_candidate(hollow, player, toolbox, THRESHOLDS, every=True)
    assert len(whole) == len(TASK_GATES) and not admitted(whole)


def test_verdicts_are_the_same_again(library_candidates: Candidates, player: Player, toolbox: TaskToolbox) -> None:
    candidate = library_candidates["lend-three"]
    first = judge_candidate(candidate, player, toolbox, THRESHOLDS)
    with Player(player.environment) as other:
        assert judge_candidate(candidate, other, toolbox, THRESHOLDS) == first


# ---- broken ones -----------------------------------------------------------------------------------------------------

OF_A_BENCHMARK = " ".join(f"word{number} of a text that every model has seen before" for number in range(9))
DIGEST = """
import json

def verify(initial, final, diff, answer):
    if EXPECTED == "record":
        return [{"id": "digest", "passed": False, "detail": json.dumps(diff, sort_keys=True)}]
    return [{"id": "digest", "passed": json.dumps(diff, sort_keys=True) == EXPECTED, "detail": ""}]
"""
CLOCK = """
def verify(initial, final, diff, answer):
    new = diff["tables"]["loans"]["inserted"] if "loans" in diff["tables"] else []
    return [{"id": "loan", "passed": sorted(row["id"] for row in new) == EXPECTED, "detail": ""}]
"""
ALL_IS_WELL = "def verify(initial, final, diff, answer):\n    return [{'id': 'x', 'passed': True, 'detail': ''}]\n"


def with_text(text: str) -> Break:
    return lambda candidate: dataclasses.replace(candidate, instruction=text)


def with_program(old: str, new: str) -> Break:
    def change(candidate: TaskCandidate) -> TaskCandidate:
        assert old in candidate.program, "the fault was not planted"
        return dataclasses.replace(candidate, program=candidate.program.replace(old, new))

    return change


def with_checks(change: Callable[[Check], Check | None]) -> Break:
    """The checks alone decide."""

    def broken(candidate: TaskCandidate) -> TaskCandidate:
        kept = tuple(new for check in candidate.checks if (new := change(check)) is not None)
        assert kept != candidate.checks, "the fault was not planted"
        return dataclasses.replace(candidate, checks=kept, verifier="")

    return broken


def forgetting(column: str) -> Break:
    """New rows are checked without a column, and those that are alike then are counted together."""

    def broken(candidate: TaskCandidate) -> TaskCandidate:
        rows = [check for check in candidate.checks if check.kind == "row"]
        rest = tuple(check for check in candidate.checks if check.kind != "row")
        left = [{name: value for name, value in check.expect.items() if name != column} for check in rows]
        assert all(one == left[0] for one in left) and left[0] != rows[0].expect, "the fault was not planted"
        merged = rows[0].model_copy(update={"expect": left[0], "count": len(rows)})
        return dataclasses.replace(candidate, checks=(merged, *rest), verifier="")

    return broken


def free_table(table: str) -> Break:
    everything = FreeChange(table=table, changes=("insert", "update", "delete"))

    def change(check: Check) -> Check:
        return check.model_copy(update={"free": (*check.free, everything)}) if check.kind == "unchanged" else check

    return with_checks(change)


def nothing_wanted(candidate: TaskCandidate) -> TaskCandidate:
    return dataclasses.replace(candidate, checks=(), verifier=ALL_IS_WELL)


def verifier_that_disagrees(candidate: TaskCandidate) -> TaskCandidate:
    return dataclasses.replace(candidate, verifier=ALL_IS_WELL)


def whole_digest(candidate: TaskCandidate, player: Player) -> TaskCandidate:
    """A verifier that compares all rows, minted ids and clocks too, with those that the gold left."""
    gold = player.play(candidate.program)
    with Judge(player.environment, (), "EXPECTED = 'record'\n" + DIGEST) as judge:
        assert not judge.verdict(gold).passed
    text = json.dumps(gold.diff.to_json(), sort_keys=True)
    return dataclasses.replace(candidate, verifier=f"EXPECTED = {text!r}\n{DIGEST}")


def minted_ids(candidate: TaskCandidate, player: Player) -> TaskCandidate:
    new = player.play(candidate.program).diff.tables["loans"].inserted
    return dataclasses.replace(candidate, verifier=f"EXPECTED = {sorted(row['id'] for row in new)!r}\n{CLOCK}")


def two_rows(candidate: TaskCandidate) -> TaskCandidate:
    author = Reference(table="books", key="SELECT 101", by=(("author",),), say={"author": "{author}"})
    family = candidate.family.model_copy(update={"references": {"book": author}})
    intent = candidate.intent.model_copy(
        update={"said": {**candidate.intent.said, "book": {"author": "Nora Whitfield"}}}
    )
    return dataclasses.replace(candidate, family=family, intent=intent)


def other_reading(candidate: TaskCandidate) -> TaskCandidate:
    reading = Reading(bank="open_only", target=f"{candidate.family.target} AND returned_at IS NULL")
    return dataclasses.replace(candidate, family=candidate.family.model_copy(update={"readings": (reading,)}))


def as_it_is(candidate: TaskCandidate) -> TaskCandidate:
    return candidate


def asks_how_many(candidate: TaskCandidate) -> TaskCandidate:
    count = Check(id="answer-count", kind="answer", path="count", expect=2, match="number")
    guard = next(check for check in candidate.checks if check.kind == "unchanged")
    return dataclasses.replace(candidate, checks=(count, guard), verifier="")


def own_solution_does_nothing(candidate: TaskCandidate) -> TaskCandidate:
    return dataclasses.replace(candidate, alternatives=("def solve(call):\n    return {}\n",))


BREAKS: dict[str, tuple[str, str, Callable[..., TaskCandidate], str]] = {
    # name: (gate, family, what is done to it, words of the reason)
    "asked before": (
        "not_duplicate",
        "strike-off",
        with_text("Strike off the holder of card M-9WRD."),
        "asks the same",
    ),
    "no text": ("covered", "take-back", with_text(""), "there is no text"),
    "a value is not said": ("covered", "take-back", with_text("Take it back for M-7TQ2."), "does not say title"),
    "an answer in the text": (
        "answer_hidden",
        "lend-what-is-free",
        with_text("Lend what is free of Nora Whitfield, that is The Lighthouse Keeper's Atlas, to M-HHJ5."),
        "lent stands in the text",
    ),
    "a number in the text": (
        "answer_hidden",
        "take-back",
        with_text("Night Trains, M-7TQ2: is it 1.6?"),
        "whole answer",
    ),
    "a small number": ("not_guessed", "books-at-home", asks_how_many, "a blind answer is right with a chance of 0.083"),
    "a text of a benchmark": ("no_overlap", "take-back", with_text(OF_A_BENCHMARK), "a known benchmark has"),
    "two rows for one name": ("unambiguous", "take-back", two_rows, "names 2 rows"),
    "another way to read it": ("unambiguous", "books-at-home", other_reading, "open_only is not said"),
    "a wrong gold": ("gold_passes", "take-back", with_program('done["fine"]', "0.4"), "answer-fine fails"),
    "a crashing gold": ("gold_passes", "take-back", with_program('done["fine"]', "1 / 0"), "ZeroDivisionError"),
    "more calls than an episode has": (
        "gold_passes",
        "books-at-home",
        with_program("loans = ", 'for _ in range(200):\n        call("get_book", book_id=104)\n    loans = '),
        "calls, an episode has room for 200",
    ),
    "checks and verifier disagree": ("mutants_fail", "take-back", verifier_that_disagrees, "checks say False"),
    "an id from nowhere": (
        "grounded",
        "lend-three",
        with_program('call("search_books", query=title)["books"][0]', '{"id": 101}'),
        "book_id is 101",
    ),
    "a value from nowhere": (
        "grounded",
        "books-at-home",
        with_program("loans = ", 'call("search_books", query="Weather")\n    loans = '),
        "query is 'Weather'",
    ),
    "nothing is wanted": ("noop_fails", "take-back", nothing_wanted, "nothing done, no answer passes"),
    "a column that nobody checks": ("mutants_fail", "lend-three", forgetting("book_id"), "it passes"),
    "a table that is free": ("mutants_fail", "take-back", free_table("loans"), "it passes"),
    "members that are free": ("mutants_fail", "lend-three", free_table("members"), "it passes"),
    "too few mutants": ("mutants_fail", "strike-off", as_it_is, "mutants ended with a wrong result"),
    "one way only": ("alternatives_pass", "strike-off", as_it_is, "kinds of other solutions"),
    "a family's own solution fails": (
        "alternatives_pass",
        "take-back",
        own_solution_does_nothing,
        "family at alternatives[0] is refused",
    ),
    "all rows compared, several writes": ("alternatives_pass", "lend-three", whole_digest, "is refused: digest"),
    "all rows compared, new ids": ("repeatable", "lend-what-is-free", whole_digest, "other ids"),
    "minted ids compared": ("repeatable", "lend-three", minted_ids, "other ids"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_gate_rejects_what_it_is_there_for(
    name: str, library_candidates: Candidates, player: Player, toolbox: TaskToolbox
) -> None:
    gate, family, change, words = BREAKS[name]
    sound = library_candidates[family]
    broken = change(sound, player) if change in (whole_digest, minted_ids) else change(sound)
    result = verdict_of(gate, broken, player, toolbox)
    assert not result.passed
    assert any(words in reason for reason in result.reasons), result.reasons


def test_every_gate_has_something_that_it_must_reject() -> None:
    assert {gate for gate, *_ in BREAKS.values()} == set(GATES)


# ---- sets of tasks ---------------------------------------------------------------------------------------------------


def test_nearly_the_same_words_are_a_duplicate(library_candidates: Candidates) -> None:
    known = Admitted(THRESHOLDS)
    sound = library_candidates["books-at-home"]
    other = sound.intent.model_copy(update={"said": {"card": "M-4KQ7"}})
    known.add(dataclasses.replace(sound, intent=other))
    assert known.problems(sound) == [f"100% of the words are those of {sound.id}"]
    assert known.problems(dataclasses.replace(sound, instruction="What has M-HHJ5 at home?")) == []


def test_a_set_is_balanced() -> None:
    even = [f"family-{number % 14}" for number in range(100)]
    assert balance(even, THRESHOLDS).passed
    assert "at most 15% may be of one family" in balance(even + ["family-0"] * 20, THRESHOLDS).reasons[0]
    assert "at least 12 are needed" in balance([f"family-{n % 8}" for n in range(96)], THRESHOLDS).reasons[0]


def test_thresholds_are_those_of_gates(library: Environment) -> None:
    measures = {"balance", "difficulty", "variety"}
    assert set(THRESHOLDS) <= set(GATES) | measures, "a threshold for a gate that does not exist"
    assert THRESHOLDS["balance"]["family_share"] <= 0.15 and THRESHOLDS["balance"]["families"] >= 12
    assert THRESHOLDS["alternatives_pass"]["least"] >= 3
    with pytest.raises(ConfigError, match=r"mutants_fail\.most"):
        toolbox_of(library, {}, coverage=nothing, duplicates=nothing, overlap=nothing)


def test_the_shipped_index_knows_benchmarks(library_candidates: Candidates) -> None:
    index = BenchmarkIndex.read(ROOT / "validators/benchmarks/ngrams.json")
    assert len(index.known) > 50_000
    assert all(index.problems(candidate) == [] for candidate in library_candidates.values())
