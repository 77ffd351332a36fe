"""Each kind of mistake by hand in the library: what was done, how it is named, and which call decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from envforge.core.records.mistake import Diagnosed, MistakeKind
from envforge.core.records.trajectory import Malformed, ModelTurn, Trajectory
from envforge.rollout.agents import Action, Answer, Assignment, Call, GiveUp, Seen, agent_maker
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.entities import Entities, alike
from envforge.rollout.diagnosis.registry import diagnosable, diagnose_mistakes
from envforge.rollout.loop import run_episode
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.session import Session

LATE = "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002"
OTHER_LOAN = "0d7d5a02-54dd-4c5c-8b3a-0fd0a3a4a001"
FIND = Call("search_books", {"query": "Night Trains"})
LOOK = Call("list_loans", {"member_id": "M-7TQ2"})
TAKE = Call("return_book", {"loan_id": LATE})
LEND = Call("borrow_book", {"member_id": "M-HHJ5", "book_id": 105})
NOTICE = Call("post_notice", {"name": "closed", "text": "We close at noon."})
RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}
DONE = Answer(RIGHT)


class Steps:
    """An agent that does what stands in a list."""

    name = "steps"

    def __init__(self, *steps: Action) -> None:
        self._steps = list(steps)

    def act(self, seen: Seen | None) -> Action:
        return self._steps.pop(0)

    def close(self) -> None:
        pass


def other(call: Call, **arguments: Any) -> Call:
    return Call(call.tool, {**call.arguments, **arguments})


CASES: dict[str, tuple[Sequence[Action], MistakeKind, int | None]] = {
    "another tool on the member": ((FIND, LOOK, TAKE, Call("remove_member", {"member_id": "M-HHJ5"}), DONE),
                                   "wrong_tool", 3),
    "a tool that does not exist": ((FIND, LOOK, Call("give_back", {"loan": LATE}), GiveUp()), "wrong_tool", 2),
    "another book": ((FIND, LOOK, TAKE, other(LEND, book_id=107), DONE), "wrong_argument", 3),
    "another book of the same author": ((FIND, LOOK, TAKE, other(LEND, book_id=101), DONE), "namesake_confusion", 3),
    "a loan that nobody has": ((FIND, LOOK, other(TAKE, loan_id="7777aaaa-0000-4000-8000-000000000000"), GiveUp()),
                               "hallucinated_entity", 2),
    "a title that nobody knows": ((other(FIND, query="Days of Amber"), GiveUp()), "hallucinated_entity", 0),
    "not lent, said to be": ((FIND, LOOK, TAKE, DONE), "missing_step", 3),
    "gave up in the middle": ((FIND, LOOK, GiveUp()), "premature_stop", 2),
    "did nothing": ((Answer(None),), "premature_stop", 0),
    "an empty answer": ((FIND, LOOK, TAKE, Answer({"fine": 0, "due_on": ""})), "premature_stop", 3),
    "one more loan": ((FIND, LOOK, TAKE, LEND, other(TAKE, loan_id=OTHER_LOAN), DONE), "ignored_constraint", 4),
    "a wide list, and another loan out of it": ((FIND, Call("list_loans"), other(TAKE, loan_id=OTHER_LOAN), LEND, DONE),
                                               "ignored_constraint", 1),
    "a notice on top": ((NOTICE, FIND, LOOK, TAKE, LEND, DONE), "state_damage", 0),
    "prose": ((FIND, LOOK, TAKE, LEND, Answer("1.6, until the 22nd")), "format", None),
    "fields of another name": ((FIND, LOOK, TAKE, LEND, Answer({"fine": 1.6, "due": "2024-03-22"})), "format", None),
    "a number as text": ((FIND, LOOK, TAKE, LEND, Answer({**RIGHT, "fine": "1.60 euros"})), "format", None),
    "the same look for ever": ((FIND, *[LOOK] * 9), "loop", 1),
    "two calls in turn": ((*[FIND, LOOK] * 5,), "loop", 0),
    "a wrong sum": ((FIND, LOOK, TAKE, LEND, Answer({**RIGHT, "fine": 2.4})), "other", None),
}  # fmt: skip


@pytest.fixture(scope="module")
def entities(library: Environment) -> Entities:
    return Entities(library)


def judged(library: Environment, given: Assignment, trajectory: Trajectory) -> Trajectory:
    with Scorer(library) as scorer:
        verdict = scorer.score_episode(given.task, trajectory)
    return trajectory.model_copy(update={"verdict": verdict})


def played(library: Environment, session: Session, given: Assignment, *steps: Action) -> Trajectory:
    return judged(library, given, run_episode(session, given.task, Steps(*steps), max_turns=8))


def named(
    library: Environment, session: Session, given: Assignment, entities: Entities, trajectory: Trajectory
) -> Diagnosed:
    gold = run_episode(session, given.task, agent_maker("gold")(given, 0))
    assert diagnosable(trajectory)
    tools = {tool.name: tool for tool in library.tools}
    return diagnose_mistakes(Case(given.task, trajectory, gold, tools, entities))


@pytest.mark.parametrize(("steps", "kind", "turn"), CASES.values(), ids=CASES.keys())
def test_kinds(
    library: Environment,
    session: Session,
    graph: Assignment,
    entities: Entities,
    steps: Sequence[Action],
    kind: MistakeKind,
    turn: int | None,
) -> None:
    found = named(library, session, graph, entities, played(library, session, graph, *steps))
    assert (found.kind, found.first.turn) == (kind, turn), found
    assert found.first.detail


def test_limits_of_room_and_answers_that_cannot_be_read(
    library: Environment, session: Session, graph: Assignment, entities: Entities
) -> None:
    cut = played(library, session, graph, FIND, LOOK, GiveUp())
    full = cut.model_copy(update={"ending": "context_limit", "status": "truncated"})
    assert named(library, session, graph, entities, full).kind == "context_overflow"
    told = Malformed(message=3, kind="call", detail="no JSON: {'loan", text="{'loan")
    broken = cut.model_copy(update={"ending": "malformed", "malformed": (told,)})
    found = named(library, session, graph, entities, broken)
    assert (found.kind, found.first.value, found.first.detail) == ("format", "{'loan", "no JSON: {'loan")
    forgot = cut.model_copy(update={"model_turns": (ModelTurn(left_out=(2, 4)),)})
    assert named(library, session, graph, entities, forgot).kind == "context_overflow"


def test_looking_round_is_no_mistake(
    library: Environment, session: Session, graph: Assignment, entities: Entities
) -> None:
    """Other reads than the gold ones, which lead to the same: what is named is the deed that failed."""
    round_about = (Call("get_book", {"book_id": 105}), other(FIND, query="Trains"), LOOK, TAKE)
    found = named(library, session, graph, entities, played(library, session, graph, *round_about, GiveUp()))
    assert (found.kind, found.first.value) == ("premature_stop", "borrow_book")


def test_a_call_that_was_mended_is_no_mistake(
    library: Environment, session: Session, graph: Assignment, entities: Entities
) -> None:
    slip = other(TAKE, loan_id="7777aaaa-0000-4000-8000-000000000000")
    found = named(
        library, session, graph, entities, played(library, session, graph, FIND, LOOK, slip, TAKE, NOTICE, LEND, DONE)
    )
    assert (found.kind, found.first.turn) == ("state_damage", 4)


def test_what_passed_or_has_no_score_is_not_looked_at(
    library: Environment, session: Session, graph: Assignment
) -> None:
    assert not diagnosable(played(library, session, graph, FIND, LOOK, TAKE, LEND, DONE))
    broken = run_episode(session, graph.task, Steps(), max_turns=8)
    assert not diagnosable(broken)
    assert not diagnosable(judged(library, graph, broken))
    with pytest.raises(ValueError, match="no verdict"):
        Case(graph.task, broken, broken, {}, Entities(library))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Ruth Abend", "Ruth Abel", True),
        ("Build: Wren", "Build: Bittern", True),
        ("Night Trains", "night  trains", True),
        ("Night Trains", "Counting Rivers", False),
        ("", "", True),
        ("An of", "An of it", False),
    ],
)
def test_names_alike(one: str, other: str, expected: bool) -> None:
    assert alike(one, other) == expected
