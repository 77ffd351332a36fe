"""Recording: the WARC of a run and its index, to which every fetch is appended."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from envforge.core.contracts import Exchange, Fetched, Fetcher
from envforge.core.errors import SourceError
from envforge.core.ids import canonical_json, sha256_bytes
from envforge.core.records.finding import Finding
from envforge.core.records.source import Anchor
from envforge.web.atomic import write_bytes
from envforge.web.guard import BlockedError
from envforge.web.index import INDEX_NAME, JOURNAL_NAME, IndexEntry, entry_of, index_bytes, note_entry, read_index
from envforge.web.live.errors import FetchError, StatusError
from envforge.web.sources import Clock, source_id, utc_now
from envforge.web.warc import WARC_NAME, exchange_member, failure_member, info_member, told_by, warc_member


class Recording:
    """What a run fetched, in `folder`: `sources.warc.gz` and an index.

    A fetch costs what its own bytes cost: the WARC grows, and a journal beside it; `close` makes the journal
    `index.json`. The index is always behind the WARC, so what an interrupted run fetched is there for the next one.
    The same fetches give the same bytes, interrupted and resumed or not. Without `resume` the folder begins anew, with
    the first record.
    """

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        self._folder = folder
        self._warc = folder / WARC_NAME
        self._entries: dict[int, IndexEntry] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._inherited: dict[str, set[int]] = {}
        self._told: set[tuple[str, int, str]] = set()
        self._end = 0
        indexed = any((folder / name).is_file() for name in (INDEX_NAME, JOURNAL_NAME))
        if resume and indexed and self._warc.is_file():
            self._resume()

    def add(self, spec: str, fetched: Sequence[Fetched]) -> list[Fetched]:
        """Append the files of an anchor; returns them as they stand in the recording.

        A file that stands there already keeps the time at which it was first retrieved.

        Raises:
            SourceError, StoreError: the disk refused; nothing is half-written.
        """
        kept = [self._kept(spec, item) for item in fetched]
        self._claim(spec, {self._places[item.source.id, item.source.url] for item in kept})
        return kept

    def _kept(self, spec: str, item: Fetched) -> Fetched:
        source = item.source
        place = self._places.get((source.id, source.url))
        if place is not None:
            first = self._entries[place].retrieved_at or source.retrieved_at
            return dataclasses.replace(item, source=source.model_copy(update={"retrieved_at": first}))
        member = warc_member(item)
        place = self._append(source.retrieved_at, [*self._evidence(item.exchange), member])
        self._places[source.id, source.url] = place
        self._note(entry_of(source, offset=place, length=len(member), specs=(spec,)))
        return item

    def fail(self, spec: str, exchange: Exchange) -> None:
        """Append an answer that is no success: it is told again by a replay, and never served as data."""
        place = self._append(exchange.retrieved_at, [*self._evidence(exchange), exchange_member(exchange)])
        mime = exchange.header("content-type")
        at, status = exchange.retrieved_at, exchange.status
        self._failed(spec, place, exchange.url, mime, exchange.body, at, status, exchange.hidden)

    def miss(self, spec: str, error: SourceError, at: str) -> None:
        """Append that there was no usable answer (refused, unreachable, beyond a limit), and why."""
        told = {name: getattr(error, name) for name in ("message", "where", "remedy", "retryable")}
        body = canonical_json(told).encode()
        place = self._append(at, [failure_member(spec, body, at)])
        self._failed(spec, place, spec, "application/json", body, at, 0)

    def _failed(
        self,
        spec: str,
        place: int,
        url: str,
        mime: str,
        body: bytes,
        at: str,
        status: int,
        hidden: tuple[Finding, ...] = (),
    ) -> None:
        entry = IndexEntry(
            url=url,
            url_status="fetched",
            source_path="file/-/-",
            mime=mime,
            bytes=len(body),
            sha256=sha256_bytes(body),
            offset=place,
            length=self._end - place,
            specs=(spec,),
            retrieved_at=at,
            status=status,
            hidden=hidden,
        )
        self._note(entry)
        self._claim(spec, {place})

    def close(self) -> None:
        """Write index.json and take the journal away. Without a record nothing is written. Raises SourceError."""
        if not (self._folder / JOURNAL_NAME).is_file():
            return
        named = tuple(entry for entry in self._entries.values() if entry.specs)
        write_bytes(self._folder / INDEX_NAME, index_bytes(named))
        (self._folder / JOURNAL_NAME).unlink()

    def _evidence(self, exchange: Exchange | None) -> list[bytes]:
        """The answers on the way to one, each once: robots.txt is on the way to many."""
        fresh: list[bytes] = []
        for hop in exchange.trail if exchange is not None else ():
            mark = (hop.url, hop.status, hop.retrieved_at)
            if mark not in self._told:
                self._told.add(mark)
                fresh.append(exchange_member(hop))
        return fresh

    def _resume(self) -> None:
        entries = read_index(self._folder)
        for entry in entries:
            self._entries[entry.offset] = entry
            if entry.status is None:
                key = source_id(entry.source or entry.url, entry.path, entry.sha256), entry.url
                self._places[key] = entry.offset
            for spec in entry.specs:
                self._inherited.setdefault(spec, set()).add(entry.offset)
        # What the index does not name is evidence; behind the last record, it is of a fetch that was interrupted.
        with self._warc.open("rb") as stream:
            for entry in sorted(entries, key=lambda entry: entry.offset):
                stream.seek(self._end)
                self._told |= told_by(stream.read(max(0, entry.offset - self._end)))
                self._end = entry.offset + entry.length

    def _note(self, entry: IndexEntry) -> None:
        """An entry is new, or its specs are."""
        self._entries[entry.offset] = entry
        note_entry(self._folder, entry)

    def _claim(self, spec: str, places: set[int]) -> None:
        """The spec is answered by these records, no longer by those that an earlier run fetched for it."""
        for place in sorted(self._inherited.pop(spec, set()) - places):
            entry = self._entries[place]
            self._note(entry.model_copy(update={"specs": tuple(s for s in entry.specs if s != spec)}))
        for place in sorted(places):
            entry = self._entries[place]
            if spec not in entry.specs:
                self._note(entry.model_copy(update={"specs": (*entry.specs, spec)}))

    def _append(self, date: str, members: Iterable[bytes]) -> int:
        """Write members at the end of the WARC, flushed to the disk; the place of the last one."""
        parts = list(members)
        try:
            if self._end == 0:
                self._begin()
                parts.insert(0, info_member(date))
            with self._warc.open("r+b" if self._warc.exists() else "wb") as stream:
                stream.truncate(self._end)
                stream.seek(self._end)
                stream.write(b"".join(parts))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                os.truncate(self._warc, self._end)
            raise SourceError(
                f"cannot be written: {error.strerror}",
                where=str(self._warc),
                remedy="free some space or choose another folder",
            ) from error
        self._end += sum(map(len, parts))
        return self._end - len(parts[-1])

    def _begin(self) -> None:
        # An older index would name places in the new WARC.
        self._folder.mkdir(parents=True, exist_ok=True)
        for name in (INDEX_NAME, JOURNAL_NAME):
            (self._folder / name).unlink(missing_ok=True)


class RecordingFetcher:
    """Fetches through another fetcher and keeps all of it in a Recording, also how a server refused."""

    def __init__(self, inner: Fetcher, folder: Path, *, resume: bool = False, clock: Clock = utc_now) -> None:
        self._inner = inner
        self._clock = clock
        self._recording = Recording(folder, resume=resume)

    def accepts(self, spec: str) -> bool:
        """True if the inner fetcher accepts it."""
        return self._inner.accepts(spec)

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """What the inner fetcher fetches, after it was recorded.

        Raises:
            SourceError: the inner fetcher failed, or the recording could not be written.
        """
        try:
            fetched = self._inner.fetch(anchor)
        except StatusError as error:
            self._recording.fail(anchor.spec, error.exchange)
            raise
        except (FetchError, BlockedError) as error:
            self._recording.miss(anchor.spec, error, self._clock())
            raise
        return self._recording.add(anchor.spec, fetched)

    def close(self) -> None:
        """Finish the recording. Raises SourceError."""
        self._recording.close()
