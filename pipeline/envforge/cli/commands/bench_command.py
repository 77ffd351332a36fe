"""`envforge eval --bench`."""

from __future__ import annotations

from collections.abc import Mapping
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
_NOT_THESE = ("environments", "tasks", "against", "baselines", "to_tasks", "retry")
"""What is about tasks of ours."""
_NO_PLAY = ("prompt", "max_turns")
"""What a benchmark says itself."""


def run(bench: str, given: Mapping[str, Any], asked: Mapping[str, Any], *, shared: SharedOptions) -> None:
    """Measure a model on a benchmark of others."""
    wrong = [name for name in _NOT_THESE if given[name]]
    if wrong:
        named = ", ".join(
            "--" + {"environments": "env", "against": "vs"}.get(name, name.replace("_", "-")) for name in wrong
        )
        raise ConfigError(f"does not go with {named}", where=f"--bench {bench}", remedy="leave them away")
    unused = [name for name in _NO_PLAY if asked["play"][name] is not None]
    if unused:
        named = ", ".join("--" + name.replace("_", "-") for name in unused)
        raise ConfigError(f"has no use for {named}", where=f"--bench {bench}", remedy="the benchmark says that itself")
    settings: ModelSettings | None = asked["model"]
    if settings is None or asked["agent"] is not None:
        raise ConfigError("measures a model", where=f"--bench {bench}", remedy="name it with --model")
    name = sha256_text(canonical_json([bench, repr(settings), repr(sorted(asked["play"].items())), asked["category"],
                                       asked["limit"], given["seed"]]))[:8]  # fmt: skip
    folder = given["out"] or Workspace(shared.workspace).runs / f"bench-{name}"
    if bench == "bfcl":
        _bfcl(settings, folder, given, asked, shared)
    elif bench.startswith(INSPECT) and bench != INSPECT:
        _inspect(bench.removeprefix(INSPECT), settings, folder, given, asked, shared)
    else:
        raise ConfigError(f"there is no benchmark {bench!r}", where="--bench", remedy="bfcl, or inspect:TASK")


def _bfcl(
    settings: ModelSettings, folder: Path, given: Mapping[str, Any], asked: Mapping[str, Any], shared: SharedOptions
) -> None:
    if asked["own"] and settings.provider != "openai":
        raise ConfigError("needs an endpoint", where="--own-loop", remedy="serve the model, and name its --base-url")
    config = BfclConfig(
        category=asked["category"], limit=asked["limit"], python=asked["python"] or own_python(), out=folder,
        seed=given["seed"], concurrency=given["concurrency"], own=asked["own"], own_base_url=settings.base_url,
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
        task=task, limit=asked["limit"], python=asked["python"], out=folder, concurrency=given["concurrency"],
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
