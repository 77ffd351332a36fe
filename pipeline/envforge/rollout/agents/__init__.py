"""Agents by name. A new one is one new file and its line in AGENTS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from envforge.core.errors import ConfigError
from envforge.rollout.agents.agent import Action, Agent, Answer, Assignment, AsyncAgent, Call, GiveUp, Say, Seen, Stop
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.agents.noop import NoOpAgent
from envforge.rollout.agents.random_calls import RandomAgent
from envforge.rollout.agents.scripted import ScriptedAgent

__all__ = [
    "AGENTS",
    "Action",
    "Agent",
    "Answer",
    "Assignment",
    "AsyncAgent",
    "Call",
    "GiveUp",
    "Maker",
    "Say",
    "Seen",
    "Stop",
    "agent_maker",
]

Maker: TypeAlias = Callable[[Assignment, int], Agent]
"""maker(assignment, seed) -> an agent for one episode."""

AGENTS: Mapping[str, Callable[..., Agent]] = {
    "gold": gold_agent,
    "noop": NoOpAgent,
    "noop-unknown": partial(NoOpAgent, style="unknown"),
    "noop-plausible": partial(NoOpAgent, style="plausible"),
    "random": RandomAgent,
    "scripted": ScriptedAgent,
}
_SETTINGS: Mapping[str, tuple[str, Callable[[str], Any]]] = {"random": ("calls", int), "scripted": ("skill", float)}
"""What may follow the name after a colon: scripted:0.7, random:20."""


def agent_maker(name: str) -> Maker:
    """What makes the agent `name`, which may have a setting: "gold", "scripted:0.7". Raises ConfigError."""
    kind, colon, setting = name.partition(":")
    if kind not in AGENTS:
        raise ConfigError(f"there is no agent {kind!r}", where="agent", remedy=f"one of {', '.join(AGENTS)}")
    if not colon:
        return AGENTS[kind]
    if kind not in _SETTINGS:
        raise ConfigError(f"has no setting, but {setting!r} is given", where=f"agent {kind}", remedy=f"say {kind}")
    parameter, parse = _SETTINGS[kind]
    try:
        value = parse(setting)
    except ValueError as error:
        raise ConfigError(f"{parameter}: {error}", where=f"agent {kind}", remedy=f"as in {kind}:NUMBER") from error
    return partial(AGENTS[kind], **{parameter: value})
