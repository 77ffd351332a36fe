"""Talks with a user who goes on whatever is answered: steps, turns, limits, and answers that cannot be read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from envforge.core.errors import ConfigError
from envforge.core.model_errors import ContextTooLongError, EmptyAnswerError, RefusedAnswerError
from envforge.core.records.completion import FunctionTool, Message
from envforge.core.records.trajectory import EpisodeSettings
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.rollout.agents.model import Mind
from envforge.rollout.dialogue import Step, Talk, Talked, UserTurn, hold, talking_agent, talking_prompt
from envforge.rollout.protocols import protocol
from envforge.rollout.request import Clocked

ADD, SUB = FunctionTool(name="add", description="a + b"), FunctionTool(name="sub", description="a - b")
ONE_TWO = {"a": 1, "b": 2}
NO_TOOL: Step = (("unknown_tool", {}),)


def user(text: str, *more: FunctionTool) -> UserTurn:
    return UserTurn((Message(role="user", content=text),), more)


def says(*names: str) -> dict[str, Any]:
    return answer_of(None, calls=[call_of(name, ONE_TWO, place) for place, name in enumerate(names)])


def held(
    script: Sequence[Answer],
    *turns: UserTurn,
    form: str = "native",
    once: bool = False,
    most: int = 20,
    on_malformed: Literal["observe", "end"] = "observe",
) -> tuple[Talked, ScriptedModel, list[str]]:
    """A talk, the model with what it was asked, and the calls that were made."""
    model, made = ScriptedModel(script), list[str]()
    spoken = protocol(form)
    prompt = talking_prompt(spoken)
    settings = EpisodeSettings(protocol=form, max_turns=50, shown_bytes=1, on_malformed=on_malformed)
    talk = Talk(turns, (ADD,), most, once)
    agent = talking_agent("x", Mind(model, spoken, prompt, settings), talk, 0, Clocked())

    async def call(tool: str, arguments: Mapping[str, Any]) -> str:
        made.append(tool)
        return f"{tool} gave {sum(arguments.values())}"

    return asyncio.run(hold(agent, talk, call)), model, made


def test_calls_of_one_answer_are_one_step_and_words_end_a_turn() -> None:
    talked, model, made = held([says("add", "add"), says("add"), "Three.", "Bye."], user("1 + 2?"), user("Thanks."))
    call = ("add", ONE_TWO)
    assert talked.turns == [[(call, call), (call,), "Three."], ["Bye."]]
    assert (talked.ending, made) == ("done", ["add"] * 3)
    assert [tool.name for tool in model.asked[0].tools] == ["add"], "nothing takes a final answer"
    last = model.asked[-1].messages
    assert [message.role for message in last] == [
        "user", "assistant", "tool", "tool", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert (last[2].content, last[-1].content) == ("add gave 3", "Thanks.")


def test_where_an_item_is_one_answer_nothing_is_called_or_asked_again() -> None:
    talked, model, made = held([says("add", "add")], user("1 + 2, twice"), once=True)
    assert talked.turns == [[(("add", ONE_TWO), ("add", ONE_TWO))]]
    assert (made, len(model.asked)) == ([], 1)


def test_who_never_stops_calling_is_stopped() -> None:
    talked, _, made = held([says("add")] * 9, user("Go."), user("Never said."), most=2)
    assert talked.ending == "step_limit"
    assert (len(talked.turns), len(made)) == (1, 3)


@pytest.mark.parametrize(("form", "told"), [("native", False), ("hermes", True)])
def test_tools_that_come_later(form: str, told: bool) -> None:
    call = f"<tool_call>{json.dumps({'name': 'sub', 'arguments': ONE_TWO})}</tool_call>"
    then = call if form == "hermes" else says("sub")
    talked, model, _ = held(["I cannot.", then, "Done."], user("2 - 1?"), user("And now?", SUB), form=form)
    assert talked.turns == [["I cannot."], [(("sub", ONE_TWO),), "Done."]]
    words = model.asked[1].messages[-1].content
    assert words.endswith("And now?") and ('"sub"' in words) is told
    assert [tool.name for tool in model.asked[1].tools] == ([] if told else ["add", "sub"])


@pytest.mark.parametrize(
    ("answer", "step"),
    [(says("mul"), NO_TOOL), (EmptyAnswerError("said nothing", text=""), "")],
)
def test_what_is_no_call_of_a_tool_ends_its_turn_only(answer: Answer, step: Any) -> None:
    talked, _, _ = held([answer, "Bye."], user("1 * 2?"), user("Thanks."), on_malformed="end")
    assert talked.turns == [[step], ["Bye."]]


def test_a_limit_of_the_server_ends_the_talk_and_an_error_is_raised() -> None:
    talked, _, _ = held([says("add"), ContextTooLongError("too long")], user("Go."), user("Never said."))
    assert (talked.ending, talked.turns) == ("context_limit", [[(("add", ONE_TWO),)]])
    with pytest.raises(RefusedAnswerError):
        held([RefusedAnswerError("no")], user("Go."))


def test_react_cannot_talk() -> None:
    with pytest.raises(ConfigError, match="no words for a user"):
        talking_prompt(protocol("react"))
