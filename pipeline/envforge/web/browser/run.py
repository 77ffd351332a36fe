"""A browsing run from its first to its last moment: proxy, Chromium, recording or replay."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.browse import BrowseRun
from envforge.core.times import moment
from envforge.web.browser import chromium
from envforge.web.browser.browser import Browser
from envforge.web.browser.cookies import CookieJar
from envforge.web.browser.decisions import PROXY_NAME, DecisionLog
from envforge.web.browser.exchange import Answers
from envforge.web.browser.intercept import Interception
from envforge.web.browser.live import LiveAnswers
from envforge.web.browser.pins import Pins
from envforge.web.browser.proxy import Proxy
from envforge.web.browser.recording import Recording
from envforge.web.browser.replay import ReplayAnswers
from envforge.web.browser.settings import BrowseSettings, Outside
from envforge.web.browser.tab import script
from envforge.web.browser.tabs import Tabs
from envforge.web.sources import Clock

_PROFILE = "profile"


@dataclass(frozen=True)
class OpenBrowser:
    """A browser, and what its proxy has decided so far."""

    browser: Browser
    decisions: DecisionLog
    run: BrowseRun
    sandboxed: bool
    """False: Chromium is at work without its own sandbox, here and now."""


@asynccontextmanager
async def running(
    folder: Path, replay: Path | None, settings: BrowseSettings, outside: Outside
) -> AsyncGenerator[OpenBrowser]:
    """As `open_browser`."""
    folder = folder.resolve()
    if (folder / _PROFILE).exists():
        raise ConfigError("a browser is at work there, or died there", where=str(folder), remedy="give a new folder")
    _make(folder)
    pins = Pins(outside.guard, settings.hosts)
    if replay is not None:
        answers = ReplayAnswers(replay)
        async with _started(folder, answers, answers.run, pins, settings, outside, again=True) as opened:
            yield opened
        return
    run = _run(settings, outside)
    recording = Recording(folder, run, outside.clock)
    live = LiveAnswers(pins, recording, outside.robots)
    try:
        async with _started(folder, live, run, pins, settings, outside, again=False) as opened:
            yield opened
    finally:
        recording.close()


def _make(folder: Path) -> None:
    """A folder that is not there yet is its owner's alone: pages may show what is nobody else's business."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        told = f"cannot be made: {error.strerror}"
        raise StoreError(told, where=str(folder), remedy="give another folder") from error


@asynccontextmanager
async def _started(
    folder: Path,
    answers: Answers,
    run: BrowseRun,
    pins: Pins,
    settings: BrowseSettings,
    outside: Outside,
    *,
    again: bool,
) -> AsyncGenerator[OpenBrowser]:
    """In a replay no page gives leave for any host, so the proxy lets nothing through."""
    log = DecisionLog(folder / PROXY_NAME)
    proxy = Proxy(pins.address, outside.dial, log, clock=outside.clock, limits=settings.limits)
    address = await proxy.start()
    try:
        async with chromium.started(address, folder / _PROFILE, run, extra=settings.flags) as started:
            await started.context.add_init_script(_steady(run, outside.clock if again else None))
            interception = Interception(
                started.session, answers, CookieJar(started.context), proxy.secret, settings.limits
            )
            answers.begin()
            await interception.start()
            tabs = Tabs(started.context, started.session, folder, settings.limits)
            await tabs.start()
            try:
                browser = Browser(tabs, interception, folder, settings.limits, outside.guard.check)
                yield OpenBrowser(browser, log, run, chromium.sandboxed())
            finally:
                await interception.stop()
    finally:
        await proxy.stop()


def _run(settings: BrowseSettings, outside: Outside) -> BrowseRun:
    return BrowseRun(
        started_at=outside.clock(),
        seed=settings.seed,
        agent=outside.agent,
        width=settings.width,
        height=settings.height,
        sandboxed=chromium.sandboxed(),
    )


def _steady(run: BrowseRun, replayed_at: Clock | None) -> str:
    """The script that makes chance, and in a replay the clock, those of the recorded run."""
    shift = (moment(run.started_at) - moment(replayed_at())).total_seconds() if replayed_at else 0
    given = json.dumps({"seed": run.seed, "shift": int(shift * 1000)})
    return f"({script('steady.js').strip()})({given});"
