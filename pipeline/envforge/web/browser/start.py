"""The door to the browser. Playwright is an extra, and loaded by the first run that needs it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from envforge.core.records.fetching import FetchSettings
from envforge.web.browser.errors import NoBrowserError
from envforge.web.browser.settings import BrowseSettings, Outside, live_web

if TYPE_CHECKING:
    from envforge.web.browser.run import OpenBrowser


def open_browser(
    folder: Path, *, replay: Path | None = None, settings: BrowseSettings | None = None, outside: Outside | None = None
) -> AbstractAsyncContextManager[OpenBrowser]:
    """A browser whose run is kept in `folder`; with `replay`, one that gets all from that folder and nothing else.

    Raises:
        NoBrowserError: Playwright or Chromium is not there.
        ConfigError: `folder` holds a run already, or `replay` holds none.
        StoreError: `folder` cannot be made.
    """
    try:
        from envforge.web.browser.run import running
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "playwright":
            raise
        raise NoBrowserError("Playwright is not installed", remedy="pip install 'envforge[browse]'") from error
    return running(folder, replay, settings or BrowseSettings(), outside or live_web(FetchSettings()))
