"""`envforge train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.train_config import TrainConfig
from envforge.factory.training import TrainRequest, planned, settings_of, train
from envforge.train.plan import Plan
from envforge.train.run import TrainReport

_RUNS = Path("runs") / "train"


def run(
    *,
    config: Path | None,
    preset: str | None,
    data: str,
    environments: tuple[str, ...],
    model: str | None,
    out: Path | None,
    seed: int | None,
    stop_at: int | None,
    dry_run: bool,
    shared: SharedOptions,
) -> None:
    """Train, or print the plan."""
    if (config is None) == (preset is None):
        remedy = "give --preset cpu-smoke, or a file of settings with --config"
        raise ConfigError("give either --config or --preset", remedy=remedy)
    settings = settings_of(config, preset, model=model, seed=seed)
    request = TrainRequest(
        workspace=shared.workspace,
        config=settings,
        out=out if out is not None else shared.workspace / _RUNS / settings.name,
        data=data,
        environments=environments,
        stop_at=stop_at,
    )
    if dry_run:
        _show_plan(settings, request, _again(config, preset, data, environments, model, out, seed, shared), shared)
        return
    with render.progress(shared.silent) as progress:
        report = train(request, progress)
    if shared.json_output:
        render.print_json(report.to_json())
    elif not shared.quiet:
        _print(report)


def _again(
    config: Path | None,
    preset: str | None,
    data: str,
    environments: tuple[str, ...],
    model: str | None,
    out: Path | None,
    seed: int | None,
    shared: SharedOptions,
) -> list[str]:
    """The same command without --dry-run."""
    given: list[tuple[str, Any]] = [
        ("--config", config),
        ("--preset", preset),
        ("--data", None if data == "workspace" else data),
        *(("--env", name) for name in environments),
        ("--model", model),
        ("--out", out),
        ("--seed", seed),
        ("--workspace", None if shared.workspace == Path() else shared.workspace),
    ]
    return [part for name, value in given if value is not None for part in (name, str(value))]


def _show_plan(settings: TrainConfig, request: TrainRequest, again: list[str], shared: SharedOptions) -> None:
    plan, files = planned(request, again)
    if shared.json_output:
        told = {"settings": settings.model_dump(mode="json"), **plan.to_json(), "files": [str(path) for path in files]}
        render.print_json(told)
    elif not shared.quiet:
        _print_plan(settings, plan, files)


def _print_plan(settings: TrainConfig, plan: Plan, files: list[Path]) -> None:
    hardware = settings.hardware
    where = "the CPU" if hardware.device == "cpu" else f"{hardware.gpus} × {hardware.gigabytes:.0f} GB"
    rows: list[tuple[str, str]] = [
        ("runs on", where),
        ("parameters", f"{plan.parameters:,.0f}, of which {plan.trained:,.0f} are trained"),
        ("rollouts of a step", f"{plan.rollouts_per_step:,} in {plan.passes_per_step:,} passes"),
        ("tokens of a step, at most", f"{plan.tokens_per_step:,}"),
        ("weights and optimiser", f"{plan.weights_gb:.2f} GB"),
        ("activations of a pass", f"{plan.activations_gb:.2f} GB"),
        ("vLLM", f"{plan.serving_gb:.1f} GB" if plan.serving_gb else "none in this process"),
        ("together", f"{plan.total_gb:.2f} GB" + (f" of {hardware.gigabytes:.0f}" if hardware.gigabytes else "")),
    ]
    render.table(f"Plan of {settings.name}", ("what", "value"), rows)
    for note in plan.notes:
        render.out.print(f"note: {note}", markup=False, soft_wrap=True)
    for path in files:
        render.out.print(f"written: {path}", markup=False, soft_wrap=True)
    for command in plan.commands:
        render.out.print(command, markup=False, soft_wrap=True)


def _print(report: TrainReport) -> None:
    stages = [
        (name, ", ".join(f"{key.replace('_', ' ')} {_short(value)}" for key, value in told.items()))
        for name, told in report.stages.items()
    ]
    render.table(f"Trained in {report.out}", ("stage", "what came of it"), stages)
    if report.evaluations:
        names = list(dict.fromkeys(name for told in report.evaluations for name in told))
        rows = [[_short(told.get(name, "")) for name in names] for told in report.evaluations]
        render.table("On what is held out", names, rows)
    for warning in report.warnings:
        render.out.print(f"warning: {warning}", markup=False, soft_wrap=True)
    if report.stopped_at is not None:
        render.out.print(f"stopped after step {report.stopped_at}: the same command goes on", markup=False)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "-" if value is None else str(value)
