"""The path and media type under which a fetched page is known to those who read it."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from envforge.core.contracts import Exchange
from envforge.core.ids import sha256_text
from envforge.web.live.body import media_type
from envforge.web.paths import extension, guess_mime

_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "application/json": ".json",
    "application/x-ndjson": ".jsonl",
    "text/csv": ".csv",
    "application/csv": ".csv",
    "text/markdown": ".md",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "application/yaml": ".yaml",
    "application/x-yaml": ".yaml",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "application/gzip": ".gz",
    "text/plain": ".txt",
}
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain"})
_LONGEST = 120


def path_of(exchange: Exchange) -> str:
    """`host/path` with an ending that says what it is; a query becomes part of the file's name."""
    parts = urlsplit(exchange.url)
    segments = [_tame(unquote(segment)) for segment in parts.path.split("/")]
    path = "/".join(segment for segment in segments if segment.strip("."))
    if not path or parts.path.endswith("/"):
        path += "/index" if path else "index"
    ending = extension(path)
    kind = media_type(exchange.header("content-type"))
    if guess_mime(path) == "application/octet-stream" and (known := _ENDINGS.get(kind)):
        # `page.php` is a page, whatever made it.
        path, ending = path.removesuffix(ending) if ending else path, known
    else:
        path = path.removesuffix(ending)
    if parts.query:
        path += "--" + _tame(parts.query)
    if len(path) > _LONGEST:
        path = f"{path[:_LONGEST]}-{sha256_text(exchange.url)[:8]}"
    return f"{parts.hostname or 'host'}/{path}{ending}"


def mime_of(exchange: Exchange, path: str) -> str:
    """What the server says, unless it says nothing and the path knows better."""
    stated = " ".join(exchange.header("content-type").split())[:200]
    if media_type(stated) not in _VAGUE:
        return stated
    guessed = guess_mime(path)
    return guessed if guessed != "application/octet-stream" else stated or guessed


def _tame(text: str) -> str:
    return re.sub(r"[^\w.~@-]+", "-", text).strip("-")
