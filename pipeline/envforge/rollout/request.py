"""What is to be played: a task, by whom, with which seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.trajectory import EpisodeSettings, Trajectory
from envforge.core.seeds import derive_seed
from envforge.rollout.agents.agent import Assignment
from envforge.world.pool.pool import WorldPool


@dataclass
class Clocked:
    """Seconds that an episode waited, by what for; they are no part of its trajectory."""

    model: list[float] = field(default_factory=list[float])
    world: float = 0.0
    score: float = 0.0
    cached_calls: int = 0
    cached_prompt_tokens: int = 0


@dataclass(frozen=True)
class Played:
    """An episode that is over, and what it had changed after each turn where that was looked at."""

    trajectory: Trajectory
    after: Sequence[bytes | None] = ()


class Player(Protocol):
    """Plays episodes with one kind of agent."""

    @property
    def name(self) -> str:
        """What stands in the trajectory."""
        ...

    @property
    def model(self) -> str:
        """Identity of the model that it asks; nothing: none."""
        ...

    @property
    def settings(self) -> EpisodeSettings:
        """How it plays."""
        ...

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        """An episode without its verdict. What went wrong in it is its ending.

        Raises what is about the run and not about this episode: BudgetError, CallRefusedError.
        """
        ...


@dataclass(frozen=True)
class RolloutRequest:
    """One episode to be played."""

    assignment: Assignment
    player: Player
    seed: int
    attempt: int = 0

    @cached_property
    def key(self) -> str:
        """Hash of all that the trajectory follows from: a run plays each key once."""
        given, player = self.assignment, self.player
        sources = sha256_text(canonical_json([given.program, given.verifier]))
        task = [given.task.content_id("task"), given.task.environment_hash, sources]
        played = [player.name, player.model, player.settings.model_dump(mode="json"), self.seed, self.attempt]
        return sha256_text(canonical_json([task, played]))


def planned_requests(
    assignments: Iterable[Assignment], players: Sequence[Player], *, attempts: int = 1, seed: int = 0
) -> Iterator[RolloutRequest]:
    """Every player on each task, `attempts` times. The seed depends on task and number only: players are compared."""
    for assignment in assignments:
        for player in players:
            for number in range(attempts):
                # Kept under 2**53: it stands in JSON files.
                drawn = derive_seed(seed, "rollout", assignment.task.id, number) >> 11
                yield RolloutRequest(assignment, player, drawn, number)
