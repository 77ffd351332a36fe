"""Fetched files made from bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Source


def _fetched(path: str, body: bytes, mime: str) -> Fetched:
    digest = sha256_bytes(body)
    source = Source(
        id=f"src-{digest[:16]}",
        url=f"file:{path}",
        url_status="none: local file",
        retrieved_at="2024-01-01T00:00:00Z",
        sha256=digest,
        mime=mime,
        bytes=len(body),
        path=path,
    )
    return Fetched(source, body)


@pytest.fixture(scope="session")
def fetched() -> Callable[[str, bytes, str], Fetched]:
    """fetched(path, body, mime) → Fetched."""
    return _fetched
