"""The commands about models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import SharedOptions, sharing

models_app = typer.Typer(help="Language models behind endpoints.", no_args_is_help=True)


@models_app.command("check")
@sharing("quiet")
@with_model(required=True)
def check(
    shared: SharedOptions,
    llm: ModelOptions,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder for the transcript and the accounts.", show_default="none")
    ] = None,
) -> None:
    """Try what an endpoint can: chat, schemas, tools, seeds, log-probabilities, streams; exit 1 if agents need more."""
    from envforge.cli.commands import models_command

    models_command.run(llm.settings(), transcript=run, shared=shared)
