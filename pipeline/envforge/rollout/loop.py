"""One episode: an agent works on a task in a live instance until it answers, gives up or runs out of turns."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, cast

from envforge.core.errors import SandboxError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Ending, Trajectory, Turn
from envforge.rollout.agents.agent import Agent, Answer, Call, GiveUp
from envforge.world.argument_values import plain_answer
from envforge.world.observation import SHOWN_BYTES
from envforge.world.session import Session

MOST_TURNS = 200
_LONGEST_FAILURE = 2000
_LONGEST_NAME = 200
"""Of a tool, as it is recorded: an agent may call anything."""


def run_episode(
    session: Session, task: Task, agent: Agent, *, max_turns: int = MOST_TURNS, seed: int = 0, shown: int = SHOWN_BYTES
) -> Trajectory:
    """What `agent` did with `task`: at most `max_turns` calls, each answered in at most `shown` bytes.

    The session starts over with the episode seed; the agent is closed at the end. Never raises for what the agent, a
    tool or the worker did: the ending says it. No clock but the World's is in the record.
    """
    episode = _Episode(session, agent, max_turns, shown)
    try:
        ending, failure = episode.run(seed)
    finally:
        agent.close()
    return Trajectory(
        task_id=task.id,
        environment_hash=session.environment.manifest.environment_hash,
        agent=agent.name,
        seed=seed,
        turns=tuple(episode.turns),
        answer=episode.answer,
        ending=ending,
        failure=failure[:_LONGEST_FAILURE],
        changeset=base64.b64encode(episode.changeset).decode("ascii"),
    )


class _Episode:
    """The state of one run of the loop."""

    def __init__(self, session: Session, agent: Agent, max_turns: int, shown: int) -> None:
        self._session = session
        self._agent = agent
        self._max_turns = max_turns
        self._shown = shown
        self.turns: list[Turn] = []
        self.answer: Any = None
        self.changeset = b""

    def run(self, seed: int) -> tuple[Ending, str]:
        """The ending, and what failed."""
        try:
            self._session.reset(seed)
            ending, failure = self._turns()
            self.changeset = self._session.changeset()
        except SandboxError as error:
            return "infrastructure_failure", str(error)
        return ending, failure

    def _turns(self) -> tuple[Ending, str]:
        seen: Mapping[str, Any] | None = None
        while True:
            try:
                action = self._agent.act(seen)
            except SandboxError:
                raise
            except Exception as error:
                return "agent_failure", f"{type(error).__name__}: {error}"
            if isinstance(action, Answer):
                self.answer = plain_answer(action.value)
                return "answered", ""
            if isinstance(action, GiveUp):
                return "gave_up", str(action.reason)
            if not isinstance(cast("Any", action), Call):
                return "agent_failure", f"the agent's act() gave a {type(action).__name__}"
            if len(self.turns) == self._max_turns:
                return "turn_limit", ""
            seen = self._call(action)

    def _call(self, call: Call) -> dict[str, Any]:
        observation = self._session.call(call.tool, call.arguments)
        seen = observation.to_json(self._shown)
        recorded = plain_answer(dict(call.arguments)) if isinstance(cast("Any", call.arguments), Mapping) else None
        self.turns.append(
            Turn(tool=str(call.tool)[:_LONGEST_NAME], arguments=recorded or {}, ok=observation.ok, observation=seen)
        )
        return seen
