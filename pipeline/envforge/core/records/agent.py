"""What an agent may do, what it did step by step, and how it ended."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record

StepOutcome = Literal["done", "refused", "denied", "failed", "repeated", "malformed", "disapproved"]
Ending = Literal["finished", "steps", "tokens", "seconds", "loop", "mistakes"]


class AgentLimits(Record):
    """Where a run of an agent ends, whatever its model wants."""

    steps: int = Field(default=40, ge=1, description="turns of the model")
    tokens: int | None = Field(default=None, ge=1, description="in and out, of all turns; None: no limit")
    seconds: float | None = Field(default=None, gt=0, description="of work, over all resumptions; None: no limit")
    repeats: int = Field(default=3, ge=1, description="repeated actions that are let pass; one more ends the run")
    mistakes: int = Field(default=5, ge=1, description="answers in a row that are no step; one more ends the run")


class Permissions(Record):
    """What the tools of an agent may reach. It is fixed before the model is asked, and no answer changes it."""

    hosts: tuple[str, ...] = Field(default=(), description="host names; *.NAME for those below it, * for all")
    folders: tuple[str, ...] = Field(default=(), description="folders below which files may be read and written")
    commands: tuple[str, ...] = Field(default=(), description="what may be run; python: code in the sandbox")
    spoken: bool = Field(
        default=False, description="may open addresses that no search, no page and no person named before"
    )


class AgentStep(Record):
    """One turn: what the model wanted, and what came of it."""

    number: int
    action: str = Field(description="name of the tool; empty where the answer was no step")
    outcome: StepOutcome
    thought: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    code: str = ""
    observation: str = Field(description="what the model was told, whole")
    tokens: int = 0


class PromptUsed(Record):
    """A prompt by name and hash."""

    name: str
    sha256: str


class AgentRun(Record):
    """agent.json: a finished run of an agent, with all that decided it."""

    agent: str
    model: str
    prompts: tuple[PromptUsed, ...]
    limits: AgentLimits
    permissions: Permissions
    ended: Ending
    reason: str = ""
    steps: tuple[AgentStep, ...]
    tokens: int
    calls: int
