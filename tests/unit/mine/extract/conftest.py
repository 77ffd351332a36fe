"""A fetched file made from a text, for all extractor tests."""

from __future__ import annotations

from collections.abc import Callable

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


@pytest.fixture
def fetched() -> Make:
    return _fetched
