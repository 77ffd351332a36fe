"""`envforge rollout`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import typer
from pydantic import ValidationError

from envforge.cli import render
from envforge.cli.commands.json_option import json_object
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.rewarding import Rewarding
from envforge.core.records.trajectory import Status
from envforge.factory.rollout_config import RolloutConfig
from envforge.factory.rollouts import RolloutReport, rollout
from envforge.llm.connect import ModelSettings
from envforge.rollout.model_player import ModelPlay
from envforge.store.workspace import Workspace


def run(
    given: Mapping[str, Any],
    *,
    model: ModelSettings | None,
    play: Mapping[str, Any],
    user_model: str | None,
    shared: SharedOptions,
) -> None:
    """Play, and show what came of it; exit 1 when some episodes could not be scored."""
    strange = [status for status in given["again"] if status not in get_args(Status)]
    if strange:
        raise ConfigError(f"there is no status {strange[0]!r}", where="--again", remedy=", ".join(get_args(Status)))
    if user_model is not None and given["user"] != "model":
        raise ConfigError("goes with --user model", where="--user-model")
    asked = replace(model, model=user_model or model.model) if model and given["user"] == "model" else None
    config = RolloutConfig(**given, model=model, user_model=asked, play=ModelPlay(**play))
    with render.progress(shared.silent) as progress:
        report = asyncio.run(rollout(Workspace(shared.workspace), config, progress))
    if shared.json_output:
        render.print_json(report.to_json())
    elif not shared.quiet:
        _print(report)
    if not report.whole:
        raise typer.Exit(1)


def rewarding_of(reward: str, settings: str | None) -> Rewarding:
    """Which reward counts, from the options. Raises ConfigError naming the field that is wrong."""
    given = json_object(settings, "--rewarding")
    try:
        return Rewarding.model_validate({**given, "trains": reward})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{place}: {first['msg']}", where="--rewarding", remedy="docs/evals.md, Rewards") from None


def _print(report: RolloutReport) -> None:
    rows = [
        (
            name,
            tally.episodes,
            tally.passed,
            tally.scored,
            ", ".join(f"{kind} {n}" for kind, n in tally.statuses.items()),
        )
        for name, tally in sorted(report.agents.items())
    ]
    render.table(f"Rollouts in {report.out}", ("agent", "episodes", "passed", "scored", "status"), rows)
    told = f"{report.played} played in {report.seconds:.1f} s, {report.found} were there already"
    render.out.print(told, markup=False)
    whole = report.waited.get("all", 0.0)
    if whole and report.waited.get("model"):
        shares = ", ".join(f"{name} {report.waited[name] / whole:.1%}" for name in ("model", "world", "score"))
        render.out.print(f"of an episode's time: {shares}", markup=False)
    if report.spent is not None:
        spent = report.spent
        money = "price unknown" if spent["usd"] is None else f"{spent['usd']:.4f} dollars"
        tokens = spent["prompt_tokens"] + spent["completion_tokens"]
        render.out.print(f"{spent['calls']} calls of the model, {tokens:,} tokens, {money}", markup=False)
    if not report.whole:
        render.out.print("some episodes could not be scored; envforge replay shows why", markup=False)
