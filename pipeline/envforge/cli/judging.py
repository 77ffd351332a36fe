"""The command that examines a model as a judge."""

from __future__ import annotations

from typing import Annotated

import typer

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
@with_model(required=True)
def judge(
    shared: SharedOptions,
    environments: Annotated[list[str], typer.Option("--env", help="With tasks; id or path; repeatable.")],
    llm: ModelOptions,
    tasks: Annotated[int, typer.Option(min=1, max=1000, help="Of each environment; three episodes of each.")] = 5,
    seed: Annotated[int, typer.Option(help="Draws tasks and faults.")] = 0,
    doubt: Annotated[
        float, typer.Option(min=0, max=50, help="Abstain where the margin is nearer to the cut than this.")
    ] = 0.0,
) -> None:
    """Ask a model about episodes whose truth is known: gold, idle and faulty; exit 1 where it may not score."""
    from envforge.cli.commands import judge_command

    judge_command.run(
        environments=tuple(environments), tasks=tasks, seed=seed, doubt=doubt, model=llm.settings(), shared=shared
    )  # fmt: skip
