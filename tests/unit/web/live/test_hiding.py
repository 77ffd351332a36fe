"""What comes live is stored, read and told again without secrets and persons."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from envforge.core.contracts import Exchange
from envforge.core.records.source import Anchor
from envforge.web.index import read_index
from envforge.web.live.client import GuardedClient
from envforge.web.live.errors import StatusError
from envforge.web.live.fetcher import LiveFetcher
from envforge.web.recording import RecordingFetcher
from envforge.web.snapshot import SnapshotFetcher
from envforge.web.warc import WARC_NAME

PERSON = b"ivo.marsh@harbour.org"
URL = "https://a.example/piers.html"
WHEN = "2026-02-03T04:05:06Z"


class Answers:
    """Stands in for the client."""

    def __init__(self, body: bytes, *, url: str = URL, mime: str = "text/html", status: int = 200) -> None:
        self.exchange = Exchange(url, status, "OK", (("Content-Type", mime), ("ETag", '"1"')), body, WHEN)

    def get(self, url: str, **_: Any) -> Exchange:
        if self.exchange.status >= 400:
            raise StatusError(self.exchange)
        return self.exchange


def live(answers: Answers, **options: Any) -> LiveFetcher:
    return LiveFetcher(cast("GuardedClient", answers), **options)


def test_a_page_is_stored_and_replayed_without_them(tmp_path: Path) -> None:
    door = RecordingFetcher(live(Answers(b"<title>Piers</title>\n<p>" + PERSON)), tmp_path)
    fresh = door.fetch(Anchor(spec=URL))
    door.close()
    assert fresh[0].body == b"<title>Piers</title>\n<p>***"
    assert fresh[0].source.transform == "secrets hidden"
    assert [(one.kind, one.line, one.column) for one in fresh[0].source.hidden] == [("e-mail", 2, 4)]
    record = SnapshotFetcher(tmp_path).fetch(Anchor(spec=URL))
    assert (record[0].body, record[0].source) == (fresh[0].body, fresh[0].source)
    entry = read_index(tmp_path)[0]
    with (tmp_path / WARC_NAME).open("rb") as stream:
        stream.seek(entry.offset)
        assert PERSON not in gzip.decompress(stream.read(entry.length))


def test_what_has_not_changed_still_says_what_is_hidden(tmp_path: Path) -> None:
    door = RecordingFetcher(live(Answers(b"<p>" + PERSON)), tmp_path)
    first = door.fetch(Anchor(spec=URL))
    door.close()
    unchanged = live(Answers(b"", status=304), previous=SnapshotFetcher(tmp_path).answer_to)
    again = unchanged.fetch(Anchor(spec=URL))
    assert (again[0].body, again[0].source.hidden) == (first[0].body, first[0].source.hidden)


def test_the_page_of_an_error_is_hidden_too(tmp_path: Path) -> None:
    door = RecordingFetcher(live(Answers(b"not here; ask " + PERSON, status=404)), tmp_path)
    with pytest.raises(StatusError) as caught:
        door.fetch(Anchor(spec=URL))
    door.close()
    assert caught.value.exchange.body == b"not here; ask ***"
    assert [one.kind for one in read_index(tmp_path)[0].hidden] == ["e-mail"]


def test_files_out_of_a_packed_one_are_hidden_too() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("piers.csv", b"pier,keeper\nnorth," + PERSON + b"\n")
    answers = Answers(out.getvalue(), url="https://a.example/piers.zip", mime="application/zip")
    found = live(answers).fetch(Anchor(spec=answers.exchange.url))
    assert found[0].body == b"pier,keeper\nnorth,***\n" and len(found[0].source.hidden) == 1
    assert found[0].source.transform.endswith(", secrets hidden")


def test_a_page_without_any_is_the_same_bytes() -> None:
    found = live(Answers(b"<p>info@harbour.org")).fetch(Anchor(spec=URL))
    assert found[0].body == b"<p>info@harbour.org"
    assert (found[0].source.hidden, found[0].source.transform) == ((), "none")
