"""The command that serves environments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envforge.cli.options import SharedOptions, sharing
from envforge.core.errors import ConfigError

_OVER_HTTP = ("--tasks", "--host", "--port", "--max-live", "--workers", "--idle-seconds", "--token-file")
_OVER_STDIO = ("--task", "--seed")


@sharing("unsafe")
def serve(
    shared: SharedOptions,
    environments: Annotated[list[str], typer.Argument(help="Ids in the workspace, or paths.")],
    tasks: Annotated[bool, typer.Option("--tasks", help="Serve their tasks too.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="0: any that is free.", show_default="8765")
    ] = None,
    max_live: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Episodes at once.", show_default="1000")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes of an environment (shared).", show_default="2")
    ] = None,
    idle_seconds: Annotated[
        float | None,
        typer.Option(min=0.1, max=2_592_000, help="Ends episodes that nobody uses so long.", show_default="1800"),
    ] = None,
    isolation: Annotated[
        Literal["auto", "shared", "forked"],
        typer.Option(help="Episodes of an environment share processes, each has its own, or auto: shared if allowed."),
    ] = "auto",
    record: Annotated[Path | None, typer.Option(help="Folder for finished episodes.", show_default="none")] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="Holds the token of those who start episodes.", show_default="a new one, printed once"),
    ] = None,
    uncertified: Annotated[
        bool, typer.Option("--uncertified", help="Also without a certificate that fits the files.")
    ] = False,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="One episode for one client, MCP over standard input and output.")
    ] = False,
    task: Annotated[str | None, typer.Option(help="With --stdio: the task, by id or place.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="With --stdio: the episode's.", show_default="0")] = None,
) -> None:
    """Serve episodes over MCP (HTTP or stdio) and plain JSON, until it is interrupted."""
    over_http = (tasks or None, host, port, max_live, workers, idle_seconds, token_file)
    if stdio:
        _refuse(dict(zip(_OVER_HTTP, over_http, strict=True)), "does not go with --stdio")
    else:
        _refuse(dict(zip(_OVER_STDIO, (task, seed), strict=True)), "goes with --stdio only")
    from envforge.cli.commands import serve_command

    if stdio:
        serve_command.run_stdio(
            environments, task=task, seed=seed or 0, isolation=isolation, record=record, uncertified=uncertified,
            shared=shared,
        )  # fmt: skip
        return
    given = {
        "host": host, "port": port, "max_live": max_live, "workers": workers, "idle_seconds": idle_seconds,
        "isolation": isolation, "record": record,
    }  # fmt: skip
    chosen = {name: value for name, value in given.items() if value is not None}
    serve_command.run(environments, chosen, tasks=tasks, uncertified=uncertified, token_file=token_file, shared=shared)


def _refuse(options: dict[str, object], why: str) -> None:
    """Raises ConfigError for an option of the other way of serving."""
    name = next((name for name, value in options.items() if value is not None), None)
    if name is not None:
        raise ConfigError(f"{name} {why}", where="envforge serve")
