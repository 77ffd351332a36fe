"""Options that several commands have. Nothing heavy is imported here: --help has to be quick."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

UNSAFE_VARIABLE = "ENVFORGE_UNSAFE"
"""Read by the sandbox (world/sandbox/backends.py), which is too heavy to import for --help."""

WorkspaceOption = Annotated[
    Path,
    typer.Option("--workspace", "-w", help="Holds environments/, tasks/ and runs/.", show_default="current folder"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no tables; the exit code tells.")]
UnsafeOption = Annotated[
    bool,
    typer.Option("--unsafe", help="Run tool code even where the kernel cannot hold it (see: envforge doctor)."),
]
ProcessesOption = Annotated[
    int | None, typer.Option(min=1, max=256, help="Judging processes.", show_default="one per processor")
]
EnvironmentArgument = Annotated[str, typer.Argument(help="Id in the workspace, or a path.")]
HERE = Path()


def allow(unsafe: bool) -> None:
    """The builds and checks that this process starts must know it too, hence the environment."""
    if unsafe:
        os.environ[UNSAFE_VARIABLE] = "1"
