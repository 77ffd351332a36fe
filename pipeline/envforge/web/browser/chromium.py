"""Starts Chromium so that it can reach nothing but the proxy, keeps nothing but the run's folder, and knows nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Playwright, async_playwright

from envforge.core.records.browse import BrowseRun
from envforge.web.browser.errors import NoBrowserError

VARIABLE = "ENVFORGE_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "chrome")
_REMOVALS = 30
_KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
_FLAGS = (
    # Nothing goes round the proxy: not loopback, not QUIC, not WebRTC, not a look-up of a name.
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    # It asks for nothing on its own account; what it asks for all the same, the proxy denies.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--no-pings",
    "--no-first-run",
)


@dataclass(frozen=True)
class Started:
    """A running browser: the context for pages, and the line to the browser as a whole."""

    context: BrowserContext
    session: CDPSession
    version: str


def executable() -> Path | None:
    """The Chromium to use: the one that the environment names, else the system's; None: Playwright's own."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise NoBrowserError("is no program", where=f"{VARIABLE}={named}", remedy="name the file of a Chromium")
        return Path(named)
    return next((Path(found) for name in _NAMES if (found := shutil.which(name))), None)


def sandboxed() -> bool:
    """Chromium's own sandbox refuses to work for root."""
    return os.geteuid() != 0


@asynccontextmanager
async def started(proxy: str, profile: Path, run: BrowseRun, *, extra: Sequence[str] = ()) -> AsyncGenerator[Started]:
    """A browser with a fresh profile that is removed at the end.

    Raises:
        NoBrowserError: it is not there, or it does not start.
    """
    found = executable()  # before the profile is made: a wrong setting leaves nothing behind
    (profile / "downloads").mkdir(parents=True)
    try:
        async with _driver() as playwright:
            try:
                # The context for pages is another one: what the browser does for its own profile has no secret.
                own = await playwright.chromium.launch_persistent_context(
                    profile / "chromium",
                    executable_path=found,
                    headless=True,
                    chromium_sandbox=sandboxed(),
                    args=[f"--proxy-server=http://{proxy}", *_FLAGS, *extra],
                    env=_environment(profile),
                    downloads_path=profile / "downloads",
                    timeout=60_000,
                    handle_sigint=False,
                )
            except Error as error:
                raise _not_started(found, error) from error
            try:
                browser = own.browser
                if browser is None:
                    raise NoBrowserError("Playwright gives no hold of the browser", remedy="take a newer Playwright")
                yield await _prepared(browser, run)
            finally:
                with suppress(Error):  # Ctrl-C in a terminal reaches Chromium as well
                    await own.close()
    finally:
        await _removed(profile)


@asynccontextmanager
async def _driver() -> AsyncGenerator[Playwright]:
    """Playwright's own process; one that is interrupted while it starts is stopped, too."""
    manager = async_playwright()
    starting = asyncio.ensure_future(manager.start())
    try:
        playwright = await asyncio.shield(starting)
    except asyncio.CancelledError:
        (ended,) = await asyncio.gather(starting, return_exceptions=True)
        if isinstance(ended, Playwright):
            await ended.stop()
        raise
    except Exception as error:  # Playwright has no type of its own for this
        raise NoBrowserError(
            f"Playwright does not start: {error}", remedy="install it again: envforge[browse]"
        ) from error
    try:
        yield playwright
    finally:
        with suppress(Error):
            await playwright.stop()


async def _removed(profile: Path) -> None:
    """A Chromium that ends may still write for a moment."""
    for _ in range(_REMOVALS):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
        await asyncio.sleep(0.1)


async def _prepared(browser: Browser, run: BrowseRun) -> Started:
    session = await browser.new_browser_cdp_session()
    told = cast("dict[str, str]", await session.send("Browser.getVersion"))
    context = await browser.new_context(
        accept_downloads=True,
        service_workers="block",
        user_agent=f"{told['userAgent']} {run.agent}".strip(),
        viewport={"width": run.width, "height": run.height},
        locale="en-US",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    return Started(context, session, browser.version)


def _environment(profile: Path) -> dict[str, str | float | bool]:
    """No keys of the user's, and no home but the profile."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # Not TMPDIR: Chromium makes a socket there, whose path may have a hundred characters.
    places = {"HOME": profile, "XDG_CONFIG_HOME": profile, "XDG_CACHE_HOME": profile}
    return {**kept, **{name: str(path) for name, path in places.items()}}


def _not_started(found: Path | None, error: Error) -> NoBrowserError:
    if found is None and "Executable doesn't exist" in error.message:
        return NoBrowserError(
            "there is no Chromium", remedy=f"install it (apt install chromium), or set {VARIABLE} to its file"
        )
    lines = [line.strip() for line in error.message.splitlines() if line.strip()]
    return NoBrowserError(
        f"Chromium does not start: {' '.join(lines[:4])[:500]}",
        where=str(found or "Playwright's own"),
        remedy=f"try it by hand, or set {VARIABLE} to another one",
    )
