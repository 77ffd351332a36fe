"""The command line: parse, build one config, call one function, print. Rooms are imported when they are used."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Annotated

import typer

from envforge import __version__
from envforge.cli import (
    browsing,
    evaluating,
    extending,
    interrupt,
    judging,
    mining,
    models,
    preparing,
    publishing,
    rollouts,
    searching,
    serving,
    task_commands,
    theming,
    training,
)
from envforge.cli.options import (
    EnvironmentArgument,
    ProcessesOption,
    SharedOptions,
    sharing,
)
from envforge.core.errors import ConfigError, EnvforgeError

app = typer.Typer(
    name="envforge",
    help="Mines the real world into databases, tools and tests: training grounds for tool-using agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(theming.themes_app, name="themes")
app.add_typer(task_commands.tasks_app, name="tasks")
app.add_typer(models.models_app, name="models")
app.add_typer(evaluating.analyze_app, name="analyze")


def _version(value: bool) -> None:
    if value:
        print(f"envforge {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Common options."""


app.command("mine")(mining.mine)


@app.command()
@sharing("quiet", "unsafe")
def check(
    shared: SharedOptions,
    environments: Annotated[list[str], typer.Argument(help="Ids in the workspace, or paths.")],
    write: Annotated[bool, typer.Option("--write", help="Rewrite certificate.json with the fresh verdicts.")] = False,
    forked: Annotated[
        bool,
        typer.Option("--forked", help="Instead of the gates: tests and episodes in both worker modes, compared."),
    ] = False,
    episodes: Annotated[
        Path | None,
        typer.Option(help="With --forked: recorded episodes (episodes.jsonl).", show_default="the tests' calls, mixed"),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="With --forked: how many episodes.", show_default="20")
    ] = None,
    seed: Annotated[int, typer.Option(help="With --forked: draws the sample.")] = 0,
    tasks: Annotated[bool, typer.Option("--tasks", help="Tasks: every gate again, not only the short check.")] = False,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Instead of the gates: the files' hashes, and that each task's gold passes."),
    ] = False,
    processes: ProcessesOption = None,
) -> None:
    """Run every gate again and compare with the certificate, check the tasks; exit 1 on any mismatch."""
    from envforge.cli.commands import check_command

    if replay:
        check_command.refuse_beside_replay(write=write, forked=forked, tasks=tasks)
        check_command.refuse_forked_options(episodes=episodes, sample=sample)
        check_command.run_replay(environments, shared=shared)
        return
    if not forked:
        check_command.refuse_forked_options(episodes=episodes, sample=sample)
        check_command.run(environments, write=write, tasks=tasks, processes=processes, shared=shared)
        return
    if write or tasks:
        name = "--write" if write else "--tasks"
        raise ConfigError(f"{name} is about the gates, which --forked does not run", remedy="give one of them")
    check_command.run_forked(environments, episodes=episodes, sample=sample, seed=seed, shared=shared)


@app.command()
@sharing()
def show(
    shared: SharedOptions,
    environment: EnvironmentArgument,
    table: Annotated[str | None, typer.Option("--table", help="Columns and first rows of a table.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", help="Description and source of a tool.")] = None,
    provenance: Annotated[
        tuple[str, str] | None, typer.Option("--provenance", help="TABLE KEY: where that row comes from.")
    ] = None,
    rows: Annotated[int, typer.Option(min=0, max=1000, help="Rows to show with --table.")] = 10,
) -> None:
    """Show an environment, one of its tables or tools, or where a row comes from."""
    from envforge.cli.commands import show_command

    show_command.run(
        environment,
        table=table,
        tool=tool,
        provenance=provenance,
        rows=rows,
        shared=shared,
    )


@app.command()
@sharing("unsafe")
def call(
    shared: SharedOptions,
    environment: EnvironmentArgument,
    tool: Annotated[str, typer.Argument(help="Name of the tool.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="key=value; JSON where the schema wants it.")] = None,
    seed: Annotated[int, typer.Option(help="Episode seed (minted ids).")] = 0,
) -> None:
    """Call one tool in a fresh World; print the result and what it changed."""
    from envforge.cli.commands import call_command

    call_command.run(environment, tool, arguments or [], seed=seed, shared=shared)


app.command("synth-tasks")(task_commands.synth_tasks)
app.command("rollout")(rollouts.rollout)
app.command("replay")(rollouts.replay)
app.command("serve")(serving.serve)
app.command("search")(searching.search)
app.command("eval")(evaluating.evaluate)
app.command("prepare")(preparing.prepare)
app.command("train")(training.train)
app.command("judge")(judging.judge)
app.command("extend")(extending.extend)
app.command("browse")(browsing.browse)
app.command("publish")(publishing.publish)
app.command("pull")(publishing.pull)


@app.command()
@sharing("unsafe")
def graph(
    shared: SharedOptions,
    environment: Annotated[str, typer.Argument(help="Id in the workspace, or a path.")],
    form: Annotated[str, typer.Option("--format", help="Of --out: svg, html or json.")] = "svg",
    out: Annotated[Path | None, typer.Option("--out", help="File to write the graph to.")] = None,
    seed: Annotated[int, typer.Option(help="Draws the probes.")] = 0,
) -> None:
    """Draw which tools feed which, as executed probes show it, and print statistics."""
    from envforge.cli.commands import graph_command

    graph_command.run(environment, form=form, out=out, seed=seed, shared=shared)


@app.command()
@sharing("quiet")
def doctor(
    shared: SharedOptions,
    train: Annotated[
        bool, typer.Option("--train", help="Only what training needs: versions of packages, GPUs, ports.")
    ] = False,
) -> None:
    """Say how this machine holds untrusted code, tried live, and what else it has; exit 1 when it does not."""
    from envforge.cli.commands import doctor_command

    if train:
        doctor_command.run_training(shared=shared)
        return
    doctor_command.run(shared=shared)


_INTERRUPTED = 130
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
"""What a disk says that takes no more, wherever in a run it says so."""


def main() -> None:
    """Entry point: errors are one line with the remedy and exit code 2; no traceback."""
    if sys.platform == "win32":
        # Modules that the commands import are not there; the sandbox could not be had either.
        _complain("error (config): envforge does not run on Windows itself (use WSL 2 or a container)")
        sys.exit(2)
    interrupt.install()
    try:
        app()
    except EnvforgeError as error:
        _complain(f"error ({error.boundary}): {error}")
        sys.exit(2)
    except OSError as error:
        if error.errno not in _DISK:
            raise
        _complain(f"error (store): {error.filename or 'a file'}: {error.strerror} (check free disk space and quotas)")
        sys.exit(2)
    except SystemExit as stop:
        # Typer turns Ctrl-C into this exit code before anybody else sees it.
        if stop.code == _INTERRUPTED:
            _complain("interrupted; nothing half-built was left, run the same command again to go on")
        raise


def _complain(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    main()
