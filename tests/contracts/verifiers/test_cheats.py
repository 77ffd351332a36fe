"""No cheat is rewarded: on every task each of its episodes scores 0, by the checks and by the verifier, each alone.

The tasks are those of the library, one of a board whose posts may be signed and may answer others, and a sample of
those that ship with the project (tasks/); all of them with `-m whole`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.records.task import Difficulty, GoldCall, Task, TaskCertificate
from envforge.gates.solutions import Judge, Player
from envforge.world.environment import Environment

from .board import board, candidate
from .cheats import CHEATS, Cheat, Victim
from .shipped import ROOT, SHIPPED, straight_program, victims_of

FAMILIES = ("books-at-home", "lend-three", "lend-what-is-free", "strike-off", "take-back")
SAMPLE = 3
Victims = Callable[[str], list[Victim]]


@pytest.fixture(scope="module")
def victims(
    library: Environment, library_candidates: Mapping[str, TaskCandidate], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Victims]:
    """Where from -> the tasks; players live as long as the module."""
    assert set(library_candidates) == set(FAMILIES)
    players: list[Player] = []
    known: dict[str, list[Victim]] = {}

    def of(name: str) -> list[Victim]:
        if name == "library" and name not in known:
            players.append(Player(library))
            known[name] = [_victim(players[-1], task) for task in library_candidates.values()]
            players.append(Player(board(tmp_path_factory.mktemp("board") / "board")))
            known[name].append(_victim(players[-1], candidate(players[-1].environment)))
        elif name not in known:
            slug, _, whole = name.partition(": ")
            players.append(Player(Environment.open(ROOT / "environments" / slug)))
            known[name] = list(victims_of(players[-1], ROOT / "tasks" / slug, None if whole else SAMPLE))
        return known[name]

    yield of
    for player in players:
        player.close()


def _victim(player: Player, task: TaskCandidate) -> Victim:
    texts = (task.instruction, task.answer_schema, task.checks, task.verifier, task.program)
    return Victim(task.family.id, player, *texts, task.intent)


OTHERS = (
    *(pytest.param(name, marks=pytest.mark.slow) for name in SHIPPED),
    *(pytest.param(f"{name}: all", marks=pytest.mark.whole) for name in SHIPPED),
)


@pytest.mark.parametrize("name", ["library", *OTHERS])
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheat_scores_nothing(cheat: Cheat, name: str, victims: Victims) -> None:
    tried = 0
    for victim in victims(name):
        with Judge(victim.environment, victim.checks, victim.verifier) as judge:
            assert judge.verdict(victim.gold).passed, f"{victim.name}: the gold itself fails"
            for number, played in enumerate(cheat(victim)):
                if victim.is_done(played):
                    continue
                judged = judge.verdict(played)
                tried += 1
                told = f"{victim.name}: {cheat.__name__} {number} {played.answer!r}"
                assert not judged.checks and not judged.verifier, told
        victim.player.forget()
    assert tried or name != "library", "no task gives this cheat a hold: it proves nothing"


def test_there_are_enough_of_them() -> None:
    assert len(CHEATS) >= 14 and len({cheat.__name__ for cheat in CHEATS}) == len(CHEATS)


def test_a_graph_task_is_tried_by_its_calls(
    library: Environment, library_candidates: Mapping[str, TaskCandidate]
) -> None:
    candidate = library_candidates["take-back"]
    task = Task(
        id="task-1",
        environment_id="library",
        environment_hash="",
        kind="graph",
        intent=candidate.intent,
        instruction=candidate.instruction,
        now=library.manifest.clock.epoch,
        answer_schema=dict(candidate.answer_schema),
        checks=candidate.checks,
        gold=(
            GoldCall(tool="list_loans", arguments={"member_id": "M-7TQ2"}),
            GoldCall(tool="return_book", arguments={"loan_id": "$1.loans[1].id"}, writes=True),
        ),
        gold_answer={"fine": "$2.fine"},
        difficulty=Difficulty(level=1, minimal_calls=2, tools=2, depth=2),
        certificate=TaskCertificate(gates=()),
    )
    with Player(library) as player, Judge(library, candidate.checks, candidate.verifier) as judge:
        assert judge.verdict(player.play(straight_program(task))).passed
