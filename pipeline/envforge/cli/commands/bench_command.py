"""`envforge eval --bench`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envforge.cli import render
from envforge.cli.commands.trajectory_words import say
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.benchmark import BenchmarkReport, BenchmarkScore
from envforge.factory.bfcl import BfclConfig, bfcl
from envforge.factory.eval_subjects import CACHE
from envforge.factory.inspect_task import InspectConfig, inspect_task
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.rollout.bfcl.side import own_python
from envforge.rollout.model_player import ModelPlay
from envforge.store.workspace import Workspace

INSPECT = "inspect:"
CATEGORY = "multi_turn_base"
_NOT_THESE = ("environments", "tasks", "against", "baselines", "to_tasks", "retry", "inspect")
"""What is about tasks of ours."""
_NO_PLAY = ("prompt", "max_turns")
"""What a benchmark says itself."""
_BFCL_ONLY = ("category", "own_loop")


def run(bench: str, given: Mapping[str, Any], asked: Mapping[str, Any], *, shared: SharedOptions) -> None:
    """Measure a model on a benchmark of others."""
    _refuse(bench, given, _NOT_THESE, "leave them away")
    _refuse(bench, asked["play"], _NO_PLAY, "the benchmark says that itself")
    settings: ModelSettings | None = asked["model"]
    if settings is None or asked["agent"] is not None:
        raise ConfigError("measures a model", where=f"--bench {bench}", remedy="name it with --model")
    folder = given["out"] or Workspace(shared.workspace).runs / folder_name(bench, settings, asked, given["seed"])
    if bench == "bfcl":
        _bfcl(settings, folder, given, asked, shared)
    elif bench.startswith(INSPECT) and bench != INSPECT:
        _refuse(bench, asked, _BFCL_ONLY, "they are for --bench bfcl")
        _inspect(bench.removeprefix(INSPECT), settings, folder, given, asked, shared)
    else:
        raise ConfigError(f"there is no benchmark {bench!r}", where="--bench", remedy="bfcl, or inspect:TASK")


def refuse_without(of_bench: Mapping[str, Any]) -> None:
    """Raises ConfigError for what only a benchmark of others has a use for: --limit would bound nothing."""
    if named := _named(of_bench, tuple(of_bench)):
        remedy = "name one; of tasks of ours --tasks takes some"
        raise ConfigError("goes with --bench only", where=named, remedy=remedy)


def _refuse(bench: str, given: Mapping[str, Any], names: Sequence[str], remedy: str) -> None:
    if named := _named(given, names):
        raise ConfigError(f"does not go with {named}", where=f"--bench {bench}", remedy=remedy)


def _named(given: Mapping[str, Any], names: Sequence[str]) -> str:
    """Those that were given, as options."""
    other = {"environments": "env", "against": "vs"}
    return ", ".join(f"--{other.get(name, name.replace('_', '-'))}" for name in names if given[name])


def folder_name(bench: str, settings: ModelSettings, asked: Mapping[str, Any], seed: int) -> str:
    """After what decides the results: with a larger budget or more time for a call a run goes on where it is."""
    model = [settings.provider, settings.base_url, settings.model, dict(settings.extra), str(settings.chat_template)]
    decides = [bench, model, asked["category"] or CATEGORY, asked["limit"], seed, asked["play"]]
    return f"bench-{sha256_text(canonical_json(decides))[:8]}"


def _bfcl(
    settings: ModelSettings, folder: Path, given: Mapping[str, Any], asked: Mapping[str, Any], shared: SharedOptions
) -> None:
    if asked["own_loop"] and settings.provider != "openai":
        raise ConfigError("needs an endpoint", where="--own-loop", remedy="serve the model, and name its --base-url")
    config = BfclConfig(
        category=asked["category"] or CATEGORY, limit=asked["limit"], python=asked["bench_python"] or own_python(),
        out=folder,
        seed=given["seed"], concurrency=given["concurrency"], own=asked["own_loop"], own_base_url=settings.base_url,
        own_key_variable=settings.key_variable,
    )  # fmt: skip
    config.refuse()
    play = ModelPlay(**{name: value for name, value in asked["play"].items() if value is not None})
    prices = read_prices(Workspace(shared.workspace).data_file(PRICES_FILE))
    connection = connect(settings, run=folder, cache=folder / CACHE, prices=prices, transcribed=False)
    with render.progress(shared.silent) as progress:
        report = bfcl(config, connection.model, settings.model, play, progress)
    if shared.json_output:
        render.print_json({"folder": str(folder), **report.to_json()})
    elif not shared.quiet:
        _print(report, folder)


def _print(report: BenchmarkReport, folder: Path) -> None:
    run = report.run
    rows = [(_loop(score), f"{len(score.right)}/{score.scored}", _rate(score), len(score.unscored) or "")
            for score in report.scores]  # fmt: skip
    render.table(f"{run.model} on {len(run.items)} items of {run.category} (bfcl-eval {run.version})",
                 ("loop", "right", "share (95 %)", "not scored"), rows)  # fmt: skip
    for score in report.scores:
        kinds = sorted(set(score.failures.values()))
        counted = [(kind, list(score.failures.values()).count(kind)) for kind in kinds]
        if counted:
            render.table(f"Why not, {_loop(score)}", ("error", "items"), counted)
    say(f"written: {folder}/report.json, items.jsonl, bfcl/")


def _loop(score: BenchmarkScore) -> str:
    return "envforge's" if score.loop == "envforge" else "bfcl-eval's own"


def _rate(score: BenchmarkScore) -> str:
    if score.rate is None or score.low is None or score.high is None:
        return "unknown"
    return f"{score.rate:.1%} ({score.low:.1%} to {score.high:.1%})"


def _inspect(
    task: str, settings: ModelSettings, folder: Path, given: Mapping[str, Any], asked: Mapping[str, Any],
    shared: SharedOptions,
) -> None:  # fmt: skip
    config = InspectConfig(
        task=task, limit=asked["limit"], python=asked["bench_python"], out=folder, concurrency=given["concurrency"],
        seed=given["seed"], temperature=asked["play"]["temperature"], most_tokens=asked["play"]["turn_tokens"],
    )  # fmt: skip
    with render.progress(shared.silent) as progress:
        told = inspect_task(config, settings, progress)
    if shared.json_output:
        render.print_json({"folder": str(folder), **told.to_json()})
    elif not shared.quiet:
        rows = [(score, metric, f"{value:.4g}") for score, metrics in told.scores.items()
                for metric, value in metrics.items()]  # fmt: skip
        render.table(f"{settings.model} on {told.task}: {told.samples} samples", ("score", "metric", "value"), rows)
        say(f"written: {folder}/report.json and the log of Inspect, {told.log}")
