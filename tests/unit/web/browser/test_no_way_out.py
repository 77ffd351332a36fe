"""What pages, and Chromium itself, try in vain."""

from __future__ import annotations

import json

import pytest
from tests.sites.server import OTHER, PUBLIC, Site

from envforge.core.errors import SourceError
from envforge.core.records.browse import PageRequest
from envforge.store.record_lines import read_records
from envforge.web.browser.errors import BrowseError, PageTimeoutError, RefusedError, TooLargeError
from envforge.web.browser.recording import REQUESTS_NAME
from envforge.web.guard import BlockedError
from envforge.web.live.errors import RobotsError

from .conftest import Running

pytestmark = pytest.mark.browser


def _since(running: Running, before: int) -> list[PageRequest]:
    return read_records(running.folder / REQUESTS_NAME, PageRequest, "")[before:]


def _lines(running: Running) -> int:
    path = running.folder / REQUESTS_NAME
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def test_nothing_that_a_page_tries_gets_out(running: Running, site: Site) -> None:
    before = _lines(running)
    view = running.do(running.browser.open("https://shop.test/hostile.html"))
    for _ in range(20):
        if "done: all tried" in view.markdown:
            break
        view = running.do(running.browser.wait(0.2))
    assert view.markdown.splitlines()[2:] == [
        "- loopback: failed",
        "- loopback by name: failed",
        "- IPv6: failed",
        "- rebinding: failed",
        "- other host: failed",
        "- port: failed",
        "- socket: failed",
        "- socket to loopback: failed",
        "- beacon: queued",  # queued in the page; refused after that
        "- worker: failed",
        "- service worker: failed",
        "- done: all tried",
    ]
    rules = {(request.url, request.rule) for request in _since(running, before) if request.outcome == "refused"}
    assert rules >= {
        ("https://127.0.0.1/", "number"),
        ("https://localhost/", "inside"),
        ("https://[::1]/", "number"),
        ("https://[::ffff:7f00:1]/", "number"),
        ("https://169.254.169.254/latest/", "number"),
        ("https://inside.test/", "address"),
        ("https://beacon.test/", "hosts"),
        ("https://beacon.test/seen.gif?who=reader", "hosts"),
        ("https://shop.test:8443/", "port"),
        ("https://shop.test/counted", "ping"),
    }
    assert {host for host, _ in site.asked} == {"shop.test"}
    assert {path for _, path in site.asked} <= {"/robots.txt", "/hostile.html", "/out.js", "/favicon.ico"}
    assert set(site.dialled) <= {(PUBLIC, 443)}
    assert "beacon.test" not in site.resolved, "not even its name is looked up"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/to-loopback", "number"),
        ("/to-loopback-in-hex", "number"),
        ("/to-private", "number"),
        ("/to-metadata", "number"),
        ("/to-ipv6", "number"),
        ("/to-inside", "address"),
        ("/to-port", "port"),
    ],
)
def test_a_redirect_inwards_is_blocked(running: Running, site: Site, path: str, rule: str) -> None:
    with pytest.raises(BlockedError) as caught:
        running.do(running.browser.open(f"http://shop.test{path}"))
    assert caught.value.rule == rule
    assert set(site.dialled) == {(PUBLIC, 80)}


@pytest.mark.parametrize("path", ["/to-file", "/loop", "/cookie-wall"])
def test_a_redirect_to_nowhere_is_a_clear_error(running: Running, path: str) -> None:
    with pytest.raises(BrowseError, match=r"cannot be opened|from one address to the next"):
        running.do(running.browser.open(f"http://shop.test{path}"))


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://127.0.0.1/", "chrome://version", "about:blank", "data:text/html,x", "x"]
)
def test_only_pages_of_the_web_are_opened(running: Running, site: Site, url: str) -> None:
    with pytest.raises(BlockedError):
        running.do(running.browser.open(url))
    assert not site.dialled


def test_a_blocked_link_leaves_the_page_where_it_is(running: Running) -> None:
    do, browser = running.do, running.browser
    view = do(browser.open("http://shop.test/links.html"))
    for name, kind in (("redirect inwards", BlockedError), ("private", BlockedError), ("unwanted", RobotsError)):
        (number,) = [element.number for element in view.elements if element.name == name]
        with pytest.raises(kind):
            do(browser.click(number))
        view = do(browser.look())
        assert view.title == "Links"


def test_robots_txt_is_obeyed(running: Running, site: Site) -> None:
    with pytest.raises(RobotsError, match="does not allow it"):
        running.do(running.browser.open("http://shop.test/private/log.html"))
    with pytest.raises(RobotsError):
        running.do(running.browser.open("http://shop.test/to-private-page"))
    assert ("shop.test", "/private/log.html") not in site.asked


def test_other_hosts_than_those_of_the_run_are_refused(running: Running, site: Site) -> None:
    with pytest.raises(RefusedError, match=r"allowed are shop\.test") as caught:
        running.do(running.browser.open("http://beacon.test/"))
    assert caught.value.rule == "hosts" and not site.dialled


def test_what_is_too_large_or_endless_is_not_kept(running: Running, site: Site) -> None:
    with pytest.raises(TooLargeError, match="larger than 1,048,576 bytes"):
        running.do(running.browser.open("http://shop.test/huge.csv"))
    with pytest.raises(PageTimeoutError, match="did not end within 2 seconds"):
        running.do(running.browser.open("http://shop.test/slow"))
    with pytest.raises(TooLargeError):
        running.do(running.browser.open("http://shop.test/bomb"))
    downloads = running.folder / "downloads"
    assert not list(downloads.glob("*huge*")) if downloads.exists() else True


def test_a_host_that_is_not_there_is_a_clear_error(running: Running, site: Site) -> None:
    site.answers["other.test"] = [["93.184.216.99"]]  # nobody listens there
    with pytest.raises(SourceError, match="Connection refused"):
        running.do(running.browser.open("http://other.test/"))
    site.answers["other.test"] = [[OTHER]]
    with pytest.raises(SourceError, match="certificate"):
        running.do(running.browser.open("https://other.test/hello.html"))


def test_chromiums_own_traffic_is_denied_and_counted(running: Running, site: Site) -> None:
    running.do(running.browser.open("http://shop.test/form.html"))
    lines = [json.loads(line) for line in (running.folder / "proxy.jsonl").read_text().splitlines()]
    allowed = {line["host"] for line in lines if line["verdict"] == "allowed"}
    assert allowed <= {"shop.test", "other.test"}
    # It also dials ahead for a page, before the page was given leave.
    own = {place.rpartition(":")[0] for place in running.opened.decisions.denied} - {"169.254.169.254", *allowed}
    assert own, "Chromium asks its maker for news even when it is told not to"
    assert not own & set(site.resolved)
    assert {address for address, _ in site.dialled} <= {PUBLIC, OTHER}
