"""One episode of a trainer: calls come in by name, the final answer among them, and it ends when the trainer says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envforge.core.errors import ConfigError, SandboxError, StoreError, ToolFault
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents.agent import Answer, Assignment, Call, GiveUp, Shown
from envforge.rollout.episode import Episode
from envforge.rollout.request import Played
from envforge.train.data.conversation import ANSWER, TAKEN
from envforge.world.environment import Environment
from envforge.world.fitting import json_text
from envforge.world.observation import SHOWN_BYTES
from envforge.world.pool.pool import WorldPool
from envforge.world.pool.session import PooledSession

AGENT = "trained"
_OVER = {"error": {"code": "episode_over", "message": "The final answer was given. Nothing more is done."}}
_LIMIT = {"error": {"code": "turn_limit", "message": "No more calls are made in this task."}}
_BROKEN = {"error": {"code": "unavailable", "message": "The environment cannot be reached."}}
_NO_ANSWER = {
    "error": {
        "code": "invalid_arguments",
        "message": f"The final answer takes exactly one argument, {ANSWER}.",
        "hint": "Give the final answer again.",
    }
}


@dataclass(frozen=True)
class EpisodeLimits:
    """Of an episode: calls, and bytes of a result."""

    turns: int = 60
    shown_bytes: int = SHOWN_BYTES


class LiveEpisode:
    """Never raises for what the model did. What the infrastructure did makes it broken, which is no score of 0."""

    def __init__(self, given: Assignment, final: str, seed: int, limits: EpisodeLimits) -> None:
        self.given = given
        self.trajectory: Trajectory | None = None
        """When it has been scored."""
        self._final = final
        self._seed = seed
        self._episode = Episode(given.task, max_turns=limits.turns, shown=limits.shown_bytes)
        self._session: PooledSession | None = None
        self.calls = self.errors = 0
        """Calls that came in, and those among them that were answered with an error."""

    async def open(self, pool: WorldPool) -> None:
        """Bring its World to life."""
        try:
            self._session = await pool.start(self.given.task.environment_id, self._seed)
        except (SandboxError, ToolFault, StoreError, ConfigError) as error:
            self._episode.broke(error)

    @property
    def ending(self) -> str:
        """How it ended; nothing: it has not."""
        return self._episode.ending or ""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """What the model is told."""
        self.calls += 1
        text, ok = await self._called(tool, arguments)
        self.errors += not ok
        return text

    async def _called(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        if self._episode.ending is not None or self._session is None:
            return json_text(self._why_over()), False
        if tool == self._final:
            if set(arguments) != {ANSWER}:
                return json_text(_NO_ANSWER), False
            self._episode.take(Answer(arguments[ANSWER]))
            return TAKEN, True
        wanted = Call(tool, arguments)
        if self._episode.take(wanted) is None:
            return json_text(_LIMIT), False
        try:
            observation = await self._session.call(tool, arguments)
        except SandboxError as error:
            self._episode.broke(error)
            return json_text(_BROKEN), False
        seen = self._episode.saw(wanted, observation)
        return (seen.text if isinstance(seen, Shown) else json_text(dict(seen))), observation.ok

    def _why_over(self) -> dict[str, Any]:
        ending = self._episode.ending
        return _OVER if ending == "answered" else _LIMIT if ending == "turn_limit" else _BROKEN

    async def end(self, environment: Environment) -> Played:
        """The record, when the trainer goes on to another: an episode without a final answer was given up."""
        if self._episode.ending is None:
            self._episode.take(GiveUp("the conversation ended without a final answer"))
        session, self._session = self._session, None
        if session is not None:
            try:
                self._episode.changeset = await session.changeset()
            except SandboxError as error:
                self._episode.broke(error)
            await session.close()
        return Played(self._episode.trajectory(environment, AGENT, self._seed))

    async def drop(self) -> None:
        """End it without a score."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
