"""`envforge check`."""

from __future__ import annotations

from pathlib import Path

import typer

from envforge.cli import render
from envforge.cli.commands.mine_command import environment_json
from envforge.core.contracts import Progress
from envforge.factory.certify import CheckReport, check_environment
from envforge.store.workspace import Workspace


def run(names: list[str], *, write: bool, workspace: Path, json_output: bool, quiet: bool) -> None:
    """Check each environment; exit 1 if any does not hold."""
    place = Workspace(workspace)
    with render.progress(quiet or json_output) as progress:
        reports = [_check(place, name, write, progress) for name in names]
    if json_output:
        render.print_json([{**environment_json(r.environment), "mismatches": list(r.mismatches)} for r in reports])
    elif not quiet:
        for report in reports:
            _print(report)
    if not all(report.holds for report in reports):
        raise typer.Exit(1)


def _check(place: Workspace, name: str, write: bool, progress: Progress) -> CheckReport:
    return check_environment(place, name, write=write, progress=progress)


def _print(report: CheckReport) -> None:
    render.gates(report.environment)
    for mismatch in report.mismatches:
        render.out.print(f"  mismatch: {mismatch}", markup=False)
    state = "holds" if report.holds else "does NOT hold"
    render.out.print(f"{report.environment.id}: the certificate {state}\n", markup=False)
