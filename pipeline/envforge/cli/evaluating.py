"""The commands that measure agents: eval, and what is made of its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing

analyze_app = typer.Typer(help="Tables and plots from runs of envforge eval.", no_args_is_help=True)
RUN = "Folder of a run of envforge eval."


@sharing("quiet", "unsafe")
def evaluate(
    shared: SharedOptions,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="every environment that has tasks"),
    ] = None,
    agent: Annotated[
        str, typer.Option(help="gold, noop, noop-plausible, random, random:CALLS or scripted:SKILL.")
    ] = "scripted:0.8",
    episodes: Annotated[int, typer.Option("--k", min=1, max=1000, help="Episodes of each task.")] = 4,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Of each environment, evenly over levels.", show_default="all")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--vs", help="Folder of another run on the same tasks, to compare with.")
    ] = None,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="With gold, doing nothing and random calls beside it.")
    ] = False,
    max_turns: Annotated[int, typer.Option("--max-turns", min=1, max=10_000, help="Calls of one episode.")] = 200,
    concurrency: Annotated[int, typer.Option(min=1, max=10_000, help="Episodes at once.")] = 8,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Sandboxed processes of each environment.")] = 1,
    seed: Annotated[int, typer.Option(help="Draws tasks, episodes and intervals.")] = 0,
    retry: Annotated[
        bool, typer.Option("--retry", help="Play again what ended in an error or a fault of the infrastructure.")
    ] = False,
    to_tasks: Annotated[
        bool, typer.Option("--to-tasks", help="Write pass rates to tasks/<environment>/measured.jsonl, too.")
    ] = False,
    inspect: Annotated[
        Path | None, typer.Option("--inspect", help="File for the run as a log of Inspect (.json).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder of the run; an interrupted one is gone on with there.",
            show_default="runs/eval-<agent>-<hash>",
        ),
    ] = None,
) -> None:
    """Measure an agent: pass@k and pass^k with intervals, by class, level and tool, its mistakes, and what it cost."""
    from envforge.cli.commands import eval_command

    given = {
        "environments": tuple(env or ()), "episodes": episodes, "tasks": tasks, "against": against,
        "baselines": baselines, "concurrency": concurrency, "workers": workers, "seed": seed, "retry": retry,
        "to_tasks": to_tasks, "out": out,
    }  # fmt: skip
    eval_command.run(given, agent=agent, max_turns=max_turns, inspect=inspect, shared=shared)


@analyze_app.command("errors")
@sharing("quiet", "unsafe")
def errors(
    shared: SharedOptions,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="every environment that has tasks"),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Episodes of each kind of mistake, in all.")] = 30,
    seed: Annotated[int, typer.Option(help="Draws tasks and mistakes.")] = 0,
) -> None:
    """How often the diagnosis of mistakes is right, on gold solutions with one known mistake each."""
    from envforge.cli.commands import analyze_command

    analyze_command.run_errors(tuple(env or ()), count=count, seed=seed, shared=shared)
