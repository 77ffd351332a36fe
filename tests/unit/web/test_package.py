from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor, Licence
from envforge.web.clients import ClientResult, run_client
from envforge.web.package import PackageFetcher, repository_of
from envforge.web.pypi import read_pip_indexes

NOW = "2026-02-03T04:05:06Z"


def fetcher(cache: Path, now: str = NOW) -> PackageFetcher:
    return PackageFetcher(cache, clock=lambda: now, timeout=120)


def test_an_sdist_is_read_and_never_run(python_index: Path, tmp_path: Path) -> None:
    fetched = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata"))
    assert list(python_index.iterdir()) == []
    by_path = {item.source.path: item for item in fetched}
    assert list(by_path) == ["shelfdata/books.csv", "shelfdata/loans.csv.zip", "shelfdata/stock.json.gz"]
    loans = by_path["shelfdata/loans.csv.zip"]
    assert loans.body == b"id,book\n7,1\n"
    assert (loans.source.mime, loans.source.transform) == ("text/csv; charset=utf-8", "unzip")
    assert by_path["shelfdata/stock.json.gz"].source.mime == "application/json"
    books = by_path["shelfdata/books.csv"].source
    assert books.package == "pkg:pypi/shelfdata@1.2.0"
    assert books.url == "https://code.example/someone/shelfdata/blob/HEAD/shelfdata/books.csv"
    assert books.url_status == "home page declared by package, path inferred"
    assert books.retrieved_at == NOW
    assert (books.licence.status, books.licence.spdx) == ("stated-open", "CC0-1.0")


def test_pip_alone_would_have_run_it(python_index: Path, tmp_path: Path) -> None:
    """The guard above can fail: the marks do appear when the sdist is built."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-build-isolation", "-d", ".", "shelfdata"]
    run_client(command, cwd=tmp_path, timeout=120, what="pip")
    assert list(python_index.iterdir())


def test_a_wheel_comes_by_pip(python_index: Path, tmp_path: Path) -> None:
    (item,) = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:wheeldata==0.4"))
    assert (item.source.path, item.body) == ("wheeldata/rows.csv", b"a\n1\n")
    assert item.source.url == "pkg:pypi/wheeldata@0.4#wheeldata/rows.csv"
    assert item.source.url_status.startswith("none")
    assert item.source.licence.spdx == "MIT"


def test_find_links_without_an_index(python_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "simple/shelfdata"))
    fetched = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata", include=("shelfdata/books.csv",)))
    assert [item.source.package for item in fetched] == ["pkg:pypi/shelfdata@1.2.0"]
    assert list(python_index.iterdir()) == []


def test_the_second_run_is_offline_and_the_same(
    python_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata"))
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "gone").as_uri())
    again = fetcher(tmp_path / "cache", now="2027-01-01T00:00:00Z")
    assert again.fetch(Anchor(spec="pypi:shelfdata")) == first
    assert again.fetch(Anchor(spec="pypi:shelfdata==1.2.0")) == first


def test_a_changed_cache_is_noticed(python_index: Path, tmp_path: Path) -> None:
    fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:wheeldata"))
    (archive,) = (tmp_path / "cache").rglob("*.whl")
    archive.write_bytes(archive.read_bytes() + b"x")
    with pytest.raises(SourceError, match="was changed"):
        fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:wheeldata"))


@pytest.mark.parametrize("spec", ["pypi:nosuchdata", "pypi:shelfdata==9.9", "pypi:wheeldata==9.9"])
def test_a_python_package_that_does_not_exist(
    python_index: Path, tmp_path: Path, spec: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SourceError, match="no such package or version") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec=spec))
    assert caught.value.where == spec
    assert not caught.value.retryable
    assert list((tmp_path / "cache").iterdir()) == []
    assert caplog.records == []


def test_a_python_index_that_breaks_is_retryable(
    python_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken_server: str
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", broken_server)
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(SourceError, match="could not be reached") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata"))
    assert caught.value.retryable


def test_an_index_out_of_reach_is_retryable_and_keeps_its_password(
    python_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:hunter2@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(SourceError) as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata"))
    assert caught.value.retryable
    assert "hunter2" not in str(caught.value)


def test_an_include_that_selects_nothing_says_what_is_there(python_index: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no file for include 'data/books\.csv'") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata", include=("data/books.csv",)))
    assert "shelfdata/books.csv" in caught.value.remedy


def test_the_anchor_may_state_the_licence(python_index: Path, tmp_path: Path) -> None:
    own = Licence(status="stated-other", evidence="the data's own terms")
    (item,) = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:wheeldata", licence=own))
    assert item.source.licence == own


def test_npm_pack_runs_no_script(npm_registry: Path, tmp_path: Path) -> None:
    fetched = fetcher(tmp_path / "cache").fetch(Anchor(spec="npm:@lib/shelf"))
    assert list(npm_registry.iterdir()) == []
    assert [item.source.path for item in fetched] == ["data/books.json", "types/book.d.ts"]
    source = fetched[0].source
    assert source.package == "pkg:npm/%40lib/shelf@2.0.1"
    assert source.url == "https://code.example/lib/shelf/blob/HEAD/packages/a/data/books.json"
    assert "tok3n" not in source.model_dump_json()
    assert source.licence.spdx == "MIT"


def test_npm_packages_and_versions_that_do_not_exist(npm_registry: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such package") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="npm:@lib/nothing"))
    assert not caught.value.retryable
    with pytest.raises(SourceError, match="no such version"):
        fetcher(tmp_path / "cache").fetch(Anchor(spec="npm:@lib/shelf@9.9.9"))


def test_a_registry_out_of_reach_is_retryable(
    npm_registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    with pytest.raises(SourceError, match="could not reach") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="npm:@lib/shelf"))
    assert caught.value.retryable


def test_without_npm_the_message_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="no npm client") as caught:
        fetcher(tmp_path / "cache").fetch(Anchor(spec="npm:shelf"))
    assert "install" in caught.value.remedy
    assert "--snapshot" in caught.value.remedy


@pytest.fixture
def slow_client(tmp_path: Path) -> Iterator[list[str]]:
    yield [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_client_that_hangs_is_killed(slow_client: list[str], tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"within 0\.3 seconds") as caught:
        run_client(slow_client, cwd=tmp_path, timeout=0.3, what="npm:shelf")
    assert caught.value.retryable


def test_what_a_client_says_holds_no_secret(tmp_path: Path) -> None:
    script = "import sys; sys.exit('error: cannot open https://me:hunter2@index.example/')"
    result = run_client([sys.executable, "-c", script], cwd=tmp_path, timeout=30, what="x")
    assert "cannot open" in result.said
    assert "hunter2" not in result.said + repr(result)


def test_a_missing_page_is_no_network_failure() -> None:
    assert not ClientResult(1, "", "npm error code E404\nnpm error 404 Not Found").network_failed
    assert ClientResult(1, "", "npm error code ECONNREFUSED").network_failed


def test_pip_configuration_is_read_as_pip_ranks_it() -> None:
    text = (
        "global.index-url='https://a.example/simple'\nglobal.extra-index-url='https://b.example/s https://c.example/s'\n"
        "global.find-links='/opt/w'\n:env:.index-url='https://me:pw@d.example/simple'\ndownload.no-index='false'\n"
    )
    pip = read_pip_indexes(text)
    assert pip.indexes == ("https://me:pw@d.example/simple", "https://b.example/s", "https://c.example/s")
    assert (pip.find_links, pip.no_index, pip.extra_only) == (("/opt/w",), False, False)
    assert read_pip_indexes("global.no-index='true'\n").no_index
    assert read_pip_indexes("").extra_only


@pytest.mark.parametrize(
    ("stated", "url"),
    [
        ("git+https://code.example/a/b.git", "https://code.example/a/b/blob/HEAD/x"),
        ("git://code.example/a/b.git", "https://code.example/a/b/blob/HEAD/x"),
        ("git+ssh://git@code.example/a/b.git", "https://code.example/a/b/blob/HEAD/x"),
        ("git@code.example:a/b.git", "https://code.example/a/b/blob/HEAD/x"),
        ("forge:a/b", "pkg:forge/a/b#x"),
        ("https://code.example/", None),
        ("javascript:alert(1)", None),
        ("http://[broken", None),
    ],
)
def test_repository_addresses(stated: str, url: str | None) -> None:
    found = repository_of({"package.json": f'{{"repository": "{stated}"}}'.encode()})
    assert (found.url_of("x") if found else None) == url


def test_nothing_of_this_machine_is_in_a_record(python_index: Path, tmp_path: Path) -> None:
    fetched = fetcher(tmp_path / "cache").fetch(Anchor(spec="pypi:shelfdata"))
    assert all(str(tmp_path) not in item.source.model_dump_json() for item in fetched)
