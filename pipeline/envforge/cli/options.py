"""Options that several commands have. Nothing heavy is imported here: --help has to be quick."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

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
Flag = Literal["quiet", "unsafe"]
Command = Callable[..., None]


@dataclass(frozen=True)
class SharedOptions:
    """What commands are told alike. A command without --quiet is never quiet."""

    workspace: Path = Path()
    json_output: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        """No progress: nobody looks, or a program reads."""
        return self.quiet or self.json_output


def sharing(*flags: Flag) -> Callable[[Command], Command]:
    """A command with --workspace, --json and `flags` behind its own options; they are its first argument."""
    types: dict[str, Any] = {"quiet": QuietOption, "unsafe": UnsafeOption}

    def with_options(command: Command) -> Command:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        added = [option("workspace", WorkspaceOption, Path()), option("json_output", JsonOption, False)]
        added += [option(flag, types[flag], False) for flag in flags]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            _allow(given.pop("unsafe", False))
            shared = {name: given.pop(name) for name in ("workspace", "json_output", "quiet") if name in given}
            command(SharedOptions(**shared), **given)

        # This is what typer makes the options of.
        run.__dict__["__signature__"] = inspect.Signature([*own, *added])
        return run

    return with_options


def option(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """One that a decorator adds to a command."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _allow(unsafe: bool) -> None:
    """The builds and checks that this process starts must know it too, hence the environment."""
    if unsafe:
        os.environ[UNSAFE_VARIABLE] = "1"
