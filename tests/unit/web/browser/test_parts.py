"""Tabs, the browser and the start of Chromium, each with nothing real behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from envforge.core.errors import StoreError
from envforge.core.records.browse import BrowseLimits, BrowseRun
from envforge.web.browser import chromium
from envforge.web.browser.browser import Browser
from envforge.web.browser.errors import NoBrowserError, PageHungError, PageTimeoutError
from envforge.web.browser.intercept import Interception
from envforge.web.browser.tabs import Tabs

LIMITS = BrowseLimits(settle_seconds=0.1, quiet_seconds=0.01)


class Emitter:
    """Takes handlers as Playwright's objects do; any other method is awaited and does nothing."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[..., object]] = {}
        self.url = "https://a.example/"

    def on(self, event: str, handler: Callable[..., object]) -> None:
        self.handlers[event] = handler

    def set_default_timeout(self, milliseconds: float) -> None: ...

    def set_default_navigation_timeout(self, milliseconds: float) -> None: ...

    async def send(self, *given: object) -> dict[str, Any]:
        return {"targetInfo": {"targetId": "frame"}}

    async def detach(self) -> None: ...


class Context(Emitter):
    """Opens pages that are as empty."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Emitter()

    async def new_page(self) -> None:
        self.handlers["page"](self.page)

    async def new_cdp_session(self, page: object) -> Emitter:
        return Emitter()


def test_a_file_that_cannot_be_kept_is_told_even_when_it_came_early(tmp_path: Path) -> None:
    (tmp_path / "downloads").write_text("no folder")
    (tmp_path / "came").write_text("boats")

    async def path() -> Path:
        return tmp_path / "came"

    async def come() -> None:
        context = Context()
        tabs = Tabs(cast("Any", context), cast("Any", Emitter()), tmp_path, LIMITS)
        await tabs.start()
        download = SimpleNamespace(suggested_filename="boats.zip", url="https://a.example/boats.zip", path=path)
        context.page.handlers["download"](download)
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # the save has ended by now
        with pytest.raises(StoreError, match="could not be kept"):
            await tabs.saved()
        await tabs.saved()

    asyncio.run(come())


def test_a_slow_page_that_goes_on_meanwhile_is_told_as_slow(tmp_path: Path) -> None:
    async def fails(error: Error) -> None:
        raise error

    async def nothing() -> bool:
        return False

    class Page:
        url = "https://a.example/"

        async def goto(self, url: str, wait_until: str) -> None:
            await fails(PlaywrightTimeout("Timeout 10000ms exceeded"))

        def evaluate(self, text: str) -> object:
            return fails(Error("Execution context was destroyed, most likely because of a navigation"))

    async def bounded(work: Any) -> Any:
        return await work

    tab = SimpleNamespace(page=Page(), crashed=False, frame_id="f", bounded=bounded, loaded=nothing, breathe=nothing)
    tabs = SimpleNamespace(current=tab, downloads=[], coming=nothing, saved=nothing, all=lambda: ())
    interception = Interception(cast("Any", None), cast("Any", None), cast("Any", None), "", LIMITS)
    browser = Browser(cast("Any", tabs), interception, tmp_path, LIMITS, lambda url: None)
    with pytest.raises(PageTimeoutError, match="did not come in time"):
        asyncio.run(browser.open("https://a.example/"))


def test_a_page_that_hangs_while_it_is_drawn_loses_its_tab_as_the_error_says(tmp_path: Path) -> None:
    closed: list[int] = []

    async def close(number: int) -> None:
        closed.append(number)

    async def bounded(work: object) -> None:
        raise PageHungError("hung", remedy="its tab was closed; open another page")

    def screenshot(**given: object) -> None: ...

    page = SimpleNamespace(screenshot=screenshot)
    tabs = SimpleNamespace(current=SimpleNamespace(page=page, number=7, bounded=bounded), close=close)
    interception = Interception(cast("Any", None), cast("Any", None), cast("Any", None), "", LIMITS)
    browser = Browser(cast("Any", tabs), interception, tmp_path, LIMITS, lambda url: None)
    with pytest.raises(PageHungError):
        asyncio.run(browser.screenshot())
    assert closed == [7]


def test_a_wrong_setting_leaves_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chromium.VARIABLE, str(tmp_path / "nothing"))
    run = BrowseRun(started_at="2024-05-01T08:00:00Z", seed=0, width=800, height=600, sandboxed=True)

    async def start() -> None:
        async with chromium.started("127.0.0.1:1", tmp_path / "profile", run):
            raise AssertionError("it started")

    with pytest.raises(NoBrowserError, match="is no program"):
        asyncio.run(start())
    assert not list(tmp_path.iterdir())
