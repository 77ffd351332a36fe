"""RecordingFetcher: keeps all that a run fetches in its own WARC, from which the run can be repeated offline."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from envforge.core.contracts import Fetched, Fetcher
from envforge.core.ids import seeded_uuid
from envforge.core.records.source import Anchor, Source
from envforge.web.atomic import write_bytes
from envforge.web.index import INDEX_NAME, IndexEntry, entry_of, index_bytes

WARC_NAME = "sources.warc.gz"


@dataclass
class _Kept:
    source: Source
    member: bytes
    specs: list[str]


class RecordingFetcher:
    """Fetches through another fetcher and keeps all of it in `folder`: `sources.warc.gz` and `index.json`.

    Both are replaced as a whole after every fetch, the index last: an index always fits the WARC beside it, and
    what an interrupted run fetched is there for the next one. The same fetches give the same bytes.
    """

    def __init__(self, inner: Fetcher, folder: Path) -> None:
        self._inner = inner
        self._folder = folder
        self._kept: dict[tuple[str, str], _Kept] = {}

    def accepts(self, spec: str) -> bool:
        """True if the inner fetcher accepts it."""
        return self._inner.accepts(spec)

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """What the inner fetcher fetches, after it was recorded.

        Raises:
            SourceError: the inner fetcher failed, or the recording could not be written.
        """
        fetched = self._inner.fetch(anchor)
        for item in fetched:
            key = (item.source.id, item.source.url)
            kept = self._kept.get(key)
            if kept is None:
                self._kept[key] = _Kept(item.source, warc_member(item), [anchor.spec])
            elif anchor.spec not in kept.specs:
                kept.specs.append(anchor.spec)
        self._write()
        return fetched

    def _write(self) -> None:
        if not self._kept:
            return
        created = max(kept.source.retrieved_at for kept in self._kept.values())
        first = next(iter(self._kept.values())).source.retrieved_at
        parts = [_info_member(first)]
        offset = len(parts[0])
        entries: list[IndexEntry] = []
        for kept in self._kept.values():
            entries.append(entry_of(kept.source, offset=offset, length=len(kept.member), specs=tuple(kept.specs)))
            parts.append(kept.member)
            offset += len(kept.member)
        # An older index would name places in the new WARC, should the run end between the two.
        (self._folder / INDEX_NAME).unlink(missing_ok=True)
        write_bytes(self._folder / WARC_NAME, b"".join(parts))
        write_bytes(self._folder / INDEX_NAME, index_bytes(tuple(entries), created))


def warc_member(fetched: Fetched) -> bytes:
    """One record as a gzip member of its own; equal input gives equal bytes.

    Bytes that stand under a web address are a `response`, all others (package URLs, files) a `resource`:
    readers of WARC look for HTTP headers under web addresses only.
    """
    source = fetched.source
    web = source.url.startswith(("http://", "https://"))
    headers = [("Content-Type", source.mime), ("Content-Length", str(len(fetched.body)))]
    return _member(
        source.url,
        "response" if web else "resource",
        fetched.body,
        source.retrieved_at,
        record_id=seeded_uuid("warc", source.id, source.url, source.retrieved_at),
        content_type="" if web else source.mime,
        http=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1") if web else None,
    )


def _info_member(date: str) -> bytes:
    text = (
        b"format: WARC File Format 1.1\r\n"
        b"description: files fetched by envforge; package files stand under the address where they are published\r\n"
    )
    record_id = seeded_uuid("warcinfo", date)
    return _member(
        "urn:envforge:sources", "warcinfo", text, date, record_id=record_id, content_type="application/warc-fields"
    )


def _member(
    url: str,
    kind: str,
    payload: bytes,
    date: str,
    *,
    record_id: str,
    content_type: str,
    http: StatusAndHeaders | None = None,
) -> bytes:
    out = io.BytesIO()
    writer = cast("Any", WARCWriter(out, gzip=True, warc_version="WARC/1.1"))  # warcio has no types
    record = writer.create_warc_record(
        url,
        kind,
        payload=io.BytesIO(payload),
        length=len(payload),
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Date": date, "WARC-Record-ID": f"<urn:uuid:{record_id}>"},
        http_headers=http,
    )
    writer.write_record(record)
    return out.getvalue()
