"""A run of training: its stages in their order, each on what the one before left, and a report of what came of it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.train_config import TrainConfig
from envforge.rollout.agents.agent import Assignment
from envforge.store.files import read_json, write_json
from envforge.train.data.records import FamilyTools, SftExample, Split, TrainingRow
from envforge.train.installed import library
from envforge.train.processes import is_first
from envforge.world.environment import Environment

CONFIG = "config.json"
DATA, LAUNCH = "data", "launch"
REPORT = "report.json"


@dataclass(frozen=True)
class TrainingData:
    """What is trained on and what is held out, with the tasks and environments that the rows name."""

    key: str
    """Hash of the set: a run goes on with the same data only."""
    families: dict[str, FamilyTools]
    rows: dict[Split, list[TrainingRow]]
    examples: list[SftExample]
    environments: Sequence[Environment]
    assignments: Sequence[Assignment]

    def of_levels(self, split: Split, levels: Sequence[int]) -> list[TrainingRow]:
        """Rows of a split; no levels: all."""
        return [row for row in self.rows.get(split, []) if not levels or row.level in levels]


@dataclass
class TrainReport:
    """What a run came to."""

    out: str
    stages: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    evaluations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    warnings: list[str] = field(default_factory=list[str])
    stopped_at: int | None = None
    """Step at which it was told to stop; the same command goes on from there."""

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "out": self.out,
            "stages": self.stages,
            "evaluations": self.evaluations,
            "warnings": self.warnings,
            "stopped_at": self.stopped_at,
        }


@dataclass(frozen=True)
class Run:
    """What the stages share."""

    config: TrainConfig
    data: TrainingData
    out: Path
    progress: Progress
    report: TrainReport
    stop_at: int | None = None
    """GRPO step after which the run stops, as if it had been interrupted."""

    @property
    def on_cpu(self) -> bool:
        """No GPU is used."""
        return self.config.hardware.device == "cpu"


def bind_folder(config: TrainConfig, data: TrainingData, out: Path) -> None:
    """Write what a run is told into its folder, or see that the run there was told the same.

    Raises ConfigError for another run's folder, StoreError.
    """
    told: dict[str, Any] = {"config": config.model_dump(mode="json"), "data": data.key}
    path = out / CONFIG
    if path.is_file():
        before = read_json(path)
        if before != told:
            changed = (
                "data" if before.get("data") != data.key else _first_change(before.get("config", {}), told["config"])
            )
            remedy = "give another --out, or the settings and data that the run began with"
            raise ConfigError(f"holds a run that differs in {changed}", where=str(out), remedy=remedy)
        return
    write_json(path, told)


def refuse_foreign(out: Path) -> None:
    """Raises ConfigError for a folder that holds something else than a run."""
    if (out / CONFIG).is_file():
        return
    strange = [path for path in out.iterdir() if not _ours(path)] if out.is_dir() else []
    if out.is_file() or strange:
        raise ConfigError("holds something else", where=str(out), remedy="give a new folder as --out")


def data_key(parts: Sequence[Any]) -> str:
    """Hash of a training set, and of what was asked for where it was made for the run."""
    return sha256_text(canonical_json(list(parts)))


def refuse_empty(config: TrainConfig, data: TrainingData) -> None:
    """Raises ConfigError where a stage would have nothing to learn from."""
    if config.grpo is not None and not data.of_levels("train", config.grpo.levels):
        raise ConfigError("no task is left to train on", where="grpo.levels", remedy=_levels(data, config.grpo.levels))
    if config.sft is None:
        return
    if not data.examples:
        remedy = "prepare the set with --sft gold, or leave the stage `sft` out"
        raise ConfigError("the training set holds no examples", where="sft", remedy=remedy)
    if not [one for one in data.examples if not config.sft.levels or one.level in config.sft.levels]:
        raise ConfigError("no example is left to imitate", where="sft.levels", remedy=_levels(data, config.sft.levels))


@contextmanager
def typed_errors(stage: str) -> Generator[None]:
    """What the libraries raise for want of memory, as an error that says what to do."""
    torch: Any = library("torch")
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise _no_memory(stage) from error
    except RuntimeError as error:
        if "out of memory" not in str(error).lower() and "can't allocate memory" not in str(error).lower():
            raise
        raise _no_memory(stage) from error


def finish(run: Run) -> TrainReport:
    """Write the report."""
    if is_first():
        write_json(run.out / REPORT, run.report.to_json())
    return run.report


def _ours(path: Path) -> bool:
    """What stands there before a run has begun: its data, and the files that it is launched with."""
    return path.name in (DATA, LAUNCH) or path.name.startswith(f".{DATA}.")


def _no_memory(stage: str) -> ConfigError:
    remedy = (
        f"make {stage}.batch smaller (accumulation keeps the step the same), then the longest trajectory; with vLLM in "
        "the same process also serving.memory; or train an adapter. The same command goes on from the last checkpoint"
    )
    return ConfigError("memory ran out", where=stage, remedy=remedy)


def _first_change(before: dict[str, Any], now: dict[str, Any], place: str = "") -> str:
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old != new:
            here = f"{place}{name}"
            if isinstance(old, dict) and isinstance(new, dict):
                return _first_change(cast("dict[str, Any]", old), cast("dict[str, Any]", new), f"{here}.")
            return here
    return "its settings"


def _levels(data: TrainingData, wanted: Sequence[int]) -> str:
    there = sorted({row.level for row in data.rows.get("train", [])})
    return f"levels {', '.join(map(str, wanted)) or 'of any kind'} were asked for; there are: {there or 'none'}"
