"""`envforge prepare`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envforge.cli import render
from envforge.cli.commands.mine_command import seeds_of
from envforge.cli.commands.synth_command import levels_of
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.training import SPLITS, Demonstrator, Split
from envforge.factory.prepare_config import OUT, PrepareConfig, PrepareReport
from envforge.factory.preparing import prepare

_SOURCES: Mapping[str, Demonstrator] = {"gold": "gold", "rollouts": "rollout"}
_SIDES: Mapping[Split, str] = {
    "train": "trained on",
    "heldout_seed": "held-out databases",
    "heldout_family": "held-out families",
}


def run(
    *,
    levels: str,
    holdout_seeds: str | None,
    sft: str | None,
    out: Path | None,
    shared: SharedOptions,
    **options: Any,
) -> None:
    """Make the set, and show what is in it."""
    config = PrepareConfig(
        workspace=shared.workspace,
        out=out if out is not None else shared.workspace / OUT,
        levels=levels_of(levels, "--levels"),
        holdout_seeds=seeds_of(holdout_seeds, "--holdout-seeds") if holdout_seeds is not None else (),
        sft=sources_of(sft) if sft is not None else (),
        **options,
    )
    with render.progress(shared.silent) as progress:
        report = prepare(config, progress)
    if shared.json_output:
        render.print_json(report.to_json())
    elif not shared.quiet:
        _print(report)


def sources_of(text: str) -> tuple[Demonstrator, ...]:
    """'gold', 'rollouts' or 'gold,rollouts' → sources, in that order. Raises ConfigError."""
    parts = [part.strip() for part in text.split(",")]
    if not set(parts) <= set(_SOURCES) or len(set(parts)) < len(parts):
        remedy = "gold, rollouts, or gold,rollouts"
        raise ConfigError(f"{text!r} names no sources of examples", where="--sft", remedy=remedy)
    return tuple(source for name, source in _SOURCES.items() if name in parts)


def _print(report: PrepareReport) -> None:
    manifest = report.manifest
    rows: list[tuple[str, int, int, int]] = []
    for split in SPLITS:
        environments = [one for one in manifest.environments if one.split == split]
        families = len({one.family for one in environments})
        rows.append((_SIDES[split], families, len(environments), manifest.rows.get(split, 0)))
    render.table(f"Training set in {report.out}", ("side", "families", "databases", "tasks"), rows)
    levels = [str(level) for level in manifest.levels]
    balance = [(name, *(counts.get(level, 0) for level in levels)) for name, counts in manifest.balance.items()]
    render.table("Tasks to train on", ("family", *(f"level {level}" for level in levels)), balance)
    if manifest.examples:
        told = ", ".join(f"{source} {count}" for source, count in manifest.examples.items())
        render.out.print(f"examples to imitate: {told}", markup=False)
    if report.found:
        render.out.print(f"{report.found} had been played by a run that was interrupted", markup=False)
    if manifest.left_out:
        told = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in manifest.left_out.items())
        render.out.print(f"episodes that are no examples: {told}", markup=False)
