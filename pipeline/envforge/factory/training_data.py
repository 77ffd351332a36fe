"""Where training data comes from: the workspace, a folder, or a published set; opened, and verified by its hashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.published import PublishedSet
from envforge.core.records.training import Split
from envforge.factory.opened_tasks import open_tasks
from envforge.factory.prepare_config import HUB, WORKSPACE
from envforge.factory.verify_tasks import file_problems
from envforge.publish.hub import Hub, hub_calls, repo_name
from envforge.publish.pulling import pull as pull_set
from envforge.store.files import read_json, write_json
from envforge.store.hashing import environment_hash, file_hashes
from envforge.store.tasks import read_set_certificate
from envforge.store.workspace import Workspace
from envforge.train.data.supply import Supply

Pull: TypeAlias = Callable[[str, Path], Path]
"""pull("OWNER/NAME@REVISION", workspace) → a folder with environments/ and tasks/."""
_PUBLISHED = re.compile(r"hf:[^@]+@[\w./-]+")
_WHOLE = "pulled.json"


def _hub(repo: str) -> Hub:
    return Hub(repo, hub_calls())


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def pulled(source: str, workspace: Path, hub_of: Callable[[str], Hub] = _hub) -> Path:
    """A published set in a folder of its own under runs/, every byte compared; once whole, it is not fetched again.

    Raises HubError, ConfigError, StoreError.
    """
    repo, _, revision = source.partition("@")
    folder = Workspace(workspace).runs / "published" / source.replace("/", "--")
    if not (folder / _WHOLE).is_file():
        found = pull_set(hub_of(repo_name(repo, "--data")), revision, Workspace(folder), _silent)
        write_json(folder / _WHOLE, found.published.to_json())
    return folder


def published_splits(place: Workspace) -> dict[str, Split]:
    """Environment → the side that a published set has it on; empty for what is not one. Raises StoreError."""
    path = place.root / _WHOLE
    if not path.is_file():
        return {}
    try:
        held = PublishedSet.model_validate(read_json(path))
    except ValidationError as error:
        remedy = "remove the folder: the set is pulled again"
        raise StoreError("is not what was written of a published set", where=str(path), remedy=remedy) from error
    return {member.id: member.split for member in held.members}


def data_place(data: str, workspace: Path, pull: Pull = pulled) -> tuple[Workspace, str]:
    """The workspace that holds the data, and how a manifest names it.

    Raises ConfigError for what is no place, and what `pull` raises.
    """
    if data == WORKSPACE:
        return Workspace(workspace), WORKSPACE
    if data.startswith(HUB):
        if not _PUBLISHED.fullmatch(data):
            # A name without a revision is another set tomorrow.
            raise ConfigError("names no revision of a set", where=f"--data {data}", remedy="hf:OWNER/NAME@REVISION")
        return Workspace(pull(data.removeprefix(HUB), workspace)), data
    folder = Path(data)
    if not (folder / "environments").is_dir() or not (folder / "tasks").is_dir():
        remedy = f"give {WORKSPACE}, a folder that holds both, or hf:OWNER/NAME@REVISION"
        raise ConfigError("holds no environments/ and tasks/", where=f"--data {data}", remedy=remedy)
    return Workspace(folder), "folder"


def supplies_of(place: Workspace, names: Sequence[str]) -> list[Supply]:
    """Environments with their tasks, each verified. Raises ConfigError, StoreError."""
    supplies = [_verified(place, name) for name in names or _with_tasks(place)]
    _refuse_odd_tools(supplies)
    return supplies


def _with_tasks(place: Workspace) -> list[str]:
    found = sorted(path.parent.name for path in place.tasks.glob("*/tasks.jsonl"))
    if not found:
        remedy = "make some: envforge synth-tasks"
        raise ConfigError("there is no environment with tasks", where=str(place.tasks), remedy=remedy)
    return found


def _verified(place: Workspace, name: str) -> Supply:
    opened = open_tasks(place, name)
    manifest, folder = opened.environment.manifest, opened.environment.folder
    if environment_hash(manifest, file_hashes(folder)) != manifest.environment_hash:
        remedy = f"envforge check {manifest.id} says what; restore the files, or build it again"
        raise StoreError("is not what its hash says", where=str(folder), remedy=remedy)
    problems = list(file_problems(opened.folder, opened.environment, read_set_certificate(opened.folder)))
    if problems:
        remedy = f"make the tasks again: envforge synth-tasks --env {manifest.id}"
        raise StoreError(problems[0], where=str(opened.folder), remedy=remedy)
    return Supply(opened.environment, opened.tasks, sha256_bytes((opened.folder / "tasks.jsonl").read_bytes()))


def _refuse_odd_tools(supplies: Sequence[Supply]) -> None:
    """A family has one set of tools: trainers know them by the family."""
    known: dict[str, Supply] = {}
    for supply in supplies:
        ours = supply.environment.manifest
        first = known.setdefault(ours.family, supply)
        if first.environment.tools != supply.environment.tools:
            other = first.environment.manifest.id
            message = f"has other tools than {other}, which is of the same family {ours.family}"
            raise StoreError(message, where=str(supply.environment.folder), remedy=f"envforge check {ours.id} {other}")
