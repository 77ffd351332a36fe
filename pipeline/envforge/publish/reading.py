"""Reads what is to be published: environments, their tasks, and episodes on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.base import Record
from envforge.core.records.environment import Certificate, EnvironmentManifest, ProvenanceEntry, ToolSpec
from envforge.core.records.evaluation import MeasuredDifficulty
from envforge.core.records.source import Source
from envforge.core.records.task import Task
from envforge.core.records.training import Split
from envforge.core.records.trajectory import Trajectory
from envforge.publish.published import PublishedEnvironment, PublishedTasks
from envforge.store.files import read_json, read_json_list
from envforge.store.hashing import refuse_links
from envforge.store.record_lines import read_records
from envforge.store.tasks import MEASURED, read_set_certificate, read_tasks

_REMEDY = "the file is written by envforge; build the environment again or restore it"
RecordT = TypeVar("RecordT", bound=Record)


def read_manifest(folder: Path) -> EnvironmentManifest:
    """environment.json. Raises StoreError naming file and field."""
    refuse_links(folder)
    return _record(folder / "environment.json", EnvironmentManifest)


def read_environment(
    folder: Path, tasks: Path | None, split: Split, trajectories: Sequence[Trajectory] = ()
) -> PublishedEnvironment:
    """All records of an environment and of its tasks. Raises StoreError naming file, line and field.

    `trajectories`: episodes of any environment; those on the tasks of this one are kept, in the order of their keys.
    """
    manifest = read_manifest(folder)
    read = None if tasks is None else _tasks(tasks)
    tools = folder / "tools.json"
    mine = [one for one in trajectories if one.environment_hash == manifest.environment_hash]
    return PublishedEnvironment(
        folder=folder,
        split=split,
        manifest=manifest,
        tools=tuple(_validated(value, tools, ToolSpec) for value in read_json_list(tools)),
        sources=tuple(read_records(folder / "sources.jsonl", Source, _REMEDY)),
        provenance=tuple(read_records(folder / "provenance.jsonl", ProvenanceEntry, _REMEDY)),
        certificate=_record(folder / "certificate.json", Certificate),
        tasks=read,
        trajectories=_ordered(mine, read.tasks if read else ()),
    )


def _tasks(folder: Path) -> PublishedTasks:
    tasks = read_tasks(folder).tasks
    path = folder / MEASURED
    measured = read_records(path, MeasuredDifficulty, "the file is written by envforge eval") if path.is_file() else []
    digests = {task.id: sha256_text(canonical_json(task.to_json())) for task in tasks}
    # What was measured on an older task of the same name says nothing about this one.
    kept = tuple(one for one in measured if digests.get(one.task_id) == one.task)
    return PublishedTasks(folder, tasks, read_set_certificate(folder), kept)


def _ordered(trajectories: Sequence[Trajectory], tasks: Sequence[Task]) -> tuple[Trajectory, ...]:
    known = {task.id for task in tasks}
    for one in trajectories:
        if one.task_id not in known:
            remedy = "publish the tasks that it was played on, or leave it out"
            raise StoreError(f"an episode was played on a task that is not there: {one.task_id}", remedy=remedy)
    return tuple(sorted(trajectories, key=lambda one: (one.task_id, one.agent, one.attempt, one.seed, one.key)))


def refuse_strangers(trajectories: Sequence[Trajectory], hashes: Mapping[str, str]) -> None:
    """Raise ConfigError for an episode that belongs to no environment of the set. `hashes`: hash → id."""
    for one in trajectories:
        if one.environment_hash not in hashes:
            where = one.environment_id or one.environment_hash[:12]
            remedy = "publish that environment too, or leave the episodes out"
            message = f"an episode on {one.task_id} is of no environment of this set"
            raise ConfigError(message, where=where, remedy=remedy)


def _record(path: Path, record: type[RecordT]) -> RecordT:
    return _validated(read_json(path), path, record)


def _validated(value: Any, path: Path, record: type[RecordT]) -> RecordT:
    try:
        return record.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        raise StoreError(f"{field}: {first['msg']}", where=str(path), remedy=_REMEDY) from error
