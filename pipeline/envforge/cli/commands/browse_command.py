"""`envforge browse`."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envforge.cli import interrupt, render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, StoreError
from envforge.store.workspace import Workspace
from envforge.web.browser.settings import BrowseSettings, live_web
from envforge.web.browser.start import open_browser
from envforge.web.browser.view import View, as_text
from envforge.web.live.settings import load_browse_limits, load_settings

if TYPE_CHECKING:
    from envforge.web.browser.run import OpenBrowser


def run(
    url: str,
    *,
    clicks: Sequence[int],
    part: int,
    screenshot: Path | None,
    hosts: tuple[str, ...],
    folder: Path | None,
    replay: Path | None,
    shared: SharedOptions,
) -> None:
    """Open the page, click, print what is there then."""
    workspace = Workspace(shared.workspace)
    limits = load_browse_limits(workspace.data_file("validators/web/browse.json"))
    outside = live_web(load_settings(workspace.data_file("validators/web/fetch.json")))
    settings = BrowseSettings(hosts=hosts, limits=limits)
    outside.guard.check(url)  # said at once, and no folder made

    async def visit(place: Path) -> dict[str, Any]:
        async with open_browser(place, replay=replay, settings=settings, outside=outside) as opened:
            view = await _visit(opened, url, clicks, part)
            if screenshot is not None:
                _copy(await opened.browser.screenshot(), screenshot)
            return _told(opened, view, place, kept=replay is None)

    if replay is not None and folder is None:
        # A replay adds nothing to its recording: what it leaves behind is of no use.
        with tempfile.TemporaryDirectory(prefix="envforge-browse-", ignore_cleanup_errors=True) as place:
            told = _to_its_end(visit(Path(place)))
    else:
        told = _to_its_end(visit(folder or _free(workspace.runs / "browse")))
    if shared.json_output:
        render.print_json(told)
    else:
        _print(told)


def _to_its_end(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Run it; Ctrl-C lets it put everything away, instead of breaking off wherever it is."""

    async def main() -> dict[str, Any]:
        task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            return await task
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            interrupt.install()

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _visit(opened: OpenBrowser, url: str, clicks: Sequence[int], part: int) -> View:
    view = await opened.browser.open(url)
    for number in clicks:
        view = await opened.browser.click(number)
    if part > view.parts:
        raise ConfigError(f"the page has {view.parts} parts", where="--part", remedy=f"give 1 to {view.parts}")
    while view.part < part:
        view = await opened.browser.more()
    return view


def _told(opened: OpenBrowser, view: View, place: Path, *, kept: bool) -> dict[str, Any]:
    denied = opened.decisions.denied
    return {
        "view": view.model_dump(mode="json"),
        "text": as_text(view),
        "denied": denied,
        "sandboxed": opened.sandboxed,
        "run": str(place) if kept else None,
    }


def _print(told: dict[str, Any]) -> None:
    render.out.print(render.plain(told["text"]), markup=False, soft_wrap=True)
    denied: dict[str, int] = told["denied"]
    count = sum(denied.values())
    if count:
        render.err.print(
            f"the browser's own connections that were denied: {count} to {len(denied)} hosts", markup=False
        )
    if not told["sandboxed"]:
        render.err.print("Chromium ran without its own sandbox, as it does for root only", markup=False)
    if told["run"]:
        render.err.print(f"kept in {told['run']}", markup=False, soft_wrap=True)


def _free(folder: Path) -> Path:
    """The next number that is free; whoever makes a folder first has it."""
    number = 1
    while True:
        place = folder / str(number)
        try:
            place.mkdir(mode=0o700, parents=True)  # pages may show what is nobody else's business
            return place
        except FileExistsError:
            number += 1
        except OSError as error:
            raise StoreError(f"cannot be made: {error.strerror}", where=str(place), remedy="give --run") from error


def _copy(picture: Path, target: Path) -> None:
    try:
        shutil.copyfile(picture, target)
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", where=str(target), remedy="give a file") from error
