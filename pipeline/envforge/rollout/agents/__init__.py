"""Agents by name. A new one is one new file and its line in AGENTS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from envforge.core.errors import ConfigError
from envforge.rollout.agents.agent import Action, Agent, Answer, Assignment, Call, GiveUp, Seen
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.agents.noop import NoOpAgent

__all__ = ["AGENTS", "Action", "Agent", "Answer", "Assignment", "Call", "GiveUp", "Maker", "Seen", "agent_maker"]

Maker: TypeAlias = Callable[[Assignment, int], Agent]
"""maker(assignment, seed) -> an agent for one episode."""

AGENTS: Mapping[str, Maker] = {
    "gold": gold_agent,
    "noop": NoOpAgent,
    "noop-unknown": partial(NoOpAgent, style="unknown"),
    "noop-plausible": partial(NoOpAgent, style="plausible"),
}


def agent_maker(name: str) -> Maker:
    """What makes the agent `name`. Raises ConfigError."""
    if name not in AGENTS:
        raise ConfigError(f"there is no agent {name!r}", where="agent", remedy=f"one of {', '.join(AGENTS)}")
    return AGENTS[name]
