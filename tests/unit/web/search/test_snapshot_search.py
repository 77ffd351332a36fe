from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor
from envforge.web.recording import RecordingFetcher
from envforge.web.search.query import match_expression, terms_of
from envforge.web.search.readable import MAX_TEXT, pieces_of, readable
from envforge.web.search.snapshot import SnapshotSearch
from envforge.web.sources import make_fetched
from envforge.web.warc import WARC_NAME


def page(url: str, body: bytes, *, title: str = "", mime: str = "text/html; charset=utf-8") -> Fetched:
    return make_fetched(
        body,
        url=url,
        url_status="fetched",
        retrieved_at="2026-02-03T04:05:06Z",
        mime=mime,
        path=url.rsplit("/", 1)[-1],
        title=title,
    )


PAGES = [
    page("https://a.example/vacuum.html", b"<title>Vacuum</title><h1>Vacuum</h1><p>Gives back unused space.</p>"),
    page("https://a.example/full.html", b"<title>Vacuum of the full kind</title><p>Vacuum vacuum vacuum vacuum.</p>"),
    page("https://a.example/stat.html", b"<title>Monitoring</title><p>The view pg_stat_ssl and getPageById.</p>"),
    page("https://a.example/rowid.html", b"<title>Autoincrement</title><p>A rowid is never used again.</p>"),
    page("https://a.example/codes.json", b'{"Cyrl": {"name": "Cyrillic"}}', title="Scripts", mime="application/json"),
    page("https://a.example/naive.html", "<p>naïveté à la carte</p>".encode(), title="Accents"),
]


class Held:
    def __init__(self, files: Sequence[Fetched]) -> None:
        self._files = files

    def accepts(self, spec: str) -> bool:
        return True

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        return self._files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    RecordingFetcher(Held(PAGES), tmp_path / "web").fetch(Anchor(spec="https://a.example/"))
    return tmp_path / "web"


@pytest.fixture
def search(folder: Path, tmp_path: Path) -> SnapshotSearch:
    return SnapshotSearch(folder, tmp_path / "cache")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("vacuum", "vacuum.html"),
        ("pg_stat_ssl", "stat.html"),
        ("stat ssl", "stat.html"),
        ("page by id", "stat.html"),
        ("getPageById", "stat.html"),
        ("never use a row id again", "rowid.html"),
        ("cyrillic", "codes.json"),
        ("naivete", "naive.html"),
        ('"full kind"', "full.html"),
        ('AND OR NOT NEAR( vacuum" * ^ :', "vacuum.html"),
        ("what is the vacuum?", "vacuum.html"),
    ],
)
def test_it_finds_the_page_first(search: SnapshotSearch, query: str, first: str) -> None:
    assert search.search(query, limit=3)[0].url == f"https://a.example/{first}"


def test_a_snippet_shows_the_words_in_their_sentence(search: SnapshotSearch) -> None:
    assert search.search("unused space", limit=1)[0].snippet == "Vacuum Gives back unused space."


def test_the_index_is_built_once_and_read_again(folder: Path, search: SnapshotSearch, tmp_path: Path) -> None:
    first = search.search("vacuum", limit=3)
    (folder / WARC_NAME).unlink()  # what is not there cannot be read again
    assert SnapshotSearch(folder, tmp_path / "cache").search("vacuum", limit=3) == first
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".sqlite"]


def test_another_snapshot_has_another_index(folder: Path, search: SnapshotSearch, tmp_path: Path) -> None:
    search.search("vacuum", limit=1)
    RecordingFetcher(Held(PAGES[:1]), folder).fetch(Anchor(spec="https://a.example/"))
    hits = SnapshotSearch(folder, tmp_path / "cache").search("vacuum", limit=3)
    assert [hit.url for hit in hits] == ["https://a.example/vacuum.html"]


def test_a_damaged_record_is_told_and_leaves_no_index(folder: Path, search: SnapshotSearch, tmp_path: Path) -> None:
    data = bytearray((folder / WARC_NAME).read_bytes())
    data[-40:-30] = b"\x00" * 10
    (folder / WARC_NAME).write_bytes(data)
    with pytest.raises(SourceError, match="damaged"):
        search.search("vacuum", limit=3)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_index_says_what_to_do(search: SnapshotSearch, tmp_path: Path) -> None:
    search.search("vacuum", limit=3)
    next((tmp_path / "cache").iterdir()).write_bytes(b"no database at all" * 100)
    with pytest.raises(SourceError, match="delete it"):
        search.search("vacuum", limit=3)


def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"index\.json"):
        SnapshotSearch(tmp_path, tmp_path)


def test_what_nobody_sees_is_not_read() -> None:
    text = readable(page("https://a.example/x", b"<script>var secret</script><p>a<b>b</b>c</p><!-- no -->d<br>e"))
    assert text.body == "abc d e"


@pytest.mark.parametrize("body", [b"", b"<!-- only -->", b"   "])
def test_a_page_of_nothing_has_no_text(body: bytes) -> None:
    assert readable(page("https://a.example/x", body, title="X")).body == ""


def test_text_is_bounded_and_bytes_are_no_text() -> None:
    long = readable(page("https://a.example/x", b"word " * 400_000, mime="text/plain"))
    assert len(long.body) <= MAX_TEXT
    assert readable(page("https://a.example/x", b"PK\x03\x04\x00\x00", mime="application/zip")).body == ""


def test_strings_of_json_that_is_cut_or_deep() -> None:
    text = readable(page("https://a.example/x", b'{"a": "caf\\u00e9 \\"x\\"", "b": [[["deep"', mime="application/json"))
    assert text.body == 'a café "x" b deep'


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("getUserById", "get User By Id"),
        ("HTTPServer", "HTTP Server"),
        ("page", ""),
        ("API", ""),
        ("SQLite", "SQ Lite"),
    ],
)
def test_pieces_of_code_words(word: str, pieces: str) -> None:
    assert pieces_of(word) == pieces


def test_words_that_tell_nothing_are_left_out_unless_there_are_no_others() -> None:
    assert terms_of("What is the vacuum?") == ["vacuum"]
    assert terms_of("to be or not to be") == ["not"]
    assert terms_of("who are you") == ["who", "are", "you"]


def test_nothing_in_a_query_is_an_operator() -> None:
    assert match_expression(['a"b', "c*"]) == '"a""b" OR "c*"'
