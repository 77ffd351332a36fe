"""What an agent is to the loop: it sees what its last call answered, and says what it does next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from envforge.core.records.environment import ToolSpec
from envforge.core.records.task import Task

Seen: TypeAlias = Mapping[str, Any]
"""{"result": ...} or {"error": ...} as an agent is shown it, with "truncated" beside it when it was cut; {"user": ...}
is what the user says."""


class Shown(dict[str, Any]):
    """What was seen, and the same as text: an answer is large, and written once."""

    text: str = ""


@dataclass(frozen=True)
class Call:
    """Call a tool. Both may be anything: what is no call is answered with an error."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    message: int | None = None
    """Of a model: the place in its conversation where the call was asked for."""


@dataclass(frozen=True)
class Answer:
    """The task is done; `value` is JSON."""

    value: Any = None


@dataclass(frozen=True)
class GiveUp:
    """The agent cannot go on."""

    reason: str = ""


@dataclass(frozen=True)
class Say:
    """Words for the user, who answers where there is one."""

    text: str


@dataclass(frozen=True)
class Stop:
    """A limit or a rule that the agent keeps to ends the episode."""

    ending: Literal["malformed", "turn_limit", "context_limit", "length_limit"]
    reason: str = ""


Action: TypeAlias = Call | Answer | GiveUp | Say | Stop


@dataclass(frozen=True)
class Assignment:
    """A task with what stands beside it in its folder, and the tools of its environment.

    A model sees instruction, time, answer schema and tools; the rest is for agents that ship as baselines, and for
    scoring.
    """

    task: Task
    tools: Sequence[ToolSpec] = ()
    program: str = ""
    """Source of programs/<task>.py; program tasks only."""
    verifier: str = ""
    """Source of verifiers/<task>.py; program tasks only."""


class Agent(Protocol):
    """Works on one task, once."""

    @property
    def name(self) -> str:
        """What stands in the trajectory."""
        ...

    def act(self, seen: Seen | None) -> Action:
        """The next step after what the last call answered; None at the start."""
        ...

    def close(self) -> None:
        """Free what it holds. It may be called at any time, also twice."""
        ...


class AsyncAgent(Protocol):
    """An agent that waits for others: models, people."""

    @property
    def name(self) -> str:
        """What stands in the trajectory."""
        ...

    async def act(self, seen: Seen | None) -> Action:
        """As `Agent.act`. Raises ModelError."""
        ...

    async def close(self) -> None:
        """As `Agent.close`."""
        ...
