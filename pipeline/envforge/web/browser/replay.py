"""Answers from a recorded run: the network is off, and what was not recorded is a clear error."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias, cast

from pydantic import ValidationError
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from envforge.core.errors import ConfigError, SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.browse import BrowseRun, PageRequest
from envforge.core.scrub import scrub
from envforge.store.record_lines import read_records
from envforge.web.browser.errors import MissingRecordError, PageTimeoutError, RefusedError, TooLargeError
from envforge.web.browser.exchange import Answer, Asked, SiteError
from envforge.web.browser.recording import REQUESTS_NAME, RUN_NAME, WARC_NAME

_Key: TypeAlias = tuple[str, str, str]
# Seconds or milliseconds of the years 2001 to 2033: pages put the time into URLs to get round caches.
_TIME = re.compile(r"(?<![0-9])1[0-9]{9}(?:[0-9]{3})?(?![0-9])")
_LIMITS = {kind.__name__: kind for kind in (TooLargeError, PageTimeoutError)}
_REMEDY = "record the run again, or do what was done in it"


class ReplayAnswers:
    """The n-th request of a kind gets the n-th recorded answer, and the last one from then on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.run = read_run(folder)
        requests = read_records(folder / REQUESTS_NAME, PageRequest, _REMEDY)
        self._exact = _grouped((_key(r.method, r.url, r.body_sha256), r) for r in requests)
        self._timeless = _grouped((_timeless(_key(r.method, r.url, r.body_sha256)), r) for r in requests)
        self._given: dict[_Key, int] = {}

    def begin(self) -> None:
        """Nothing is to be done."""

    async def before(self, asked: Asked) -> Answer | None:
        """The recorded answer.

        Raises:
            MissingRecordError: there is none.
            RefusedError, SiteError: there was none when the run was recorded either.
            SourceError: the record is damaged.
        """
        key = _key(asked.method, scrub(asked.url), asked.body_sha256)
        found = self._exact.get(key)
        if found is None:
            key = _timeless(key)
            found = self._timeless.get(key)
        if found is None:
            raise MissingRecordError(
                f"the recorded run has no {asked.method} of it", where=scrub(asked.url), remedy=_REMEDY
            )
        turn = self._given.get(key, 0)
        self._given[key] = turn + 1
        request = found[min(turn, len(found) - 1)]
        if request.outcome != "answered":
            raise _as_recorded(request)
        return _answer(self._folder / WARC_NAME, request)

    def after(self, asked: Asked, answer: Answer) -> None:
        """Nothing comes from a site in a replay."""
        message = f"a replay got an answer from outside (status {answer.status})"
        raise SourceError(message, where=asked.url, remedy="this is a fault of envforge")

    def failed(self, asked: Asked, error: SourceError) -> None:
        """A replay leaves the recording as it is."""
        del asked, error


def read_run(folder: Path) -> BrowseRun:
    """How the run was set up. Raises ConfigError, StoreError."""
    path = folder / RUN_NAME
    if not path.is_file() or not (folder / REQUESTS_NAME).is_file():
        raise ConfigError("there is no recorded run", where=str(folder), remedy="give the folder of one (--run)")
    try:
        return BrowseRun.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(top)"
        raise ConfigError(
            f"is not that of a run: {first['msg']}", where=f"{path} field {field!r}", remedy=_REMEDY
        ) from error


def _grouped(pairs: Iterable[tuple[_Key, PageRequest]]) -> dict[_Key, list[PageRequest]]:
    found: dict[_Key, list[PageRequest]] = {}
    for key, request in pairs:
        found.setdefault(key, []).append(request)
    return found


def _key(method: str, url: str, body_sha256: str) -> _Key:
    return method, url, body_sha256


def _timeless(key: _Key) -> _Key:
    return key[0], _TIME.sub("TIME", key[1]), key[2]


def _as_recorded(request: PageRequest) -> SourceError:
    """The error of then, of the type it had."""
    remedy = "so it was when the run was recorded"
    if kind := _LIMITS.get(request.rule):
        return kind(request.reason, where=request.url, remedy=remedy)
    kind = RefusedError if request.outcome == "refused" else SiteError
    return kind(request.reason, rule=request.rule, where=request.url, remedy=remedy)


def _answer(warc: Path, request: PageRequest) -> Answer:
    try:
        with warc.open("rb") as stream:
            stream.seek(request.offset)
            member = stream.read(request.length)
        record: Any = next(cast("Any", ArchiveIterator(io.BytesIO(member))))  # warcio has no types
        url = record.rec_headers.get_header("WARC-Target-URI")
        headers = tuple((str(name), str(value)) for name, value in record.http_headers.headers)
        body = cast("bytes", record.raw_stream.read())
    except (OSError, ArchiveLoadFailed, StopIteration, EOFError, ValueError, AttributeError) as error:
        raise _damaged(warc, request, str(error) or type(error).__name__) from error
    if url != request.url or sha256_bytes(body) != request.sha256 or request.status is None:
        raise _damaged(warc, request, "it is not the one that the request names")
    return Answer(request.status, tuple(pair for pair in headers if pair[0].lower() != "content-length"), body)


def _damaged(warc: Path, request: PageRequest, why: str) -> SourceError:
    return SourceError(
        f"the record of {request.url} cannot be read: {why}", where=f"{warc}@{request.offset}", remedy=_REMEDY
    )
