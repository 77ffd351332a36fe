"""Recording: appended, never rewritten; resumed to the same bytes; failures and evidence beside the data."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, cast

import pytest

from envforge.core.contracts import Exchange, Fetched
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor
from envforge.web.guard import Guard
from envforge.web.index import INDEX_NAME, JOURNAL_NAME, read_index
from envforge.web.live.errors import FetchError, LimitError, StatusError
from envforge.web.recording import Recording, RecordingFetcher
from envforge.web.replay import ReplayFetcher
from envforge.web.snapshot import NotHeldError, SnapshotFetcher
from envforge.web.sources import make_fetched
from envforge.web.warc import WARC_NAME

NOW = "2024-05-01T08:00:00Z"


def page(name: str, body: bytes = b"<p>Boats.</p>", at: str = NOW) -> Fetched:
    url = f"https://shop.test/{name}"
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Content-Length", "3"), ("ETag", '"1"'))
    trail = (Exchange("https://shop.test/robots.txt", 404, "Not Found", (), b"none", at),)
    fetched = make_fetched(
        body, url=url, url_status="fetched", retrieved_at=at, mime="text/html", path=f"shop.test/{name}"
    )
    return dataclasses.replace(fetched, exchange=Exchange(url, 200, "OK", headers, body, at, trail))


def failure(name: str, status: int = 404) -> Exchange:
    return Exchange(f"https://shop.test/{name}", status, "No\r\nway", (("Retry-After", "9"),), b"gone", NOW)


def records(folder: Path) -> list[Any]:
    from warcio.archiveiterator import ArchiveIterator

    with (folder / WARC_NAME).open("rb") as stream:
        found: list[Any] = []
        for record in cast("Any", ArchiveIterator(stream, check_digests=True)):
            record.body = record.content_stream().read()
            assert record.rec_type == "warcinfo" or record.digest_checker.passed
            found.append(record)
    return found


def test_real_headers_and_the_way_to_an_answer_are_kept(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.add("https://shop.test/", [page("a.html")])
    recording.close()
    _, robots, answer = records(tmp_path)
    assert (robots.rec_headers.get_header("WARC-Target-URI"), robots.http_headers.get_statuscode()) == (
        "https://shop.test/robots.txt",
        "404",
    )
    assert answer.body == b"<p>Boats.</p>" and answer.http_headers.get_statuscode() == "200"
    assert answer.http_headers.headers == [
        ("Content-Type", "text/html"),
        ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("ETag", '"1"'),
        ("Content-Length", "13"),
    ]
    (entry,) = read_index(tmp_path)
    assert entry.url == "https://shop.test/a.html" and entry.specs == ("https://shop.test/",)
    # The way is evidence, no source: only the answer is served, under what was asked for and where it was found.
    held = SnapshotFetcher(tmp_path)
    for spec in ("https://shop.test/", "https://shop.test/a.html"):
        assert [item.source.url for item in held.fetch(Anchor(spec=spec))] == ["https://shop.test/a.html"]
    assert not held.accepts("https://shop.test/robots.txt")
    exchange = held.answer_to("https://shop.test/")
    assert exchange is not None and exchange.header("etag") == '"1"' and exchange.status == 200


def test_a_fetch_costs_its_own_bytes(tmp_path: Path) -> None:
    """What is on the disk is never written again: the same file grows, whatever it holds already."""
    recording = Recording(tmp_path)
    grown: list[int] = []
    before = b""
    for n in range(60):
        recording.add(f"https://shop.test/{n:02}", [page(f"{n:02}.html", bytes([65 + n]) * 50)])
        after = (tmp_path / WARC_NAME).read_bytes() + (tmp_path / JOURNAL_NAME).read_bytes()
        grown.append(len(after) - len(before))
        before = after
    assert max(grown[1:]) - min(grown[1:]) < 40 and not (tmp_path / INDEX_NAME).exists()
    inode = (tmp_path / WARC_NAME).stat().st_ino
    recording.close()
    assert (tmp_path / WARC_NAME).stat().st_ino == inode and not (tmp_path / JOURNAL_NAME).exists()
    assert len(read_index(tmp_path)) == 60


@pytest.mark.parametrize("closed", [True, False])
def test_interrupted_and_resumed_it_is_the_same_bytes(tmp_path: Path, closed: bool) -> None:
    pages = [page("a.html"), page("b.html", b"<p>b</p>"), page("c.html", b"<p>c</p>", "2024-05-01T09:00:00Z")]
    whole, parts = Recording(tmp_path / "whole"), Recording(tmp_path / "parts")
    for item in pages:
        whole.add(item.source.url, [item])
    whole.close()
    parts.add(pages[0].source.url, pages[:1])
    if closed:
        parts.close()
    else:
        # Cut in the middle of a fetch: a record of which the index does not know, and half a line.
        with (tmp_path / "parts" / WARC_NAME).open("ab") as stream:
            stream.write(b"\x1f\x8bhalf a record")
        with (tmp_path / "parts" / JOURNAL_NAME).open("ab") as stream:
            stream.write(b'{"url": "https://shop.te')
    resumed = Recording(tmp_path / "parts", resume=True)
    for item in pages:
        resumed.add(item.source.url, [item])
    resumed.close()
    for name in (WARC_NAME, INDEX_NAME):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_without_resume_it_begins_anew(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        recording = Recording(tmp_path)
        recording.add(name, [page(name)])
        recording.close()
    assert [entry.url for entry in read_index(tmp_path)] == ["https://shop.test/b.html"]
    Recording(tmp_path).close()
    assert len(read_index(tmp_path)) == 1  # nothing recorded, nothing lost


def test_a_newer_fetch_stands_in_for_an_older_one(tmp_path: Path) -> None:
    first = Recording(tmp_path)
    first.add("https://shop.test/a.html", [page("a.html", b"<p>old</p>")])
    first.fail("https://shop.test/b.html", failure("b.html"))
    second = Recording(tmp_path, resume=True)
    second.add("https://shop.test/a.html", [page("a.html", b"<p>new</p>")])
    second.add("https://shop.test/b.html", [page("b.html")])
    for closed in (False, True):
        if closed:
            second.close()
        held = SnapshotFetcher(tmp_path)
        (item,) = held.fetch(Anchor(spec="https://shop.test/a.html"))
        assert item.body == b"<p>new</p>"
        assert held.fetch(Anchor(spec="https://shop.test/b.html"))
        assert [entry.status for entry in read_index(tmp_path)] == [None, None]


def test_two_anchors_may_share_a_file(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.add("https://shop.test/a.html", [page("a.html")])
    (kept,) = recording.add("https://shop.test/again", [page("a.html", at="2030-01-01T00:00:00Z")])
    assert kept.source.retrieved_at == NOW  # as a replay will tell it
    recording.close()
    (entry,) = read_index(tmp_path)
    assert entry.specs == ("https://shop.test/a.html", "https://shop.test/again")
    assert SnapshotFetcher(tmp_path).fetch(Anchor(spec="https://shop.test/again")) == [kept]


def test_a_failure_is_recorded_and_never_data(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.fail("https://shop.test/x.html", failure("x.html", 503))
    recording.close()
    _, kept = records(tmp_path)
    assert (kept.http_headers.statusline, kept.body) == ("503 No??way", b"gone")
    held = SnapshotFetcher(tmp_path)
    assert not held.accepts("https://shop.test/x.html")
    with pytest.raises(NotHeldError):
        held.fetch(Anchor(spec="https://shop.test/x.html"))
    with pytest.raises(StatusError) as caught:
        ReplayFetcher(tmp_path).fetch(Anchor(spec="https://shop.test/x.html"))
    assert str(caught.value) == str(StatusError(failure("x.html", 503))) and caught.value.retry_after == 9


def test_a_fetch_without_an_answer_is_told_again(tmp_path: Path) -> None:
    class Refusing:
        def accepts(self, spec: str) -> bool:
            return True

        def fetch(self, anchor: Anchor) -> list[Fetched]:
            if anchor.spec.endswith("x.html"):
                raise LimitError("it is too slow", limit="idle_seconds", where=anchor.spec, retryable=True)
            if anchor.spec.endswith("y.html"):
                return [Guard().check("http://127.0.0.1/") and page("y.html")]
            raise SourceError("this is no matter of the web", where=anchor.spec)

    recording = RecordingFetcher(Refusing(), tmp_path, clock=lambda: NOW)
    told: dict[str, str] = {}
    for name in ("x.html", "y.html", "z.html"):
        with pytest.raises(SourceError) as caught:
            recording.fetch(Anchor(spec=f"https://shop.test/{name}"))
        told[name] = str(caught.value)
    recording.close()
    assert [record.rec_type for record in records(tmp_path)] == ["warcinfo", "metadata", "metadata"]
    assert not SnapshotFetcher(tmp_path).accepts("https://shop.test/x.html")
    for name in ("x.html", "y.html"):
        with pytest.raises(FetchError) as again:
            ReplayFetcher(tmp_path).fetch(Anchor(spec=f"https://shop.test/{name}"))
        assert str(again.value) == told[name] and again.value.retryable == (name == "x.html")
    with pytest.raises(SourceError, match="holds nothing for it"):
        ReplayFetcher(tmp_path).fetch(Anchor(spec="https://shop.test/z.html"))


def test_a_replay_asks_nobody_else(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.add("https://shop.test/a.html", [page("a.html")])
    replay = ReplayFetcher(tmp_path)
    assert replay.accepts("npm:@lib/shelf") and not replay.accepts("nonsense")
    for spec in ("npm:@lib/shelf", "file:rows.csv", "https://shop.test/b.html"):
        with pytest.raises(SourceError, match="without --replay") as caught:
            replay.fetch(Anchor(spec=spec))
        assert caught.value.where == spec


@pytest.mark.parametrize("line", ["[]", "{}", "{", '{"url": 1}'])
def test_a_journal_that_is_none_is_an_error(tmp_path: Path, line: str) -> None:
    recording = Recording(tmp_path)
    recording.add("https://shop.test/a.html", [page("a.html")])
    with (tmp_path / JOURNAL_NAME).open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(SourceError, match="journal"):
        read_index(tmp_path)


def test_the_index_tells_the_latest_retrieval(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    recording.add("a", [page("a.html", at="2024-05-02T00:00:00Z"), page("b.html")])
    recording.close()
    assert json.loads((tmp_path / INDEX_NAME).read_bytes())["created"] == "2024-05-02T00:00:00Z"
