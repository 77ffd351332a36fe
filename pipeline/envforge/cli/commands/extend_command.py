"""`envforge extend`."""

from __future__ import annotations

import re

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.factory.extending import ExtendConfig, ExtendReport, extend
from envforge.llm.connect import ModelSettings
from envforge.store.workspace import Workspace


def run(
    environment: str, *, model: ModelSettings, count: int, name: str | None, seed: int, shared: SharedOptions
) -> None:
    """Extend an environment, say what came of each tool; exit 1 where there is no new environment."""
    if name is not None and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ConfigError(f"{name!r} is no id", where="--as", remedy="small letters, digits and single hyphens")
    config = ExtendConfig(environment, model, count=count, name=name or "", seed=seed)
    with render.progress(shared.silent) as progress:
        report = extend(Workspace(shared.workspace), config, progress)
    if shared.json_output:
        render.print_json(
            {
                **report.toolsmith.to_json(),
                "report": str(report.report),
                "path": str(report.path) if report.path else None,
                "certified": report.certified,
                "gates": [gate.to_json() | {"passed": gate.passed} for gate in report.gates],
            }
        )
    elif not shared.quiet:
        _print(report)
    if not report.certified:
        raise typer.Exit(1)


def _print(report: ExtendReport) -> None:
    rows = [
        (
            one.name or "(none)",
            "kept" if one.kept else f"{one.stage} failed",
            str(one.tries),
            "; ".join(one.reasons)[:300],
        )
        for one in report.toolsmith.tools
    ]
    render.table(report.toolsmith.author, ("tool", "fate", "texts", "why"), rows)
    told = f"{report.toolsmith.calls} calls, {report.toolsmith.tokens:,} tokens"
    render.out.print(told, markup=False)
    if report.gates:
        render.gate_results("The environment with them", report.gates)
    fate = "no tool passed" if report.path is None else "written" if report.certified else "a gate rejects it"
    render.out.print(f"{fate}: {report.path or report.report}", markup=False, soft_wrap=True)
