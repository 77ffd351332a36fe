"""What is kept of a served episode when it is finished: its calls for a replay, its trajectory for scoring."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from envforge.core.records.episode import Episode, EpisodeCall
from envforge.core.records.task import Task
from envforge.core.records.trajectory import STATUS, Ending, Trajectory, Turn
from envforge.store.files import parse_json
from envforge.store.log import append_record
from envforge.world.argument_values import plain_answer
from envforge.world.observation import Observation
from envforge.world.replay import observed
from envforge.world.session import diff_of

if TYPE_CHECKING:
    from envforge.world.environment import Environment

MOST_CALLS = 10_000
"""Of a recorded episode: what it answers is held until it is finished."""
LONGEST_NAME = 200
LONGEST_FAILURE = 2000


@dataclass(frozen=True)
class Outcome:
    """How an episode ended, as who finished it says."""

    ending: Ending
    answer: Any = None
    agent: str = "client"
    failure: str = ""


@dataclass(eq=False)
class Made:
    """A call, its answer as text: an episode of many calls is held as long as it lives.

    Calls that say the same are not the same call.
    """

    tool: str
    arguments: dict[str, Any]
    ok: bool = False
    shown: str = ""
    whole: str = ""
    """SHA-256 of the whole answer."""
    exact: bool = True
    """It is held as it was made; what JSON or the World cannot hold is not, and was refused."""


class Record:
    """The calls of one episode in the order in which they were handed in."""

    def __init__(self) -> None:
        self._calls: list[Made] = []
        self._written: set[Path] = set()

    def begin(self, tool: str, arguments: Mapping[str, Any] | None) -> Made:
        """A call is about to be handed in."""
        given = plain_answer(dict(arguments or {}))
        made = Made(tool[:LONGEST_NAME], cast("dict[str, Any]", given or {}))
        made.exact = given is not None and made.tool == tool
        self._calls.append(made)
        return made

    def end(self, made: Made, observation: Observation | None) -> None:
        """It was answered; None: the infrastructure failed, and the episode goes on without it."""
        if observation is None:
            self._calls.remove(made)
            return
        made.ok, made.shown = observation.ok, observation.text()
        made.whole = observed(observation) if made.exact else ""

    def __len__(self) -> int:
        return len(self._calls)

    def episode(self, environment: Environment, seed: int, changeset: bytes) -> Episode:
        """For `envforge check --forked --episodes` and `world/replay.py`."""
        return Episode(
            environment_hash=environment.manifest.environment_hash,
            seed=seed,
            calls=tuple(
                EpisodeCall(tool=one.tool, arguments=one.arguments, observation=one.whole) for one in self._calls
            ),
            digest=diff_of(environment, changeset).digest(),
        )

    def trajectory(self, task: Task, seed: int, changeset: bytes, outcome: Outcome) -> Trajectory:
        """For `rollout.score.Scorer`. The verdict is left open: no server knows it."""
        return Trajectory(
            task_id=task.id,
            environment_id=task.environment_id,
            environment_hash=task.environment_hash,
            agent=outcome.agent[:LONGEST_NAME],
            seed=seed,
            turns=tuple(
                Turn(tool=one.tool, arguments=one.arguments, ok=one.ok, observation=parse_json(one.shown))
                for one in self._calls
            ),
            answer=plain_answer(outcome.answer),
            ending=outcome.ending,
            status=STATUS[outcome.ending],
            failure=outcome.failure[:LONGEST_FAILURE],
            changeset=base64.b64encode(changeset).decode("ascii"),
        )

    def write(self, folder: Path, environment: Environment, lines: Mapping[str, Any]) -> None:
        """Append each record to its file in the environment's folder; when tried again, only what is missing.

        Raises StoreError.
        """
        for name, record in lines.items():
            path = folder / environment.manifest.id / name
            if path not in self._written:
                append_record(path, record.to_json())
                self._written.add(path)
