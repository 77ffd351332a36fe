"""Users hold a part of the task back, tell it when asked, and have no say in the score."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.model_errors import ConnectionLostError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.providers.scripted import ScriptedModel
from envforge.rollout.agents import Assignment
from envforge.rollout.model_player import ModelPlay, ModelPlayer
from envforge.rollout.request import RolloutRequest
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog, read_trajectories
from envforge.rollout.users import UserMaker, user_maker
from envforge.rollout.users.user import held_back
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

from .conftest import LATE, make_task

SPOKEN = {"reader": "Ruth", "book": "Night Trains", "who": "Chidi"}
RIGHT = {"fine": 1.6, "due_on": "2024-03-22"}


@pytest.fixture(scope="module")
def task() -> Task:
    plain = make_task()
    return plain.model_copy(update={"intent": plain.intent.model_copy(update={"spoken": SPOKEN})})


def test_what_is_held_back_is_not_in_the_first_words(task: Task) -> None:
    held = held_back(task, 5)
    assert 1 <= len(held.secrets) <= 2 and held == held_back(task, 5)
    assert all(
        words not in held.opening and f"ask me for the {name}" in held.opening for name, words in held.secrets.items()
    )
    assert {frozenset(held_back(task, seed).secrets) for seed in range(20)} > {frozenset(held.secrets)}


def test_what_stands_twice_or_inside_of_another_value_is_said(task: Task) -> None:
    spoken = {"book": "Night Trains", "part": "Night", "it": "i"}
    changed = task.model_copy(update={"intent": task.intent.model_copy(update={"spoken": spoken})})
    assert set(held_back(changed, 1).secrets) == {"book"}
    nothing = task.model_copy(update={"intent": task.intent.model_copy(update={"spoken": {}})})
    assert held_back(nothing, 1).opening == task.instruction


def test_a_scripted_user_tells_what_it_is_asked_for(task: Task) -> None:
    held = held_back(task, 5)
    name, words = next(iter(held.secrets.items()))

    async def talk(*questions: str) -> list[str]:
        user = user_maker("scripted").user(task, 5)
        return [await user.reply(question) for question in questions]

    (told,) = asyncio.run(talk(f"Which {name} do you mean?"))
    assert words in told and not any(other in told for key, other in held.secrets.items() if key != name)
    vague, all_of_it, nothing = asyncio.run(talk("What?", "Please tell me more.", "And?"))
    assert "not sure" in vague and "told you all" in nothing
    assert all(words in all_of_it for words in held.secrets.values())


def test_a_model_user_knows_the_whole_task(task: Task) -> None:
    model = ScriptedModel(["It is Ruth.", ConnectionLostError("gone")])
    user = user_maker("model", model).user(task, 5)
    assert asyncio.run(user.reply("Who is it?")) == "It is Ruth."
    system, asked = model.asked[0].messages
    assert task.instruction in system.content and user.opening in system.content and asked.content == "Who is it?"
    assert model.asked[0].stage == "user" and model.asked[0].seed is not None
    with pytest.raises(ConnectionLostError):
        asyncio.run(user.reply("And?"))


@pytest.mark.parametrize(("name", "told"), [("model", "needs a model"), ("oracle", "no such user")])
def test_a_user_that_cannot_be_had(name: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        user_maker(name)


@pytest.fixture
def talk(library: Environment, task: Task, tmp_path: Path) -> Callable[..., Trajectory]:
    """One episode of a scripted model with a user."""

    def talked(script: list[Any], user: UserMaker | None, **how: Any) -> Trajectory:
        async def whole() -> None:
            async with WorldPool([library], isolation="forked") as pool:
                with TrajectoryLog(tmp_path) as out:
                    player = ModelPlayer(ScriptedModel(script), ModelPlay(**how), user=user)
                    request = RolloutRequest(Assignment(task, library.tools), player, 5)
                    await run_rollouts([request], pool=pool, out=out, concurrency=1)

        asyncio.run(whole())
        (found,) = read_trajectories(tmp_path)
        return found

    return talked


def solved() -> list[Any]:
    calls = [
        call_of("return_book", {"loan_id": LATE}),
        call_of("borrow_book", {"member_id": "M-HHJ5", "book_id": 105}, 1),
    ]
    return [answer_of(None, calls=calls), answer_of(None, calls=[call_of("final_answer", RIGHT)])]


def test_an_agent_that_asks(talk: Callable[..., Trajectory], task: Task) -> None:
    found = talk([answer_of("Who, and which book?"), *solved()], user_maker("scripted"))
    opening, question, reply = (found.messages[place] for place in (1, 2, 3))
    assert opening.content == held_back(task, 5).opening != task.instruction
    assert (question.role, reply.role) == ("assistant", "user") and "The " in reply.content
    assert found.reward == 1.0 and found.malformed == ()
    assert found.settings is not None and found.settings.user == "scripted-1"
    assert "You can ask" in found.messages[0].content


def test_who_only_talks_meets_the_limit(talk: Callable[..., Trajectory]) -> None:
    found = talk([answer_of(f"And {number}?") for number in range(9)], user_maker("scripted"), max_turns=4)
    assert (found.ending, found.reward) == ("turn_limit", 0.0)


def test_a_user_whose_model_is_gone_is_infrastructure(talk: Callable[..., Trajectory]) -> None:
    user = user_maker("model", ScriptedModel([ConnectionLostError("gone")]))
    found = talk([answer_of("Who?")], user)
    assert (found.ending, found.reward, found.failure_kind) == ("infrastructure_failure", None, "ConnectionLostError")
