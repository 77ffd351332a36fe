"""The commands that measure agents: eval, and what is made of its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.model_options import (
    ContextTokens,
    ModelOptions,
    OnMalformed,
    OnOverflow,
    Prompt,
    Protocol,
    TurnTokens,
    with_model,
)
from envforge.cli.options import SharedOptions, sharing

analyze_app = typer.Typer(help="Tables and plots from runs of envforge eval.", no_args_is_help=True)
RUN = "Folder of a run of envforge eval."


@sharing("quiet", "unsafe")
@with_model()
def evaluate(
    shared: SharedOptions,
    llm: ModelOptions,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="every environment that has tasks"),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="One that ships: gold, noop, noop-plausible, random:CALLS, scripted:SKILL.")
    ] = None,
    protocol: Protocol = "native",
    prompt: Prompt = None,
    on_malformed: OnMalformed = "observe",
    temperature: Annotated[
        float, typer.Option(min=0, max=2, help="Of the model; at 0 its episodes of a task may all be alike.")
    ] = 0.7,
    context_tokens: ContextTokens = None,
    on_overflow: OnOverflow = "stop",
    turn_tokens: TurnTokens = None,
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
    max_turns: Annotated[
        int | None,
        typer.Option("--max-turns", min=1, max=10_000, help="Of one episode.", show_default="60, without a model 200"),
    ] = None,
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
    bench: Annotated[
        str | None,
        typer.Option("--bench", help="A benchmark of others instead: bfcl, or inspect:TASK.", show_default="none"),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option("--category", help="With --bench bfcl: which items.", show_default="multi_turn_base"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="With --bench: the first so many items.", show_default="all")
    ] = None,
    bench_python: Annotated[
        Path | None,
        typer.Option(
            "--bench-python",
            help="With --bench: the interpreter of an environment that has it.",
            show_default=".venv-bfcl/bin/python beside ours; inspect: ours",
        ),
    ] = None,
    own_loop: Annotated[
        bool, typer.Option("--own-loop", help="With --bench bfcl: the same items through its own loop, too.")
    ] = False,
) -> None:
    """Measure an agent: pass@k and pass^k with intervals, by class, level and tool, its mistakes, and what it cost.

    With --bench a model is measured on a benchmark of others, by that benchmark's own checker (docs/benchmarks.md).
    """
    from envforge.cli.commands import bench_command, eval_command

    given = {
        "environments": tuple(env or ()), "episodes": episodes, "tasks": tasks, "against": against,
        "baselines": baselines, "concurrency": concurrency, "workers": workers, "seed": seed, "retry": retry,
        "to_tasks": to_tasks, "out": out,
    }  # fmt: skip
    model = llm.settings(at_once=concurrency) if llm.model is not None else None
    play = {
        "protocol": protocol, "prompt": prompt, "on_malformed": on_malformed, "max_turns": max_turns,
        "context_tokens": context_tokens, "on_overflow": on_overflow, "turn_tokens": turn_tokens,
        "temperature": temperature,
    }  # fmt: skip
    asked = {"agent": agent, "model": model, "play": play}
    of_bench = {"category": category, "limit": limit, "bench_python": bench_python, "own_loop": own_loop}
    if bench is not None:
        bench_command.run(bench, {**given, "inspect": inspect}, {**asked, **of_bench}, shared=shared)
        return
    bench_command.refuse_without(of_bench)
    eval_command.run(given, asked, inspect=inspect, shared=shared)


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


@analyze_app.command("scaling")
@sharing("quiet")
def scaling(
    shared: SharedOptions,
    runs: Annotated[list[str], typer.Argument(help="X=FOLDER: a run of envforge eval, and where it stands.")],
    by: Annotated[str, typer.Option("--by", help="What X is: environments, rounds, …")] = "environments",
    out: Annotated[
        Path | None, typer.Option("--out", help="File for the plot, as a page.", show_default="none")
    ] = None,
) -> None:
    """pass@k and pass^k of runs on the same tasks, over the environments or rounds of training behind each."""
    from envforge.cli.commands import analyze_command

    analyze_command.run_scaling(runs, by=by, out=out, shared=shared)


@analyze_app.command("difficulty")
@sharing("quiet")
def difficulty(
    shared: SharedOptions,
    runs: Annotated[list[Path], typer.Argument(help=RUN)],
    out: Annotated[
        Path | None, typer.Option("--out", help="File for the plots, as a page.", show_default="none")
    ] = None,
) -> None:
    """pass@1 of runs by the level of tasks and by the fewest calls that solve them."""
    from envforge.cli.commands import analyze_command

    analyze_command.run_difficulty(runs, out=out, shared=shared)
