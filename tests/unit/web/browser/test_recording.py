"""What a run leaves on the disk, and what a replay makes of it; no browser needed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, SourceError, StoreError
from envforge.core.records.browse import BrowseLimits, BrowseRun
from envforge.core.records.source import Anchor
from envforge.store.schemas import problems
from envforge.web.browser.errors import BrowseError, MissingRecordError, RefusedError, TooLargeError
from envforge.web.browser.exchange import Answer, Asked, SiteError
from envforge.web.browser.live import LiveAnswers
from envforge.web.browser.pins import Pins
from envforge.web.browser.recording import REQUESTS_NAME, WARC_NAME, Recording
from envforge.web.browser.replay import ReplayAnswers
from envforge.web.guard import BlockedError, Guard
from envforge.web.live.settings import load_browse_limits
from envforge.web.snapshot import SnapshotFetcher

ROOT = Path(__file__).parents[4]
NOW = "2024-05-01T08:00:00Z"
RUN = BrowseRun(started_at=NOW, seed=0, width=1280, height=800, sandboxed=True)
PAGE = Answer(200, (("Content-Type", "text/html; charset=utf-8"), ("Set-Cookie", "a=1; Path=/")), b"<h1>Tides</h1>")


def _asked(url: str, method: str = "GET", body: bytes = b"") -> Asked:
    return Asked(method, url, "Document", "frame", body)


def _recorded(folder: Path) -> Recording:
    recording = Recording(folder, RUN, lambda: NOW)
    recording.begin()
    recording.answered(_asked("https://shop.test/a"), PAGE)
    recording.answered(_asked("https://shop.test/list"), Answer(200, (), b"one"))
    recording.answered(_asked("https://shop.test/list"), Answer(200, (), b"two"))
    recording.answered(_asked("https://shop.test/find", "POST", b"q=otter"), Answer(201, (), b"otter"))
    recording.answered(_asked("https://shop.test/api?_=1714550400123"), Answer(200, (), b"api"))
    recording.answered(_asked("https://shop.test/key?access_token=abcdef123456"), Answer(200, (), b"key"))
    recording.failed(_asked("https://shop.test/in"), "number", SourceError("inside"), refused=True)
    recording.failed(_asked("https://shop.test/big"), "TooLargeError", SourceError("too large"), refused=False)
    recording.failed(_asked("https://shop.test/gone"), "Failed", SourceError("gone"), refused=False)
    recording.close()
    return recording


def _get(work: Coroutine[Any, Any, Answer | None]) -> bytes:
    answer = asyncio.run(work)
    assert answer is not None
    return answer.body


def test_answers_come_back_in_their_order(tmp_path: Path) -> None:
    _recorded(tmp_path)
    replay = ReplayAnswers(tmp_path)
    assert replay.run == RUN
    page = asyncio.run(replay.before(_asked("https://shop.test/a")))
    assert page == PAGE
    assert [_get(replay.before(_asked("https://shop.test/list"))) for _ in range(3)] == [b"one", b"two", b"two"]
    assert _get(replay.before(_asked("https://shop.test/find", "POST", b"q=otter"))) == b"otter"
    assert _get(replay.before(_asked("https://shop.test/api?_=1799999999999"))) == b"api", "a time in a URL is any time"
    assert _get(replay.before(_asked("https://shop.test/key?access_token=abcdef123456"))) == b"key"


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (_asked("https://shop.test/b"), MissingRecordError, "no GET of it"),
        (_asked("https://shop.test/a", "POST"), MissingRecordError, "no POST of it"),
        (_asked("https://shop.test/find", "POST", b"q=tern"), MissingRecordError, "no POST of it"),
        (_asked("https://shop.test/in"), RefusedError, "inside"),
        (_asked("https://shop.test/big"), TooLargeError, "too large"),
        (_asked("https://shop.test/gone"), SiteError, "gone"),
    ],
)
def test_what_gave_no_answer_gives_none_again(
    tmp_path: Path, asked: Asked, error: type[SourceError], words: str
) -> None:
    _recorded(tmp_path)
    with pytest.raises(error, match=words):
        asyncio.run(ReplayAnswers(tmp_path).before(asked))


def test_the_mark_between_the_parts_of_a_form_does_not_matter() -> None:
    def sent(mark: str, value: bytes) -> str:
        border = b"------WebKitFormBoundary" + mark.encode()
        return _asked("https://shop.test/", "POST", border + b"\r\n\r\n" + value + border + b"--").body_sha256

    assert sent("a" * 16, b"otter") == sent("Zz9" + "b" * 13, b"otter") != sent("a" * 16, b"tern")


def test_secrets_in_urls_are_not_written(tmp_path: Path) -> None:
    _recorded(tmp_path)
    for path in tmp_path.iterdir():
        assert b"abcdef123456" not in path.read_bytes(), path.name


def test_the_lines_fit_their_schemas(tmp_path: Path) -> None:
    _recorded(tmp_path)
    lines = [json.loads(line) for line in (tmp_path / REQUESTS_NAME).read_text().splitlines()]
    assert len(lines) == 9 and not [problem for line in lines for problem in problems("page_request", line)]
    assert not problems("browse_run", json.loads((tmp_path / "browse.json").read_text()))


def test_the_folder_is_a_snapshot(tmp_path: Path) -> None:
    _recorded(tmp_path)
    (fetched,) = SnapshotFetcher(tmp_path).fetch(Anchor(spec="https://shop.test/a"))
    assert (fetched.body, fetched.source.mime, fetched.source.retrieved_at) == (
        PAGE.body,
        "text/html; charset=utf-8",
        NOW,
    )
    assert not SnapshotFetcher(tmp_path).accepts("https://shop.test/find"), "what was posted is no page"


def test_the_same_run_gives_the_same_bytes_and_stores_bytes_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        recording = _recorded(tmp_path / name)
        size = (tmp_path / name / WARC_NAME).stat().st_size
        recording.answered(_asked("https://shop.test/a"), PAGE)
        assert (tmp_path / name / WARC_NAME).stat().st_size == size
    for name in (WARC_NAME, REQUESTS_NAME, "index.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_damaged_record_is_not_served(tmp_path: Path) -> None:
    _recorded(tmp_path)
    warc = tmp_path / WARC_NAME
    at = json.loads((tmp_path / REQUESTS_NAME).read_text().splitlines()[0])["offset"] + 40
    whole = warc.read_bytes()
    warc.write_bytes(whole[:at] + b"\x00" * 40 + whole[at + 40 :])
    with pytest.raises(SourceError, match="cannot be read"):
        asyncio.run(ReplayAnswers(tmp_path).before(_asked("https://shop.test/a")))


def test_a_record_of_another_page_is_not_served(tmp_path: Path) -> None:
    _recorded(tmp_path)
    path = tmp_path / REQUESTS_NAME
    path.write_text(path.read_text().replace("https://shop.test/a", "https://shop.test/z"))
    with pytest.raises(SourceError, match="not the one that the request names"):
        asyncio.run(ReplayAnswers(tmp_path).before(_asked("https://shop.test/z")))


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no recorded run"):
        ReplayAnswers(tmp_path)
    _recorded(tmp_path)
    with pytest.raises(ConfigError, match="holds a run already"):
        Recording(tmp_path, RUN, lambda: NOW)
    (tmp_path / "browse.json").write_text("{}")
    with pytest.raises(ConfigError, match="started_at"):
        ReplayAnswers(tmp_path)
    (tmp_path / REQUESTS_NAME).write_text('{"url": 1}\n')
    with pytest.raises((ConfigError, StoreError)):
        ReplayAnswers(tmp_path)


def test_nothing_is_written_before_the_browser_is_at_work(tmp_path: Path) -> None:
    Recording(tmp_path, RUN, lambda: NOW)
    assert not list(tmp_path.iterdir())
    Recording(tmp_path, RUN, lambda: NOW).begin()  # the folder is free yet
    assert {path.name for path in tmp_path.iterdir()} == {"browse.json", "pages.warc.gz"}


def test_a_replay_gives_a_page_what_it_got_and_a_snapshot_gives_it_without_secrets(tmp_path: Path) -> None:
    body = b"<p>ivo.marsh@harbour.org has the keys</p>"
    recording = Recording(tmp_path, RUN, lambda: NOW)
    recording.begin()
    recording.answered(_asked("https://shop.test/a"), Answer(200, (("Content-Type", "text/html"),), body))
    recording.close()
    assert _get(ReplayAnswers(tmp_path).before(_asked("https://shop.test/a"))) == body
    snapshot = SnapshotFetcher(tmp_path)
    [page] = snapshot.fetch(Anchor(spec="https://shop.test/a"))
    told = snapshot.answer_to("https://shop.test/a")
    assert page.body == b"<p>*** has the keys</p>" and told is not None and told.body == page.body
    assert (page.source.transform, [found.kind for found in page.source.hidden]) == ("secrets hidden", ["e-mail"])


def test_what_goes_wrong_is_told_without_secrets() -> None:
    mail = "ivo.marsh@harbour.org"
    told, where = f"covered by <a title='{mail}'>", f"https://shop.test/?to={mail}"
    for error in (BrowseError(told, where=where, remedy=mail), SiteError(told, rule="x", where=where, remedy=mail)):
        assert mail not in f"{error.message} {error.where} {error.remedy} {error}" and "***" in error.message


def test_a_host_is_resolved_once_and_pinned() -> None:
    resolved: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        resolved.append(host)
        return ["93.184.215.14" if len(resolved) == 1 else "127.0.0.1"]

    async def admit() -> None:
        pins = Pins(Guard(resolve=resolve))
        assert pins.address("shop.test", 443, tunnel=True) is None
        await asyncio.gather(*(pins.admit("https://shop.test/") for _ in range(5)))
        assert pins.address("SHOP.test", 443, tunnel=True) == "93.184.215.14"
        assert pins.address("shop.test", 443, tunnel=False) is None
        assert pins.address("shop.test", 80, tunnel=False) is None

    asyncio.run(admit())
    assert resolved == ["shop.test"]


@pytest.mark.parametrize(
    ("hosts", "url", "allowed"),
    [
        (("shop.test",), "https://shop.test/", True),
        (("shop.test",), "https://www.shop.test/", False),
        (("*.shop.test",), "https://www.shop.test/", True),
        (("*.shop.test",), "https://shop.test/", True),
        (("*.shop.test",), "https://myshop.test/", False),
    ],
)
def test_hosts_of_a_run(hosts: tuple[str, ...], url: str, allowed: bool) -> None:
    pins = Pins(Guard(resolve=lambda host, port: ["93.184.215.14"]), hosts)
    if allowed:
        assert asyncio.run(pins.admit(url)).port == 443
        return
    with pytest.raises(RefusedError, match="other hosts"):
        asyncio.run(pins.admit(url))


@pytest.mark.parametrize("kind", ["Ping", "EventSource", "Media", "Prefetch", "CSPViolationReport"])
def test_kinds_of_requests_that_are_never_made(tmp_path: Path, kind: str) -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    answers = LiveAnswers(Pins(Guard(resolve=never)), Recording(tmp_path, RUN, lambda: NOW))
    with pytest.raises(RefusedError) as caught:
        asyncio.run(answers.before(Asked("GET", "https://shop.test/", kind, "")))
    assert caught.value.rule == kind.lower()


def test_a_failed_look_up_is_tried_again(tmp_path: Path) -> None:
    answers = [["127.0.0.1"], ["93.184.215.14"]]
    pins = Pins(Guard(resolve=lambda host, port: answers.pop(0)))

    async def twice() -> None:
        with pytest.raises(BlockedError):
            await pins.admit("https://shop.test/")
        assert pins.address("shop.test", 443, tunnel=True) is None
        await pins.admit("https://shop.test/")

    asyncio.run(twice())


def test_the_limits_that_ship_are_those_that_hold_and_are_told() -> None:
    path = ROOT / "validators/web/browse.json"
    assert load_browse_limits(path) == BrowseLimits()
    assert set(json.loads(path.read_bytes())) == set(BrowseLimits.model_fields)
    text = (ROOT / "docs/web.md").read_text(encoding="utf-8")
    assert not [name for name in BrowseLimits.model_fields if f"`{name}`" not in text]
