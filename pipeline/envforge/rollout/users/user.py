"""What a simulated user is, and what it holds back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from envforge.core.records.task import Task
from envforge.core.seeds import stream

_HELD = "something I have in mind (ask me for the {name})"
_MOST_HELD = 2


class SimulatedUser(Protocol):
    """One person in one episode. It answers, and never decides what the episode is worth."""

    @property
    def opening(self) -> str:
        """Its first words."""
        ...

    async def reply(self, said: str) -> str:
        """What it says to the agent's words. Raises ModelError."""
        ...


class UserMaker(Protocol):
    """Makes the users of a run."""

    @property
    def name(self) -> str:
        """What stands in the settings of trajectories: users of other names are other conditions."""
        ...

    def user(self, task: Task, seed: int) -> SimulatedUser:
        """The one who gives this task in this episode."""
        ...


@dataclass(frozen=True)
class Held:
    """What a user says at first, and what it says only when it is asked: name -> words."""

    opening: str
    secrets: Mapping[str, str]


def held_back(task: Task, seed: int) -> Held:
    """A task's instruction without one or two of the values that it speaks of.

    Where the words of no value stand in it exactly once, nothing can be held back, and all is said at once.
    """
    text = task.instruction
    spoken = task.intent.spoken
    names = sorted(name for name, words in spoken.items() if len(words) > 1 and text.count(words) == 1)
    # Words inside of the words of another value cannot be taken out twice.
    names = [name for name in names if not any(spoken[name] in spoken[other] for other in names if other != name)]
    chosen = stream(seed, "user").sample(names, min(_MOST_HELD, len(names)))
    for name in chosen:
        text = text.replace(spoken[name], _HELD.format(name=plain_name(name)))
    return Held(text, {name: spoken[name] for name in sorted(chosen)})


def plain_name(name: str) -> str:
    """A value's name in words."""
    return name.replace("_", " ")
