"""What a server offers: environments with their tasks, and what an agent is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from envforge.core.ids import canonical_json
from envforge.core.records.task import Task

if TYPE_CHECKING:
    from envforge.world.environment import Environment

FindTask = Callable[[str], Task]
"""The task that a name means. Raises StoreError with near names."""


@dataclass(frozen=True)
class Offer:
    """An environment, and its tasks by id when they are served too."""

    environment: Environment
    tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])
    find_task: FindTask | None = None
    """None: tasks are not served."""

    @property
    def name(self) -> str:
        """Id of the environment."""
        return self.environment.manifest.id

    def instructions(self, task: Task | None) -> str:
        """What an agent is told before its first call: the place, its time and, if there is one, the task."""
        manifest = self.environment.manifest
        now = task.now if task is not None else manifest.clock.epoch
        text = f"{manifest.title}. {manifest.summary}".strip()
        text = f"{text}\n\nIt is {now[:10]}, {now[11:16]} UTC there."
        if task is None:
            return text
        text = f"{text}\n\nYour task: {task.instruction}"
        if task.answer_schema.get("properties"):
            text = f"{text}\n\nAnswer with JSON that fits this schema: {canonical_json(task.answer_schema)}"
        return text
