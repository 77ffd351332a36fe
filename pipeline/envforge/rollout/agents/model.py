"""A language model as an agent: it is told of task and tools, calls them, and gives a final answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import jsonschema_rs

from envforge.core.contracts import Model
from envforge.core.ids import canonical_json
from envforge.core.model_errors import (
    AnswerError,
    MalformedArgumentsError,
    ToolChoiceError,
    UnknownToolError,
)
from envforge.core.records.completion import MAX_TOKENS, Completion, CompletionRequest, FunctionTool, Message, ToolCall
from envforge.core.records.environment import ToolSpec
from envforge.core.records.trajectory import EpisodeSettings
from envforge.core.seeds import derive_seed
from envforge.rollout.agents.agent import Action, Answer, Assignment, Call, Say, Seen, Shown, Stop
from envforge.rollout.agents.conversation import Conversation
from envforge.rollout.prompts import Prompt
from envforge.rollout.protocols import Problem, Protocol, Reading, Toolbox
from envforge.rollout.request import Clocked
from envforge.store.files import parse_json
from envforge.world.fitting import json_text

FINAL = "final_answer"
_ANSWER = "answer"
"""The one argument of the final answer where the task's schema is of no object."""
_SEED_BITS = 31
"""Servers hold seeds in 32 bits, some with a sign."""
_MOST_PROBLEMS = 8
_UNREADABLE = (UnknownToolError, MalformedArgumentsError, ToolChoiceError)
_TALK = (
    "\n- You can ask the one who gave you the task: write your question without any call. Ask for what you need and"
    " cannot find."
)


@dataclass(frozen=True)
class Mind:
    """What all episodes of a model have alike."""

    model: Model
    protocol: Protocol
    prompt: Prompt
    settings: EpisodeSettings
    top_logprobs: int | None = None


@dataclass(frozen=True)
class Told:
    """What a model is told at the start.

    `talks`: words without a call are for somebody who answers. `wrapped`: the final answer is the one argument of its
    tool.
    """

    tools: Toolbox
    opening: Sequence[Message]
    talks: bool = False
    wrapped: bool = False


def told_of(mind: Mind, given: Assignment, opening: str | None = None) -> Told:
    """A task. `opening`: the user's first words instead of the instruction; then there is somebody to talk to."""
    tools = toolbox(given.tools, given.task.answer_schema)
    system = mind.prompt.filled(
        now=f"{given.task.now[:10]}, {given.task.now[11:16]} UTC",
        user=_TALK if opening is not None else "",
        **mind.protocol.fill(tools),
    )
    said = given.task.instruction if opening is None else opening
    first = (Message(role="system", content=system), Message(role="user", content=said))
    return Told(tools, first, talks=opening is not None, wrapped=given.task.answer_schema.get("type") != "object")


class ModelAgent:
    """Works on one task, or through one talk. What it said stands in `conversation`."""

    def __init__(
        self,
        name: str,
        mind: Mind,
        told: Told,
        seed: int,
        clocked: Clocked,
    ) -> None:
        self.name = name
        self._mind = mind
        self._seed = seed
        self._clocked = clocked
        self._talks = told.talks
        self._tools = told.tools
        self._wrapped = told.wrapped
        self.conversation = Conversation(told.opening, mind.settings)
        self._pending: deque[ToolCall] = deque()
        self._answered: list[tuple[ToolCall, str]] = []
        self._not_made: list[tuple[ToolCall, str]] = []
        self._current: ToolCall | None = None
        self._calls = 0
        self._told_of_answer = False

    async def act(self, seen: Seen | None) -> Action:
        """The next call that the model asked for, or what it says when it is asked again. Raises ModelError."""
        self._hear(seen)
        while True:
            action = self._next() if self._pending else await self._think()
            if action is not None:
                return action

    async def close(self) -> None:
        """The model belongs to others."""

    @property
    def waiting(self) -> int:
        """Calls of its last answer that are still to be made."""
        return len(self._pending)

    @property
    def native(self) -> bool:
        """The server is told of the tools."""
        return self._mind.protocol.native

    def offer(self, tools: Toolbox) -> None:
        """From now on these are the tools; a protocol that tells of them in words has to be told."""
        self._tools = tools

    def _hear(self, seen: Seen | None) -> None:
        if seen is None:
            return
        if "user" in seen:
            self.conversation.add(Message(role="user", content=str(seen["user"])))
        elif self._current is not None:
            text = seen.text if isinstance(seen, Shown) else json_text(dict(seen))
            self._answered.append((self._current, text))
            self._current = None

    def _next(self) -> Action | None:
        """The next of the calls in hand; None: the final answer has to be given again."""
        call = self._pending.popleft()
        if call.name == self._tools.final_name:
            return self._final(call)
        self._current = call
        return Call(call.name, call.arguments, message=len(self.conversation.messages) - 1)

    async def _think(self) -> Action | None:
        """Ask the model. None: go on with the calls in hand, or ask it again."""
        if self._answered:
            answered = [*self._answered, *self._not_made]
            self.conversation.add(*self._mind.protocol.results(answered), results=True)
            self._answered, self._not_made = [], []
        request = self._request()
        if isinstance(request, Stop):
            return request
        reading = await self._reading(request)
        if reading.problem is not None:
            return self._misread(reading.problem)
        if not reading.calls:
            if self._talks:
                return Say(reading.text)
            return self._misread(Problem("nothing", "There is neither a call nor a final answer."))
        self._calls += len(reading.calls)
        self._pending.extend(self._made(reading.calls))
        return None

    def _made(self, calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
        """The calls up to the final answer, or the first where one at a time is the rule.

        The others are answered, too, but not made.
        """
        final = self._tools.final_name
        most = len(calls) if self._mind.settings.parallel else 1
        last = next((place for place, call in enumerate(calls, start=1) if call.name == final), len(calls))
        most = min(most, last)
        self._not_made = [(call, json_text(_NOT_MADE)) for call in calls[most:]]
        return calls[:most]

    def _request(self) -> CompletionRequest | Stop:
        settings, conversation = self._mind.settings, self.conversation
        if len(conversation.turns) > settings.max_turns:
            return Stop("turn_limit", f"the model answered {len(conversation.turns)} times")
        most = settings.turn_tokens or MAX_TOKENS
        if settings.episode_tokens is not None:
            most = min(most, settings.episode_tokens - conversation.answer_tokens)
            if most < 1:
                return Stop("length_limit", f"the answers have {conversation.answer_tokens} tokens")
        native = self._mind.protocol.native
        request = CompletionRequest(
            messages=conversation.shown(),
            tools=self._tools.offered if native else (),
            parallel_tool_calls=False if native and not settings.parallel else None,
            seed=derive_seed(self._seed, "turn", len(conversation.turns)) >> (64 - _SEED_BITS),
            temperature=settings.temperature,
            max_tokens=most,
            top_logprobs=self._mind.top_logprobs,
            stage="rollout",
        )
        fitting = conversation.fit(request)
        return fitting or Stop("context_limit", f"the conversation does not fit {settings.context_tokens} tokens")

    async def _reading(self, request: CompletionRequest) -> Reading:
        """What the model says, read. Raises ModelError for what cannot be told to it."""
        try:
            completion = await self._asked(request)
        except AnswerError as error:
            self.conversation.failed(error)
            if isinstance(error, _UNREADABLE):
                kind = "unknown_tool" if isinstance(error, UnknownToolError) else "call"
                told = f"{error.message}. {error.remedy}".strip()
                return Reading(self.conversation.messages[-1], problem=Problem(kind, told, error.text))
            raise
        reading = self._mind.protocol.read(completion, self._tools, self._calls)
        self.conversation.answered(reading.message, completion)
        return reading

    async def _asked(self, request: CompletionRequest) -> Completion:
        began = perf_counter()
        try:
            completion = await self._mind.model.complete(request)
        finally:
            self._clocked.model.append(perf_counter() - began)
        self._clocked.cached_calls += completion.cached
        self._clocked.cached_prompt_tokens += completion.usage.cached_prompt_tokens
        return completion

    def _misread(self, problem: Problem) -> Action | None:
        """Told to the model, or the end, as the settings say; a final answer is repaired once."""
        self.conversation.note(problem)
        if self._mind.settings.on_malformed == "end":
            return Stop("malformed", problem.detail)
        if problem.kind == "answer":
            if self._told_of_answer:
                return Answer(problem.text)
            self._told_of_answer = True
        self.conversation.add(Message(role="user", content=_wrong(problem.detail)))
        return None

    def _final(self, call: ToolCall) -> Action | None:
        value: Any = call.arguments.get(_ANSWER) if self._wrapped else call.arguments
        wrong = misfits(call.arguments, {} if self._tools.final is None else self._tools.final.parameters)
        if not wrong:
            return Answer(value)
        self.conversation.note(Problem("answer", wrong, call.raw_arguments))
        if self._told_of_answer or self._mind.settings.on_malformed == "end":
            # Said twice: it is the answer, and the checks decide.
            return Answer(value)
        self._told_of_answer = True
        told = {"error": {"code": "invalid_answer", "message": wrong, "hint": "Give the final answer again."}}
        self._answered.append((call, json_text(told)))
        return None


_NOT_MADE = {"error": {"code": "not_made", "message": "This call was not made."}}


def toolbox(specs: Sequence[ToolSpec], answer_schema: dict[str, Any]) -> Toolbox:
    """The tools of an environment, and the one that takes the final answer."""
    tools = tuple(
        FunctionTool(name=spec.name, description=spec.description, parameters=spec.parameters) for spec in specs
    )
    name = FINAL
    while any(tool.name == name for tool in tools):
        name += "_"
    schema = answer_schema
    if schema.get("type") != "object":
        schema = {"type": "object", "properties": {_ANSWER: answer_schema}, "required": [_ANSWER]}
    return Toolbox(
        tools, FunctionTool(name=name, description="Give the final answer. It ends the task.", parameters=schema)
    )


def misfits(arguments: dict[str, Any], schema: dict[str, Any]) -> str:
    """What is wrong with an answer; nothing when it fits."""
    try:
        found = _validator(canonical_json(schema)).iter_errors(arguments)
        told = [f"{'.'.join(map(str, error.instance_path)) or '(top)'}: {error.message}" for error in found]
    except ValueError as error:  # half a character, or what no number holds
        return str(error)
    return "; ".join(sorted(told)[:_MOST_PROBLEMS])


@lru_cache(maxsize=512)
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    # Schemas of answers were checked when the tasks were read.
    return jsonschema_rs.Draft202012Validator(parse_json(schema))


def _wrong(detail: str) -> str:
    return f"That could not be read, and nothing was done: {detail} Write it again in the form that you were told."
