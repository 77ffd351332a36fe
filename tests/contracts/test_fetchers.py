"""Every Fetcher keeps the contract of contracts.Fetcher: files, packages, the web, snapshots, the chain, recordings."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.sites.server import Site

from envforge.core.contracts import Fetched, Fetcher
from envforge.core.errors import ConfigError, SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.fetching import FetchSettings
from envforge.core.records.source import Anchor
from envforge.web.fetch import ChainFetcher
from envforge.web.files import FileFetcher
from envforge.web.guard import Guard
from envforge.web.live.client import GuardedClient
from envforge.web.live.fetcher import LiveFetcher
from envforge.web.package import PackageFetcher
from envforge.web.recording import RecordingFetcher
from envforge.web.replay import ReplayFetcher
from envforge.web.snapshot import SnapshotFetcher
from envforge.web.tool_server import ToolServerFetcher

TABLES = {"b.csv": b"id,pier\n1,west\n", "a.csv": b"id,boat\n1,Otter\n2,Tern\n", "deep/c.csv": b"x\n1\n"}
PACKAGE_SPEC, FILE_SPEC = "pypi:pierdata==0.3", "file:tables"


def _clock() -> str:
    return "2024-05-01T08:00:00Z"


@dataclass(frozen=True)
class Case:
    """A fetcher, an anchor that it serves, and one of its kind that it does not hold."""

    fetcher: Fetcher
    anchor: Anchor
    missing: Anchor


def _wheel(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    info = "pierdata-0.3.dist-info"
    metadata = {
        f"{info}/METADATA": b"Metadata-Version: 2.4\nName: pierdata\nVersion: 0.3\nLicense-Expression: MIT\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(out, "w") as archive:
        for path, body in {**{f"pierdata/{path}": body for path, body in files.items()}, **metadata}.items():
            archive.writestr(path, body)
    return out.getvalue()


def _index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package index on this disk, with one package, that pip is configured for."""
    home = folder / "simple" / "pierdata"
    home.mkdir(parents=True)
    name = "pierdata-0.3-py3-none-any.whl"
    (home / name).write_bytes(_wheel(TABLES))
    (home / "index.html").write_text(f'<!DOCTYPE html><html><body><a href="{name}">{name}</a></body></html>')
    for variable in list(os.environ):
        if variable.startswith("PIP_"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", (folder / "simple").as_uri())


def _file_case(folder: Path) -> Case:
    for path, body in TABLES.items():
        target = folder / "tables" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    return Case(FileFetcher(folder, clock=_clock), Anchor(spec=FILE_SPEC), Anchor(spec="file:nowhere"))


def _package_case(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    _index(folder, monkeypatch)
    fetcher = PackageFetcher(folder / "cache", clock=_clock)
    return Case(fetcher, Anchor(spec=PACKAGE_SPEC), Anchor(spec="pypi:pierdata-of-another-coast"))


def _live_case(site: Site) -> Case:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, body in TABLES.items():
            archive.writestr(path, body)
    site.extra["/tables.zip"] = ("application/zip", out.getvalue())
    site.robots = lambda: (404, b"")
    client = GuardedClient(
        FetchSettings(delay_seconds=0), guard=Guard(resolve=site.resolve), dial=site.dial, clock=_clock
    )
    missing = Anchor(spec="http://shop.test/nowhere.zip")
    return Case(LiveFetcher(client), Anchor(spec="http://shop.test/tables.zip"), missing)


@pytest.fixture(params=["file", "package", "live", "snapshot", "chain", "recording", "replay"])
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    file = _file_case(tmp_path)
    match request.param:
        case "file":
            return file
        case "package":
            return _package_case(tmp_path, monkeypatch)
        case "chain":
            package = _package_case(tmp_path, monkeypatch)
            return Case(ChainFetcher([file.fetcher, package.fetcher]), package.anchor, package.missing)
        case "recording":
            return Case(RecordingFetcher(file.fetcher, tmp_path / "recorded"), file.anchor, file.missing)
        case "live":
            return _live_case(request.getfixturevalue("site"))
        case "replay":
            live = _live_case(request.getfixturevalue("site"))
            RecordingFetcher(live.fetcher, tmp_path / "recorded").fetch(live.anchor)
            return Case(ReplayFetcher(tmp_path / "recorded"), live.anchor, live.missing)
        case _:
            RecordingFetcher(file.fetcher, tmp_path / "recorded").fetch(file.anchor)
            return Case(SnapshotFetcher(tmp_path / "recorded"), file.anchor, file.missing)


def test_it_accepts_what_it_serves(case: Case) -> None:
    assert case.fetcher.accepts(case.anchor.spec)


@pytest.mark.parametrize("spec", ["", "gopher:x", "npm:../x", "pypi:-e .", "https://", "file:", "git+ssh://a/b"])
def test_it_accepts_no_malformed_spec(case: Case, spec: str) -> None:
    assert not case.fetcher.accepts(spec)


def test_files_come_in_path_order_with_hash_size_and_time(case: Case) -> None:
    fetched = case.fetcher.fetch(case.anchor)
    paths = [item.source.path for item in fetched]
    assert len(paths) == len(TABLES) and paths == sorted(paths)
    for item in fetched:
        assert item.body == TABLES[item.source.path.removeprefix("pierdata/").removeprefix("shop.test/tables.zip/")]
        assert (item.source.sha256, item.source.bytes) == (sha256_bytes(item.body), len(item.body))
        assert item.source.retrieved_at == _clock()
        assert item.source.url and item.source.url_status and item.source.mime.startswith("text/csv")
        assert item.source.licence.evidence


def test_no_path_of_this_disk_gets_out(case: Case, tmp_path: Path) -> None:
    for item in case.fetcher.fetch(case.anchor):
        assert str(tmp_path) not in str(item.source.to_json())


def test_the_same_anchor_gives_the_same_records(case: Case) -> None:
    first = [(item.source.to_json(), item.body) for item in case.fetcher.fetch(case.anchor)]
    second = [(item.source.to_json(), item.body) for item in case.fetcher.fetch(case.anchor)]
    assert first == second
    assert len({str(source["id"]) for source, _ in first}) == len(first)


def test_include_selects(case: Case) -> None:
    fetched = case.fetcher.fetch(case.anchor.model_copy(update={"include": ("**/a.csv",)}))
    assert [item.source.path.rsplit("/", 1)[-1] for item in fetched] == ["a.csv"]


def test_a_glob_that_selects_nothing_is_an_error_with_near_paths(case: Case) -> None:
    with pytest.raises(SourceError) as caught:
        case.fetcher.fetch(case.anchor.model_copy(update={"include": ("aa.csv",)}))
    assert "aa.csv" in str(caught.value) and "a.csv" in caught.value.remedy


def test_what_is_not_there_is_an_error_that_names_it(case: Case) -> None:
    with pytest.raises(SourceError) as caught:
        case.fetcher.fetch(case.missing)
    assert case.missing.spec in caught.value.where
    assert caught.value.message


def test_a_recording_replays_what_every_fetcher_fetched(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    fetched: list[Fetched] = list(RecordingFetcher(case.fetcher, folder).fetch(case.anchor))
    replayed = list(SnapshotFetcher(folder).fetch(case.anchor))
    assert [(i.source.path, i.body) for i in replayed] == [(i.source.path, i.body) for i in fetched]
    assert [i.source.to_json() for i in replayed] == [i.source.to_json() for i in fetched]


def test_a_recording_is_the_same_bytes_twice(case: Case, tmp_path: Path, tree: Callable[..., dict[str, bytes]]) -> None:
    for name in ("one", "two"):
        RecordingFetcher(case.fetcher, tmp_path / name).fetch(case.anchor)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_chain_refuses_a_spec_without_form(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a source"):
        ChainFetcher([FileFetcher(tmp_path)]).fetch(Anchor(spec="boats"))


def test_a_chain_starts_no_program_that_the_user_did_not_name(tmp_path: Path) -> None:
    """A tool server serves one list that is made up when it is asked, so it has no files to select or to miss."""
    mark = tmp_path / "started"
    spec = f"mcp:touch {mark}"
    chain = ChainFetcher([FileFetcher(tmp_path), ToolServerFetcher(())])
    assert chain.accepts(spec) and not FileFetcher(tmp_path).accepts(spec)
    with pytest.raises(ConfigError, match="may not start a program"):
        chain.fetch(Anchor(spec=spec))
    assert not mark.exists()
