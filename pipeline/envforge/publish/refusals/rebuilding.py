"""The commands that make an environment again, facts only, and its tasks as they were asked for."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.task import TaskSetCertificate
from envforge.store.tasks import read_set_certificate

_LEVELS = (1, 2, 3, 4, 5)


def rebuild_command(manifest: EnvironmentManifest, folder: Path, certificate: Path | None) -> str:
    """`envforge mine … --facts-only && envforge synth-tasks …`, with all that the records say of the first time."""
    place = ["--workspace", str(root)] if (root := _workspace(folder)) is not None else []
    mine = ["envforge", "mine", *_mining(manifest), "--facts-only", *place]
    tasks = ["envforge", "synth-tasks", "--env", manifest.id, *_asked(certificate), *place]
    return f"{shlex.join(mine)} && {shlex.join(tasks)}"


def _workspace(folder: Path) -> Path | None:
    """Where the environment lies, if not here: environments/<id> of the current folder needs no word."""
    root = folder.parent.parent
    known = folder.parent.name == "environments" and root.resolve() != Path.cwd().resolve()
    return root if known else None


def _mining(manifest: EnvironmentManifest) -> list[str]:
    """What `statistics` holds of the options (factory.assemble writes it there), in the order of the help."""
    stated = manifest.statistics
    linked: list[str] = list(stated.get("linked", ()))
    words = ["--theme", linked[0] if linked else manifest.theme]
    words += ["--link", linked[1]] if len(linked) > 1 else []
    words += ["--new"] if stated.get("new") else []
    for name in ("source", "keep", "set"):
        words += [word for value in stated.get(name, ()) for word in (f"--{name}", str(value))]
    for name in ("rounds", "max_tools", "max_tables", "seed"):
        words += [f"--{name.replace('_', '-')}", str(stated[name])] if name in stated else []
    words += ["--documents"] if "documents" in stated else []
    words += ["--database-seeds", str(manifest.database_seed)] if manifest.database_seed else []
    return words


def _asked(path: Path | None) -> list[str]:
    if path is None or not path.is_file():
        return []
    asked: TaskSetCertificate = read_set_certificate(path.parent)
    words = ["--count", str(asked.wanted)]
    words += ["--seed", str(asked.seed)] if asked.seed else []
    if tuple(asked.levels) != _LEVELS:
        words += ["--difficulty", ",".join(str(level) for level in asked.levels)]
    if asked.mix:
        words += ["--mix", ",".join(f"{kind}={_number(share)}" for kind, share in sorted(asked.mix.items()))]
    return words


def _number(share: Any) -> str:
    return f"{share:g}"
