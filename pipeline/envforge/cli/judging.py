"""The command that examines a model as a judge."""

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
def judge(
    shared: SharedOptions,
    environments: Annotated[list[str], typer.Option("--env", help="With tasks; id or path; repeatable.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Its name at the endpoint; with --provider local a GGUF file or ORG/NAME:FILE.gguf of the Hub.",
        ),
    ],
    tasks: Annotated[int, typer.Option(min=1, max=1000, help="Of each environment; three episodes of each.")] = 5,
    seed: Annotated[int, typer.Option(help="Draws tasks and faults.")] = 0,
    doubt: Annotated[
        float, typer.Option(min=0, max=50, help="Abstain where the margin is nearer to the cut than this.")
    ] = 0.0,
    provider: PlayingProvider = "openai",
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    timeout: CallSeconds = 300.0,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    chat_template: ChatTemplate = None,
    extra: Extra = None,
) -> None:
    """Ask a model about episodes whose truth is known: gold, idle and faulty; exit 1 where it may not score."""
    from envforge.cli.commands import judge_command

    given = model_given(
        model, provider, base_url=base_url, key_variable=key_variable, timeout_seconds=timeout,
        budget_tokens=budget_tokens, budget_usd=budget_usd, chat_template=chat_template, extra=extra,
    )  # fmt: skip
    judge_command.run(
        environments=tuple(environments), tasks=tasks, seed=seed, doubt=doubt, model=given, shared=shared
    )  # fmt: skip
