"""Why episodes failed."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.records.task import Check, Task
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents import Action, Answer, Assignment, Call, GiveUp, Seen, agent_maker
from envforge.rollout.failures import Diagnosis, Failure, diagnose
from envforge.rollout.loop import run_episode
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.session import Session


class Steps:
    """An agent that does what stands in a list."""

    name = "steps"

    def __init__(self, *steps: Action) -> None:
        self._steps = list(steps)

    def act(self, seen: Seen | None) -> Action:
        return self._steps.pop(0)

    def close(self) -> None:
        pass


RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}
NOTICE = Call("post_notice", {"name": "x", "text": "y"})
LOST = [Failure.WRONG_ROW, Failure.WRONG_NEW_ROWS]
CASES: dict[str, tuple[tuple[Action, ...], list[Failure]]] = {
    "no answer": ((Answer(None),), [*LOST, Failure.NO_ANSWER]),
    "another shape": ((Answer([1]),), [*LOST, Failure.WRONG_FIELDS]),
    "a wrong field": ((Answer({**RIGHT, "fine": 2}),), [*LOST, Failure.WRONG_ANSWER]),
    "something else": ((NOTICE, Answer(RIGHT)), [*LOST, Failure.EXTRA_CHANGE]),
    "gave up": ((GiveUp(),), [Failure.GAVE_UP, *LOST, Failure.NO_ANSWER]),
    "too long": ((NOTICE,) * 9, [Failure.TURN_LIMIT, *LOST, Failure.NO_ANSWER, Failure.EXTRA_CHANGE]),
    "broke": ((), [Failure.AGENT_BROKE]),
}


def judged(library: Environment, task: Task, trajectory: Trajectory) -> Diagnosis:
    with Scorer(library) as scorer:
        verdict = scorer.score_episode(task, trajectory)
    return diagnose(task, trajectory.model_copy(update={"verdict": verdict}))


@pytest.mark.parametrize(("steps", "expected"), CASES.values(), ids=CASES.keys())
def test_kinds(
    library: Environment, session: Session, graph: Assignment, steps: tuple[Action, ...], expected: list[Failure]
) -> None:
    trajectory = run_episode(session, graph.task, Steps(*steps), max_turns=4)
    found = judged(library, graph.task, trajectory)
    assert [one.failure for one in found.findings] == expected
    assert not found.passed


def test_a_pass_has_no_findings(library: Environment, session: Session, graph: Assignment) -> None:
    found = judged(library, graph.task, run_episode(session, graph.task, agent_maker("gold")(graph, 0)))
    assert (found.findings, found.passed, found.turns, found.errors) == ((), True, 4, {})


OTHER: dict[str, tuple[Check, Failure]] = {
    "absent": (Check(id="a", kind="absent", table="members", where={"id": "M-9WRD"}), Failure.ROW_LEFT),
    "count": (Check(id="a", kind="count", table="loans", expect=1), Failure.WRONG_COUNT),
    "document": (Check(id="a", kind="document", path="a.md", expect="a"), Failure.WRONG_DOCUMENT),
}


@pytest.mark.parametrize(("check", "failure"), OTHER.values(), ids=OTHER.keys())
def test_other_checks(
    library: Environment, session: Session, graph: Assignment, check: Check, failure: Failure
) -> None:
    task = graph.task.model_copy(update={"checks": (check,)})
    found = judged(library, task, run_episode(session, task, Steps(Answer())))
    assert [(one.failure, one.check) for one in found.findings] == [(failure, "a")]
    assert found.findings[0].detail


def test_misuse_of_tools_is_counted(library: Environment, session: Session, graph: Assignment) -> None:
    missing: Any = Call("get_book", {"book_id": 999})
    steps = [missing, missing, missing, Call("burn_book"), Call("get_book", {}), Answer(None)]
    found = judged(library, graph.task, run_episode(session, graph.task, Steps(*steps)))
    assert found.errors == {"invalid_argument": 1, "not_found": 3, "unknown_tool": 1}
    assert (found.repeated, found.turns) == (2, 5)


def test_an_unscored_episode_says_why(library: Environment, session: Session, graph: Assignment) -> None:
    item = graph.task.rubric[0].model_copy(update={"checks": ()})
    task = graph.task.model_copy(update={"rubric": (item,)})
    found = judged(library, task, run_episode(session, task, agent_maker("gold")(graph, 0)))
    assert [one.failure for one in found.findings] == [Failure.UNSCORED]
    assert "no judge" in found.findings[0].detail


def test_a_trajectory_without_a_verdict_is_refused(session: Session, graph: Assignment) -> None:
    with pytest.raises(ValueError, match="no verdict"):
        diagnose(graph.task, run_episode(session, graph.task, Steps(Answer())))
