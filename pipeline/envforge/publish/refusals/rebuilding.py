"""The commands that make an environment again, facts only, and its tasks as they were asked for."""

from __future__ import annotations

import shlex
from pathlib import Path

from envforge.core.records.environment import EnvironmentManifest
from envforge.publish.commands import mining, synthesis
from envforge.store.tasks import CERTIFICATE, read_set_certificate


def rebuild_command(manifest: EnvironmentManifest, folder: Path, tasks: Path | None) -> str:
    """`envforge mine … --facts-only && envforge synth-tasks …`, with all that the records say of the first time."""
    place = ["--workspace", str(root)] if (root := _workspace(folder)) is not None else []
    asked = read_set_certificate(tasks) if tasks is not None and (tasks / CERTIFICATE).is_file() else None
    mine = [*mining(manifest), "--facts-only", *place]
    return f"{shlex.join(mine)} && {shlex.join([*synthesis(manifest.id, asked), *place])}"


def _workspace(folder: Path) -> Path | None:
    """Where the environment lies, if not here: environments/<id> of the current folder needs no word."""
    root = folder.parent.parent
    known = folder.parent.name == "environments" and root.resolve() != Path.cwd().resolve()
    return root if known else None
