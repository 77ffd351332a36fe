"""The command that shows a page as the browser's users see it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing


@sharing()
def browse(
    shared: SharedOptions,
    url: Annotated[str, typer.Argument(help="Of the page, http or https.")],
    click: Annotated[
        list[int] | None, typer.Option(min=1, help="Number of an element to click then; repeatable, in this order.")
    ] = None,
    part: Annotated[int, typer.Option(min=1, help="Which part of a long page.")] = 1,
    screenshot: Annotated[Path | None, typer.Option(help="File for a picture of the page (PNG).")] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(help="Only this host may be asked (*.NAME: also those below it); repeatable."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", help="New folder for what comes in.", show_default="runs/browse/N in the workspace"),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", help="Folder of an earlier run: all comes from there, nothing from the network."),
    ] = None,
) -> None:
    """Open a page of the live web in Chromium, through the guard; print its text and its elements."""
    from envforge.cli.commands import browse_command

    browse_command.run(
        url, clicks=tuple(click or ()), part=part, screenshot=screenshot, hosts=tuple(host or ()), folder=run,
        replay=replay, shared=shared,
    )  # fmt: skip
