"""A fetched file made from a text, for all extractor tests."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core.contracts import Fetched
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Source

Make = Callable[..., Fetched]


def _fetched(path: str, body: str | bytes, *, mime: str = "application/octet-stream", package: str = "") -> Fetched:
    data = body.encode("utf-8") if isinstance(body, str) else body
    digest = sha256_bytes(data)
    source = Source(
        id=f"src-{digest[:16]}",
        url=f"file:{path}",
        url_status="none",
        retrieved_at="2024-01-01T00:00:00Z",
        sha256=digest,
        mime=mime,
        bytes=len(data),
        path=path,
        package=package or None,
    )
    return Fetched(source, data)


@pytest.fixture(scope="session")
def fetched() -> Make:
    return _fetched


@pytest.fixture(scope="session")
def snapshot() -> Callable[[str], Fetched]:
    """Reads a file of the snapshot by the end of its path."""
    folder = os.environ.get("ENVFORGE_TEST_SNAPSHOT")
    if not folder:
        pytest.skip("set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz and index.json")
    index = json.loads((Path(folder) / "index.json").read_text(encoding="utf-8"))

    def read(ending: str) -> Fetched:
        record = next(entry for entry in index["records"] if entry["source_path"].endswith(ending))
        with (Path(folder) / "snapshot.warc.gz").open("rb") as stream:
            stream.seek(record["offset"])
            member = gzip.decompress(stream.read(record["length"]))
        body = member.split(b"\r\n\r\n", 2)[2][: record["bytes"]]
        return _fetched(record["source_path"], body, mime=record["mime"], package=record["source"])

    return read
