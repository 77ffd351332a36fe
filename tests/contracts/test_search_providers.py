"""Every search provider keeps the contract of contracts.SearchProvider: hits in order, and typed errors for the rest.

The services are answered for on loopback, in the shapes that they are known to answer with.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from envforge.core.contracts import Fetched, SearchProvider
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor
from envforge.web.recording import RecordingFetcher
from envforge.web.search.brave import BraveSearch
from envforge.web.search.ddgs import DdgsSearch
from envforge.web.search.errors import (
    ProviderFaultError,
    QueryError,
    QuotaError,
    SearchKeyError,
    SearchTimeoutError,
    UnreadableAnswerError,
)
from envforge.web.search.http import http_get
from envforge.web.search.packages import PackageSearch
from envforge.web.search.registry import PROVIDERS, SearchSettings, open_search
from envforge.web.search.searxng import SearxngSearch
from envforge.web.sources import make_fetched

SECRET = "sk-" + "q7Zt4NvX0pLw3KsR9bHe6YdM"
FOUND = [
    ("Piers of the north", "https://a.example/piers", f"Depth of <strong>piers</strong> &amp; {SECRET}"),
    *((f"Pier {number}", f"https://a.example/{number}", "One more pier") for number in range(4)),
]
HANG, DRIP = -1, -2


@dataclass
class Service:
    """A server on loopback. It answers with what stands first in `answers`; the last one stays."""

    base_url: str = ""
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list[tuple[int, dict[str, str], bytes]])
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, body: Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, {"Content-Type": kind, **headers}, data))


@pytest.fixture
def service() -> Iterator[Service]:
    told = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append((self.path, dict(self.headers)))
            status, headers, body = told.answers.pop(0) if len(told.answers) > 1 else told.answers[0]
            if status == HANG:
                told.over.wait(30)
                return
            if status == DRIP:  # a header that never ends, never silent for long
                while not told.over.wait(0.02):
                    self.wfile.write(b"X")
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.base_url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield told
    told.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def _searxng_shape(found: Sequence[tuple[str, str, str]]) -> Any:
    results = [{"title": t, "url": u, "content": c, "engine": "x", "score": 1.0} for t, u, c in found]
    return {"query": "piers", "number_of_results": 0, "results": results, "answers": [], "unresponsive_engines": []}


def _brave_shape(found: Sequence[tuple[str, str, str]]) -> Any:
    told: dict[str, Any] = {"type": "search", "query": {"original": "piers"}}
    if found:
        results = [{"title": t, "url": u, "description": c, "type": "search_result"} for t, u, c in found]
        told["web"] = {"type": "search", "results": results}
    return told


def _searxng(service: Service, timeout: float = 10) -> SearchProvider:
    return SearxngSearch(service.base_url, http_get(timeout, max_bytes=100_000))


def _brave(service: Service, timeout: float = 10) -> SearchProvider:
    return BraveSearch(http_get(timeout, max_bytes=100_000), endpoint=f"{service.base_url}/web/search")


SERVICES = {"searxng": (_searxng, _searxng_shape), "brave": (_brave, _brave_shape)}


class _Held:
    """Fetches what it was given."""

    def __init__(self, files: Sequence[Fetched]) -> None:
        self._files = files

    def accepts(self, spec: str) -> bool:
        return True

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        return self._files


def _over_snapshot(name: str, folder: Path, found: Sequence[tuple[str, str, str]]) -> SearchProvider:
    pages = [
        make_fetched(
            f"<title>{title}</title><body><p>{text}</p></body>".encode(),
            url=url,
            url_status="fetched",
            retrieved_at="2026-02-03T04:05:06Z",
            mime="text/html",
            path=url.rsplit("/", 1)[-1],
            title=title,
        )
        for title, url, text in found or [("Boats", "https://a.example/boats", "Nothing of the kind")]
    ]
    RecordingFetcher(_Held(pages), folder / "web").fetch(Anchor(spec="https://a.example/"))
    return open_search(SearchSettings(provider=name, snapshot=folder / "web", cache=folder / "cache"))


def _npm(folder: Path, found: Sequence[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch) -> SearchProvider:
    told = [{"name": t.lower().replace(" ", "-"), "version": "1.0.0", "description": c} for t, _, c in found]
    _fake_npm(folder, json.dumps(told), 0, monkeypatch)
    return PackageSearch("npm", ["npm"], timeout=30)


def _fake_npm(folder: Path, out: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "answer").write_text(out)
    (folder / "npm").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {folder}/asked\ncat {folder}/answer\nexit {code}\n')
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture(params=["snapshot", "tantivy", "searxng", "brave", "ddgs", "npm"])
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Sequence[tuple[str, str, str]]], SearchProvider]:
    """opened(found) → the provider, with `found` to be found."""
    name: str = request.param
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")

    def open_with(found: Sequence[tuple[str, str, str]]) -> SearchProvider:
        if name in ("snapshot", "tantivy"):
            return _over_snapshot(name, tmp_path, found)
        if name == "npm":
            return _npm(tmp_path, found, monkeypatch)
        if name == "ddgs":
            results = [{"title": t, "href": u, "body": c} for t, u, c in found]
            return _ddgs(results) if found else _ddgs(_ddgs_error("DDGSException", "No results found."))
        make, shape = SERVICES[name]
        service.answer(shape(found))
        return make(service)

    return open_with


def _ddgs(told: Any) -> SearchProvider:
    def text(query: str, *, max_results: int) -> Any:
        if isinstance(told, Exception):
            raise told
        return told

    return DdgsSearch(timeout=1, text=text)


def _ddgs_error(kind: str, said: str) -> Exception:
    import ddgs.exceptions

    error: Exception = getattr(ddgs.exceptions, kind)(said)
    return error


def test_the_suite_knows_every_provider() -> None:
    here = {"snapshot", "tantivy", "searxng", "brave", "ddgs", "npm", "pypi"}
    assert set(PROVIDERS) == here | {"packages"}, "packages is npm and pypi"


Opened = Callable[[Sequence[tuple[str, str, str]]], SearchProvider]


def test_hits_are_ranked_cut_and_clean(opened: Opened) -> None:
    provider = opened(FOUND)
    hits = provider.search("piers of the north", limit=3)
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert {hit.provider for hit in hits} == {provider.name}
    assert len({hit.url for hit in hits}) == 3
    assert hits[0].title in ("Piers of the north", "npm:piers-of-the-north@1.0.0")
    shown = " ".join(hit.title + hit.url + hit.snippet for hit in hits)
    assert SECRET not in shown and "<strong>" not in shown and "&amp;" not in shown


def test_the_same_query_has_the_same_answer(opened: Opened) -> None:
    provider = opened(FOUND)
    assert provider.search("piers", limit=5) == provider.search("piers", limit=5)


def test_nothing_found_is_an_answer(opened: Opened) -> None:
    assert opened([]).search("piers", limit=5) == ()


@pytest.mark.parametrize(("query", "limit"), [(" ", 5), ("?!", 5), ("x" * 401, 5), ("piers", 0), ("piers", 101)])
def test_what_cannot_be_asked_is_refused(opened: Opened, query: str, limit: int) -> None:
    with pytest.raises(QueryError):
        opened(FOUND).search(query, limit=limit)


FAULTS: dict[str, tuple[int, bytes, dict[str, str], type[Exception]]] = {
    "quota": (429, b'{"error": "slow down"}', {"Retry-After": "7"}, QuotaError),
    "paid quota": (402, b"{}", {}, QuotaError),
    "refused": (401, b"{}", {}, SearchKeyError),
    "forbidden": (403, b"<h1>no</h1>", {}, SearchKeyError),
    "server error": (500, b"oops", {}, ProviderFaultError),
    "gateway page": (502, b"<html>bad gateway</html>", {}, ProviderFaultError),
    "not found": (404, b"", {}, ProviderFaultError),
    "redirect": (302, b"", {"Location": "http://127.0.0.1:9/"}, ProviderFaultError),
    "page for people": (
        200,
        b"<!DOCTYPE html><title>Search</title>",
        {"Content-Type": "text/html"},
        UnreadableAnswerError,
    ),
    "page called JSON": (200, b"  <html>", {}, UnreadableAnswerError),
    "half of JSON": (200, b'{"results": [', {}, UnreadableAnswerError),
    "nothing at all": (200, b"", {}, UnreadableAnswerError),
    "deep JSON": (200, b"[" * 90_000, {}, UnreadableAnswerError),
    "another object": (200, b'{"hits": []}', {}, UnreadableAnswerError),
    "a list": (200, b"[]", {}, UnreadableAnswerError),
    "results are no list": (
        200,
        b'{"type": "search", "results": {}, "web": {"results": 3}}',
        {},
        UnreadableAnswerError,
    ),
    "a result is no object": (
        200,
        b'{"type": "x", "results": [1], "web": {"results": [1]}}',
        {},
        UnreadableAnswerError,
    ),
    "too large": (200, b" " * 100_001, {}, SourceError),
    "hangs": (HANG, b"", {}, SearchTimeoutError),
    "drips": (DRIP, b"", {}, SearchTimeoutError),
}


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_answer_is_a_typed_error(
    name: str, fault: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")
    status, body, headers, expected = FAULTS[fault]
    service.answer(
        body, status, **{"kind": "application/json", **{k: v for k, v in headers.items() if k != "Content-Type"}}
    )
    if "Content-Type" in headers:
        service.answers[0][1]["Content-Type"] = headers["Content-Type"]
    with pytest.raises(expected) as caught:
        SERVICES[name][0](service, 0.3 if status in (HANG, DRIP) else 10).search("piers", limit=5)
    assert "key-of-a-test" not in str(caught.value)
    if isinstance(caught.value, QuotaError):
        assert caught.value.retry_after == (7 if "Retry-After" in headers else None)


BAD_RESULTS: list[dict[str, Any]] = [
    {"title": "A", "url": "javascript:alert(1)"},
    {"title": "A", "url": 3},
    {"title": None, "url": "https://a.example/"},
    {"url": "https://a.example/"},
    {"title": "A"},
    {"title": "A", "url": "https://a.example/", "content": 1, "description": 1},
]


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("result", BAD_RESULTS)
def test_a_result_of_another_shape_is_told_and_not_left_out(
    name: str, result: dict[str, Any], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")
    service.answer({"type": "search", "results": [result], "web": {"results": [result]}})
    with pytest.raises(UnreadableAnswerError) as caught:
        SERVICES[name][0](service).search("piers", limit=5)
    assert caught.value.kind == "shape"


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_that_is_not_there(name: str, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed:
        port = closed.server_port
    service.base_url = f"http://127.0.0.1:{port}"
    with pytest.raises(ProviderFaultError) as caught:
        SERVICES[name][0](service).search("piers", limit=5)
    assert caught.value.retryable


def test_searxng_goes_on_until_a_page_brings_nothing_new(service: Service) -> None:
    service.answer(_searxng_shape(FOUND[:2]))
    service.answer(_searxng_shape(FOUND[1:4]))
    service.answer(_searxng_shape(FOUND[:1]))
    assert len(_searxng(service).search("piers", limit=10)) == 4
    pages = [parse_qs(urlsplit(path).query)["pageno"] for path, _ in service.asked]
    assert pages == [["1"], ["2"], ["3"]]


def test_searxng_whose_engines_are_silent_has_not_found_nothing(service: Service) -> None:
    service.answer({**_searxng_shape([]), "unresponsive_engines": [["engine a", "timeout"], ["engine b", "CAPTCHA"]]})
    with pytest.raises(ProviderFaultError, match="engine a: timeout, engine b: CAPTCHA"):
        _searxng(service).search("piers", limit=5)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8888", "ftp://a.example", "http://[", "http://u:p@a.example", "http://a/?x=1"]
)
def test_searxng_wants_an_address(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SearxngSearch(url, http_get(1))
    assert "u:p" not in str(caught.value)


def test_brave_has_its_key_from_the_environment_and_sends_it_in_a_header(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")
    service.answer(_brave_shape(FOUND))
    provider = _brave(service)
    provider.search("piers & boats", limit=3)
    path, headers = service.asked[0]
    assert headers["X-Subscription-Token"] == "key-of-a-test" and "key-of-a-test" not in path
    assert parse_qs(urlsplit(path).query)["q"] == ["piers & boats"]
    assert "key-of-a-test" not in repr(vars(provider))


@pytest.mark.parametrize("key", [None, "  ", "ключ"])
def test_brave_without_a_usable_key(key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("BRAVE_API_KEY", key)
    with pytest.raises(SearchKeyError, match="BRAVE_API_KEY"):
        open_search(SearchSettings(provider="brave"))


def test_brave_says_that_a_key_is_wrong_in_its_own_way(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "key-of-a-test")
    told = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422}}
    service.answer(told, 422)
    with pytest.raises(SearchKeyError, match="BRAVE_API_KEY"):
        _brave(service).search("piers", limit=5)


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("RatelimitException", "202", QuotaError),
        ("TimeoutException", "timed out", SearchTimeoutError),
        ("DDGSException", "engine broke", ProviderFaultError),
    ],
)
def test_ddgs_errors_are_typed(kind: str, said: str, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        _ddgs(_ddgs_error(kind, said)).search("piers", limit=5)


@pytest.mark.parametrize("told", [None, {}, [1], [{"title": "A"}], [{"title": "A", "href": "/relative", "body": ""}]])
def test_ddgs_answers_of_another_shape(told: Any) -> None:
    with pytest.raises(UnreadableAnswerError):
        _ddgs(told).search("piers", limit=5)


def test_ddgs_that_fails_in_a_way_of_its_own() -> None:
    with pytest.raises(ProviderFaultError, match="KeyError"):
        _ddgs(KeyError("vqd")).search("piers", limit=5)


@pytest.mark.parametrize(
    ("out", "code", "expected", "says"),
    [
        (
            '{"error": {"code": "E404", "summary": "Not Found - GET http://x/-/v1/search?text=a"}}',
            1,
            ProviderFaultError,
            "no search",
        ),
        ("npm error code ENOTFOUND", 1, ProviderFaultError, "npm search failed"),
        ("no JSON", 0, UnreadableAnswerError, "no JSON"),
        ('{"objects": []}', 0, UnreadableAnswerError, "no list"),
        ('[{"name": "x"}]', 0, UnreadableAnswerError, "version"),
    ],
)
def test_npm_that_does_not_answer(
    out: str, code: int, expected: type[Exception], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_npm(tmp_path, out, code, monkeypatch)
    with pytest.raises(expected, match=says):
        PackageSearch("npm", ["npm"], timeout=30).search("piers", limit=5)


def test_npm_gets_the_words_as_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake_npm(tmp_path, "[]", 0, monkeypatch)
    PackageSearch("npm", ["npm"], timeout=30).search("--registry=http://x piers", limit=5)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-2:] == ["--", "--registry=http://x piers"]


def test_pypi_finds_exact_names_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "simple" / "pierdata"
    home.mkdir(parents=True)
    names = ["pierdata-0.3-py3-none-any.whl", "pierdata-0.4-py3-none-any.whl"]
    (home / "index.html").write_text("".join(f'<a href="{name}">{name}</a>' for name in names))
    for variable in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    hits = open_search(SearchSettings(provider="pypi")).search("--pierdata pierdata boatdata", limit=5)
    assert [(hit.title, hit.url) for hit in hits] == [("pypi:pierdata==0.4", "pkg:pypi/pierdata@0.4")]


def test_an_unknown_provider_is_told_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="snapshot, tantivy, searxng"):
        open_search(SearchSettings(provider="yellow-pages"))


@pytest.mark.parametrize("name", ["snapshot", "tantivy", "searxng"])
def test_what_a_provider_needs_is_asked_for(name: str) -> None:
    with pytest.raises(ConfigError, match="--"):
        open_search(SearchSettings(provider=name))


def test_an_index_of_tantivy_is_kept_and_one_that_is_damaged_is_told(tmp_path: Path) -> None:
    provider = _over_snapshot("tantivy", tmp_path, FOUND)
    first = provider.search("piers of the north", limit=3)
    assert provider.search("piers of the north", limit=3) == first
    kept = list((tmp_path / "cache").iterdir())
    assert [path.suffix for path in kept] == [".tantivy"]
    (kept[0] / "meta.json").write_text("{")
    with pytest.raises(SourceError, match="delete it"):
        provider.search("piers", limit=3)
