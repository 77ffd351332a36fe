"""The command that has a model write further tools."""

from __future__ import annotations

from typing import Annotated

import typer

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
@with_model(required=True)
def extend(
    shared: SharedOptions,
    environment: Annotated[str, typer.Option("--env", help="Id in the workspace, or a path.")],
    llm: ModelOptions,
    count: Annotated[int, typer.Option("--tools", min=1, max=20, help="Tools that the model is asked for.")] = 3,
    name: Annotated[
        str | None, typer.Option("--as", help="Id of the new environment.", show_default="the old one with -more")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of what the model writes.")] = 0,
) -> None:
    """Have a model write further tools and their tests; a new environment, if it passes every gate. Exit 1 if not."""
    from envforge.cli.commands import extend_command

    extend_command.run(environment, model=llm.settings(), count=count, name=name, seed=seed, shared=shared)
