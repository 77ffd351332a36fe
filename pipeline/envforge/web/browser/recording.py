"""Keeps what pages asked for and got: a WARC that is only ever appended to, and one line for each request."""

from __future__ import annotations

import contextlib
import os
from http import HTTPStatus
from pathlib import Path
from typing import Any

from envforge.core.contracts import Exchange
from envforge.core.errors import ConfigError, EnvforgeError, StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.browse import BrowseRun, PageRequest
from envforge.core.scrub import scrub
from envforge.store.files import write_json
from envforge.store.log import append_record
from envforge.web.atomic import write_bytes
from envforge.web.browser.exchange import Answer, Asked
from envforge.web.index import INDEX_NAME, IndexEntry, entry_of, index_bytes
from envforge.web.live.naming import mime_of, path_of
from envforge.web.page_licence import licence_of_page
from envforge.web.sources import Clock, make_fetched
from envforge.web.warc import exchange_member, info_member

RUN_NAME = "browse.json"
REQUESTS_NAME = "requests.jsonl"
WARC_NAME = "pages.warc.gz"
_PAGES = ("text/html", "application/xhtml+xml")


class Recording:
    """A fresh folder of a run, for its owner's eyes. The same bytes under the same URL are stored once.

    Bodies stay as they came: a replay must give a page what it got, down to the token that it sends along later. Who
    reads the folder as a snapshot gets them without secrets and persons.
    """

    def __init__(self, folder: Path, run: BrowseRun, clock: Clock) -> None:
        if (folder / RUN_NAME).exists():
            raise ConfigError(
                "the folder holds a run already", where=str(folder), remedy="give a new folder, or --replay that one"
            )
        self._folder = folder
        self._clock = clock
        self._places: dict[tuple[str, int, str, Any], tuple[int, int]] = {}
        self._pages: dict[str, IndexEntry] = {}
        self._size = 0
        self._run = run

    def begin(self) -> None:
        """Write what the run is, once the browser is at work. Raises StoreError."""
        write_json(self._folder / RUN_NAME, self._run.to_json())
        self._append(info_member(self._run.started_at))

    def answered(self, asked: Asked, answer: Answer) -> None:
        """Store an answer. Raises StoreError."""
        exchange = Exchange(
            url=scrub(asked.url),
            status=answer.status,
            reason=_phrase(answer.status),
            headers=tuple((name, scrub(value)) for name, value in answer.headers),
            body=answer.body,
            retrieved_at=self._clock(),
        )
        digest = sha256_bytes(answer.body)
        key = (exchange.url, exchange.status, digest, exchange.headers)
        if key not in self._places:
            member = exchange_member(exchange)
            self._places[key] = (self._append(member), len(member))
        offset, length = self._places[key]
        # What was asked for once more may have come out otherwise; the index names the last one.
        if asked.method == "GET" and answer.status == HTTPStatus.OK:
            self._pages[exchange.url] = _entry(exchange, offset, length)
        self._write(
            asked,
            outcome="answered",
            rule="",
            retrieved_at=exchange.retrieved_at,
            status=answer.status,
            mime=answer.mime,
            sha256=digest,
            bytes=len(answer.body),
            offset=offset,
            length=length,
        )

    def failed(self, asked: Asked, rule: str, error: EnvforgeError, *, refused: bool) -> None:
        """Note a request without an answer. Raises StoreError."""
        outcome = "refused" if refused else "failed"
        self._write(asked, outcome=outcome, rule=rule, retrieved_at=self._clock(), reason=scrub(error.message))

    def close(self) -> None:
        """Write the index, with which the folder is a snapshot that can be mined. Raises SourceError."""
        if self._pages:
            write_bytes(self._folder / INDEX_NAME, index_bytes(tuple(self._pages.values())))

    def _append(self, member: bytes) -> int:
        path = self._folder / WARC_NAME
        offset = self._size
        try:
            with path.open("ab") as stream:
                stream.write(member)
        except OSError as error:
            with contextlib.suppress(OSError):  # the disk refuses that, too; no line names what is left there
                os.truncate(path, offset)
            raise StoreError(
                f"could not be written: {error.strerror or error}", where=str(path), remedy="check free disk space"
            ) from error
        self._size += len(member)
        return offset

    def _write(self, asked: Asked, **fields: Any) -> None:
        told = {"method": asked.method, "url": scrub(asked.url), "kind": asked.kind, "body_sha256": asked.body_sha256}
        append_record(self._folder / REQUESTS_NAME, PageRequest.model_validate({**told, **fields}).to_json())


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _entry(exchange: Exchange, offset: int, length: int) -> IndexEntry:
    path = path_of(exchange)
    mime = mime_of(exchange, path)
    is_page = mime.partition(";")[0].strip().lower() in _PAGES
    fetched = make_fetched(
        exchange.body,
        url=exchange.url,
        url_status="fetched",
        retrieved_at=exchange.retrieved_at,
        mime=mime,
        path=path,
        title=path,
        licence=licence_of_page(exchange.body, link_header=exchange.header("link"), is_html=is_page),
    )
    entry = entry_of(fetched.source, offset=offset, length=length, specs=(exchange.url,))
    return entry.model_copy(update={"raw": True})
