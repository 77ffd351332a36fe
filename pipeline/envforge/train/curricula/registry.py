"""Curricula by name. A new one is one new file, its line here and its entry in tests/contracts/test_curricula.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumTask
from envforge.core.records.training import TrainingRow
from envforge.train.curricula.alpha import Alpha, AlphaSettings
from envforge.train.curricula.base import NoSettings
from envforge.train.curricula.contract import Curriculum
from envforge.train.curricula.dynamic import Dynamic
from envforge.train.curricula.ladder import Ladder, LadderSettings
from envforge.train.curricula.learnability import Learnability, LearnabilitySettings
from envforge.train.curricula.lineage import Lineage, LineageSettings
from envforge.train.curricula.target import Target, TargetSettings
from envforge.train.curricula.uniform import Uniform


@dataclass(frozen=True)
class _Entry:
    """A curriculum, and what can be set in it."""

    make: Callable[[Sequence[CurriculumTask], Any, int], Curriculum]
    settings: type[Record]
    plays_over: bool = False
    """It is only worth its name with `filling.fill`: what it does not keep is played over in the same batch."""


CURRICULA: Mapping[str, _Entry] = {
    "uniform": _Entry(Uniform, NoSettings),
    "dapo": _Entry(Dynamic, NoSettings, plays_over=True),
    "learnability": _Entry(Learnability, LearnabilitySettings),
    "adarft": _Entry(Target, TargetSettings),
    "ladder": _Entry(Ladder, LadderSettings),
    "lineage": _Entry(Lineage, LineageSettings),
    "alpha": _Entry(Alpha, AlphaSettings),
}


def curriculum(
    name: str, tasks: Sequence[CurriculumTask], *, seed: int = 0, settings: Mapping[str, Any] | None = None
) -> Curriculum:
    """The curriculum `name` over `tasks`. Raises ConfigError for an unknown name, or settings that it cannot have."""
    entry = CURRICULA.get(name)
    if entry is None:
        raise ConfigError(
            f"there is no curriculum {name!r}", where="curriculum", remedy=f"one of {', '.join(CURRICULA)}"
        )
    try:
        chosen = entry.settings.model_validate(dict(settings or {}))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        there = ", ".join(entry.settings.model_fields) or "nothing"
        raise ConfigError(
            f"{field}: {first['msg']}", where=f"curriculum {name}", remedy=f"to be set: {there}"
        ) from error
    return entry.make(tasks, chosen, seed)


def task_of(row: TrainingRow) -> CurriculumTask:
    """A row as curricula see it: the tasks of one goal in one family are a lineage, their levels its generations."""
    return CurriculumTask(
        id=task_id(row.environment_id, row.task_id),
        family=row.family,
        level=row.level,
        lineage=f"{row.family}/{row.goal}",
        generation=row.level,
    )


def task_id(environment_id: str, task: str) -> str:
    """How curricula name a task."""
    return f"{environment_id}/{task}"
