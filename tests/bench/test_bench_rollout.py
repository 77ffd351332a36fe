"""Speed of scoring and of episodes: checks over a changeset, a verifier in its process, whole episodes."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.core.records.intent import Intent
from envforge.core.records.task import Check, Difficulty, GoldCall, Task, TaskCertificate
from envforge.rollout.agents import Assignment, agent_maker
from envforge.rollout.checks import evaluate
from envforge.rollout.loop import run_episode
from envforge.world.environment import Environment
from envforge.world.session import Session

Benchmark = Callable[..., Any]
LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
LOANS = (("M-4KQ7", 107), ("M-HHJ5", 108), ("M-7TQ2", 107), ("M-7TQ2", 103))
BACK = ("0d7d5a02-54dd-4c5c-8b3a-0fd0a3a4a001", "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002")


def _task() -> Task:
    """Two loans end, four begin, and the answer has four fields: ten changed rows or fields in all."""
    calls = [GoldCall(tool="return_book", arguments={"loan_id": loan}, writes=True) for loan in BACK]
    calls += [
        GoldCall(tool="borrow_book", arguments={"member_id": who, "book_id": what}, writes=True) for who, what in LOANS
    ]
    checks = [
        Check(id=f"back-{loan}", kind="row", table="loans", where={"id": loan}, expect={"fine": fine},
              free_columns=("returned_at",))
        for loan, fine in zip(BACK, (None, 1.6), strict=True)
    ]  # fmt: skip
    checks += [
        Check(id=f"new-{who}-{what}", kind="row", table="loans", inserted=True,
              expect={"member_id": who, "book_id": what, "due_on": "2024-03-22"})
        for who, what in LOANS
    ]  # fmt: skip
    checks += [
        Check(id="fine", kind="answer", path="fine", expect=1.6, match="number", tolerance=0.005),
        Check(id="due", kind="answer", path="due", expect=["2024-03-22"] * 4, match="set"),
        Check(id="else", kind="unchanged", weight=0),
    ]
    return Task(
        id="bench",
        environment_id="library",
        environment_hash="",
        kind="graph",
        intent=Intent(family="bench", kind="batch", source="archetype", parameters={}, said={}, spoken={}, banks=(),
                      candidates=6, chosen=6),
        instruction="",
        now="2024-03-01T09:00:00Z",
        answer_schema={},
        checks=tuple(checks),
        gold=tuple(calls),
        gold_answer={"fine": "$2.fine", "due": [f"${number}.due_on" for number in range(3, 7)]},
        difficulty=Difficulty(level=3, minimal_calls=6, tools=2, depth=1),
        certificate=TaskCertificate(gates=()),
    )  # fmt: skip


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment.open(LIBRARY)


@pytest.fixture(scope="module")
def session(environment: Environment) -> Iterator[Session]:
    with environment.share() as group, group.start() as started:
        yield started


def test_checks_per_second(benchmark: Benchmark, environment: Environment, session: Session) -> None:
    task = _task()
    trajectory = run_episode(session, task, agent_maker("gold")(Assignment(task), 0))
    changeset = base64.b64decode(trajectory.changeset)
    results = benchmark(evaluate, environment, task.checks, changeset, trajectory.answer)
    assert all(result.passed for result in results)


def test_episode_of_six_calls(benchmark: Benchmark, session: Session) -> None:
    task = _task()
    trajectory = benchmark(lambda: run_episode(session, task, agent_maker("gold")(Assignment(task), 0)))
    assert trajectory.ending == "answered"
