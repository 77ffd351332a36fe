"""Our own loop for a batch of episodes: what TRL's does, token for token, with the calls of a batch made at once.

It is the trainer's where `loop: rollouts` is set, and the evaluation's always, so that both keep to the same rules: an
answer that cannot be read ends the episode, and a result that does not fit any more is not shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from envforge.train.data.records import FamilyTools
from envforge.train.environment_factory import FamilyEnvironment, answer
from envforge.train.host import EpisodeHost
from envforge.train.tokens import Chat, Template

Generate = Callable[[list[list[int]]], tuple[list[list[int]], list[list[float]] | None]]
"""Prompts -> answers, and the log-probabilities of their tokens where the engine gives them."""
Suffix = Callable[[list[Chat]], list[int]]
"""Messages with results -> the tokens that follow the answer which asked for them."""


@dataclass(frozen=True)
class LoopLimits:
    """Of an episode: tokens of answers and results together, tokens of all, rounds of calls."""

    trajectory_tokens: int
    context: int
    rounds: int


@dataclass
class Seat:
    """One episode: its environment, and the conversation so far."""

    environment: FamilyEnvironment
    family: FamilyTools
    prompt: list[Chat]
    prompt_ids: list[int] = field(default_factory=list[int])
    completion_ids: list[int] = field(default_factory=list[int])
    mask: list[int] = field(default_factory=list[int])
    """1: the model's; 0: a result's, which is never trained on."""
    logprobs: list[float] | None = None
    messages: list[Chat] = field(default_factory=list[Chat])
    calls: list[Chat] = field(default_factory=list[Chat])
    """Of the last answer."""

    def say(self, ids: list[int], logprobs: list[float] | None, message: Chat | None) -> None:
        """The model's answer."""
        self.completion_ids += ids
        self.mask += [1] * len(ids)
        if logprobs is not None:
            self.logprobs = [*(self.logprobs or []), *logprobs]
        if message is not None:
            self.messages.append(message)
        self.calls = list((message or {}).get("tool_calls") or [])

    def hear(self, suffix: list[int], results: list[Chat]) -> None:
        """What tools answered."""
        self.completion_ids += suffix
        self.mask += [0] * len(suffix)
        if self.logprobs is not None:
            self.logprobs += [0.0] * len(suffix)
        self.messages += results


def play_batch(
    seats: Sequence[Seat],
    *,
    host: EpisodeHost,
    template: Template,
    generate: Generate,
    suffix: Suffix,
    limits: LoopLimits,
) -> None:
    """Play all to their ends. The environments have been reset."""
    for seat in seats:
        seat.prompt_ids = template.prompt_ids(seat.prompt, seat.family)
    _answers(seats, [seat.prompt_ids for seat in seats], template, generate, None)
    waiting = [seat for seat in seats if seat.calls]
    for _ in range(limits.rounds):
        if not waiting:
            break
        told = host.wait(_made(waiting))
        going: list[Seat] = []
        for seat, results in zip(waiting, told, strict=True):
            tokens = suffix(results)
            grown = len(seat.completion_ids) + len(tokens)
            if grown > limits.trajectory_tokens or len(seat.prompt_ids) + grown >= limits.context:
                continue  # it ends as it stands; what was done stays done
            seat.hear(tokens, results)
            going.append(seat)
        if not going:
            break
        _answers(going, [seat.prompt_ids + seat.completion_ids for seat in going], template, generate, limits)
        waiting = [seat for seat in going if seat.calls]


def _answers(
    seats: Sequence[Seat],
    prompts: list[list[int]],
    template: Template,
    generate: Generate,
    limits: LoopLimits | None,
) -> None:
    answers, logprobs = generate(prompts)
    for number, (seat, prompt, ids) in enumerate(zip(seats, prompts, answers, strict=True)):
        room = None if limits is None else max(0, limits.trajectory_tokens - len(seat.completion_ids))
        kept = list(ids)[:room]
        said = None if logprobs is None else list(logprobs[number])[: len(kept)]
        seat.say(kept, said, template.read(kept, prompt, seat.family) if kept or limits is None else None)


async def _made(seats: Sequence[Seat]) -> list[list[Chat]]:
    """The calls of each seat in their order, all seats at once."""
    return list(await asyncio.gather(*(_made_of(seat) for seat in seats)))


async def _made_of(seat: Seat) -> list[Chat]:
    return [await _result(seat, call) for call in seat.calls]


async def _result(seat: Seat, call: Chat) -> Chat:
    """What a call is answered with; the trainer's own words where it never reaches the environment."""
    if call.get("type") != "function":
        told: Any = {"error": f"Unsupported tool call type: {call.get('type')}"}
        return {"role": "tool", "name": call.get("name", "unknown"), "content": str(told)}
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    if name not in {tool.name for tool in seat.family.tools}:
        told = {"error": f"Tool {name} not found."}
    elif not isinstance(arguments, dict):
        told = _refused(getattr(seat.environment, name), arguments)
    else:
        told = await answer(seat.environment, name, cast("Chat", arguments))
    return {"role": "tool", "name": name, "content": str(told)}


def _refused(method: Any, arguments: Any) -> Any:
    """What Python says of arguments that are none."""
    try:
        return method(**arguments)
    except TypeError as error:
        return {"error": str(error)}
