"""One Chromium for all tests of a process, at work in an event loop of its own, whose web is the loopback site."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import shutil
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from tests.sites.server import PUBLIC, Site

from envforge.core.records.browse import BrowseLimits
from envforge.core.records.fetching import FetchSettings
from envforge.web.browser.browser import Browser
from envforge.web.browser.run import OpenBrowser
from envforge.web.browser.settings import BrowseSettings, Outside, live_web
from envforge.web.browser.start import open_browser
from envforge.web.guard import Guard
from envforge.web.live.client import GuardedClient
from envforge.web.live.pace import Pace

T = TypeVar("T")
LIMITS = BrowseLimits(
    body_bytes=1 << 20,
    body_seconds=2,
    open_seconds=10,
    settle_seconds=4,
    quiet_seconds=0.25,
    act_seconds=1.5,
    tabs=3,
    view_chars=4000,
)


class Loop:
    """An event loop in a thread; calling it runs a coroutine there to its end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def close(self) -> None:
        self(self._loop.shutdown_asyncgens())
        self(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@dataclass(frozen=True)
class Running:
    """A browser at work; `do` runs what it gives to be awaited."""

    do: Loop
    opened: OpenBrowser
    folder: Path

    @property
    def browser(self) -> Browser:
        return self.opened.browser


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


@pytest.fixture(scope="session")
def settings(started_site: Site) -> BrowseSettings:
    """Small limits, a few hosts; trust in the site's own certificate, which no authority knows."""
    if shutil.which("chromium") is None:
        pytest.skip("there is no Chromium; `make system` installs it")
    (der,) = started_site.trusting.get_ca_certs(binary_form=True)
    key = x509.load_der_x509_certificate(der).public_key()
    plain = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    pin = base64.b64encode(hashlib.sha256(plain).digest()).decode()
    hosts = ("shop.test", "other.test", "inside.test", "half.test")
    return BrowseSettings(hosts=hosts, limits=LIMITS, flags=(f"--ignore-certificate-errors-spki-list={pin}",))


@pytest.fixture(scope="session")
def outside(started_site: Site) -> Outside:
    """The loopback site as the outside world; its robots.txt is obeyed, its pauses are not waited for."""
    guard = Guard(resolve=started_site.resolve)
    nobody_waits = Pace(lambda: 0.0, lambda _: None)
    client = GuardedClient(
        FetchSettings(), guard=guard, dial=started_site.dial, tls=lambda: started_site.trusting, pace=nobody_waits
    )
    return live_web(FetchSettings(), guard=guard, dial=started_site.dial, client=client)


Start = Callable[[AbstractAsyncContextManager[OpenBrowser], Path], Running]


@pytest.fixture
def start(loop: Loop) -> Iterator[Start]:
    """start(open_browser(…), folder) → a browser that ends with the test."""
    held: list[AbstractAsyncContextManager[OpenBrowser]] = []

    def enter(context: AbstractAsyncContextManager[OpenBrowser], folder: Path) -> Running:
        opened = loop(context.__aenter__())
        held.append(context)
        return Running(loop, opened, folder)

    yield enter
    for context in held:
        loop(context.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def shared(
    loop: Loop, settings: BrowseSettings, outside: Outside, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """The browser that all tests share, with its recording."""
    folder = tmp_path_factory.mktemp("browse") / "run"
    context = open_browser(folder, settings=settings, outside=outside)
    yield Running(loop, loop(context.__aenter__()), folder)
    loop(context.__aexit__(None, None, None))


@pytest.fixture
def running(shared: Running, site: Site) -> Running:
    """The shared browser with one tab; the site has forgotten what was before."""
    for tab in shared.browser.tabs()[1:]:
        shared.do(shared.browser.close_tab(tab.number))
    site.answers["beacon.test"] = [[PUBLIC]]
    return shared
