"""What `envforge prepare` is told, and what it reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.training import Demonstrator, TrainingSet

OUT = Path("runs") / "training"
MOST = 4
EVERY_LEVEL = (1, 2, 3, 4, 5)
WORKSPACE = "workspace"
HUB = "hf:"


@dataclass(frozen=True)
class PrepareConfig:
    """What a training set is drawn from, and how.

    Args:
        data: where environments and tasks are: `workspace`, a folder, or hf:OWNER/NAME@REVISION.
        environments: ids or paths; none: every one that has tasks.
        count: rows to train on; None: all.
        holdout_families: families or themes that training never sees.
        holdout_seeds: database seeds that training never sees.
        sft: where examples to imitate come from.
        runs: folders of `envforge rollout`; none: every one in the workspace's runs/.
        most: examples of one task from rollouts.
    """

    workspace: Path
    out: Path
    data: str = WORKSPACE
    environments: tuple[str, ...] = ()
    levels: tuple[int, ...] = EVERY_LEVEL
    count: int | None = None
    holdout_families: tuple[str, ...] = ()
    holdout_seeds: tuple[int, ...] = ()
    sft: tuple[Demonstrator, ...] = ()
    runs: tuple[Path, ...] = ()
    most: int = MOST
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises ConfigError for options that do not go together."""
        if self.runs and "rollout" not in self.sft:
            raise ConfigError("goes with --sft rollouts", where="--run")
        if len(set(self.environments)) < len(self.environments):
            raise ConfigError("an environment is named twice", where="--env", remedy="name each once")


@dataclass(frozen=True)
class PrepareReport:
    """What was written."""

    out: Path
    manifest: TrainingSet
    found: int = 0
    """Examples that an interrupted run had played already."""

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {"out": str(self.out), "found": self.found, **self.manifest.model_dump(mode="json", exclude={"files"})}
