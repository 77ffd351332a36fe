"""What an agent is given to do: prompt, goal, tools, limits and permissions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from envforge.core.prompt import Prompt
from envforge.core.records.agent import AgentLimits, Permissions


@dataclass(frozen=True)
class ToolUse:
    """One use of a tool. `step` is the number of the turn: what a tool writes, it writes under that number, so that a
    turn that is run again after a kill writes the same files."""

    step: int
    arguments: dict[str, Any]
    code: str = ""


@dataclass(frozen=True)
class Seen:
    """What the model is told of it. Not `ok`: the tool said no, and why. `ends`: the agent is done."""

    text: str
    ok: bool = True
    ends: bool = False


class AgentTool(Protocol):
    """Something an agent can do. Raises DeniedError for what its permissions do not hold, another EnvforgeError for
    what failed; the model is told of both. What it does twice for one step leaves the same behind."""

    @property
    def name(self) -> str:
        """The action's name."""
        ...

    @property
    def description(self) -> str:
        """One line for the model."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """Name -> JSON Schema of the arguments, all required."""
        ...

    @property
    def wants_code(self) -> str:
        """What code it takes, in words; empty: none. The model is asked for it apart: code inside JSON fails."""
        ...

    def use(self, use: ToolUse) -> Seen:
        """Do it."""
        ...


def _nothing() -> str:
    return ""


def _all() -> None:
    return None


@dataclass(frozen=True)
class Assignment:
    """One agent at one piece of work.

    `offered` names the tools of this moment (None: all), `briefing` tells what stands: both are asked anew each turn
    and may depend on nothing but what tools left behind. `milestones` are actions that a person is asked about first,
    where one is there.
    """

    agent: str
    prompt: Prompt
    goal: str
    tools: Sequence[AgentTool]
    limits: AgentLimits
    permissions: Permissions
    offered: Callable[[], Collection[str] | None] = _all
    briefing: Callable[[], str] = _nothing
    milestones: frozenset[str] = frozenset()
    changing: frozenset[str] = frozenset()
    """Actions after which an earlier one may be repeated: it may come out otherwise."""
    answer_tokens: int = 600
    code_tokens: int = 1200
    shown_characters: int = 3000
    """Of the latest observation; older ones are shown by their beginning."""
    shown_steps: int = 6
