"""What `envforge eval` is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envforge.core.errors import ConfigError
from envforge.core.records.task import Task
from envforge.core.seeds import stream

BASELINES = ("gold", "noop", "random")
EPISODES = 4
CONCURRENCY = 8
FAILED = ("error", "infrastructure")


@dataclass(frozen=True)
class EvalConfig:
    """A run: which tasks of which environments, how often, beside what."""

    workspace: Path
    environments: tuple[str, ...] = ()
    """Ids or paths; nothing: every environment that has tasks."""
    tasks: int | None = None
    """Of each environment, drawn evenly over levels; None: all."""
    episodes: int = EPISODES
    baselines: bool = False
    against: Path | None = None
    """Folder of another run, to compare with."""
    out: Path | None = None
    seed: int = 0
    concurrency: int = CONCURRENCY
    workers: int = 1
    retry: bool = False
    """Play again what ended in an error or a fault of the infrastructure."""
    to_tasks: bool = False
    """Write what was measured beside the tasks."""

    def refuse(self) -> None:
        """Raises ConfigError for what cannot be asked for."""
        for name, value in (("--k", self.episodes), ("--concurrency", self.concurrency), ("--workers", self.workers)):
            if value < 1:
                raise ConfigError(f"is {value}", where=name, remedy="give at least 1")
        if self.tasks is not None and self.tasks < 1:
            raise ConfigError(f"is {self.tasks}", where="--tasks", remedy="give at least 1")


def drawn(tasks: Sequence[Task], count: int | None, seed: int) -> list[Task]:
    """So many tasks, evenly over the levels there are, in the order of the set; None: all."""
    if count is None or count >= len(tasks):
        return list(tasks)
    random = stream(seed, "eval tasks", *(sorted({task.environment_id for task in tasks})))
    shuffled = random.sample(list(tasks), len(tasks))
    levels = sorted({task.difficulty.level for task in tasks})
    queues = [[task for task in shuffled if task.difficulty.level == level] for level in levels]
    taken: set[str] = set()
    while len(taken) < count:
        for queue in queues:
            if queue and len(taken) < count:
                taken.add(queue.pop().id)
    return [task for task in tasks if task.id in taken]
