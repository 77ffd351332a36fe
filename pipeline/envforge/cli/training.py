"""The command that trains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
def train(
    shared: SharedOptions,
    config: Annotated[Path | None, typer.Option("--config", help="Settings: a YAML file (docs/training.md).")] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Settings that ship: cpu-smoke, cpu-learn, h200-8b, 8xh100-14b.")
    ] = None,
    data: Annotated[
        str,
        typer.Option(
            "--data",
            help="workspace, a folder with environments/ and tasks/, hf:OWNER/NAME@REVISION, or a set that envforge "
            "prepare wrote.",
        ),
    ] = "workspace",
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="as the settings say"),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Folder, or id on the Hub, in place of the settings' model.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder of the run; one that is there is gone on with.", show_default="runs/train/NAME"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of everything.", show_default="as the settings say")] = None,
    stop_at: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this GRPO step; the same command goes on.", show_default="at the end"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan (memory, tokens of a step, commands) and train nothing.")
    ] = False,
) -> None:
    """Train an agent in environments: a warm start on examples, then GRPO on rewards."""
    from envforge.cli.commands import train_command

    train_command.run(
        config=config, preset=preset, data=data, environments=tuple(env or ()), model=model, out=out, seed=seed,
        stop_at=stop_at, dry_run=dry_run, shared=shared,
    )  # fmt: skip
