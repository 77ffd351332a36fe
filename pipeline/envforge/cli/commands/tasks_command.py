"""`envforge tasks list|show|replay|verify`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from envforge.cli import render
from envforge.cli.commands.synth_command import figure_rows
from envforge.cli.commands.task_words import check_rows, field_rows, named, wrapped
from envforge.cli.commands.trajectory_words import call_words, cut, say, show_trajectory
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.evaluation import MeasuredDifficulty
from envforge.core.records.task import Difficulty, Task, TaskSetCertificate
from envforge.factory.eval_files import measured_of
from envforge.factory.judging import PROCESSES
from envforge.factory.opened_tasks import open_tasks, task_folder
from envforge.factory.verify_tasks import TasksReport, verify_tasks
from envforge.store.tasks import read_set_certificate, read_tasks
from envforge.store.workspace import Workspace

_SHOWN_CALLS = 40
_SHOWN_PROBLEMS = 20


def run_list(name: str, *, shared: SharedOptions) -> None:
    """One line per task."""
    tasks = read_tasks(task_folder(Workspace(shared.workspace), name)).tasks
    if shared.json_output:
        render.print_json([_line(task) for task in tasks])
        return
    for number, task in enumerate(tasks, start=1):
        level, calls = task.difficulty.level, task.difficulty.minimal_calls
        say(f"{number:3} {task.id}  {task.kind:7}  level {level}  {calls:3} calls  {task.intent.family}", bold=True)
        say(f"    {cut(' '.join(task.instruction.split()))}")
    say(f"{len(tasks)} tasks")


def _line(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "kind": task.kind,
        "level": task.difficulty.level,
        "minimal_calls": task.difficulty.minimal_calls,
        "family": task.intent.family,
        "instruction": task.instruction,
    }


def run_show(name: str, task: str | None, *, program: bool, verifier: bool, shared: SharedOptions) -> None:
    """A task, one of its sources, or the set."""
    folder = task_folder(Workspace(shared.workspace), name)
    if task is None:
        if program or verifier:
            raise ConfigError("--program and --verifier are of one task", where="tasks show", remedy="name the task")
        _show_set(read_set_certificate(folder), shared.json_output)
        return
    tasks = read_tasks(folder)
    found = tasks.task(task)
    if program or verifier:
        sources = [tasks.programs] if program else []
        sources += [tasks.verifiers] if verifier else []
        _show_sources(found, [held.get(found.id, "") for held in sources])
    elif shared.json_output:
        render.print_json(found.to_json())
    else:
        _show(found, measured_of(folder, found))


def _show_set(certificate: TaskSetCertificate, json_output: bool) -> None:
    if json_output:
        render.print_json(certificate.to_json())
        return
    held, hash_ = certificate.figures, certificate.environment_hash[:16]
    head = f"Tasks of {certificate.environment_id} {hash_}, seed {certificate.seed}"
    render.table(f"{head}: {held['tasks']} of {certificate.tried} candidates", ("figure", "value"), figure_rows(held))
    families = sorted(held["families"].items(), key=lambda entry: (-entry[1], entry[0]))
    render.table("Families", ("family", "tasks"), families)
    if certificate.rejected:
        rejected = sorted(certificate.rejected.items(), key=lambda entry: (-entry[1], entry[0]))
        render.table("Rejected", ("gate", "candidates"), rejected)
    render.gate_results("The set", certificate.gates)


def _show_sources(task: Task, sources: list[str]) -> None:
    if not all(sources):
        raise ConfigError("is a graph task: it has no source files", where=task.id, remedy="tasks show without options")
    for source in sources:
        render.out.print(source.rstrip("\n"), markup=False, soft_wrap=True)


def _show(task: Task, measured: Sequence[MeasuredDifficulty]) -> None:
    say(f"{task.id} · {task.environment_id} · {task.intent.kind.replace('_', ' ')} · {task.kind}")
    say(f"family {task.intent.family}, {task.intent.source} · {task.register_of_speech}")
    say("")
    for line in wrapped(task.instruction, 96):
        say(f"    {line}")
    say("")
    say(f"It is {task.now[:10]}, {task.now[11:16]} UTC, when the episode begins.\n")
    if task.answer_schema.get("properties"):
        render.table("The answer", ("field", "type", "what it is"), field_rows(task.answer_schema))
    render.table("What is checked", ("check", "weight", "condition"), check_rows(task.checks))
    if task.rubric:
        rows = [(item.text, named(item.checks)) for item in task.rubric]
        render.table("Rubric", ("item", "checks"), rows)
    _show_gold(task)
    say(f"Difficulty: {difficulty_words(task.difficulty)}\n")
    render.gate_results("Gates", task.certificate.gates)
    if measured:
        known = [(one.agent, f"{one.passed} of {one.scored}", f"{one.rate:.2f}") for one in measured]
        render.table("Measured (envforge eval --to-tasks)", ("agent", "passed", "rate, posterior mean"), known)
    if task.certificate.baselines:
        rates = [(agent, _rates(found)) for agent, found in task.certificate.baselines.items()]
        render.table("Agents", ("agent", "chance to pass"), rates)


def _show_gold(task: Task) -> None:
    say(f"The gold solution ({len(task.gold)} calls)", bold=True)
    shown = task.gold if len(task.gold) <= _SHOWN_CALLS else task.gold[: _SHOWN_CALLS - 5]
    for number, call in enumerate(shown, start=1):
        say(f"{number:4} {'*' if call.writes else ' '} {call_words(call.tool, call.arguments)}")
    if len(shown) < len(task.gold):
        say(f"     … {len(task.gold) - len(shown)} more (--json has all)")
    say(f"     answer {json.dumps(task.gold_answer, ensure_ascii=False)}\n")


def difficulty_words(found: Difficulty) -> str:
    """The figures in a sentence."""
    return (
        f"level {found.level}: {found.minimal_calls} calls at least, {found.writes} of them writing, "
        f"{found.tools} tools, chains of {found.depth}, {found.branches} branches, "
        f"{found.entities} candidates to tell apart, {found.distractors} of them distractors, "
        f"{found.pages} further pages"
    )


def _rates(found: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {rate:.2f}" for name, rate in found.items() if name.startswith("pass@"))


def run_replay(name: str, task: str, *, agent: str, seed: int, shared: SharedOptions) -> None:
    """One episode and its verdict; exit 1 when it could not be scored."""
    opened = open_tasks(Workspace(shared.workspace), name)
    trajectory = opened.replay(opened.tasks.task(task), agent, seed)
    if shared.json_output:
        render.print_json(trajectory.to_json())
    else:
        show_trajectory(trajectory)
    if trajectory.verdict is None or trajectory.verdict.score is None:
        raise typer.Exit(1)


def run_verify(name: str, task: str | None, *, processes: int | None, shared: SharedOptions) -> None:
    """Every gate again; exit 1 on a mismatch."""
    with render.progress(shared.silent) as progress:
        report = verify_tasks(Workspace(shared.workspace), name, progress, task=task, processes=processes or PROCESSES)
    if shared.json_output:
        render.print_json(tasks_json(report))
    elif not shared.quiet:
        print_tasks(report)
    if not report.holds:
        raise typer.Exit(1)


def print_tasks(report: TasksReport) -> None:
    """What was found of tasks that ship."""
    for problem in report.problems[:_SHOWN_PROBLEMS]:
        say(f"  mismatch: {problem}")
    if len(report.problems) > _SHOWN_PROBLEMS:
        say(f"  … and {len(report.problems) - _SHOWN_PROBLEMS} more (--json has all)")
    how = "every gate" if report.every_gate else "gold passes, doing nothing fails, files and verdicts agree"
    state = "hold" if report.holds else "do NOT hold"
    say(f"{report.environment}: {report.tasks} tasks {state} ({how})")


def tasks_json(report: TasksReport) -> dict[str, Any]:
    """The report as plain JSON."""
    return {
        "environment": report.environment,
        "path": str(report.folder),
        "tasks": report.tasks,
        "every_gate": report.every_gate,
        "holds": report.holds,
        "problems": list(report.problems),
    }
