"""Scores: checks and verifier together, and what must not be scored at all."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from envforge.core.errors import SandboxError, StoreError, VerifierError
from envforge.core.records.task import Check, RubricItem
from envforge.core.records.trajectory import STATUS, Ending, Trajectory
from envforge.rollout.agents import Assignment, agent_maker
from envforge.rollout.loop import run_episode
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session

from .conftest import HASH, VERIFIER, make_task

RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}


@pytest.fixture
def scorer(library: Environment) -> Iterator[Scorer]:
    with Scorer(library) as opened:
        yield opened


@pytest.fixture(scope="module")
def solved(library: Environment, graph: Assignment) -> bytes:
    with library.start() as session:
        trajectory = run_episode(session, graph.task, agent_maker("gold")(graph, 0))
    assert trajectory.answer == RIGHT
    return base64.b64decode(trajectory.changeset)


def test_right_partial_and_nothing(scorer: Scorer, graph: Assignment, solved: bytes) -> None:
    right = scorer.score(graph.task, solved, RIGHT)
    assert (right.status, right.score, right.fraction) == ("scored", 1.0, 1.0)
    partial = scorer.score(graph.task, solved, {**RIGHT, "fine": 2})
    assert (partial.score, partial.fraction) == (0.0, 0.75)
    nothing = scorer.score(graph.task, b"", None)
    assert (nothing.score, nothing.fraction) == (0.0, 0.0)


def test_a_failed_guard_leaves_no_share(scorer: Scorer, library: Environment, graph: Assignment) -> None:
    with library.start() as session:
        assert session.call("post_notice", {"name": "x", "text": "y"}).ok
        over = session.changeset()
    found = scorer.score(graph.task, over, RIGHT)
    assert [one.id for one in found.checks if one.passed] == ["fine", "due"]
    assert (found.score, found.fraction) == (0.0, 0.0)


def test_guards_alone_are_all_or_nothing(scorer: Scorer, solved: bytes) -> None:
    task = make_task(checks=(Check(id="else", kind="unchanged", weight=0),), rubric=())
    assert scorer.score(task, b"", None).fraction == 1.0
    assert scorer.score(task, solved, None).fraction == 0.0


def test_a_program_task_has_two_judges(scorer: Scorer, program: Assignment, solved: bytes) -> None:
    for changeset, answer, score in [(solved, RIGHT, 1.0), (solved, None, 0.0), (b"", RIGHT, 0.0), (b"", None, 0.0)]:
        assert scorer.score(program.task, changeset, answer, VERIFIER).score == score


DISAGREEING = {
    "another verdict": ("abs(said - 1.6) <= 0.005", "said > 100", "fine: checks pass, verifier fail"),
    "another id": ('"id": "due"', '"id": "day"', "day: checks say nothing, verifier pass"),
    "a lax verifier": ("len(new) == 1", "True", "new-loan: checks fail, verifier pass"),
}


@pytest.mark.parametrize(("old", "new", "reason"), DISAGREEING.values(), ids=DISAGREEING.keys())
def test_judges_that_disagree_give_no_score(
    scorer: Scorer, program: Assignment, solved: bytes, old: str, new: str, reason: str
) -> None:
    assert old in VERIFIER
    changeset = b"" if reason.startswith("new-loan") else solved
    found = scorer.score(program.task, changeset, RIGHT, VERIFIER.replace(old, new))
    assert (found.status, found.score, found.fraction) == ("unscored", None, None)
    assert any(reason in told for told in found.reasons), found.reasons


def test_a_program_task_without_its_verifier_is_refused(scorer: Scorer, program: Assignment) -> None:
    with pytest.raises(StoreError, match="verifier"):
        scorer.score(program.task, b"", None)


def test_a_task_of_another_environment_is_refused(scorer: Scorer) -> None:
    task = make_task(environment_id="archive", environment_hash="22" * 32)
    with pytest.raises(StoreError, match=r"made for archive 2222222222222222, this is library 1111111111111111"):
        scorer.score(task, b"", None)


def test_a_task_without_checks_is_refused(scorer: Scorer) -> None:
    with pytest.raises(StoreError, match="no checks"):
        scorer.score(make_task(checks=()), b"", None)


def test_a_verifier_that_crashes_is_its_own_failure(scorer: Scorer, program: Assignment, solved: bytes) -> None:
    with pytest.raises(VerifierError, match="crashed"):
        scorer.score(program.task, b"", None, "def verify(initial, final, diff, answer):\n    return 1 / 0")
    assert scorer.score(program.task, solved, RIGHT, VERIFIER).score == 1.0


def test_an_endless_verifier_is_its_own_failure(library: Environment, program: Assignment, solved: bytes) -> None:
    endless = "def verify(initial, final, diff, answer):\n    while True:\n        pass"
    with Scorer(library, limits=Limits(call_seconds=0.5)) as scorer:
        with pytest.raises(SandboxError, match="time"):
            scorer.score(program.task, b"", None, endless)
        assert scorer.score(program.task, solved, RIGHT, VERIFIER).score == 1.0


@pytest.mark.parametrize("kind", ["graph", "program"])
def test_a_changeset_that_does_not_fit_is_its_own_failure(scorer: Scorer, kind: str) -> None:
    with pytest.raises(SandboxError):
        scorer.score(make_task(kind=kind), b"garbage", RIGHT, VERIFIER if kind == "program" else None)


def test_judged_items_with_weight_need_a_judge(scorer: Scorer, solved: bytes) -> None:
    judged = RubricItem(id="tone", text="The answer is friendly.")
    found = scorer.score(make_task(rubric=(judged,)), solved, RIGHT)
    assert (found.status, found.score) == ("unscored", None)
    assert "tone" in found.reasons[0]
    free = judged.model_copy(update={"weight": 0.0})
    assert scorer.score(make_task(rubric=(free,)), solved, RIGHT).score == 1.0


def ended(ending: Ending, changeset: bytes = b"", answer: object = None, **more: str) -> Trajectory:
    return Trajectory(
        task_id=more.get("task_id", "library-0001"),
        environment_hash=more.get("environment_hash", HASH),
        agent="hand",
        seed=0,
        turns=(),
        answer=answer,
        ending=ending,
        status=STATUS[ending],
        failure="it broke" if ending.endswith("failure") else "",
        changeset=base64.b64encode(changeset).decode(),
    )


@pytest.mark.parametrize("ending", ["agent_failure", "infrastructure_failure"])
def test_failures_are_never_scored(scorer: Scorer, graph: Assignment, solved: bytes, ending: Ending) -> None:
    found = scorer.score_episode(graph.task, ended(ending, solved, RIGHT))
    assert (found.status, found.score, found.reasons) == ("unscored", None, (f"{ending}: it broke",))


@pytest.mark.parametrize("ending", ["turn_limit", "context_limit", "length_limit", "malformed", "gave_up"])
def test_who_never_answered_has_not_passed(scorer: Scorer, solved: bytes, ending: Ending) -> None:
    silent = make_task(checks=tuple(check for check in make_task().checks if check.kind != "answer"))
    assert scorer.score_episode(silent, ended("answered", solved)).score == 1.0
    found = scorer.score_episode(silent, ended(ending, solved))
    assert (found.score, found.fraction, found.reasons) == (0.0, 1.0, (f"no answer: {ending}",))


def test_a_trajectory_of_another_task_is_refused(scorer: Scorer, graph: Assignment) -> None:
    for stranger in (ended("answered", task_id="library-0009"), ended("answered", environment_hash="33" * 32)):
        with pytest.raises(StoreError, match="the trajectory is of"):
            scorer.score_episode(graph.task, stranger)


def test_scoring_twice_says_the_same(scorer: Scorer, session: Session, program: Assignment) -> None:
    trajectory = run_episode(session, program.task, agent_maker("gold")(program, 5), seed=5)
    first = scorer.score_episode(program.task, trajectory, VERIFIER)
    assert first == scorer.score_episode(program.task, trajectory, VERIFIER)
    again = Trajectory.model_validate_json(trajectory.model_dump_json())
    assert first == scorer.score_episode(program.task, again, VERIFIER)


def test_the_status_follows_from_the_ending() -> None:
    with pytest.raises(ValueError, match="status: completed, but an episode that ended turn_limit is truncated"):
        Trajectory.model_validate({**ended("turn_limit").model_dump(), "status": "completed"})
