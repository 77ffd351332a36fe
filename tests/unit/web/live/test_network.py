"""The transport by itself: an ordinary client on top of it cannot get round the guard."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import httpx2
import pytest
from tests.sites.server import PUBLIC, Site

from envforge.core.records.fetching import FetchSettings
from envforge.web.guard import BlockedError, Guard
from envforge.web.live.errors import LimitError
from envforge.web.live.network import GuardedTransport


@pytest.fixture
def plain(site: Site) -> httpx2.Client:
    transport = GuardedTransport(FetchSettings(), guard=Guard(resolve=site.resolve), dial=site.dial)
    return httpx2.Client(transport=transport, trust_env=False, follow_redirects=True)


def test_it_serves_an_ordinary_client(plain: httpx2.Client, site: Site) -> None:
    with plain as client:
        assert client.get("http://shop.test/to-boats").url == "http://shop.test/boats.html"
        assert client.get("http://shop.test/gzipped").text.startswith("<!DOCTYPE html>")
    assert {address for address, _ in site.dialled} == {PUBLIC} and len(site.dialled) == 3  # nothing is kept open


@pytest.mark.parametrize("path", ["/to-loopback", "/to-inside", "/to-port", "/to-credentials"])
def test_redirects_that_the_client_follows_are_judged(plain: httpx2.Client, site: Site, path: str) -> None:
    with plain as client, pytest.raises(BlockedError):
        client.get(f"http://shop.test{path}")
    assert {address for address, _ in site.dialled} == {PUBLIC}


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://inside.test/", "http://half.test/"])
def test_no_address_of_our_own_is_dialled(plain: httpx2.Client, site: Site, url: str) -> None:
    with plain as client, pytest.raises(BlockedError):
        client.get(url)
    assert not site.dialled


def test_a_resolver_that_hangs_is_not_waited_for(site: Site) -> None:
    asked, never = Event(), Event()

    def hang(host: str, port: int) -> Sequence[str]:
        asked.set()
        never.wait()
        return site.resolve(host, port)

    transport = GuardedTransport(FetchSettings(connect_seconds=0.05), guard=Guard(resolve=hang), dial=site.dial)
    with httpx2.Client(transport=transport) as client, pytest.raises(LimitError) as caught:
        client.get("http://shop.test/")
    assert caught.value.limit == "connect_seconds" and asked.wait(30) and not site.dialled
    never.set()
