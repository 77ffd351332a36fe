"""`envforge train`: settings, data, environments and machine, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.core.records.train_config import TrainConfig
from envforge.factory.prepare_config import HUB, PrepareConfig
from envforge.factory.preparing import prepare
from envforge.factory.training_data import data_place, supplies_of
from envforge.store.workspace import Workspace
from envforge.train.data.folder import MANIFEST, OpenedTrainingSet, read_training_set
from envforge.train.data.records import SPLITS
from envforge.train.data.supply import Supply
from envforge.train.installed import require
from envforge.train.launch import commands, launch_files
from envforge.train.machine import refuse_machine
from envforge.train.plan import Plan, plan_of
from envforge.train.processes import first_alone
from envforge.train.run import DATA, LAUNCH, Run, TrainingData, TrainReport, bind_folder, data_key, refuse_foreign
from envforge.train.settings import read_preset, read_settings
from envforge.train.stages import run_stages


@dataclass(frozen=True)
class TrainRequest:
    """What `envforge train` is asked for.

    Args:
        data: `workspace`, a folder with environments and tasks, hf:OWNER/NAME@REVISION, or a prepared training set.
        environments: ids or paths; none: those of the settings.
        stop_at: GRPO step after which the run stops; the same command goes on from there.
    """

    workspace: Path
    config: TrainConfig
    out: Path
    data: str = "workspace"
    environments: tuple[str, ...] = ()
    stop_at: int | None = None


def train(request: TrainRequest, progress: Progress) -> TrainReport:
    """Run the stages into a folder; what stands there is gone on with.

    Raises ConfigError for what cannot be trained, with what to do about it; StoreError; SandboxError.
    """
    require(*(["vllm"] if request.config.serving.engine == "vllm-colocate" else []))
    refuse_machine(request.config)
    with first_alone():
        refuse_foreign(request.out)
        data = open_data(request, progress)
        bind_folder(request.config, data, request.out)
    run = Run(request.config, data, request.out, progress, TrainReport(str(request.out)), request.stop_at)
    return run_stages(run)


def settings_of(config: Path | None, preset: str | None, *, model: str | None, seed: int | None) -> TrainConfig:
    """The settings of a file or of a preset, with what the command line says otherwise. Raises ConfigError."""
    found = read_settings(config) if config is not None else read_preset(preset or "")
    changed: dict[str, Any] = {}
    if model is not None:
        changed["model"] = found.model.model_copy(update={"base": model, "own": None, "revision": "", "billions": None})
    if seed is not None:
        changed["seed"] = seed
    return found.model_copy(update=changed)


def planned(request: TrainRequest, arguments: list[str]) -> tuple[Plan, list[Path]]:
    """What the run would take, and the files that it is launched with on GPUs."""
    folder = request.out / LAUNCH
    files = launch_files(folder) if request.config.hardware.device == "gpu" else []
    return plan_of(request.config, commands(request.config, arguments, folder)), files


def open_data(request: TrainRequest, progress: Progress) -> TrainingData:
    """The training set: the one that is named, or one that is prepared into the run's folder."""
    config = request.config
    folder = Path(request.data)
    asked: tuple[str, ...] = ()
    if (folder / MANIFEST).is_file():
        if request.environments:
            remedy = f"leave --env out, or name the environments when the set is made: envforge prepare --out {folder}"
            raise ConfigError(f"{folder} says itself which environments it has", where="--env", remedy=remedy)
        place = Workspace(request.workspace)
    else:
        place, _ = data_place(request.data, request.workspace)
        folder = request.out / DATA
        # The set that an earlier command made here is not another command's.
        asked = (request.data, *request.environments)
        if not (folder / MANIFEST).is_file():
            prepare(_prepared(request, folder), progress)
    opened = read_training_set(folder)
    if opened.manifest.data.startswith(HUB):
        place, _ = data_place(opened.manifest.data, request.workspace)
    names = [one.environment_id for one in opened.manifest.environments]
    supplies = supplies_of(place, names)
    _refuse_others(opened, supplies)
    return TrainingData(
        key=data_key([opened.manifest.content_id("training-set"), *asked]),
        families=dict(opened.tools),
        rows={split: opened.rows(split) for split in SPLITS},
        examples=opened.examples() if config.sft is not None else [],
        environments=[supply.environment for supply in supplies],
        assignments=[supply.assignment(task) for supply in supplies for task in supply.tasks.tasks],
    )


def _prepared(request: TrainRequest, folder: Path) -> PrepareConfig:
    config = request.config
    return PrepareConfig(
        workspace=request.workspace,
        out=folder,
        data=request.data,
        environments=request.environments or config.data.environments,
        levels=config.data.levels,
        holdout_families=config.data.holdout_families,
        holdout_seeds=config.data.holdout_seeds,
        sft=("gold",) if config.sft is not None else (),
        seed=config.seed,
    )


def _refuse_others(opened: OpenedTrainingSet, supplies: Sequence[Supply]) -> None:
    """Raises ConfigError where an environment or its tasks are not those that the set was made from.

    Rows hold the words of a task, rewards come from what checks it: of two versions they would not belong together.
    """
    made_from = {one.environment_id: one for one in opened.manifest.environments}
    for supply in supplies:
        ours = supply.environment.manifest
        theirs = made_from[ours.id]
        what = "" if theirs.environment_hash == ours.environment_hash else ours.id
        if not what and theirs.tasks != supply.tasks_sha256:
            what = f"tasks.jsonl of {ours.id}"
        if what:
            remedy = "prepare the set again, or restore what it was made from"
            raise ConfigError(f"was made from another {what}", where=f"--data {opened.folder}", remedy=remedy)
