"""What `envforge synth-tasks` is asked for, and what it answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from envforge.core.records.environment import GateResult
from envforge.core.records.task import Task, Wording
from envforge.factory.judging import LEVELS, PROCESSES
from envforge.llm.connect import ModelSettings

TaskAuthorName = Literal["compiled", "agent", "mixed"]


def _no_mix() -> Mapping[str, float]:
    return {}


@dataclass(frozen=True)
class SynthConfig:
    """Everything that decides the bytes of a set of tasks; `processes` and `workspace` do not."""

    workspace: Path
    environments: tuple[str, ...] = ()
    """Ids or paths; nothing: every certified environment of the workspace."""
    count: int = 100
    seed: int = 0
    levels: tuple[int, ...] = LEVELS
    mix: Mapping[str, float] = field(default_factory=_no_mix)
    """Kind -> share of `count`; nothing: as candidates come."""
    processes: int = PROCESSES
    author: TaskAuthorName = "compiled"
    """Whose words: `mixed` asks a model for each text, and keeps ours where its own fails; `agent` drops the task."""
    model: ModelSettings | None = None
    """Of the authors mixed and agent."""


@dataclass
class SynthReport:
    """What came of one environment."""

    environment: str
    folder: Path
    """Where the tasks lie: tasks/<environment>, or the run's rejected/ when there are none or the set fails a gate."""
    wanted: int
    tasks: list[Task] = field(default_factory=lambda: list[Task]())
    rejected: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Gate, or part of a family -> candidates that it stopped."""
    gates: tuple[GateResult, ...] = ()
    """Verdicts on the set."""
    figures: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    wording: Wording | None = None
    """What a model made of the texts."""
    spent: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    """Calls, tokens and seconds of that model, of this run."""

    @property
    def tried(self) -> int:
        """Candidates, rejected ones included."""
        return len(self.tasks) + sum(self.rejected.values())

    @property
    def shipped(self) -> bool:
        """There are tasks, and the set passed its gates."""
        return bool(self.tasks) and all(gate.passed for gate in self.gates)
