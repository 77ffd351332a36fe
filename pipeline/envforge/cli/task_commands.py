"""The commands about tasks: make them, list, show, replay, verify."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import (
    EnvironmentArgument,
    ProcessesOption,
    SharedOptions,
    sharing,
)

TASK = "Id, the beginning of it, or its place in the list (1, 2, …)."
tasks_app = typer.Typer(help="The tasks of an environment.", no_args_is_help=True)
TaskArgument = Annotated[str, typer.Argument(help=TASK)]


@sharing("quiet", "unsafe")
@with_model()
def synth_tasks(
    shared: SharedOptions,
    llm: ModelOptions,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="Id or path; repeatable.", show_default="every certified environment"),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Tasks for each environment.")] = 100,
    seed: Annotated[int, typer.Option(help="Decides which goals are chosen and how they are worded.")] = 0,
    difficulty: Annotated[str, typer.Option(help="Levels: 4, 3,4,5 or 3-5.")] = "1-5",
    mix: Annotated[
        str | None, typer.Option(help="Shares of kinds: graph=0.6,program=0.4.", show_default="as they come")
    ] = None,
    processes: ProcessesOption = None,
    author: Annotated[
        Literal["compiled", "mixed", "agent"],
        typer.Option(help="Whose words: ours; a model's where they pass every gate; a model's only."),
    ] = "compiled",
) -> None:
    """Make tasks for certified environments; only those that pass every gate are kept."""
    from envforge.cli.commands import synth_command

    synth_command.run(
        environments=tuple(env or ()), count=count, seed=seed, difficulty=difficulty, mix=mix, processes=processes,
        author=author, model=llm.author(author), shared=shared,
    )  # fmt: skip


@tasks_app.command("list")
@sharing()
def tasks_list(
    shared: SharedOptions,
    environment: EnvironmentArgument,
) -> None:
    """One line per task."""
    from envforge.cli.commands import tasks_command

    tasks_command.run_list(environment, shared=shared)


@tasks_app.command("show")
@sharing()
def tasks_show(
    shared: SharedOptions,
    environment: EnvironmentArgument,
    task: Annotated[
        str | None,
        typer.Argument(
            help="Id, the beginning of it, or its place in the list (1, 2, …).", show_default="the set as a whole"
        ),
    ] = None,
    program: Annotated[bool, typer.Option("--program", help="Print the gold solution's source.")] = False,
    verifier: Annotated[bool, typer.Option("--verifier", help="Print the verifier's source.")] = False,
) -> None:
    """A task for people to read: what is asked, what is checked, how it is solved, what its gates found."""
    from envforge.cli.commands import tasks_command

    tasks_command.run_show(environment, task, program=program, verifier=verifier, shared=shared)


@tasks_app.command("replay")
@sharing("unsafe")
def tasks_replay(
    shared: SharedOptions,
    environment: EnvironmentArgument,
    task: TaskArgument,
    agent: Annotated[
        str, typer.Option(help="gold, noop, noop-plausible, random, random:CALLS or scripted:SKILL.")
    ] = "gold",
    seed: Annotated[int, typer.Option(help="Episode seed, and the agent's.")] = 0,
) -> None:
    """Let an agent work on a task; print what it did and what that is worth."""
    from envforge.cli.commands import tasks_command

    tasks_command.run_replay(environment, task, agent=agent, seed=seed, shared=shared)


@tasks_app.command("verify")
@sharing("quiet", "unsafe")
def tasks_verify(
    shared: SharedOptions,
    environment: EnvironmentArgument,
    task: Annotated[
        str | None,
        typer.Argument(help=TASK, show_default="every task"),
    ] = None,
    processes: ProcessesOption = None,
) -> None:
    """Run every gate again on the tasks as they ship and compare with their certificates; exit 1 on a mismatch."""
    from envforge.cli.commands import tasks_command

    tasks_command.run_verify(environment, task, processes=processes, shared=shared)
