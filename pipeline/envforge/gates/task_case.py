"""What the task gates look at: a candidate, its gold episode, and the tools to try others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from envforge.core.contracts import TaskCandidate
from envforge.core.records.environment import GateResult
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Judge, Judged, Played, Player, Variant
from envforge.world.environment import Environment

Said: TypeAlias = Callable[[TaskCandidate], Sequence[str]]
"""What is wrong with a candidate; nothing if all is well."""


KEEP_EVERY = 4
"""Writes of the gold between two states that are kept for its mutants."""


def _nothing(_: TaskCandidate) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class TaskToolbox:
    """What would import upward is handed in: mutants, alternatives, and what is known of texts and other tasks."""

    mutants: Callable[[TaskCandidate, Played], Sequence[Variant]]
    alternatives: Callable[[TaskCandidate, Played], Sequence[Variant]]
    coverage: Said
    """synth.wording.coverage on the candidate's text."""
    duplicates: Said = _nothing
    """Tasks that were admitted and are nearly the same: gates.task_sets.Admitted."""
    overlap: Said = _nothing
    """Known benchmarks: gates.overlap."""


@dataclass
class TaskCase:
    """One candidate before the gates. The player is shared by the candidates of an environment."""

    candidate: TaskCandidate
    player: Player
    judge: Judge
    toolbox: TaskToolbox
    thresholds: Mapping[str, Any]
    notes: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    """What gates learn and others use: accepted alternatives, …"""

    @property
    def environment(self) -> Environment:
        """Where the task plays."""
        return self.player.environment

    @cached_property
    def gold(self) -> Played:
        """The gold's episode."""
        return self.player.play(self.candidate.program, keep_every=KEEP_EVERY)

    @cached_property
    def gold_verdict(self) -> Judged:
        """What the gold is worth."""
        return self.judge.verdict(self.gold)

    @cached_property
    def yardstick(self) -> Yardstick:
        """Compares episodes with the gold's."""
        return Yardstick(self.environment, self.candidate.intent, self.gold)

    def play(self, variant: Variant) -> Played:
        """The episode of a variant."""
        return self.player.vary(self.candidate.program, self.gold, variant)


class TaskGate(Protocol):
    """Accepts or rejects a candidate, with reasons and evidence."""

    name: str

    def check(self, case: TaskCase) -> GateResult:
        """The verdict. Raises only when the gate itself could not run."""
        ...
