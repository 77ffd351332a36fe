"""The commands about models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envforge.cli.model_options import BaseUrl, BudgetTokens, BudgetUsd, ChatTemplate, Extra, KeyVariable
from envforge.cli.options import SharedOptions, sharing
from envforge.core.errors import ConfigError

models_app = typer.Typer(help="Language models behind endpoints.", no_args_is_help=True)


@models_app.command("check")
@sharing("quiet")
def check(
    shared: SharedOptions,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Its name at the endpoint; with --provider local a GGUF file or ORG/NAME:FILE.gguf of the Hub.",
        ),
    ],
    provider: Annotated[
        Literal["openai", "local"], typer.Option(help="An endpoint, or a file on this machine.")
    ] = "openai",
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    timeout: Annotated[float, typer.Option(min=0.1, max=86400, help="Seconds for one call.")] = 300.0,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    chat_template: ChatTemplate = None,
    extra: Extra = None,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder for the transcript and the accounts.", show_default="none")
    ] = None,
) -> None:
    """Try what an endpoint can: chat, schemas, tools, seeds, log-probabilities, streams; exit 1 if agents need more."""
    if provider == "local" and (base_url or extra):
        raise ConfigError("--base-url and --extra go with an endpoint", where="--provider local")
    from envforge.cli.commands import models_command

    given = {
        "model": model, "provider": provider, "chat_template": chat_template,
        "base_url": base_url, "key_variable": key_variable, "timeout_seconds": timeout,
        "budget_tokens": budget_tokens, "budget_usd": budget_usd,
    }  # fmt: skip
    chosen = {name: value for name, value in given.items() if value is not None}
    models_command.run(chosen, extra=extra, transcript=run, shared=shared)
