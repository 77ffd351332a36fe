"""The command that has a model write further tools."""

from __future__ import annotations

from typing import Annotated

import typer

from envforge.cli.model_options import (
    BaseUrl,
    BudgetTokens,
    BudgetUsd,
    CallSeconds,
    ChatTemplate,
    Extra,
    KeyVariable,
    PlayingProvider,
    model_given,
)
from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
def extend(
    shared: SharedOptions,
    environment: Annotated[str, typer.Option("--env", help="Id in the workspace, or a path.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Its name at the endpoint; with --provider local a GGUF file or ORG/NAME:FILE.gguf of the Hub.",
        ),
    ],
    count: Annotated[int, typer.Option("--tools", min=1, max=20, help="Tools that the model is asked for.")] = 3,
    name: Annotated[
        str | None, typer.Option("--as", help="Id of the new environment.", show_default="the old one with -more")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of what the model writes.")] = 0,
    provider: PlayingProvider = "openai",
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    timeout: CallSeconds = 300.0,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    chat_template: ChatTemplate = None,
    extra: Extra = None,
) -> None:
    """Have a model write further tools and their tests; a new environment, if it passes every gate. Exit 1 if not."""
    from envforge.cli.commands import extend_command

    given = model_given(
        model, provider, base_url=base_url, key_variable=key_variable, timeout_seconds=timeout,
        budget_tokens=budget_tokens, budget_usd=budget_usd, chat_template=chat_template, extra=extra,
    )  # fmt: skip
    extend_command.run(environment, model=given, count=count, name=name, seed=seed, shared=shared)
