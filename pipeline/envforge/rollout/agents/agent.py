"""What an agent is to the loop: it sees what its last call answered, and says what it does next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from envforge.core.records.environment import ToolSpec
from envforge.core.records.task import Task

Seen: TypeAlias = Mapping[str, Any]
"""{"result": ...} or {"error": ...} as an agent is shown it, with "truncated" beside it when it was cut."""


@dataclass(frozen=True)
class Call:
    """Call a tool. Both may be anything: what is no call is answered with an error."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())


@dataclass(frozen=True)
class Answer:
    """The task is done; `value` is JSON."""

    value: Any = None


@dataclass(frozen=True)
class GiveUp:
    """The agent cannot go on."""

    reason: str = ""


Action: TypeAlias = Call | Answer | GiveUp


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
