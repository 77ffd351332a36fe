"""The browser as whoever reads with it sees it: open a page, look, work with numbered elements, go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from envforge.core.records.browse import BrowseLimits
from envforge.web.browser.errors import BrowseError, ElementError, NoTabError, PageCrashedError, PageHungError
from envforge.web.browser.explain import explained
from envforge.web.browser.intercept import Interception
from envforge.web.browser.tab import Tab
from envforge.web.browser.tabs import Tabs
from envforge.web.browser.view import Download, TabLine, View, hidden_tabs, joined, without_secrets

Action = Callable[[Tab], Awaitable[None]]


class Browser:
    """Made by `open_browser`. One thing at a time: calls wait for each other.

    Whatever a page says is data. Nothing here reads it for instructions, and no page can do more than ask for
    other pages, which the run's rules allow or refuse.
    """

    def __init__(
        self,
        tabs: Tabs,
        interception: Interception,
        folder: Path,
        limits: BrowseLimits,
        check: Callable[[str], object],
    ) -> None:
        self._tabs = tabs
        self._interception = interception
        self._folder = folder
        self._limits = limits
        self._check = check
        self._lock = asyncio.Lock()
        self._shots = 0

    async def open(self, url: str) -> View:
        """Go to a page in the current tab.

        Raises:
            BlockedError, RefusedError: the guard, robots.txt or the run's hosts do not allow it.
            PageTimeoutError, TooLargeError, BrowseError: it cannot be opened.
            MissingRecordError: a replay, and it was not recorded.
        """
        self._check(url)  # in a replay as well: no page of the web is a file of this machine

        async def go(tab: Tab) -> None:
            await tab.page.goto(url, wait_until="domcontentloaded")

        return await self._act(go, where=url)

    async def look(self) -> View:
        """The current page from its beginning, read anew."""
        return await self._act(None)

    async def more(self) -> View:
        """The next part of what was last looked at. Raises BrowseError: there is none."""
        async with self._lock:
            tab = self._tabs.current
            seen = tab.seen
            if seen is None or seen.part + 1 >= len(seen.parts):
                raise BrowseError("the page has no more", where=tab.page.url, remedy="look at it from its beginning")
            seen.part += 1
            return await self._view(tab)

    async def click(self, number: int) -> View:
        """Click an element. Raises ElementError."""
        return await self._act(_press(number))

    async def type(self, number: int, text: str, *, enter: bool = False) -> View:
        """Put text into a field in place of what is there; with `enter`, send it. Raises ElementError."""

        async def write(tab: Tab) -> None:
            _, node = await tab.element(number)
            await node.fill(text)
            if enter:
                await node.press("Enter")

        return await self._act(write)

    async def select(self, number: int, option: str) -> View:
        """Choose from a list by its words. Raises ElementError."""

        async def choose(tab: Tab) -> None:
            element, node = await tab.element(number)
            if option not in element.options:
                offered = ", ".join(element.options[:20]) or "nothing"
                raise ElementError(
                    f"element {number} does not offer {option!r}", where=tab.page.url, remedy=f"it offers {offered}"
                )
            await node.select_option(label=option)

        return await self._act(choose)

    async def scroll(self, direction: Literal["down", "up"] = "down") -> View:
        """Move by a screen, which some pages wait for before they load more."""

        async def move(tab: Tab) -> None:
            step = 0.9 if direction == "down" else -0.9
            await tab.bounded(tab.page.evaluate("step => window.scrollBy(0, step * window.innerHeight)", step))

        return await self._act(move)

    async def download(self, number: int) -> Download:
        """Click an element and keep the file that it gives.

        Raises:
            ElementError: it gives none.
            TooLargeError: the file is over the limit.
        """
        async with self._lock:
            before = len(self._tabs.downloads)
            await self._acted(_press(number))
            saved = self._tabs.downloads[before:]
        if not saved:
            raise ElementError(
                f"element {number} gives no file", remedy="look at the page: it may want something first"
            )
        return saved[0]

    async def back(self) -> View:
        """To the page before. Raises NoTabError: there is none."""

        async def go(tab: Tab) -> None:
            before = tab.page.url
            if await tab.page.go_back(wait_until="domcontentloaded") is None and tab.page.url == before:
                raise NoTabError("there is no page to go back to", where=before, remedy="open one, or switch tabs")

        return await self._act(go)

    async def wait(self, seconds: float) -> View:
        """Give the page time, then look."""
        limit = self._limits.wait_seconds
        if not 0 < seconds <= limit:
            raise BrowseError(f"{seconds} is no time to wait", remedy=f"give more than 0 and at most {limit:g} seconds")

        async def pause(tab: Tab) -> None:
            del tab
            await asyncio.sleep(seconds)

        return await self._act(pause)

    async def screenshot(self) -> Path:
        """A picture of what the window shows, as a file of the run."""
        async with self._lock:
            tab = self._tabs.current
            if self._shots >= self._limits.screenshots:
                raise BrowseError(f"the run has {self._shots} screenshots", remedy="that is its limit")
            self._shots += 1
            path = self._folder / "screenshots" / f"{self._shots:03}.png"
            path.parent.mkdir(exist_ok=True)
            try:
                await tab.bounded(tab.page.screenshot(path=path, animations="disabled"))
            except (PageHungError, PageCrashedError):
                await self._tabs.close(tab.number)
                raise
            except Error as error:
                raise explained(error, tab.page.url) from error
            return path

    def tabs(self) -> tuple[TabLine, ...]:
        """The open tabs."""
        return hidden_tabs(self._tabs.lines())

    async def switch(self, number: int) -> View:
        """Look at another tab. Raises NoTabError."""
        async with self._lock:
            self._tabs.switch(number)
            return await self._acted(None)

    async def close_tab(self, number: int) -> View:
        """Close a tab, and look at the one that is current then. Raises NoTabError."""
        async with self._lock:
            await self._tabs.close(number)
            return await self._acted(None)

    async def _act(self, action: Action | None, *, where: str = "") -> View:
        """As `_acted`, when everybody before has done."""
        async with self._lock:
            return await self._acted(action, where=where)

    async def _acted(self, action: Action | None, *, where: str = "") -> View:
        """Do something in the current tab, let it settle, and look at what is current then. Under the lock."""
        tab = self._tabs.current
        mishaps, saved = len(self._interception.mishaps), len(self._tabs.downloads)
        try:
            if tab.crashed:
                raise tab.crash()
            failure = await self._tried(tab, action)
            if isinstance(failure, PlaywrightTimeout):
                with suppress(Error):  # it goes on to another page, so it is slow only
                    await tab.bounded(tab.page.evaluate("() => window.stop()"))
            await self._settle()
            await self._tabs.saved()
            self._raise(tab, mishaps, failure if len(self._tabs.downloads) == saved else None, where)
            current = self._tabs.current
            await current.look()
            return await self._view(current)
        except (PageHungError, PageCrashedError):
            await self._tabs.close(tab.number)
            raise

    async def _tried(self, tab: Tab, action: Action | None) -> Error | None:
        """What Playwright said, if it did not work; our own errors go up."""
        if action is None:
            return None
        try:
            await action(tab)
        except Error as error:
            if tab.crashed:
                raise tab.crash() from error
            return error
        return None

    def _raise(self, tab: Tab, mishaps: int, failure: Error | None, where: str) -> None:
        """Say what kept the action from its end, if anything did."""
        if self._interception.fatal is not None:
            raise self._interception.fatal
        frames = {known.frame_id for known in self._tabs.all()}
        happened = self._interception.mishaps[mishaps:]
        for mishap in happened:
            if mishap.asked.kind == "Document" and mishap.asked.frame in frames:
                raise mishap.error
        missing = self._interception.missing(mishaps)
        if missing is not None:
            raise missing
        if failure is not None:
            raise explained(failure, where or tab.page.url)

    async def _settle(self) -> None:
        """Until the pages have asked for nothing for a while, or for as long as they may go on."""
        clock = asyncio.get_running_loop().time
        end = clock() + self._limits.settle_seconds
        await self._tabs.current.loaded()
        while (now := clock()) < end:
            if self._interception.held:
                end = now + self._limits.settle_seconds  # the page has no part in it that a host wants us to wait
            quiet = self._limits.quiet_seconds - (now - self._interception.last_moved)
            if not self._interception.busy and quiet <= 0 and not await self._tabs.coming():
                moved = self._interception.last_moved
                await self._tabs.current.breathe()
                if not self._interception.busy and moved == self._interception.last_moved:
                    return
                continue
            await asyncio.sleep(min(max(quiet, 0.05), end - now))
        self._tabs.note(f"still loading after {self._limits.settle_seconds:g} seconds; this is what is there")

    async def _view(self, tab: Tab) -> View:
        seen = tab.seen
        assert seen is not None
        blocks = seen.parts[seen.part]
        numbers = [number for block in blocks for number in block.elements]
        notes = self._tabs.take_notes()
        document, answered = self._interception.statuses.get(tab.frame_id, ("", 0))
        status = answered if document == tab.page.url.partition("#")[0] else None
        if status is not None and status >= 400:
            notes.append(f"the site answered with status {status}")
        if seen.cut:
            notes.append(f"the page is longer than {self._limits.page_chars:,} characters; the rest is not read")
        view = View(
            url=tab.page.url,
            title=seen.title,
            status=status,
            part=seen.part + 1,
            parts=len(seen.parts),
            markdown=joined(blocks),
            elements=tuple(seen.elements[number] for number in numbers if number in seen.elements),
            tabs=self._tabs.lines(),
            downloads=self._tabs.take_downloads(),
            notes=tuple(notes),
        )
        return without_secrets(view)


def _press(number: int) -> Action:
    async def press(tab: Tab) -> None:
        element, node = await tab.element(number)
        if "disabled" in element.state:
            raise ElementError(f"element {number} is disabled", where=tab.page.url, remedy="work with others first")
        if element.role == "file":
            raise ElementError("files are not uploaded", where=tab.page.url, remedy="go on without")
        await node.click()

    return press
