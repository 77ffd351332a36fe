"""`envforge check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from envforge.cli import render
from envforge.cli.commands.mine_command import environment_json
from envforge.cli.commands.tasks_command import print_tasks, tasks_json
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.factory.certify import CheckReport, check_environment, replay_golds
from envforge.factory.judging import PROCESSES
from envforge.factory.modes import SAMPLE, ModesReport, check_modes
from envforge.store.workspace import Workspace

_SHOWN = 20


def run(
    names: list[str],
    *,
    write: bool,
    tasks: bool,
    processes: int | None,
    shared: SharedOptions,
) -> None:
    """Check each environment and its tasks; exit 1 if any does not hold."""
    place = Workspace(shared.workspace)
    every = (processes or PROCESSES) if tasks else 0
    with render.progress(shared.silent) as progress:
        reports = [
            check_environment(place, name, write=write, progress=progress, every_task_gate=every) for name in names
        ]
    if shared.json_output:
        render.print_json([_json(report) for report in reports])
    elif not shared.quiet:
        for report in reports:
            _print(report)
    if not all(report.holds for report in reports):
        raise typer.Exit(1)


def run_replay(names: list[str], *, shared: SharedOptions) -> None:
    """Hashes and golds of each environment; exit 1 if any does not hold, or has no task."""
    place = Workspace(shared.workspace)
    with render.progress(shared.silent) as progress:
        reports = [replay_golds(place, name, progress) for name in names]
    if shared.json_output:
        render.print_json([tasks_json(report) for report in reports])
    elif not shared.quiet:
        for report in reports:
            print_tasks(report)
    if not all(report.holds for report in reports):
        raise typer.Exit(1)


def run_forked(
    names: list[str],
    *,
    episodes: Path | None,
    sample: int | None,
    seed: int,
    shared: SharedOptions,
) -> None:
    """Compare both worker modes in each environment; exit 1 if they differ in any."""
    if episodes is not None and len(names) != 1:
        remedy = "name the environment in which they were recorded"
        raise ConfigError(f"the episodes of a file are of one environment, not of {len(names)}", remedy=remedy)
    place = Workspace(shared.workspace)
    with render.progress(shared.silent) as progress:
        reports = [
            check_modes(
                place,
                name,
                episodes=episodes,
                sample=SAMPLE if sample is None else sample,
                seed=seed,
                progress=progress,
            )
            for name in names
        ]
    if shared.json_output:
        render.print_json([report.to_json() for report in reports])
    elif not shared.quiet:
        for report in reports:
            _print_modes(report)
    if not all(report.agrees for report in reports):
        raise typer.Exit(1)


def refuse_beside_replay(**given: bool) -> None:
    """Raises ConfigError for options that are about the gates or the worker modes."""
    if names := [name for name, value in given.items() if value]:
        raise ConfigError(f"--{names[0]} does not go with --replay, which runs no gate", remedy="give one of them")


def refuse_forked_options(*, episodes: Path | None, sample: int | None) -> None:
    """Raises ConfigError for options that go with --forked only."""
    for name, value in (("--episodes", episodes), ("--sample", sample)):
        if value is not None:
            raise ConfigError(f"{name} goes with --forked", where="envforge check", remedy="add --forked")


def _json(report: CheckReport) -> dict[str, Any]:
    value = {**environment_json(report.environment), "mismatches": list(report.mismatches)}
    return {**value, "tasks": tasks_json(report.tasks)} if report.tasks else value


def _print(report: CheckReport) -> None:
    render.gates(report.environment)
    for mismatch in report.mismatches:
        render.out.print(f"  mismatch: {mismatch}", markup=False)
    if report.tasks is not None:
        print_tasks(report.tasks)
    holds = report.environment.certified and not report.mismatches
    state = "holds" if holds else "does NOT hold"
    render.out.print(f"{report.environment.id}: the certificate {state}\n", markup=False)


def _print_modes(report: ModesReport) -> None:
    origin = "recorded" if report.recorded else "made of the tests' calls"
    tests = [
        f"{len(run.passed)} passed, {len(run.failed)} failed" for run in (report.shared_tests, report.forked_tests)
    ]
    ran = f"{len(report.sampled)} of {report.episodes}, {report.calls} calls"
    rows = [
        ("unit tests", *tests, len(report.test_differences)),
        (f"episodes ({origin})", f"{ran}, twice", ran, len(report.disagreements)),
        ("names of the module", f"{len(report.left_behind)} changed", "", len(report.left_behind)),
        ("state in the code", f"{len(report.findings)} found", "", len(report.findings)),
    ]
    columns = (report.id, "shared: one process", "forked: one each", "differences")
    render.table(f"Both modes of {report.id}", columns, rows)
    told = [f"tools.py, {one}" for one in report.findings]
    told += [f"test {one.test}: {one.detail}" for one in report.test_differences]
    told += [f"test {name} fails: {error}" for name, error in report.forked_tests.failed.items()]
    told += [f"{name} in the module is not what it was before the calls" for name in report.left_behind]
    told += [str(one) for one in report.disagreements]
    for line in told[:_SHOWN]:
        render.out.print(f"  {line}", markup=False)
    if len(told) > _SHOWN:
        render.out.print(f"  … and {len(told) - _SHOWN} more (--json has all)", markup=False)
    state = "both modes agree" if report.agrees else "the modes do NOT agree"
    render.out.print(f"{report.id}: {state}\n", markup=False)
