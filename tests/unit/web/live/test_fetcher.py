"""LiveFetcher: what stands in the source record of a page, a table, a packed file."""

from __future__ import annotations

import pytest
from tests.sites.pages import PAGES
from tests.sites.server import Site
from tests.unit.web.live.conftest import NOW, MakeClient

from envforge.core.contracts import Exchange
from envforge.core.errors import SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Anchor, Licence
from envforge.mine.extract.charset import decode_page
from envforge.web.live.errors import StatusError
from envforge.web.live.fetcher import LiveFetcher

SHOP = "http://shop.test"


def test_a_page_has_its_provenance(client: MakeClient) -> None:
    (item,) = LiveFetcher(client()).fetch(Anchor(spec=f"{SHOP}/to-boats"))
    source = item.source
    assert (source.url, source.url_status, source.retrieved_at) == (f"{SHOP}/boats.html", "fetched", NOW)
    assert (source.path, source.mime) == ("shop.test/boats.html", "text/html; charset=utf-8")
    assert item.body == PAGES["/boats.html"][1] and source.sha256 == sha256_bytes(item.body)
    assert source.licence == Licence(
        status="stated-open",
        spdx="CC-BY-4.0",
        evidence='link rel="license": https://creativecommons.org/licenses/by/4.0/',
    )
    assert item.exchange is not None and [hop.status for hop in item.exchange.trail] == [200, 302]


@pytest.mark.parametrize(
    ("path", "name", "mime"),
    [
        ("/boats.csv", "shop.test/boats.csv", "text/csv; charset=utf-8"),  # sent as text/plain
        ("/untyped.csv", "shop.test/untyped.csv", "text/csv; charset=utf-8"),
        ("/api/boats.json", "shop.test/api/boats.json", "application/json"),
        ("/boats.html?page=2", "shop.test/boats--page-2.html", "text/html; charset=utf-8"),
        ("/", "shop.test/index.html", "text/html; charset=utf-8"),
    ],
)
def test_what_a_file_is_called_and_is(client: MakeClient, path: str, name: str, mime: str) -> None:
    (item,) = LiveFetcher(client()).fetch(Anchor(spec=SHOP + path))
    assert (item.source.path, item.source.mime) == (name, mime)


def test_bytes_of_another_charset_are_kept_and_read_as_the_page_says(client: MakeClient) -> None:
    (item,) = LiveFetcher(client()).fetch(Anchor(spec=f"{SHOP}/charset.html"))
    assert item.body == PAGES["/charset.html"][1]
    text, remark = decode_page(item)
    assert "Möwe" in text and "cp1252 as the page says" in remark


def test_a_packed_file_is_opened_within_limits(client: MakeClient) -> None:
    fetcher = LiveFetcher(client())
    (item,) = fetcher.fetch(Anchor(spec=f"{SHOP}/boats.zip"))
    assert item.body == b"id,name\n1,Otter\n" and item.source.transform == "unzip"
    assert item.source.url == f"{SHOP}/boats.zip#data/boats.csv" and item.source.mime.startswith("text/csv")
    with pytest.raises(SourceError, match="unpacks to more than"):
        fetcher.fetch(Anchor(spec=f"{SHOP}/bomb.zip"))


def test_include_and_licence_of_the_anchor_hold(client: MakeClient) -> None:
    fetcher, own = LiveFetcher(client()), Licence(status="stated-other", evidence="asked the owner")
    (item,) = fetcher.fetch(Anchor(spec=f"{SHOP}/boats.html", include=("**/*.html",), licence=own))
    assert item.source.licence == own
    with pytest.raises(SourceError, match=r"no file for include '\*\.csv'"):
        fetcher.fetch(Anchor(spec=f"{SHOP}/boats.html", include=("*.csv",)))


@pytest.mark.parametrize(("page", "header"), [("/tagged", "ETag"), ("/dated", "Last-Modified")])
def test_only_changes_are_asked_for(client: MakeClient, site: Site, page: str, header: str) -> None:
    (first,) = LiveFetcher(client()).fetch(Anchor(spec=SHOP + page))
    assert first.exchange is not None and first.exchange.header(header)
    asked: list[str] = []

    def previous(url: str) -> Exchange | None:
        asked.append(url)
        return first.exchange

    (second,) = LiveFetcher(client(), previous=previous).fetch(Anchor(spec=SHOP + page))
    assert asked == [SHOP + page] and (second.source, second.body) == (first.source, first.body)
    assert {"If-None-Match", "If-Modified-Since"} & set(site.headers[-1])


def test_an_earlier_failure_is_no_condition(client: MakeClient, site: Site) -> None:
    failed = Exchange(f"{SHOP}/tagged", 500, "", (("ETag", '"v1"'),), b"broken", NOW)
    (item,) = LiveFetcher(client(), previous=lambda _: failed).fetch(Anchor(spec=f"{SHOP}/tagged"))
    assert item.body == b"<p>Version 1.</p>" and "If-None-Match" not in site.headers[-1]


def test_an_error_page_is_never_data(client: MakeClient) -> None:
    with pytest.raises(StatusError):
        LiveFetcher(client()).fetch(Anchor(spec=f"{SHOP}/status/404"))
    assert not LiveFetcher(client()).accepts("npm:@lib/shelf") and not LiveFetcher(client()).accepts("nonsense")
