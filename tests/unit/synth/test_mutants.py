"""Mutants and alternatives: which there are, that they differ where they say, and that they are the same each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.gates.solutions import Played, Player, Variant
from envforge.synth.alternatives import alternatives
from envforge.synth.mutants import mutants
from envforge.synth.semantics import Semantics, shifted
from envforge.world.environment import Environment

Tasks = Mapping[str, TaskCandidate]


@pytest.fixture(scope="module")
def player(library: Environment) -> Iterator[Player]:
    with Player(library) as started:
        yield started


@pytest.fixture(scope="module")
def semantics(library: Environment) -> Semantics:
    return Semantics(library)


def all_mutants(semantics: Semantics, task: TaskCandidate, gold: Played, **more: int) -> list[Variant]:
    limits = {"most": 400, "most_calls": 10_000, "seed": 1, **more}
    return mutants(semantics, task, gold, **limits)


def names(found: list[Variant]) -> list[tuple[str, str, str]]:
    return [(mutant.id, mutant.operator, mutant.place) for mutant in found]


def test_the_same_seed_gives_the_same_mutants(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["lend-three"]
    gold = player.play(task.program)
    first = all_mutants(semantics, task, gold)
    assert names(all_mutants(semantics, task, gold)) == names(first)
    assert names(all_mutants(semantics, task, gold, seed=2)) != names(first)
    assert len({mutant.id for mutant in first}) == len(first)
    few = all_mutants(semantics, task, gold, most=9)
    assert len(few) == 9 and len({mutant.operator for mutant in few}) == 9, "operators come in turn"


def test_costly_mutants_are_few(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["lend-three"]
    gold = player.play(task.program)
    cheap = all_mutants(semantics, task, gold, most_calls=0)
    counts = Counter(mutant.operator for mutant in cheap if mutant.cost)
    assert counts and set(counts.values()) == {1}, "one of each operator in any case"
    assert len(cheap) < len(all_mutants(semantics, task, gold))


OPERATORS: dict[str, set[str]] = {
    "books-at-home": {"argument-changed", "entity-changed", "item-dropped", "value-misread", "write-extra"},
    "lend-three": {
        "write-skipped",
        "writes-cut",
        "write-twice",
        "write-on-another",
        "write-undone",
        "arguments-swapped",
    },
    "take-back": {"write-skipped", "write-twice", "write-on-another", "answer-perturbed", "answer-unit", "answer-type"},
}


@pytest.mark.parametrize("family", OPERATORS)
def test_each_operator_finds_its_places(
    family: str, player: Player, semantics: Semantics, library_candidates: Tasks
) -> None:
    task = library_candidates[family]
    found = all_mutants(semantics, task, player.play(task.program))
    missing = OPERATORS[family] - {mutant.operator for mutant in found}
    assert missing <= {"arguments-swapped"}, "two loans of one member differ in ids only"


def played(player: Player, semantics: Semantics, task: TaskCandidate, operator: str) -> list[Played]:
    gold = player.play(task.program)
    found = [mutant for mutant in all_mutants(semantics, task, gold) if mutant.operator == operator]
    return [player.vary(task.program, gold, mutant) for mutant in found]


def test_a_skipped_write_is_seen_but_not_made(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["lend-three"]
    gold = player.play(task.program)
    for episode in played(player, semantics, task, "write-skipped"):
        assert episode.answer == gold.answer and episode.writes == 2


def test_an_extra_write_is_made(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["books-at-home"]
    gold = player.play(task.program)
    episodes = played(player, semantics, task, "write-extra")
    assert episodes and all(episode.answer == gold.answer and episode.writes == 1 for episode in episodes)


def test_an_undone_write_is_undone(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    episodes = played(player, semantics, library_candidates["lend-three"], "write-undone")
    assert any(step.tool == "return_book" and step.seen.ok for episode in episodes for step in episode.steps)


def test_only_said_text_is_changed(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["take-back"]
    program = 'def solve(call):\n    call("post_notice", name="closing", text="We close early.")\n    return {}\n'
    gold = player.play(program)
    changed = [mutant.place for mutant in all_mutants(semantics, task, gold) if mutant.operator == "argument-changed"]
    assert changed == []


def test_alternatives_come_one_of_each_kind(player: Player, semantics: Semantics, library_candidates: Tasks) -> None:
    task = library_candidates["lend-three"]
    gold = player.play(task.program)
    found = alternatives(semantics, task, gold)
    kinds = [alternative.operator for alternative in found]
    assert kinds == ["family", "order-of-writes", "order-of-loops", "extra-reads", "write-again"]
    backwards = player.vary(task.program, gold, found[1])
    books = [step.arguments["book_id"] for step in backwards.steps if step.writes]
    assert books == [step.arguments["book_id"] for step in gold.steps if step.writes][::-1]


SHIFTED: list[tuple[Any, Any]] = [
    (True, False),
    (3, 4),
    ("2024-02-29", "2024-03-01"),
    ("2024-02-29T10:00:00Z", "2024-03-01T10:00:00Z"),
    ("23:58", "00:03"),
    ("Night Trains", None),
    ("2024-99-99", None),
    (None, None),
]


@pytest.mark.parametrize(("value", "other"), SHIFTED, ids=str)
def test_values_are_off_by_a_little(value: Any, other: Any) -> None:
    assert shifted(value) == other


def test_neighbours_are_near(semantics: Semantics) -> None:
    assert semantics.neighbours("book.id", 103, {}) == [104, 105, 106, 102, 101]
    assert semantics.neighbours("book.id", 103, {"book.id": [101, 103, 108]})[:2] == [108, 101]
    assert semantics.neighbours("nothing.id", 103, {}) == []
    assert semantics.any_of("member.id") == "M-9WRD"
