"""Source records: one function makes them all, with one clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from envforge.core.contracts import Fetched
from envforge.core.ids import sha256_bytes, sha256_text
from envforge.core.records.finding import Finding
from envforge.core.records.source import Licence, Source

Clock: TypeAlias = Callable[[], str]
"""Says the time of a retrieval, 'YYYY-MM-DDTHH:MM:SSZ'. The only clock of the room."""


def utc_now() -> str:
    """The present moment in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def source_id(place: str, path: str, sha256: str) -> str:
    """`src-` plus 16 hex digits over where a file belongs (purl or URL), its path and its bytes."""
    return "src-" + sha256_text("\n".join((place, path, sha256)))[:16]


def make_fetched(
    body: bytes,
    *,
    url: str,
    url_status: str,
    retrieved_at: str,
    mime: str,
    path: str,
    title: str = "",
    package: str | None = None,
    transform: str = "none",
    licence: Licence | None = None,
    hidden: tuple[Finding, ...] = (),
) -> Fetched:
    """Bytes with their source record; size, hash and id follow from the bytes."""
    digest = sha256_bytes(body)
    source = Source(
        id=source_id(package or url, path, digest),
        url=url,
        url_status=url_status,
        retrieved_at=retrieved_at,
        sha256=digest,
        mime=mime,
        bytes=len(body),
        title=title,
        package=package,
        path=path,
        transform=transform,
        licence=licence or Licence(),
        hidden=hidden,
    )
    return Fetched(source=source, body=body)
