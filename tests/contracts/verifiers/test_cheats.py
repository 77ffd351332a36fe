"""No cheat is rewarded: on every task each of its episodes scores 0, by the checks and by the verifier, each alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.gates.solutions import Judge, Player
from envforge.world.environment import Environment

from .cheats import CHEATS, Cheat, Victim

FAMILIES = ("books-at-home", "lend-three", "lend-what-is-free", "strike-off", "take-back")


@pytest.fixture(scope="module")
def victims(library: Environment, library_candidates: Mapping[str, TaskCandidate]) -> Iterator[dict[str, Victim]]:
    assert set(library_candidates) == set(FAMILIES)
    with Player(library) as player:
        yield {
            name: Victim(name, player, task.instruction, task.answer_schema, task.checks, task.verifier, task.program)
            for name, task in library_candidates.items()
        }


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheat_scores_nothing(cheat: Cheat, victims: Mapping[str, Victim]) -> None:
    tried = 0
    for name, victim in victims.items():
        with Judge(victim.environment, victim.checks, victim.verifier) as judge:
            assert judge.verdict(victim.gold).passed, f"{name}: the gold itself fails"
            for number, played in enumerate(cheat(victim)):
                judged = judge.verdict(played)
                tried += 1
                assert not judged.checks and not judged.verifier, f"{name}: {cheat.__name__} {number} {played.answer!r}"
    assert tried, "no task gives this cheat a hold: it proves nothing"


def test_there_are_enough_of_them() -> None:
    assert len(CHEATS) >= 14 and len({cheat.__name__ for cheat in CHEATS}) == len(CHEATS)
