"""A model in talks whose user says one thing after the other, whatever it answers: how benchmarks of others are played.

The agent, its protocol and what it does with answers that cannot be read are those of every episode; tools, and what
the talk is worth, are somebody else's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from envforge.core.errors import ConfigError
from envforge.core.model_errors import ContextTooLongError, EmptyAnswerError, TruncatedAnswerError
from envforge.core.records.completion import FunctionTool, Message
from envforge.core.records.trajectory import Malformed
from envforge.rollout.agents.agent import Call, Say, Seen, Shown, Stop
from envforge.rollout.agents.model import Mind, ModelAgent, Told
from envforge.rollout.prompts import Prompt, shipped
from envforge.rollout.protocols import Protocol, Toolbox
from envforge.rollout.request import Clocked

Step: TypeAlias = tuple[tuple[str, Mapping[str, Any]], ...] | str
"""One answer of the model: its calls by name and arguments, or its words."""
Caller: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[str]]
"""Makes a call, and says what it gave."""
TALKING: Mapping[str, str] = {"native": "", "hermes": "hermes-talk-1"}
"""Protocols that can talk, and the words that tell of them: ReAct knows no words but thoughts."""
UNKNOWN_TOOL = "unknown_tool"
"""The name of a call whose tool is not there; whoever scores knows no such tool either."""


@dataclass(frozen=True)
class UserTurn:
    """What the user says next, and the tools that there are from then on."""

    messages: tuple[Message, ...]
    more_tools: tuple[FunctionTool, ...] = ()


@dataclass(frozen=True)
class Talk:
    """A conversation to be held. `once`: its only turn is one answer, and no call is made."""

    turns: tuple[UserTurn, ...]
    tools: tuple[FunctionTool, ...]
    most_steps: int
    """Answers in one turn; who needs more is stopped, and the talk is over."""
    once: bool = False


@dataclass
class Talked:
    """What came of it: the steps of each turn, as far as it went."""

    turns: list[list[Step]] = field(default_factory=list[list[Step]])
    ending: Literal["done", "step_limit", "context_limit", "turn_limit", "length_limit"] = "done"


def talking_prompt(form: Protocol) -> Prompt:
    """The words that tell a model of tools in talks. Raises ConfigError for a protocol that cannot talk."""
    if form.name not in TALKING:
        remedy = f"one of {', '.join(TALKING)}"
        raise ConfigError(f"{form.name} has no words for a user", where="--protocol", remedy=remedy)
    words = TALKING[form.name]
    return Prompt(words or "none", shipped(words) if words else "")


def talking_agent(name: str, mind: Mind, talk: Talk, seed: int, clocked: Clocked) -> ModelAgent:
    """A model that has heard the first turn."""
    tools = Toolbox(talk.tools, None)
    system = mind.prompt.filled(**mind.protocol.fill(tools))
    opening = [Message(role="system", content=system)] if system else []
    return ModelAgent(name, mind, Told(tools, [*opening, *talk.turns[0].messages], talks=True), seed, clocked)


async def hold(agent: ModelAgent, talk: Talk, call: Caller) -> Talked:
    """Hold the talk. Raises ModelError for an answer that is none, and what is about the run."""
    talked = Talked()
    tools = talk.tools
    for place, turn in enumerate(talk.turns):
        if turn.more_tools:
            tools = (*tools, *turn.more_tools)
            agent.offer(Toolbox(tools, None))
        talked.turns.append([])
        if not await _turn(agent, talk, talked, None if place == 0 else {"user": _said(agent, turn)}, call):
            break
    return talked


def _said(agent: ModelAgent, turn: UserTurn) -> str:
    """The words of a later turn; with the new tools where the server is not told of them."""
    words = "\n".join(message.content for message in turn.messages)
    if agent.native or not turn.more_tools:
        return words
    return f"{Toolbox(turn.more_tools, None).lines(with_final=False)}\n{words}"


async def _turn(agent: ModelAgent, talk: Talk, talked: Talked, seen: Seen | None, call: Caller) -> bool:
    """Until the model has no more calls; whether the talk goes on."""
    steps, asked_in = talked.turns[-1], -1
    while True:
        noted = len(agent.conversation.malformed)
        try:
            action = await agent.act(seen)
        except (EmptyAnswerError, TruncatedAnswerError) as error:
            steps.append(error.text)
            return True
        except ContextTooLongError:
            talked.ending = "context_limit"
            return False
        if isinstance(action, Say):
            steps.append(action.text)
            return True
        if isinstance(action, Stop):
            return _stopped(talked, action, agent.conversation.malformed[noted:])
        assert isinstance(action, Call), "nobody can give a final answer, or give up, in a talk"
        made = (action.tool, dict(action.arguments))
        last = steps[-1] if steps else ""
        if action.message == asked_in and not isinstance(last, str):
            steps[-1] = (*last, made)
        elif len(steps) > talk.most_steps:
            talked.ending = "step_limit"
            return False
        else:
            steps.append((made,))
            asked_in = action.message if action.message is not None else -1
        if talk.once and not agent.waiting:
            return True
        seen = Shown()
        seen.text = "" if talk.once else await call(*made)


def _stopped(talked: Talked, stop: Stop, noted: Sequence[Malformed]) -> bool:
    """Where answers that cannot be read end something, they end a turn; limits end the talk."""
    if stop.ending != "malformed":
        talked.ending = stop.ending
        return False
    last = noted[-1]
    talked.turns[-1].append(((UNKNOWN_TOOL, {}),) if last.kind == "unknown_tool" else last.text)
    return True
