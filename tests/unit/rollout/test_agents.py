"""The agents that ship: gold passes, idle ones fail, random calls are valid, skill can be tuned."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from envforge.core.errors import ConfigError, ProgramError
from envforge.core.records.task import GoldCall
from envforge.core.records.trajectory import Trajectory
from envforge.core.seeds import stream
from envforge.rollout.agents import AGENTS, Answer, Assignment, Call, agent_maker
from envforge.rollout.agents.gold import ProgramAgent, observed
from envforge.rollout.agents.sampling import Sampler
from envforge.rollout.agents.scripted import spoiled
from envforge.rollout.agents.seen_values import SeenValues, values_at
from envforge.rollout.loop import run_episode
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.observation import LEAST_BYTES
from envforge.world.session import Session

from .conftest import PROGRAM, make_task

SEEDS = range(12)


def play(session: Session, assignment: Assignment, name: str, seed: int = 0, **options: Any) -> Trajectory:
    return run_episode(session, assignment.task, agent_maker(name)(assignment, seed), seed=seed, **options)


def score(library: Environment, assignment: Assignment, trajectory: Trajectory) -> float | None:
    with Scorer(library) as scorer:
        return scorer.score_episode(assignment.task, trajectory, assignment.verifier or None).score


@pytest.fixture(params=["graph", "program"])
def assignment(request: pytest.FixtureRequest) -> Assignment:
    return request.getfixturevalue(request.param)


def test_gold_passes(library: Environment, session: Session, assignment: Assignment) -> None:
    for seed in (0, 1):
        trajectory = play(session, assignment, "gold", seed)
        assert trajectory.ending == "answered" and len(trajectory.turns) == 4
        assert score(library, assignment, trajectory) == 1


@pytest.mark.parametrize("name", ["noop", "noop-unknown", "noop-plausible"])
def test_idle_agents_fail(library: Environment, session: Session, assignment: Assignment, name: str) -> None:
    trajectory = play(session, assignment, name)
    assert (trajectory.ending, trajectory.turns, trajectory.agent) == ("answered", (), name)
    assert score(library, assignment, trajectory) == 0


def test_idle_answers_differ(session: Session, graph: Assignment) -> None:
    empty, unknown, plausible = (play(session, graph, name).answer for name in list(AGENTS)[1:4])
    assert empty is None
    assert unknown == {"fine": "I don't know", "due_on": "I don't know"}
    assert isinstance(plausible["fine"], float) and len(plausible["due_on"]) == 10


def test_random_calls_are_valid_and_use_what_was_seen(session: Session, graph: Assignment) -> None:
    turns = [turn for seed in SEEDS for turn in play(session, graph, "random:20", seed).turns]
    codes = {turn.observation["error"]["code"] for turn in turns if not turn.ok}
    assert len(turns) == 20 * len(SEEDS) and "invalid_argument" not in codes
    assert {turn.tool for turn in turns} == {tool.name for tool in graph.tools}
    assert any(turn.ok and turn.tool == "list_loans" for turn in turns), "an id that was seen leads on"


def test_random_agents_fail(library: Environment, session: Session, assignment: Assignment) -> None:
    for seed in range(4):
        assert score(library, assignment, play(session, assignment, "random", seed)) == 0


def test_skill_one_is_gold_and_skill_zero_fails(library: Environment, session: Session, assignment: Assignment) -> None:
    gold = play(session, assignment, "gold")
    best = play(session, assignment, "scripted:1")
    assert (best.turns, best.answer) == (gold.turns, gold.answer)
    for seed in range(4):
        assert score(library, assignment, play(session, assignment, "scripted:0", seed)) == 0


def test_more_skill_passes_more_often(library: Environment, session: Session, graph: Assignment) -> None:
    passed = [
        sum(score(library, graph, play(session, graph, f"scripted:{skill}", seed)) or 0 for seed in range(24))
        for skill in (0.3, 0.9)
    ]
    assert passed[0] < passed[1] < 24


def test_slips_are_of_every_kind(session: Session, assignment: Assignment) -> None:
    gold = [(turn.tool, turn.arguments) for turn in play(session, assignment, "gold").turns]
    made = [play(session, assignment, "scripted:0.6", seed) for seed in SEEDS]
    assert {"answered", "gave_up"} == {trajectory.ending for trajectory in made}
    calls = [[(turn.tool, turn.arguments) for turn in trajectory.turns] for trajectory in made]
    assert any(one == other for run in calls for one, other in pairwise(run)), "none was repeated"
    assert any(call not in gold for run in calls for call in run), "no argument was changed"
    assert any(len(run) < len(gold) for run in calls), "none was skipped"


def test_a_gold_call_that_is_refused_is_no_answer(session: Session, graph: Assignment) -> None:
    broken = Assignment(make_task(gold=(GoldCall(tool="get_book", arguments={"book_id": 999}),)), graph.tools)
    found = play(session, broken, "gold")
    assert found.ending == "agent_failure" and "was refused" in found.failure


def test_a_reference_to_nothing_is_no_answer(session: Session, graph: Assignment) -> None:
    broken = Assignment(make_task(gold_answer={"fine": "$3.price", "due_on": "$4.due_on"}), graph.tools)
    found = play(session, broken, "gold")
    assert found.ending == "agent_failure" and "$3.price" in found.failure


def test_a_program_that_crashes_is_no_answer(session: Session, program: Assignment) -> None:
    found = play(session, Assignment(program.task, (), "def solve(call):\n    return 1 / 0"), "gold")
    assert found.ending == "agent_failure" and "ZeroDivisionError" in found.failure


def test_a_program_is_told_of_refusals(session: Session, program: Assignment) -> None:
    source = """
def solve(call):
    try:
        call("get_book", book_id=999)
    except ToolError as error:
        return {"code": error.code}
"""
    source = "from envforge.world.api import ToolError\n" + source
    assert play(session, Assignment(program.task, (), source), "gold").answer == {"code": "not_found"}


def test_gold_does_not_go_on_with_a_part(session: Session, program: Assignment) -> None:
    source = 'def solve(call):\n    return len(call("search_books", query="e", limit=25)["books"])'
    wide = Assignment(program.task, (), source)
    assert play(session, wide, "gold").ending == "answered"
    found = play(session, wide, "gold", shown=LEAST_BYTES)
    assert found.ending == "agent_failure" and "was cut" in found.failure
    with pytest.raises(ProgramError, match="was cut"):
        observed({"result": {}, "truncated": [{"more": 1}]})


def test_an_abandoned_program_leaves_no_process() -> None:
    agent = ProgramAgent(PROGRAM)
    assert agent.act(None) == Call("search_books", {"query": "Night Trains"})
    process = agent._runner._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None and process.alive
    agent.close()
    assert not process.alive
    agent.close()


def test_a_program_without_calls_answers_at_once() -> None:
    agent = ProgramAgent("def solve(call):\n    return {}")
    assert agent.act(None) == Answer({})
    agent.close()


BAD = {"nobody": "nobody", "no number": "scripted:much", "too skilled": "scripted:2", "no setting": "gold:1"}


@pytest.mark.parametrize("name", BAD.values(), ids=BAD.keys())
def test_an_unknown_agent_is_named(graph: Assignment, name: str) -> None:
    with pytest.raises(ConfigError, match=r"nobody|skill|setting"):
        agent_maker(name)(graph, 0)


ANSWERS: list[Any] = [{"a": 1, "b": "x"}, 3, 2.5, True, None, "text", [], [1, 2], {}]


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_spoiled_answer_differs(answer: Any) -> None:
    for seed in range(8):
        assert spoiled(answer, stream(seed)) != answer


def test_values_are_found_by_type_and_name(library: Environment) -> None:
    assert values_at({"items": [{"id": 1}, {"id": 2}, {}]}, "items[].id") == [1, 2]
    assert values_at({"book": {"id": 1}}, "book.id") == [1]
    assert values_at({"ids": [1, 2]}, "ids[]") == [1, 2]
    assert values_at({"items": 3}, "items[].id") == []
    tools = {tool.name: tool for tool in library.tools}
    typed = tools["search_books"].model_copy(update={"produces": {"books[].id": "book.id"}})
    seen = SeenValues()
    seen.learn(typed, {"result": {"books": [{"id": 101, "title": "a"}, {"id": 102, "title": "a"}]}})
    seen.learn(typed, {"error": {"code": "x", "message": "y"}})
    assert seen.like(tools["get_book"], "book_id") == [101, 102]
    assert seen.named("title") == ["a"] and seen.like(tools["search_books"], "query") == []


GREEDY = {
    "many": {"type": "array", "minItems": 10**9},
    "wide": {"type": "array", "minItems": 99, "items": {"type": "array", "minItems": 99, "items": {"type": "array"}}},
    "long": {"type": "string", "minLength": 10**10},
    "large": {"type": "integer", "minimum": 10**30},
    "endless": {"$ref": "#/properties/a"},
}


@pytest.mark.parametrize("schema", GREEDY.values(), ids=GREEDY.keys())
def test_a_schema_may_ask_for_much(schema: dict[str, Any]) -> None:
    drawn = Sampler(0).value({"type": "object", "properties": {"a": schema}, "required": ["a"]})
    assert len(json.dumps(drawn)) < 100_000
