"""The commands that play agents on tasks, and show what they did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

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


@sharing("quiet", "unsafe")
@with_model()
def rollout(
    shared: SharedOptions,
    llm: ModelOptions,
    environments: Annotated[list[str], typer.Option("--env", help="Id in the workspace, or a path; repeatable.")],
    agents: Annotated[
        list[str],
        typer.Option(
            "--agent", help="gold, noop, random:CALLS, scripted:SKILL, model (--model), command (--agent-command)."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the run; one that is there is gone on with.")],
    count: Annotated[
        int | None,
        typer.Option(min=1, help="Tasks of each environment, evenly over levels, drawn by --seed.", show_default="all"),
    ] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task, by id or place; repeatable.")] = None,
    attempts: Annotated[int, typer.Option(min=1, max=1000, help="Episodes of each agent on each task.")] = 1,
    concurrency: Annotated[int, typer.Option(min=1, max=10_000, help="Episodes at once.")] = 8,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes of an environment.")] = 2,
    seed: Annotated[int, typer.Option(help="Draws tasks and the seeds of episodes.")] = 0,
    again: Annotated[
        list[str] | None,
        typer.Option(help="Play episodes of this status again: infrastructure, error, truncated; repeatable."),
    ] = None,
    tries: Annotated[int, typer.Option(min=1, max=100, help="Of a call that fails, and may not the next time.")] = 5,
    protocol: Protocol = "native",
    prompt: Prompt = None,
    on_malformed: OnMalformed = "observe",
    max_turns: Annotated[int, typer.Option(min=1, max=10_000, help="Calls of a model's episode.")] = 60,
    one_call: Annotated[bool, typer.Option("--one-call", help="One call an answer, not several.")] = False,
    context_tokens: ContextTokens = None,
    on_overflow: OnOverflow = "stop",
    turn_tokens: TurnTokens = None,
    episode_tokens: Annotated[
        int | None, typer.Option(min=1, help="Of all answers of an episode.", show_default="no limit")
    ] = None,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Of the model.")] = 0.0,
    logprobs: Annotated[
        int | None, typer.Option(min=0, max=20, help="Keep log-probabilities, with so many alternatives.")
    ] = None,
    user: Annotated[
        Literal["scripted", "model"] | None,
        typer.Option(help="Somebody who holds a part of the task back until asked.", show_default="nobody"),
    ] = None,
    user_model: Annotated[
        str | None, typer.Option(help="With --user model: its name at the same endpoint.", show_default="--model")
    ] = None,
    agent_command: Annotated[
        str | None, typer.Option(help="With --agent command: is started for each episode (docs/rollouts.md).")
    ] = None,
    agent_seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of such a program for one episode.")] = 600.0,
    reward: Annotated[
        Literal["outcome", "fraction", "shaped"],
        typer.Option(help="Which one is an episode's reward; all are recorded beside it."),
    ] = "outcome",
    rewarding: Annotated[
        str | None,
        typer.Option(
            help='How shaped is made, as JSON, e.g. {"shape": "fraction", "malformed": 0.05, "long": 0.01}.',
            show_default="no penalties",
        ),
    ] = None,
) -> None:
    """Play agents on tasks, many episodes at once, and score them; exit 1 when some could not be scored."""
    from envforge.cli.commands import rollout_command

    model = llm.settings(tries=tries, at_once=concurrency) if llm.model is not None else None
    play = {
        "protocol": protocol, "prompt": prompt, "on_malformed": on_malformed, "max_turns": max_turns,
        "parallel": not one_call, "context_tokens": context_tokens, "on_overflow": on_overflow,
        "turn_tokens": turn_tokens, "episode_tokens": episode_tokens, "temperature": temperature,
        "top_logprobs": logprobs,
    }  # fmt: skip
    run = {
        "environments": tuple(environments), "agents": tuple(agents), "out": out, "count": count,
        "task_ids": tuple(task or ()), "attempts": attempts, "seed": seed, "concurrency": concurrency,
        "workers": workers, "again": tuple(again or ()), "user": user, "command": agent_command,
        "command_seconds": agent_seconds, "rewarding": rollout_command.rewarding_of(reward, rewarding),
    }  # fmt: skip
    rollout_command.run(run, model=model, play=play, user_model=user_model, shared=shared)


@sharing()
def replay(
    shared: SharedOptions,
    trajectories: Annotated[Path, typer.Argument(help="Folder of a run, or a file of trajectories.")],
    index: Annotated[
        int | None,
        typer.Option(min=1, help="Which episode.", show_default="the only one; of many a list, with --html the first"),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page, one file, instead.")] = None,
) -> None:
    """Show an episode: what was said, what was called, and what each call changed."""
    from envforge.cli.commands import replay_command

    replay_command.run(trajectories, index=index, html=html, shared=shared)
