"""`envforge synth-tasks`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.task import Wording
from envforge.factory.judging import PROCESSES
from envforge.factory.synth_tasks import synth_tasks
from envforge.factory.task_config import SynthConfig, SynthReport, TaskAuthorName
from envforge.llm.connect import ModelSettings

ALL = "all"


def run(
    *,
    environments: tuple[str, ...],
    count: int,
    seed: int,
    difficulty: str,
    mix: str | None,
    processes: int | None,
    author: TaskAuthorName,
    model: ModelSettings | None,
    shared: SharedOptions,
) -> None:
    """Make tasks, print what came of it, exit 1 where an environment got none."""
    if ALL in environments and len(environments) > 1:
        raise ConfigError("'all' stands beside names", where="--env", remedy="give one or the other")
    config = SynthConfig(
        workspace=shared.workspace,
        environments=() if environments == (ALL,) else environments,
        count=count,
        seed=seed,
        levels=levels_of(difficulty),
        mix=mix_of(mix) if mix else {},
        processes=processes or PROCESSES,
        author=author,
        model=model,
    )
    with render.progress(shared.silent) as progress:
        reports = synth_tasks(config, progress)
    if shared.json_output:
        render.print_json([report_json(report) for report in reports])
    elif not shared.quiet:
        for report in reports:
            _print(report)
    if not all(report.shipped for report in reports):
        raise typer.Exit(1)


def levels_of(text: str, where: str = "--difficulty") -> tuple[int, ...]:
    """'4', '3,4,5' or '3-5' → levels. Raises ConfigError."""
    span = re.fullmatch(r"([1-5])-([1-5])", text)
    if span and span[1] <= span[2]:
        return tuple(range(int(span[1]), int(span[2]) + 1))
    if re.fullmatch(r"[1-5](,[1-5])*", text):
        return tuple(sorted({int(part) for part in text.split(",")}))
    raise ConfigError(f"{text!r} names no levels from 1 to 5", where=where, remedy="give 4, 3,4,5 or 3-5")


def mix_of(text: str) -> dict[str, float]:
    """'graph=0.6,program=0.4' → shares. Raises ConfigError."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        found = re.fullmatch(r"\s*(graph|program)=(\d+(?:\.\d+)?|\.\d+)\s*", part)
        if found is None or found[1] in shares:
            raise ConfigError(f"{text!r} is no mix", where="--mix", remedy="give graph=0.6,program=0.4")
        shares[found[1]] = float(found[2])
    return shares


def report_json(report: SynthReport) -> dict[str, Any]:
    """The report as plain JSON."""
    return {
        "environment": report.environment,
        "path": str(report.folder),
        "shipped": report.shipped,
        "wanted": report.wanted,
        "admitted": len(report.tasks),
        "tried": report.tried,
        "rejected": dict(sorted(report.rejected.items())),
        "gates": [gate.to_json() | {"passed": gate.passed} for gate in report.gates],
        "figures": report.figures,
        **({"wording": report.wording.to_json(), "spent": report.spent} if report.wording else {}),
    }


def _print(report: SynthReport) -> None:
    admitted = len(report.tasks)
    share = f", {admitted / report.tried:.0%}" if report.tried else ""
    head = f"Tasks of {report.environment}: {admitted} admitted of {report.tried} candidates{share}"
    if report.figures:
        render.table(head, ("figure", "value"), figure_rows(report.figures))
    else:
        render.out.print(head, style="bold", markup=False)
    if report.rejected:
        render.table("Rejected", ("gate", "candidates"), report.rejected.most_common())
    if report.tasks:
        render.gate_results(f"The set of {report.environment}", report.gates)
    if report.wording is not None:
        render.table(
            f"Texts by {report.wording.author}", ("figure", "value"), wording_rows(report.wording, report.spent)
        )
    for line in _outcome(report):
        render.out.print(line, markup=False, soft_wrap=True)
    render.out.print()


def _outcome(report: SynthReport) -> list[str]:
    if not report.tasks:
        why = "no candidate was found" if not report.tried else "no candidate passed every gate"
        return [f"no tasks: {why} (see {report.folder / 'rejected.jsonl'})"]
    lines = []
    if len(report.tasks) < report.wanted:
        lines.append(f"candidates ran out: {len(report.tasks)} of the {report.wanted} tasks that were wanted")
    if report.shipped:
        return [*lines, f"written: {report.folder}"]
    return [*lines, f"not shipped, the set failed a gate: {report.folder}"]


def figure_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures of a set for people."""
    hard, calls = figures["hard"], figures["minimal_calls"]
    tool = figures["largest_tool_share"]
    rows = [
        ("kinds", _counts(figures["kinds"])),
        ("goals", _counts(figures["goals"])),
        ("registers", _counts(figures["registers"])),
        ("levels", _counts(figures["levels"])),
        ("families", f"{len(figures['families'])}, the largest has {figures['largest_family_share']:.0%}"),
        ("minimal calls", f"median {calls['median']:g}, most {calls['most']}"),
    ]
    if hard["tasks"]:
        long = f"{hard['at_least_15']:.0%} at 15 or more, {hard['over_40']:.0%} over 40"
        rows.append(("levels 3 to 5", f"{hard['tasks']} tasks: median {hard['median']:g} calls, {long}"))
    rows.append(("tools", f"{figures['tools']}; {tool['tool']} has {tool['share']:.0%} of the calls"))
    rows.append(("pass@1 of agents", ", ".join(f"{agent} {rate:g}" for agent, rate in figures["baselines"].items())))
    return rows


def wording_rows(wording: Wording, spent: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a model made of the texts, for people."""
    rows = [
        ("kept", f"{wording.kept} of {wording.asked}, in {wording.tries} tries"),
        ("refused by", _counts(wording.refused) or "nothing"),
    ]
    for name, was in wording.before.items():
        rows.append((name.replace("_", " "), f"{was:.3f} before, {wording.after.get(name, 0.0):.3f} after"))
    if spent:
        tokens = spent["prompt_tokens"] + spent["completion_tokens"]
        rows.append(("spent", f"{spent['calls']} calls, {tokens:,} tokens, {spent['seconds']:g} seconds"))
    return rows


def _counts(held: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in held.items())
