"""What a run of rollouts is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from envforge.core.errors import ConfigError
from envforge.core.records.rewarding import Rewarding
from envforge.core.records.trajectory import Status
from envforge.llm.connect import ModelSettings
from envforge.rollout.model_player import ModelPlay
from envforge.rollout.rewards import OUTCOME_ONLY

MODEL, COMMAND = "model", "command"
AGENT_SECONDS = 600.0


@dataclass(frozen=True)
class RolloutConfig:
    """Which agents play which tasks, and how.

    Args:
        environments: ids or paths.
        agents: names of agents that ship, `model` (asks `model`), `command` (starts `command`).
        out: folder of the run.
        count: tasks of each environment, drawn by `seed`; None: all.
        task_ids: these tasks only.
        attempts: episodes of each agent on each task.
        again: episodes with these statuses are played again.
        rewarding: which reward is a trajectory's `reward`, and how it is made; all are recorded.
    """

    environments: tuple[str, ...]
    agents: tuple[str, ...]
    out: Path
    count: int | None = None
    task_ids: tuple[str, ...] = ()
    attempts: int = 1
    seed: int = 0
    concurrency: int = 8
    workers: int = 2
    isolation: Literal["auto", "shared", "forked"] = "auto"
    again: tuple[Status, ...] = ()
    model: ModelSettings | None = None
    play: ModelPlay = field(default_factory=ModelPlay)
    user: str | None = None
    user_model: ModelSettings | None = None
    command: str | None = None
    command_seconds: float = AGENT_SECONDS
    rewarding: Rewarding = OUTCOME_ONLY

    def __post_init__(self) -> None:
        """Raises ConfigError for agents without what they need, and for what no agent needs."""
        if not self.environments or not self.agents:
            raise ConfigError("there is nothing to play", remedy="name environments (--env) and agents (--agent)")
        for agent, given, option in ((MODEL, self.model, "--model"), (COMMAND, self.command, "--agent-command")):
            if agent in self.agents and given is None:
                raise ConfigError(f"needs {option}", where=f"--agent {agent}")
            if agent not in self.agents and given is not None:
                raise ConfigError(f"goes with --agent {agent}", where=option)
        if self.user is not None and MODEL not in self.agents:
            raise ConfigError("goes with --agent model: the others ask nobody", where="--user")
