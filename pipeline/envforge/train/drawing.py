"""Tasks of each batch drawn by a curriculum, which is told what came of them and goes with every checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.curriculum import CurriculumState, GroupResult
from envforge.train.checkpoints import read_curriculum, write_curriculum
from envforge.train.curricula.registry import CURRICULA, curriculum, task_id, task_of
from envforge.train.data.records import TrainingRow
from envforge.train.notes import EpisodeNote


class Drawing:
    """A curriculum over rows. Several processes hold one each: told the same, they draw the same."""

    def __init__(
        self, name: str, rows: Sequence[TrainingRow], seed: int, settings: dict[str, Any] | None = None
    ) -> None:
        """Raises ConfigError for an unknown curriculum, one that plays over, and settings that it cannot have."""
        self._curriculum = curriculum(name, [task_of(row) for row in rows], seed=seed, settings=settings)
        if CURRICULA[name].plays_over:
            message = (
                f"{name} plays groups over in the same step, which trainers do not: it would be another one's name"
            )
            remedy = "uniform, with zero_variance: drop"
            raise ConfigError(message, where="grpo.curriculum", remedy=remedy)
        self._rows = {task_id(row.environment_id, row.task_id): trainer_row(row) for row in rows}

    def draw(self, n: int) -> list[dict[str, Any]]:
        """The next rows."""
        return [self._rows[task.id] for task in self._curriculum.sample(n)]

    def learn(self, notes: Sequence[EpisodeNote]) -> None:
        """What came of the last ones; what could not be scored says nothing."""
        rewards: dict[str, list[float | None]] = {}
        for note in notes:
            rewards.setdefault(task_id(note.environment_id, note.task_id), []).append(note.reward)
        results = [GroupResult(task=task, rewards=tuple(found)) for task, found in sorted(rewards.items())]
        if results:
            self._curriculum.update(results)

    def save(self, checkpoint: Path) -> None:
        """Keep its state with a checkpoint."""
        write_curriculum(checkpoint, self._curriculum.state().to_json())

    def restore(self, checkpoint: str | None) -> None:
        """Go on from a checkpoint; None: it begins. Raises StoreError, ConfigError for a state of another."""
        if checkpoint is None:
            return
        state = read_curriculum(checkpoint)
        if state is None:
            remedy = "remove the checkpoint: the run goes on from the one before"
            raise StoreError("holds no state of the curriculum", where=checkpoint, remedy=remedy)
        try:
            held = CurriculumState.model_validate(state)
        except ValidationError as error:
            remedy = "remove the checkpoint: the run goes on from the one before"
            raise StoreError("its state of the curriculum is none", where=checkpoint, remedy=remedy) from error
        self._curriculum.restore(held)


def trainer_row(row: TrainingRow) -> dict[str, Any]:
    """A row as the trainer takes it; `environment` names the class."""
    return {
        "prompt": row.chat(),
        "environment": row.family,
        "environment_id": row.environment_id,
        "task_id": row.task_id,
        "episode_seed": row.episode_seed,
    }
