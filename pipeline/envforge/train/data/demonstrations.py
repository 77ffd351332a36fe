"""Examples to imitate: an agent plays a task in a fresh World, and what passes becomes a conversation.

Tool results are those of that World, also for episodes of earlier runs: their calls are made again, so that an example
is never older than its environment, and is scored anew before anybody learns from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import TracebackType
from typing import Literal

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.completion import Message, ToolCall
from envforge.core.records.trajectory import Trajectory, Turn
from envforge.rollout.agents import Agent
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.loop import run_episode
from envforge.rollout.protocols.protocol import call_id
from envforge.rollout.score import Scorer
from envforge.train.data.conversation import answered, conversation_key, ending, told
from envforge.train.data.recorded import RecordedAgent
from envforge.train.data.records import Demonstrator, SftExample, TrainingRow
from envforge.train.data.supply import Supply
from envforge.world.session import Session

NotShown = Literal["not_passed", "not_scored"]
_NATIVE = "native"


@dataclass(frozen=True)
class Demonstration:
    """An episode that may become an example: the row it is of, and who is to play it. No trajectory: the gold."""

    row: TrainingRow
    final: str
    recorded: Trajectory | None = None

    @property
    def source(self) -> Demonstrator:
        """Where it comes from."""
        return "gold" if self.recorded is None else "rollout"

    @property
    def seed(self) -> int:
        """Of the episode: ids in recorded calls were minted under theirs."""
        return self.row.episode_seed if self.recorded is None else self.recorded.seed

    def key(self, supply: Supply) -> str:
        """Hash of all that the example follows from."""
        task = supply.tasks.task(self.row.task_id)
        sources = [supply.tasks.programs.get(task.id, ""), supply.tasks.verifiers.get(task.id, "")]
        played = None if self.recorded is None else [self.recorded.agent, self.recorded.to_json()]
        return sha256_text(canonical_json([self.row.to_json(), task.to_json(), sources, self.final, played]))

    def agent(self, supply: Supply) -> Agent:
        """Who plays it."""
        if self.recorded is not None:
            return RecordedAgent(self.recorded)
        return gold_agent(supply.assignment(supply.tasks.task(self.row.task_id)), self.seed)

    @property
    def told_by(self) -> str:
        """The agent and its model."""
        if self.recorded is None:
            return "gold"
        return " ".join(name for name in (self.recorded.agent, self.recorded.model) if name)


class Stage:
    """Plays demonstrations in one environment; `close` frees the World and the verifier."""

    def __init__(self, supply: Supply) -> None:
        """Raises SandboxError."""
        self._supply = supply
        self._session: Session | None = None
        self._scorer = Scorer(supply.environment)

    def play(self, given: Demonstration) -> SftExample | NotShown:
        """The example, or why it is none. Raises SandboxError when the World broke: nothing is known then."""
        task = self._supply.tasks.task(given.row.task_id)
        trajectory = run_episode(self._world(), task, given.agent(self._supply), seed=given.seed)
        if trajectory.status == "infrastructure":
            self._end()
            remedy = "give the same command again: what was played is kept"
            raise SandboxError(trajectory.failure, where=task.id, remedy=remedy, retryable=True)
        verifier = self._supply.tasks.verifiers.get(task.id) or None
        try:
            verdict = self._scorer.score_episode(task, trajectory, verifier)
        except SandboxError:
            raise
        except EnvforgeError:
            # A check or a verifier that broke says nothing of the agent.
            return "not_scored"
        if verdict.score is None:
            return "not_scored"
        return _example(given, trajectory) if verdict.score == 1.0 else "not_passed"

    def _world(self) -> Session:
        if self._session is None:
            self._session = self._supply.environment.start(0)
        return self._session

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def close(self) -> None:
        """Free the World and the verifier's process."""
        self._end()
        self._scorer.close()

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _example(given: Demonstration, trajectory: Trajectory) -> SftExample:
    row = given.row
    body = tuple(_messages(trajectory.turns, _said(given.recorded)))
    messages = (*row.prompt, *body, *ending(trajectory.answer, given.final, len(trajectory.turns)))
    return SftExample(
        environment_id=row.environment_id,
        environment_hash=row.environment_hash,
        family=row.family,
        database_seed=row.database_seed,
        task_id=row.task_id,
        level=row.level,
        kind=row.kind,
        source=given.source,
        agent=given.told_by,
        key=conversation_key(messages),
        messages=messages,
    )


def _said(recorded: Trajectory | None) -> Mapping[int, str]:
    """Words beside calls, by the place of the message. Other protocols write the calls themselves into their words."""
    if recorded is None or recorded.settings is None or recorded.settings.protocol != _NATIVE:
        return {}
    return {place: message.content for place, message in enumerate(recorded.messages) if message.role == "assistant"}


def _messages(turns: Sequence[Turn], said: Mapping[int, str]) -> Iterator[Message]:
    """Calls and what was answered; calls that were asked for together stay together."""
    numbered = list(enumerate(turns))
    for (place, _), group in groupby(numbered, key=lambda one: _together(*one)):
        made = list(group)
        calls = tuple(
            ToolCall(
                id=call_id(number),
                name=turn.tool,
                raw_arguments=canonical_json(turn.arguments),
                arguments=turn.arguments,
            )
            for number, turn in made
        )
        yield Message(role="assistant", content=said.get(place, ""), tool_calls=calls)
        yield from (answered(told(turn), number) for number, turn in made)


def _together(number: int, turn: Turn) -> tuple[int, int]:
    """The message that asked for a call; a call of nobody's message stands alone."""
    return (turn.message, 0) if turn.message is not None else (-1, number)
