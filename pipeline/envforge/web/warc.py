"""The members of a WARC: fetched files and HTTP answers as gzip members of their own; equal input, equal bytes."""

from __future__ import annotations

import io
from typing import Any, cast

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from envforge.core.contracts import Exchange, Fetched
from envforge.core.ids import seeded_uuid, sha256_bytes

WARC_NAME = "sources.warc.gz"


def warc_member(fetched: Fetched) -> bytes:
    """The record of a file.

    Bytes that stand under a web address are a `response`, with the real headers if they came just now; all others
    (package URLs, files, files out of a packed one) are a `resource`: readers of WARC look for HTTP headers under web
    addresses only.
    """
    source, exchange = fetched.source, fetched.exchange
    web = source.url.startswith(("http://", "https://")) and "#" not in source.url
    if web and exchange is not None:
        http = _http(exchange, len(fetched.body))
    else:
        headers = [("Content-Type", source.mime), ("Content-Length", str(len(fetched.body)))]
        http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1") if web else None
    return _member(
        source.url,
        "response" if web else "resource",
        fetched.body,
        source.retrieved_at,
        record_id=seeded_uuid("warc", source.id, source.url, source.retrieved_at),
        content_type="" if web else source.mime,
        http=http,
    )


def exchange_member(exchange: Exchange) -> bytes:
    """The record of an answer that is evidence, not a file: an error, a redirect, a robots.txt."""
    identity = (exchange.url, exchange.retrieved_at, exchange.status, sha256_bytes(exchange.body))
    return _member(
        exchange.url,
        "response",
        exchange.body,
        exchange.retrieved_at,
        record_id=seeded_uuid("exchange", *identity),
        content_type="",
        http=_http(exchange, len(exchange.body)),
    )


def failure_member(spec: str, body: bytes, date: str) -> bytes:
    """The record of a fetch that got no usable answer."""
    record_id = seeded_uuid("failure", spec, date, sha256_bytes(body))
    return _member(spec, "metadata", body, date, record_id=record_id, content_type="application/json")


def told_by(members: bytes) -> set[tuple[str, int, str]]:
    """URL, status and time of the answers in a piece of a WARC; what cannot be read is left out."""
    found: set[tuple[str, int, str]] = set()
    try:
        for record in cast("Any", ArchiveIterator(io.BytesIO(members))):
            if record.rec_type == "response":
                names = ("WARC-Target-URI", "WARC-Date")
                url, date = (str(record.rec_headers.get_header(name)) for name in names)
                found.add((url, int(record.http_headers.get_statuscode()), date))
    except (ArchiveLoadFailed, EOFError, OSError, ValueError, AttributeError):
        pass
    return found


def _http(exchange: Exchange, length: int) -> Any:
    """Status and headers as they came, but for those of the packing: what is kept is unpacked."""
    headers: list[tuple[str, str]] = []
    for name, value in exchange.headers:
        if name.lower() in ("content-encoding", "transfer-encoding"):
            headers.append((f"X-Archive-Orig-{name}", _plain(value)))
        elif name.lower() != "content-length":
            headers.append((_plain(name), _plain(value)))
    headers.append(("Content-Length", str(length)))
    return StatusAndHeaders(f"{exchange.status} {_plain(exchange.reason)}".strip(), headers, protocol="HTTP/1.1")


def _plain(text: str) -> str:
    """On one line, in ASCII: what a header may hold."""
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text)


def info_member(date: str) -> bytes:
    """The first record of a WARC."""
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
