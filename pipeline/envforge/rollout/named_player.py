"""The agents that ship, as players: gold, no-op, random, scripted."""

from __future__ import annotations

from envforge.core.records.trajectory import EpisodeSettings
from envforge.rollout.agents import agent_maker
from envforge.rollout.loop import MOST_TURNS
from envforge.rollout.playing import InThread, play_episode
from envforge.rollout.request import Clocked, Played, RolloutRequest
from envforge.world.observation import SHOWN_BYTES
from envforge.world.pool.pool import WorldPool


class NamedPlayer:
    """Plays with an agent of `agents.AGENTS`, by name: "gold", "scripted:0.7"."""

    model = ""

    def __init__(self, name: str, *, max_turns: int = MOST_TURNS, shown: int = SHOWN_BYTES) -> None:
        """Raises ConfigError for an unknown agent."""
        self.name = name
        self.settings = EpisodeSettings(max_turns=max_turns, shown_bytes=shown)
        self._maker = agent_maker(name)

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        """An episode."""
        return await play_episode(
            request, pool, lambda: InThread(self._maker(request.assignment, request.seed)), clocked
        )
