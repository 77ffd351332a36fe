"""The tabs of a run, and what pages do uncalled: new tabs, dialogs, downloads."""

from __future__ import annotations

import asyncio
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from playwright.async_api import BrowserContext, CDPSession, Dialog, Error
from playwright.async_api import Download as PlaywrightDownload
from playwright.async_api import Page as PlaywrightPage

from envforge.core.errors import StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.browse import BrowseLimits
from envforge.core.scrub import scrub
from envforge.web.browser.errors import NoTabError
from envforge.web.browser.tab import Tab
from envforge.web.browser.view import Download, TabLine

_MOST_NOTES = 20


class Targets:
    """The pages that the browser knows of, which it says as soon as they are made."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._context: str | None = None

    def on_created(self, event: dict[str, Any]) -> None:
        """A page, worker or anything else was made."""
        info = cast("dict[str, str]", event["targetInfo"])
        if info["type"] == "page":
            self._known[info["targetId"]] = info.get("browserContextId", "")

    def on_destroyed(self, event: dict[str, Any]) -> None:
        """It is gone."""
        self._known.pop(str(event["targetId"]), None)

    def only_beside(self, target: str) -> None:
        """Leave out the browser's own pages: those of another context than this one's."""
        self._context = self._known.get(target)

    @property
    def pages(self) -> set[str]:
        """Their targets, which are the ids of their main frames too."""
        return {target for target, context in self._known.items() if context == self._context}


class Tabs:
    """Numbers tabs from 1, never twice; the last one that opened is the current one."""

    def __init__(self, context: BrowserContext, session: CDPSession, folder: Path, limits: BrowseLimits) -> None:
        self._context = context
        self._session = session
        self._targets = Targets()
        self._folder = folder
        self._limits = limits
        self._tabs: list[Tab] = []
        self._opened = 0
        self._number = 0
        self._notes: list[str] = []
        self._saving: set[asyncio.Task[None]] = set()
        self._shown = 0
        self._unwanted: set[asyncio.Task[None]] = set()
        self.downloads: list[Download] = []

    async def start(self) -> None:
        """One empty tab."""
        self._context.on("page", self._on_page)
        self._context.on("dialog", self._on_dialog)
        self._session.on("Target.targetCreated", self._targets.on_created)
        self._session.on("Target.targetDestroyed", self._targets.on_destroyed)
        await self._session.send("Target.setDiscoverTargets", {"discover": True})
        await self._context.new_page()
        await self._identify()
        self._targets.only_beside(self.current.frame_id)
        self._notes.clear()

    @property
    def current(self) -> Tab:
        """The tab that is worked with."""
        return next((tab for tab in self._tabs if tab.number == self._number), self._tabs[-1])

    def all(self) -> tuple[Tab, ...]:
        """Every open tab."""
        return tuple(self._tabs)

    def lines(self) -> tuple[TabLine, ...]:
        """The list of tabs, by the titles that were last seen."""
        now = self.current.number
        return tuple(
            TabLine(number=t.number, title=t.seen.title if t.seen else "", url=t.page.url, current=t.number == now)
            for t in self._tabs
        )

    def switch(self, number: int) -> Tab:
        """Make a tab the current one. Raises NoTabError."""
        tab = self._find(number)
        self._number = number
        return tab

    async def close(self, number: int) -> None:
        """Close a tab; there is always one left, if need be an empty one. Raises NoTabError."""
        tab = self._find(number)
        if len(self._tabs) == 1:
            await self._context.new_page()
        self._remove(tab)
        await tab.close()

    def note(self, text: str) -> None:
        """Something to tell with the next view."""
        if len(self._notes) < _MOST_NOTES:
            self._notes.append(text)

    def take_notes(self) -> list[str]:
        """What is to be told, once."""
        notes, self._notes = self._notes, []
        return notes

    def take_downloads(self) -> tuple[Download, ...]:
        """What was saved since this was last asked."""
        new = tuple(self.downloads[self._shown :])
        self._shown = len(self.downloads)
        return new

    async def coming(self) -> bool:
        """True while a page has opened a tab that is not here yet."""
        known = self._targets.pages
        if known - {tab.frame_id for tab in self._tabs}:
            await self._identify()
        return bool(known - {tab.frame_id for tab in self._tabs})

    async def saved(self) -> None:
        """Wait for downloads. Raises StoreError."""
        if self._saving:
            done, _ = await asyncio.wait(self._saving, timeout=self._limits.body_seconds)
            self._saving -= done
            for task in done:
                task.result()

    async def _identify(self) -> None:
        """Get to know the main frames of new tabs."""
        for tab in self._tabs:
            if not tab.frame_id:
                with suppress(Error):  # a page that crashed has no session; it is told as crashed
                    session = await self._context.new_cdp_session(tab.page)
                    answer = cast("dict[str, Any]", await session.send("Target.getTargetInfo"))
                    tab.frame_id = str(answer["targetInfo"]["targetId"])
                    await session.detach()

    def _find(self, number: int) -> Tab:
        for tab in self._tabs:
            if tab.number == number:
                return tab
        there = ", ".join(str(tab.number) for tab in self._tabs)
        raise NoTabError(f"there is no tab {number}", remedy=f"there are {there}")

    def _on_page(self, page: PlaywrightPage) -> None:
        if len(self._tabs) >= self._limits.tabs:
            self.note(f"the page opened one more tab; it was closed, as {self._limits.tabs} are the limit")
            task = asyncio.ensure_future(page.close())
            self._unwanted.add(task)
            task.add_done_callback(self._unwanted.discard)
            return
        self._opened += 1
        tab = Tab(self._opened, page, self._limits)
        self._tabs.append(tab)
        self._number = tab.number
        page.on("close", lambda _: self._on_close(tab))
        page.on("download", self._on_download)
        self.note(f"tab {tab.number} opened; it is the current one now")

    def _on_close(self, tab: Tab) -> None:
        if tab in self._tabs and len(self._tabs) > 1:
            self.note(f"tab {tab.number} closed itself")
            self._remove(tab)

    def _remove(self, tab: Tab) -> None:
        self._tabs.remove(tab)
        if self._number == tab.number:
            self._number = self._tabs[-1].number

    async def _on_dialog(self, dialog: Dialog) -> None:
        """Nobody is asked: leaving a page is agreed to, all else is dismissed and told."""
        with suppress(Error):  # the page may have gone
            if dialog.type == "beforeunload":
                await dialog.accept()
                return
            self.note(f"the page showed a dialog ({dialog.type}), which was dismissed: {dialog.message[:300]!r}")
            await dialog.dismiss()

    def _on_download(self, download: PlaywrightDownload) -> None:
        # It stays there until `saved` has asked how it went: most are done before that.
        self._saving.add(asyncio.ensure_future(self._save(download)))

    async def _save(self, download: PlaywrightDownload) -> None:
        name = _safe_name(download.suggested_filename)
        try:
            path = await download.path()
            if path.stat().st_size > self._limits.body_bytes:
                self.note(f"the file {name} is larger than {self._limits.body_bytes:,} bytes; it was not kept")
                return
            body = path.read_bytes()
            kept = self._folder / "downloads" / f"{len(self.downloads) + 1:03}-{name}"
            kept.parent.mkdir(exist_ok=True)
            shutil.move(path, kept)
        except Error as error:
            self.note(f"the file {name} could not be downloaded: {error.message.splitlines()[0][:200]}")
            return
        except OSError as error:
            raise StoreError(f"a download could not be kept: {error}", where=str(self._folder)) from error
        place = kept.relative_to(self._folder).as_posix()
        entry = {"name": name, "url": scrub(download.url[:2000]), "path": place, "bytes": len(body)}
        self.downloads.append(Download.model_validate({**entry, "sha256": sha256_bytes(body)}))


def _safe_name(name: str) -> str:
    """A site's name for a file, with nothing in it that a shell or a file system takes amiss."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")[-100:]
    return plain or "file"
