"""What both loops share, with and without an event loop: what an action leads to, and what is kept of it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from envforge.core.errors import EnvforgeError, ModelError
from envforge.core.model_errors import (
    AnswerError,
    BrokenStreamError,
    ContextTooLongError,
    MalformedAnswerError,
    MissingLogprobsError,
    TruncatedAnswerError,
)
from envforge.core.records.task import Task
from envforge.core.records.trajectory import STATUS, Ending, Trajectory, Turn
from envforge.rollout.agents.agent import Answer, Call, GiveUp, Say, Seen, Shown, Stop
from envforge.world.argument_values import plain_answer
from envforge.world.environment import Environment
from envforge.world.observation import Observation

LONGEST_FAILURE = 2000
LONGEST_NAME = 200
"""Of a tool, as it is recorded: an agent may call anything."""
_NOBODY = {"error": {"code": "no_user", "message": "Nobody is there to talk to.", "hint": "Call a tool, or answer."}}
_ENDS_OF_ERRORS: tuple[tuple[type[Exception], Ending], ...] = (
    (ContextTooLongError, "context_limit"),
    (TruncatedAnswerError, "length_limit"),
    # An answer that is none by the protocol says nothing of the model behind the endpoint.
    (MalformedAnswerError, "infrastructure_failure"),
    (BrokenStreamError, "infrastructure_failure"),
    (MissingLogprobsError, "infrastructure_failure"),
    (AnswerError, "agent_failure"),
    (ModelError, "infrastructure_failure"),
)


class Episode:
    """The state of one run of the loop."""

    def __init__(self, task: Task, *, max_turns: int, shown: int) -> None:
        self.task = task
        self.turns: list[Turn] = []
        self.answer: Any = None
        self.ending: Ending | None = None
        self.changeset = b""
        self._said = 0
        self._failure = ""
        self._failure_kind = ""
        self._max_turns = max_turns
        self._shown = shown
        self.after: list[bytes | None] = []
        """What the episode had changed after each turn; None: the call cannot have changed anything."""

    def take(self, action: Any) -> Call | Say | None:
        """What has to be done for an action; None: the episode has ended."""
        if isinstance(action, Answer):
            self.answer = plain_answer(action.value)
            self._end("answered")
        elif isinstance(action, GiveUp):
            self._end("gave_up", str(action.reason))
        elif isinstance(action, Stop):
            self._end(action.ending, str(action.reason))
        elif not isinstance(action, Call | Say):
            self._end("agent_failure", f"the agent's act() gave a {type(action).__name__}")
        elif len(self.turns) + self._said == self._max_turns:
            self._end("turn_limit")
        else:
            return action
        return None

    def saw(self, call: Call, observation: Observation, changeset: bytes | None = None) -> Seen:
        """What the agent is shown of an answer; `changeset` is what the episode had changed after it."""
        seen = Shown(observation.to_json(self._shown))
        seen.text = observation.text(self._shown)
        given: Any = call.arguments
        recorded = plain_answer(dict(call.arguments)) if isinstance(given, Mapping) else None
        self.turns.append(
            Turn(
                tool=str(call.tool)[:LONGEST_NAME],
                arguments=recorded or {},
                ok=observation.ok,
                observation=seen,
                message=call.message,
            )
        )
        self.after.append(changeset)
        return seen

    def heard(self, reply: str | None) -> Seen:
        """What the agent is shown of a reply, which is a turn, too; None: there is nobody."""
        self._said += 1
        return _NOBODY if reply is None else {"user": reply}

    def failed(self, error: Exception) -> None:
        """The agent, its model or the World could not go on."""
        endings: list[Ending] = [found for kind, found in _ENDS_OF_ERRORS if isinstance(error, kind)]
        ending = endings[0] if endings else "agent_failure"
        self._failure_kind = type(error).__name__
        told = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
        self._end(ending, told)

    def broke(self, error: EnvforgeError) -> None:
        """The infrastructure failed: whatever was changed does not count."""
        self.changeset = b""
        self._failure_kind = type(error).__name__
        self._end("infrastructure_failure", str(error))

    def _end(self, ending: Ending, failure: str = "") -> None:
        self.ending, self._failure = ending, failure

    def trajectory(self, environment: Environment | None, agent: str, seed: int, **more: Any) -> Trajectory:
        """The record. `more`: fields that the caller knows."""
        ending = self.ending or "agent_failure"
        return Trajectory(
            task_id=self.task.id,
            environment_id=self.task.environment_id,
            environment_hash=environment.manifest.environment_hash if environment else self.task.environment_hash,
            agent=agent,
            seed=seed,
            turns=tuple(self.turns),
            answer=self.answer,
            ending=ending,
            status=STATUS[ending],
            failure=self._failure[:LONGEST_FAILURE],
            failure_kind=self._failure_kind,
            changeset=base64.b64encode(self.changeset).decode("ascii"),
            **more,
        )
