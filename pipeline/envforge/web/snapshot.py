"""SnapshotFetcher: replays a piece of the web from a WARC and its index, offline."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from envforge.core.contracts import Exchange, Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Anchor, Licence
from envforge.web.index import IndexEntry, read_index
from envforge.web.paths import guess_mime, is_data, matches, near_paths
from envforge.web.scrubbing.bodies import HIDDEN_TRANSFORM, HiddenBody, hide_in_body, hide_in_exchange
from envforge.web.sources import make_fetched
from envforge.web.spec import Spec, parse_package_url, parse_spec


class NotHeldError(SourceError):
    """The snapshot does not hold what an anchor asks for; another fetcher may."""


class SnapshotFetcher:
    """Serves the URLs, and the packages, that a snapshot folder holds.

    A package spec is answered by the records whose purl names the package; `include` is matched against the
    path inside it. A URL that ends in a slash and is no record itself stands for all records below it, and
    then `include` is matched against the rest of their URL. A snapshot may hold a part of a package only:
    globs that match nothing are ignored as long as one file is found.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries = read_index(folder)
        self._warc = _find_warc(folder)

    def accepts(self, spec: str) -> bool:
        """True if at least one record answers `spec`."""
        try:
            return bool(self._answering(parse_spec(spec), spec))
        except ConfigError:
            return False

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """The records that answer the anchor, in path order; every body is verified against its SHA-256.

        Raises:
            SourceError: no record answers (NotHeldError), or a record is damaged.
        """
        held = self._answering(parse_spec(anchor.spec), anchor.spec)
        if not held:
            raise NotHeldError(
                "the snapshot does not hold it", where=anchor.spec, remedy=f"it was looked for in {self._folder}"
            )
        chosen = [entry for path, entry in held if _selected(path, anchor)]
        if not chosen:
            near = ", ".join(near_paths((anchor.include or ("",))[0], [path for path, _ in held]))
            raise NotHeldError(
                f"the snapshot holds none of {', '.join(anchor.include) or 'its data files'}",
                where=anchor.spec,
                remedy=f"it holds {near}",
            )
        fetched = [self._read(entry, anchor.licence) for entry in chosen]
        return sorted(fetched, key=lambda item: (item.source.path, item.source.id))

    def everything(self) -> Sequence[Fetched]:
        """All files in the order of the index, which for a recording is the order of fetching.

        Raises:
            SourceError: a record is damaged.
        """
        return list(self.each())

    def each(self) -> Iterator[Fetched]:
        """The same files, one in memory at a time.

        Raises:
            SourceError: a record is damaged.
        """
        return (self._read(entry, None) for entry in self._entries if entry.status is None)

    def _answering(self, spec: Spec, text: str) -> list[tuple[str, IndexEntry]]:
        """(path that `include` speaks about, record) for all records that answer the spec."""
        data = [entry for entry in self._entries if entry.status is None]
        recorded = [(_below(entry, spec.name), entry) for entry in data if text in entry.specs]
        if recorded or spec.kind == "file":
            return recorded
        if spec.kind == "url":
            exact = [(entry.path, entry) for entry in data if entry.url == spec.name]
            if exact or not spec.name.endswith("/"):
                return exact
            return [(_below(entry, spec.name), entry) for entry in data if entry.url.startswith(spec.name)]
        found: dict[str, list[tuple[str, IndexEntry]]] = {}
        for entry in data:
            package = parse_package_url(entry.source)
            if package is not None and package.serves(spec):
                found.setdefault(package.version, []).append((entry.path, entry))
        return found[max(found, key=_version_key)] if found else []

    def answer_to(self, spec: str) -> Exchange | None:
        """The HTTP answer that a recording of the live web holds for a URL: the file, or how it failed.

        Its status is 0 where there was no usable answer; the body is then JSON that says why.
        """
        for entry in self._entries:
            if spec in entry.specs and entry.url_status == "fetched" and "#" not in entry.url:
                status = entry.status if entry.status is not None else 200
                told = dataclasses.replace(self._exchange(entry), status=status, hidden=entry.hidden)
                return hide_in_exchange(told, entry.mime) if entry.raw else told
        return None

    def _exchange(self, entry: IndexEntry) -> Exchange:
        """The record of an entry, verified against its SHA-256."""
        where = f"{self._warc}@{entry.offset}"
        exchange = self._record(entry, where)
        if sha256_bytes(exchange.body) != entry.sha256 or len(exchange.body) != entry.bytes:
            raise SourceError(
                f"the record of {entry.source_path} does not match its SHA-256",
                where=where,
                remedy="the snapshot is damaged or was changed; fetch it again",
            )
        return exchange

    def _read(self, entry: IndexEntry, licence: Licence | None) -> Fetched:
        exchange = self._exchange(entry)
        mime = entry.mime or guess_mime(entry.path)
        held = hide_in_body(exchange.body, mime) if entry.raw else HiddenBody(exchange.body, entry.hidden)
        return make_fetched(
            held.body,
            url=entry.url,
            url_status=entry.url_status,
            retrieved_at=exchange.retrieved_at,
            mime=mime,
            path=entry.path,
            title=entry.title,
            package=entry.source or None,
            transform=HIDDEN_TRANSFORM if entry.raw and held.findings else entry.transform,
            licence=licence or entry.stated_licence(),
            hidden=held.findings,
        )

    def _record(self, entry: IndexEntry, where: str) -> Exchange:
        """What one gzip member holds, found by offset and length."""
        try:
            with self._warc.open("rb") as stream:
                stream.seek(entry.offset)
                member = stream.read(entry.length)
            # warcio has no types; what is used of it is checked here
            record: Any = next(cast("Any", ArchiveIterator(io.BytesIO(member))))
            headers: Any = record.rec_headers
            url, date = headers.get_header("WARC-Target-URI"), headers.get_header("WARC-Date")
            status, fields = _http(record)
            body = _read_all(record.content_stream(), entry.bytes)
        except (OSError, ArchiveLoadFailed, StopIteration, EOFError, ValueError, AttributeError) as error:
            raise SourceError(
                f"the WARC record of {entry.source_path} cannot be read: {error or type(error).__name__}",
                where=where,
                remedy="the snapshot is damaged; fetch it again",
            ) from error
        if url != entry.url or not isinstance(date, str):
            raise SourceError(
                f"the WARC record is not that of {entry.url}", where=where, remedy="write the index again"
            )
        return Exchange(url, status, "", fields, body, date)


def _http(record: Any) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Status and headers of a response; of a resource 200 and none."""
    http: Any = record.http_headers
    if http is None:
        return 200, ()
    status = str(http.get_statuscode())
    headers = cast("list[tuple[str, str]]", http.headers)
    return int(status) if status.isdecimal() else 200, tuple((str(name), str(value)) for name, value in headers)


def _below(entry: IndexEntry, folder: str) -> str:
    """The part of an address below a folder's; the path of a record that is not there."""
    below = folder.endswith("/") and entry.url.startswith(folder) and entry.url != folder
    return entry.url.removeprefix(folder) if below else entry.path


def _read_all(stream: Any, expected: int) -> bytes:
    """The payload, or one byte more than expected: an over-long one is not unpacked to its end."""
    parts: list[bytes] = []
    room = expected + 1
    while room > 0 and (part := cast("bytes", stream.read(room))):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def _find_warc(folder: Path) -> Path:
    found = sorted(folder.glob("*.warc.gz"))
    if len(found) != 1:
        raise SourceError(
            f"{len(found)} files *.warc.gz where one is expected", where=str(folder), remedy="give a snapshot folder"
        )
    return found[0]


def _selected(path: str, anchor: Anchor) -> bool:
    if anchor.include:
        return matches(path, anchor.include)
    return parse_spec(anchor.spec).kind in ("url", "file") or is_data(path)


def _version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts 1.10 after 1.9 whatever the version scheme."""
    parts = re.findall(r"\d+|[a-zA-Z]+", version)
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)
