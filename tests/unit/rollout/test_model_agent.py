"""A model as an agent: calls, answers, limits, errors; every episode is scored or says why not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.model_errors import (
    BudgetError,
    ConnectionLostError,
    ContextTooLongError,
    EmptyAnswerError,
    FilteredAnswerError,
    MalformedAnswerError,
    RefusedAnswerError,
    TruncatedAnswerError,
)
from envforge.core.records.completion import CompletionRequest, Usage
from envforge.core.records.trajectory import Trajectory
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.rollout.agents import Assignment
from envforge.rollout.agents.conversation import LEFT_OUT
from envforge.rollout.model_player import ModelPlay, ModelPlayer
from envforge.rollout.request import RolloutRequest
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog, read_trajectories
from envforge.rollout.users import UserMaker
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

from .conftest import LATE

RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}
BACK = ("return_book", {"loan_id": LATE})
LEND = ("borrow_book", {"member_id": "M-HHJ5", "book_id": 105})
Play = Callable[..., Trajectory]


def says(*calls: tuple[str, Any], text: str | None = None) -> dict[str, Any]:
    return answer_of(text, calls=[call_of(name, given, place) for place, (name, given) in enumerate(calls)])


def final(value: Any = None) -> dict[str, Any]:
    return says(("final_answer", RIGHT if value is None else value))


@pytest.fixture
def play(library: Environment, graph: Assignment, tmp_path: Path) -> Play:
    """One episode with a script of answers."""

    def played(
        script: Sequence[Answer] | ScriptedModel,
        *,
        given: Assignment = graph,
        user: UserMaker | None = None,
        **how: Any,
    ) -> Trajectory:
        model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)

        async def whole() -> None:
            async with WorldPool([library], isolation="forked") as pool:
                with TrajectoryLog(tmp_path / "log") as out:
                    request = RolloutRequest(given, ModelPlayer(model, ModelPlay(**how), user=user), 3)
                    await run_rollouts([request], pool=pool, out=out, concurrency=1)

        asyncio.run(whole())
        (found,) = read_trajectories(tmp_path / "log")
        return found

    return played


def test_it_solves_a_task(play: Play, graph: Assignment) -> None:
    model = ScriptedModel([says(BACK, text="First the book."), says(LEND), final()])
    found = play(model)
    assert (found.ending, found.reward, found.answer) == ("answered", 1.0, RIGHT)
    assert [turn.tool for turn in found.turns] == ["return_book", "borrow_book"]
    assert [message.role for message in found.messages] == ["system", "user", *["assistant", "tool"] * 2, "assistant"]
    assert found.messages[1].content == graph.task.instruction
    assert [found.messages[turn.message or 0].role for turn in found.turns] == ["assistant"] * 2
    assert [turn.completion_tokens for turn in found.model_turns] == [5, 5, 5]
    assert (
        found.settings is not None and found.settings.protocol == "native" and len(found.settings.prompt_sha256) == 64
    )
    assert found.model == "scripted"
    first = model.asked[0]
    assert {tool.name for tool in first.tools} == {*(tool.name for tool in graph.tools), "final_answer"}
    assert "2024-03-01, 09:00 UTC" in first.messages[0].content
    assert first.seed is not None and [one.seed for one in model.asked].count(first.seed) == 1


def test_several_calls_are_made_in_order_and_all_answered(play: Play) -> None:
    model = ScriptedModel([says(BACK, LEND, ("search_books", {"query": "Night"})), final()])
    found = play(model)
    assert [turn.tool for turn in found.turns] == ["return_book", "borrow_book", "search_books"]
    assert found.reward == 1.0
    asked, *told = model.asked[1].messages[2:]
    assert [message.tool_call_id for message in told] == [call.id for call in asked.tool_calls]
    assert [turn.message for turn in found.turns] == [2, 2, 2]


def test_one_at_a_time_where_that_is_the_rule(play: Play) -> None:
    model = ScriptedModel(lambda request: says(BACK, LEND) if len(request.messages) == 2 else final(), identity="m")
    found = play(model, parallel=False, protocol="native")
    # The floor below holds the server to it: more than one call is an answer that cannot be acted on.
    assert found.turns == () and found.malformed[0].kind == "call" and model.asked[0].parallel_tool_calls is False


def test_text_protocols_make_the_first_call_only_when_told(play: Play) -> None:
    both = "".join(f"<tool_call>{json.dumps({'name': n, 'arguments': a})}</tool_call>" for n, a in (BACK, LEND))
    end = f"<tool_call>{json.dumps({'name': 'final_answer', 'arguments': RIGHT})}</tool_call>"
    model = ScriptedModel([both, end])
    found = play(model, parallel=False, protocol="hermes")
    assert [turn.tool for turn in found.turns] == ["return_book"]
    assert "not_made" in model.asked[1].messages[-1].content


def test_calls_behind_the_final_answer_are_not_made(play: Play) -> None:
    found = play([says(BACK, ("final_answer", RIGHT), LEND)])
    assert ([turn.tool for turn in found.turns], found.ending) == (["return_book"], "answered")
    assert found.reward == 0.0


MALFORMED: dict[str, tuple[Answer, str]] = {
    "arguments that are no JSON": (says(("return_book", "{loan_id:")), "call"),
    "arguments that are a list": (says(("return_book", "[1]")), "call"),
    "a tool that is not there": (says(("burn_book", {})), "unknown_tool"),
    "neither call nor answer": (answer_of("I shall return the book."), "nothing"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_answer_is_told_and_the_episode_goes_on(play: Play, case: str) -> None:
    answer, kind = MALFORMED[case]
    model = ScriptedModel([answer, says(BACK, LEND), final()])
    found = play(model)
    assert (found.ending, found.reward) == ("answered", 1.0)
    (noted,) = found.malformed
    assert noted.kind == kind and noted.message == 2 and found.messages[2].role == "assistant"
    assert noted.detail in model.asked[1].messages[-1].content and model.asked[1].messages[-1].role == "user"
    assert len(found.model_turns) == 3 and found.model_turns[0].completion_tokens == 5


@pytest.mark.parametrize("case", MALFORMED)
def test_or_it_ends_the_episode_at_zero(play: Play, case: str) -> None:
    found = play([MALFORMED[case][0]], on_malformed="end")
    assert (found.ending, found.status, found.reward) == ("malformed", "completed", 0.0)
    assert found.malformed[0].kind == MALFORMED[case][1] and found.failure == found.malformed[0].detail


def test_malformed_answers_without_end_meet_the_limit(play: Play) -> None:
    found = play(ScriptedModel(lambda request: answer_of("Hm.")), max_turns=4)
    assert (found.ending, found.status, found.reward, len(found.model_turns)) == ("turn_limit", "truncated", 0.0, 5)


def test_a_final_answer_that_does_not_fit_is_repaired_once(play: Play) -> None:
    model = ScriptedModel([says(BACK, LEND), final({"fine": "much", "due_on": "2024-03-22"}), final()])
    found = play(model)
    assert (found.answer, found.reward) == (RIGHT, 1.0)
    assert found.malformed[0].kind == "answer" and "fine" in found.malformed[0].detail
    assert "invalid_answer" in model.asked[2].messages[-1].content
    assert model.asked[2].messages[-1].tool_call_id == model.asked[2].messages[-2].tool_calls[0].id


def test_said_twice_it_is_the_answer(play: Play) -> None:
    found = play([says(BACK, LEND), final({"fine": "much"}), final({"fine": "little"})])
    assert (found.ending, found.answer, found.reward) == ("answered", {"fine": "little"}, 0.0)
    assert len(found.malformed) == 2


def test_a_text_answer_that_is_no_json_is_repaired_once(play: Play) -> None:
    lines = [f"Action: {n}\nAction Input: {json.dumps(a)}" for n, a in (BACK, LEND)]
    right = f"Final Answer: {json.dumps(RIGHT)}"
    found = play([*lines, "Final Answer: 1.6", right], protocol="react")
    assert (found.reward, found.malformed[0].kind) == (1.0, "answer")


@pytest.mark.parametrize("schema", [{"type": "number"}, {"anyOf": [{"type": "number"}, {"type": "null"}]}])
def test_an_answer_that_is_no_object_has_a_place(play: Play, graph: Assignment, schema: dict[str, Any]) -> None:
    task = graph.task.model_copy(update={"answer_schema": schema})
    found = play([says(("final_answer", {"answer": 2.5}))], given=Assignment(task, graph.tools))
    assert (found.answer, found.malformed) == (2.5, ())


ERRORS: dict[str, tuple[Any, str, str]] = {
    "refused": (
        RefusedAnswerError("no", text="I will not.", usage=Usage(completion_tokens=4)),
        "agent_failure",
        "error",
    ),
    "filtered": (FilteredAnswerError("no"), "agent_failure", "error"),
    "empty": (EmptyAnswerError("nothing"), "agent_failure", "error"),
    "no protocol": (MalformedAnswerError("html"), "infrastructure_failure", "infrastructure"),
    "connection": (ConnectionLostError("gone"), "infrastructure_failure", "infrastructure"),
    "too long": (ContextTooLongError("too long"), "context_limit", "truncated"),
    "cut": (TruncatedAnswerError("cut", text="I was go"), "length_limit", "truncated"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_a_model_fails_with_is_kept_by_type(play: Play, case: str) -> None:
    error, ending, status = ERRORS[case]
    found = play([says(BACK), error])
    assert (found.ending, found.status, found.failure_kind) == (ending, status, type(error).__name__)
    assert found.reward == (0.0 if status == "truncated" else None)
    assert len(found.turns) == 1 and len(found.messages) >= 4
    if case == "refused":
        assert found.messages[-1].content == "I will not." and found.model_turns[-1].completion_tokens == 4


def test_a_budget_that_is_used_up_ends_the_run(play: Play, tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        play([BudgetError("all tokens are used")])
    assert not (tmp_path / "log" / "trajectories.jsonl").exists()


def test_tokens_of_all_answers_are_limited(play: Play) -> None:
    model = ScriptedModel([says(BACK), says(LEND), final()])
    found = play(model, episode_tokens=10, turn_tokens=8)
    assert (found.ending, found.status, found.reward) == ("length_limit", "truncated", 0.0)
    assert [request.max_tokens for request in model.asked] == [8, 5]


def long_script(request: CompletionRequest) -> dict[str, Any]:
    asked = sum(message.role == "assistant" for message in request.messages)
    return says(("search_books", {"query": "a"})) if asked < 6 else final()


def test_a_context_that_is_full_ends_the_episode(play: Play) -> None:
    found = play(ScriptedModel(lambda request: dict(long_script(request), usage={})), context_tokens=3200)
    assert (found.ending, found.status, found.reward) == ("context_limit", "truncated", 0.0)
    assert 0 < len(found.turns) < 6


def test_or_the_oldest_results_are_left_out_and_marked(play: Play) -> None:
    model = ScriptedModel(lambda request: dict(long_script(request), usage={}))
    found = play(model, context_tokens=3200, on_overflow="drop_oldest")
    assert (found.ending, len(found.turns)) == ("answered", 6)
    last = model.asked[-1].messages
    left_out = [place for place, message in enumerate(last) if message.content == LEFT_OUT]
    assert left_out and tuple(left_out) == found.model_turns[-1].left_out and found.model_turns[0].left_out == ()
    # The record is whole, and the last result is always shown.
    assert all(message.content != LEFT_OUT for message in found.messages) and last[-1].content != LEFT_OUT


def test_where_nothing_can_be_left_out_it_ends_all_the_same(play: Play) -> None:
    found = play([says(BACK)], context_tokens=1100, on_overflow="drop_oldest")
    assert (found.ending, found.turns) == ("context_limit", ())


def test_token_ids_and_log_probabilities_are_kept(play: Play) -> None:
    answer = final()
    entry = {"token": "x", "logprob": -0.5, "top_logprobs": [{"token": "x", "logprob": -0.5}]}
    answer["choices"][0] |= {"logprobs": {"content": [entry]}, "token_ids": [5, 7]}
    model = ScriptedModel([{**answer, "prompt_token_ids": [1, 2, 3]}])
    (turn,) = play(model, top_logprobs=1).model_turns
    assert (turn.token_ids, turn.prompt_token_ids, turn.logprobs[0].logprob) == ((5, 7), (1, 2, 3), -0.5)
    assert model.asked[0].top_logprobs == 1


def test_a_prompt_of_ones_own(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "terse-2.md"
    file.write_text("Be quick. It is {{now}}.\n{{format}}", encoding="utf-8")
    model = ScriptedModel([final()])
    found = play(model, prompt=file)
    assert model.asked[0].messages[0].content.startswith("Be quick. It is 2024-03-01, 09:00 UTC.")
    assert found.settings is not None and found.settings.prompt == "terse-2+native-1"
    file.write_text("Be quick.", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"has no \{\{format\}\}"):
        play([final()], prompt=file)


def test_the_key_follows_from_all_that_decides(graph: Assignment) -> None:
    def key(identity: str = "m", seed: int = 1, **how: Any) -> str:
        return RolloutRequest(graph, ModelPlayer(ScriptedModel([], identity=identity), ModelPlay(**how)), seed).key

    keys = [key(), key("other"), key(seed=2), key(protocol="react"), key(on_malformed="end"), key(temperature=None)]
    assert len(set(keys)) == len(keys) and key() == keys[0]
