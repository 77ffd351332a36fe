"""The loop: every ending, bounded observations, no trace of time, nothing left running."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.errors import SandboxError
from envforge.rollout.agents import Action, Answer, Assignment, Call, GiveUp, Seen, agent_maker
from envforge.rollout.loop import run_episode
from envforge.world.environment import Environment
from envforge.world.observation import LEAST_BYTES
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session, diff_of


class Hand:
    """An agent that does what a function says; it keeps what it saw."""

    name = "hand"

    def __init__(self, act: Callable[[int], Any]) -> None:
        self._act = act
        self.seen: list[Seen | None] = []
        self.closed = 0

    def act(self, seen: Seen | None) -> Action:
        self.seen.append(seen)
        return self._act(len(self.seen))

    def close(self) -> None:
        self.closed += 1


NOTICE = Call("post_notice", {"name": "x", "text": "y"})


def test_answered(session: Session, graph: Assignment) -> None:
    agent = Hand(lambda step: NOTICE if step == 1 else Answer({"done": True}))
    found = run_episode(session, graph.task, agent, seed=3)
    assert (found.ending, found.answer, found.failure, found.seed) == ("answered", {"done": True}, "", 3)
    assert agent.seen[0] is None and agent.seen[1] == found.turns[0].observation
    changes = diff_of(session.environment, base64.b64decode(found.changeset))
    assert changes.documents == {"notices/x.md": (None, "y")}
    assert (found.task_id, found.environment_hash) == (graph.task.id, graph.task.environment_hash)
    assert agent.closed == 1


def test_the_turn_limit_lets_the_agent_answer_after_its_last_call(session: Session, graph: Assignment) -> None:
    in_time = run_episode(session, graph.task, Hand(lambda step: NOTICE if step <= 3 else Answer()), max_turns=3)
    assert (in_time.ending, len(in_time.turns)) == ("answered", 3)
    late = run_episode(session, graph.task, Hand(lambda step: NOTICE), max_turns=3)
    assert (late.ending, len(late.turns), late.answer) == ("turn_limit", 3, None)
    assert late.changeset == in_time.changeset != ""


def test_gave_up(session: Session, graph: Assignment) -> None:
    found = run_episode(session, graph.task, Hand(lambda step: NOTICE if step == 1 else GiveUp("no idea")))
    assert (found.ending, found.failure, found.answer) == ("gave_up", "no idea", None)
    assert found.changeset


def test_an_agent_that_raises(session: Session, graph: Assignment) -> None:
    def act(step: int) -> Action:
        return [NOTICE][step - 1]

    agent = Hand(act)
    found = run_episode(session, graph.task, agent)
    assert found.ending == "agent_failure" and found.failure.startswith("IndexError")
    assert found.changeset and agent.closed == 1


def test_an_agent_whose_step_is_none(session: Session, graph: Assignment) -> None:
    found = run_episode(session, graph.task, Hand(lambda step: "search_books"))
    assert (found.ending, found.failure) == ("agent_failure", "the agent's act() gave a str")


def test_a_worker_that_dies(session: Session, graph: Assignment) -> None:
    def act(step: int) -> Action:
        session._residence.process.close()  # pyright: ignore[reportPrivateUsage]
        return NOTICE

    agent = Hand(act)
    found = run_episode(session, graph.task, agent)
    assert (found.ending, found.changeset, found.turns) == ("infrastructure_failure", "", ())
    assert "gone" in found.failure and agent.closed == 1
    after = run_episode(session, graph.task, Hand(lambda step: Answer(1)))
    assert after.ending == "infrastructure_failure"
    session.restart()
    assert run_episode(session, graph.task, Hand(lambda step: Answer(1))).ending == "answered"


def test_a_broken_helper_process_is_infrastructure(session: Session, graph: Assignment) -> None:
    def act(step: int) -> Action:
        raise SandboxError("the program's process is gone")

    assert run_episode(session, graph.task, Hand(act)).ending == "infrastructure_failure"


def test_an_interruption_is_not_swallowed(session: Session, graph: Assignment) -> None:
    def act(step: int) -> Action:
        raise KeyboardInterrupt

    agent = Hand(act)
    with pytest.raises(KeyboardInterrupt):
        run_episode(session, graph.task, agent)
    assert agent.closed == 1


def test_an_episode_starts_from_the_beginning(session: Session, graph: Assignment) -> None:
    assert session.call("post_notice", {"name": "old", "text": "old"}).ok
    assert run_episode(session, graph.task, Hand(lambda step: Answer())).changeset == ""


def test_observations_are_bounded(session: Session, graph: Assignment) -> None:
    many = Call("search_books", {"query": "e", "limit": 25})
    agent = Hand(lambda step: many if step == 1 else Answer())
    found = run_episode(session, graph.task, agent, shown=LEAST_BYTES)
    assert "truncated" in found.turns[0].observation
    assert agent.seen[1] == found.turns[0].observation


ODD_CALLS: dict[str, tuple[Any, Any]] = {
    "no such tool": ("burn_book", {}),
    "no text": (7, {}),
    "no mapping": ("get_book", [1]),
    "nothing": ("get_book", None),
    "NaN": ("get_book", {"book_id": float("nan")}),
    "a set": ("get_book", {"book_id": {1}}),
    "a name that is none": ("get_book", {1: 1}),
}


@pytest.mark.parametrize(("tool", "arguments"), ODD_CALLS.values(), ids=ODD_CALLS.keys())
def test_a_call_that_is_none_is_answered_and_recorded(
    session: Session, graph: Assignment, tool: Any, arguments: Any
) -> None:
    call = Call(tool, arguments)
    found = run_episode(session, graph.task, Hand(lambda step: call if step == 1 else Answer()))
    assert found.ending == "answered"
    assert not found.turns[0].ok and found.turns[0].observation["error"]["message"]
    assert type(found).model_validate_json(found.model_dump_json()) == found


def test_an_answer_that_is_no_json_is_null(session: Session, graph: Assignment) -> None:
    found = run_episode(session, graph.task, Hand(lambda step: Answer({"fine": float("nan")})))
    assert (found.ending, found.answer) == ("answered", None)


@pytest.mark.parametrize("name", ["gold", "random", "scripted:0.5", "noop-plausible"])
def test_the_same_seed_gives_the_same_record(library: Environment, program: Assignment, name: str) -> None:
    maker = agent_maker(name)
    records: list[str] = []
    for limits in (Limits(), Limits(memory_mb=512)):
        with library.start(limits=limits) as session:
            records += [run_episode(session, program.task, maker(program, 7), seed=7).model_dump_json()]
            records += [run_episode(session, program.task, maker(program, 7), seed=7).model_dump_json()]
    assert len(set(records)) == 1
