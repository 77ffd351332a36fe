"""The command that makes training sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
def prepare(
    shared: SharedOptions,
    data: Annotated[
        str,
        typer.Option("--data", help="workspace, a folder with environments/ and tasks/, or hf:OWNER/NAME@REVISION."),
    ] = "workspace",
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="every environment with tasks"),
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels: 4, 3,4,5 or 3-5.")] = "1-5",
    count: Annotated[int | None, typer.Option(min=1, help="Tasks to train on.", show_default="all")] = None,
    holdout_family: Annotated[
        list[str] | None,
        typer.Option("--holdout-family", help="Family or theme that training never sees; repeatable."),
    ] = None,
    holdout_seeds: Annotated[
        str | None, typer.Option(help="Databases that training never sees: 3, 3-5 or 1,4.", show_default="none")
    ] = None,
    sft: Annotated[
        str | None,
        typer.Option(help="Examples to imitate: gold, rollouts, or gold,rollouts.", show_default="none"),
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            "--run", help="Folder of envforge rollout; repeatable.", show_default="with rollouts: all in runs/"
        ),
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=1000, help="Examples of one task from rollouts.")] = 4,
    seed: Annotated[int, typer.Option(help="Draws the order of tasks and the seeds of episodes.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write.", show_default="runs/training")] = None,
) -> None:
    """Make a training set: balanced tasks, held-out families and databases, examples to imitate."""
    from envforge.cli.commands import prepare_command

    prepare_command.run(
        data=data, environments=tuple(env or ()), levels=levels, count=count,
        holdout_families=tuple(holdout_family or ()), holdout_seeds=holdout_seeds, sft=sft, runs=tuple(run or ()),
        most=most, seed=seed, out=out, shared=shared,
    )  # fmt: skip
