"""One tab: its page, what was last seen of it, and what happened in it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from playwright.async_api import ElementHandle, Error, Frame, JSHandle
from playwright.async_api import Page as PlaywrightPage
from pydantic import ValidationError

from envforge.core.records.browse import BrowseLimits
from envforge.web.browser.errors import BrowseError, ElementError, PageCrashedError, PageHungError
from envforge.web.browser.view import Block, Element, Page, pack

T = TypeVar("T")
_LOADS = "Execution context was destroyed", "Cannot find context", "frame was detached", "navigat"


@cache
def script(name: str) -> str:
    """A script that stands beside this module."""
    return (resources.files("envforge.web.browser") / name).read_text(encoding="utf-8")


@dataclass
class Seen:
    """What was last read of a page: all of it in parts, and a hold on its elements."""

    title: str
    parts: list[list[Block]]
    elements: dict[int, Element]
    holds: list[tuple[int, int, JSHandle]]
    """(first number, count, hold on the nodes) for each frame."""
    cut: bool
    part: int = 0


class Tab:
    """A page with its number. All that waits for the page is bounded in time."""

    def __init__(self, number: int, page: PlaywrightPage, limits: BrowseLimits) -> None:
        self.number = number
        self.page = page
        self.frame_id = ""
        self.seen: Seen | None = None
        self.crashed = False
        self._limits = limits
        page.on("crash", self._on_crash)
        page.set_default_timeout(limits.act_seconds * 1000)
        page.set_default_navigation_timeout(limits.open_seconds * 1000)

    def _on_crash(self, page: PlaywrightPage) -> None:
        del page
        self.crashed = True

    async def close(self) -> None:
        """Close it, be it hung or not."""
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(self._limits.act_seconds):
                await self.page.close()

    async def look(self) -> Seen:
        """Read the page anew, and forget the numbers of before.

        Raises:
            PageHungError, PageCrashedError: it cannot be read.
            BrowseError: it goes on to other pages without an end.
        """
        await self._forget()
        for _ in range(3):
            try:
                self.seen = await self.bounded(self._read())
                return self.seen
            except Error as error:
                if self.crashed:
                    raise self.crash() from error
                if not any(word in error.message for word in _LOADS):
                    # A script of the page may have changed what lists and texts can do, ours included.
                    raise BrowseError(
                        f"the page cannot be read: {error.message[:200]}",
                        where=self.page.url,
                        remedy="take another page",
                    ) from error
                await self.loaded()
        raise BrowseError(
            "the page goes on to another one again and again", where=self.page.url, remedy="wait, or go back"
        )

    async def loaded(self) -> None:
        """Wait until the document can be read."""
        with suppress(Error):  # it did not come so far: what is there is looked at
            await self.page.wait_for_load_state("domcontentloaded", timeout=self._limits.settle_seconds * 1000)

    async def breathe(self) -> None:
        """Let the page get done with what it was given: on a busy machine that may take long. Raises PageHungError."""
        with suppress(Error):  # it goes on to another page
            await self.bounded(
                self.page.evaluate("() => new Promise((done) => setTimeout(() => setTimeout(done), 20))")
            )

    async def bounded(self, work: Coroutine[Any, Any, T]) -> T:
        """Raises PageHungError when the page does not answer in time."""
        try:
            async with asyncio.timeout(self._limits.act_seconds * 2):
                return await work
        except TimeoutError as error:
            if self.crashed:
                raise self.crash() from error
            raise PageHungError(
                "the page does not answer: a script of it does not come to an end",
                where=self.page.url,
                remedy="its tab was closed; open another page",
            ) from error

    def crash(self) -> PageCrashedError:
        """The error of a page whose process died."""
        return PageCrashedError(
            "the page's process died", where=self.page.url, remedy="its tab was closed; open another page"
        )

    async def element(self, number: int) -> tuple[Element, ElementHandle]:
        """An element of the last view.

        Raises:
            ElementError: there is none of that number, or it is gone.
        """
        element = self.seen.elements.get(number) if self.seen else None
        if self.seen is None or element is None:
            raise ElementError(f"there is no element {number}", where=self.page.url, remedy="look at the page again")
        try:
            for first, count, hold in self.seen.holds:
                if first <= number < first + count:
                    node = await hold.evaluate_handle("(nodes, at) => nodes[at]", number - first)
                    found = node.as_element()
                    if found is not None and await found.evaluate("node => node.isConnected"):
                        return element, found
        except Error as error:
            if self.crashed:
                raise self.crash() from error
        raise ElementError(
            f"element {number} is not in the page any more", where=self.page.url, remedy="look at the page again"
        )

    async def _read(self) -> Seen:
        blocks: list[Block] = []
        elements: dict[int, Element] = {}
        holds: list[tuple[int, int, JSHandle]] = []
        title, cut, room = "", False, self._limits.page_chars
        for frame in await self._frames():
            page, nodes = await self._read_frame(frame, len(elements) + 1, room)
            if frame == self.page.main_frame:
                title = page.title
            elif page.blocks:
                blocks.append(Block(text=f"--- frame {frame.url[:200]} ---"))
            holds.append((len(elements) + 1, len(page.elements), nodes))
            elements.update({element.number: element for element in page.elements})
            blocks.extend(page.blocks)
            room -= sum(len(block.text) for block in page.blocks)
            cut = cut or page.cut
        return Seen(title, pack(blocks, self._limits.view_chars), elements, holds, cut)

    async def _read_frame(self, frame: Frame, first: int, room: int) -> tuple[Page, JSHandle]:
        hold = await frame.evaluate_handle(script("walk.js"), {"first": first, "most": max(room, 1000)})
        read, nodes = await hold.get_property("page"), await hold.get_property("nodes")
        try:
            return Page.model_validate(await read.json_value()), nodes
        except ValidationError as error:
            # A page may have changed what its scripts' arrays and strings do; what it says is not believed.
            raise BrowseError(
                f"the page spoils the reading of it: {error.errors()[0]['msg']}",
                where=frame.url,
                remedy="take another page",
            ) from error
        finally:
            await read.dispose()
            await hold.dispose()

    async def _frames(self) -> list[Frame]:
        """The main frame and those of the others that can be seen."""
        shown = [self.page.main_frame]
        for frame in self.page.frames:
            if frame == self.page.main_frame or not frame.url.startswith(("http", "about:srcdoc")):
                continue
            with suppress(Error):  # a frame that went away meanwhile is not shown
                holder = await frame.frame_element()
                if len(shown) <= self._limits.frames and await holder.bounding_box() is not None:
                    shown.append(frame)
        return shown

    async def _forget(self) -> None:
        seen, self.seen = self.seen, None
        for _, _, hold in seen.holds if seen else ():
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(1):
                    await hold.dispose()
