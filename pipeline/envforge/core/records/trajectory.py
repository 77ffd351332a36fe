"""What an agent did with a task, and what that was worth."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record

Ending = Literal["answered", "turn_limit", "gave_up", "agent_failure", "infrastructure_failure"]


class CheckResult(Record):
    """The outcome of one check."""

    id: str
    passed: bool
    weight: float = 1.0
    detail: str = ""


class Verdict(Record):
    """The score of an episode: 1 when every check passed, else 0. None: it could not be scored, and trains nobody.

    `fraction` is the weighted share of the checks on what the goal asked for (guards against other changes left out);
    0 when a guard failed.
    """

    status: Literal["scored", "unscored"]
    score: float | None
    fraction: float | None = None
    checks: tuple[CheckResult, ...] = ()
    reasons: tuple[str, ...] = ()


class Turn(Record):
    """One call and what was seen."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    ok: bool
    observation: dict[str, Any] = Field(description="as the agent saw it")


class Trajectory(Record):
    """One episode: a task, an agent, its turns and its answer."""

    task_id: str
    environment_hash: str
    agent: str
    seed: int
    turns: tuple[Turn, ...]
    answer: Any = None
    ending: Ending
    failure: str = Field(default="", description="what broke, or why the agent gave up")
    changeset: str = Field(default="", description="base64; what the episode changed")
    verdict: Verdict | None = None
