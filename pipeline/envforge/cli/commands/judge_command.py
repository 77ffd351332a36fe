"""`envforge judge`."""

from __future__ import annotations

from pathlib import Path

import typer

from envforge.agents.judge.judge import JudgeSettings
from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.records.judging import JudgeReport
from envforge.factory.judge_exam import ExamConfig, examine_judge
from envforge.llm.connect import ModelSettings
from envforge.store.workspace import Workspace


def run(
    *,
    environments: tuple[str, ...],
    tasks: int,
    seed: int,
    doubt: float,
    model: ModelSettings,
    shared: SharedOptions,
) -> None:
    """Examine a model as a judge; exit 1 where it may not score."""
    config = ExamConfig(environments, model, tasks=tasks, seed=seed, judge=JudgeSettings(doubt=doubt))
    with render.progress(shared.silent) as progress:
        report, path = examine_judge(Workspace(shared.workspace), config, progress)
    if shared.json_output:
        render.print_json({"report": str(path), "may_score": report.calibration.holds, **report.to_json()})
    elif not shared.quiet:
        _print(report, path)
    if not report.calibration.holds:
        raise typer.Exit(1)


def _print(report: JudgeReport, path: Path) -> None:
    held = report.calibration
    met = sum(one.met for one in report.examined)
    rows = [
        ("items", f"{len(report.examined)}: {met} met, {len(report.examined) - met} unmet"),
        ("held out from finding the cut", str(held.items)),
        ("right on met items", f"{held.right_on_met:.0%}"),
        ("right on unmet items", f"{held.right_on_unmet:.0%}"),
        ("both have to reach", f"{held.least:.0%}"),
        ("failed episodes called all met", f"{held.passed_mutants} (none may be)"),
        ("readings that agree", f"{report.agreement:.0%}"),
        ("AUC of the margins", "unknown" if report.auc is None else f"{report.auc:.2f}"),
        ("abstained", str(report.abstained)),
    ]
    render.table(held.judge, ("figure", "value"), rows)
    render.out.print("it may score" if held.holds else "it may not score", markup=False)
    render.out.print(str(path), markup=False, soft_wrap=True)
