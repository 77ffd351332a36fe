"""Reads the body of an answer: never more than the limits, whatever its headers promise."""

from __future__ import annotations

import contextlib
import fnmatch
import zlib
from collections.abc import Callable, Iterable, Iterator

from envforge.core.records.fetching import FetchSettings
from envforge.web.live.errors import FetchError, LimitError
from envforge.web.paths import guess_mime

ACCEPT_ENCODING = "gzip, deflate"
"""Only what the standard library unpacks in bounded steps."""
_STEP = 1 << 18
_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header: lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def check_type(content_type: str, path: str, allowed: Iterable[str], where: str) -> None:
    """Raise FetchError if it is none of the `allowed` types, nor untyped bytes whose path says that they are."""
    kind = media_type(content_type)
    if kind in _UNTYPED:
        kind = guess_mime(path).partition(";")[0]
    if kind in _UNTYPED or not any(fnmatch.fnmatchcase(kind, pattern) for pattern in allowed):
        stated = media_type(content_type) or "no type"
        raise FetchError(
            f"answers with {stated!r}, which is not taken",
            where=where,
            remedy="take a page or a file of data; `mimes` in validators/web/fetch.json lists what is taken",
        )


class BodyReader:
    """Reads one body within the limits, and unpacks it."""

    def __init__(self, settings: FetchSettings, where: str) -> None:
        self._settings, self._where = settings, where
        self._sent = self._unpacked = 0

    def whole(self, chunks: Iterable[bytes], *, encoding: str, length: str) -> bytes:
        """All of it.

        Raises:
            LimitError: it is, or says it is, larger than allowed.
            FetchError: it is packed in a way that was not asked for, broken, or cut.
        """
        if length.isdecimal() and int(length) > self._settings.body_bytes:
            raise self._too_large()
        return b"".join(self._plain(chunks, encoding))

    def beginning(self, chunks: Iterable[bytes], *, encoding: str, most: int) -> bytes:
        """The first `most` bytes; what comes after them is not asked for. Raises what `whole` raises."""
        return b"".join(self._first(chunks, encoding, most))

    def evidence(self, chunks: Iterable[bytes], *, encoding: str, most: int) -> bytes:
        """The same of an answer that is no data: what cannot be read is left out."""
        parts: list[bytes] = []
        with contextlib.suppress(FetchError):
            parts.extend(self._first(chunks, encoding, most))
        return b"".join(parts)

    def _first(self, chunks: Iterable[bytes], encoding: str, most: int) -> Iterator[bytes]:
        room = most
        for part in self._plain(chunks, encoding):
            yield part[:room]
            room -= len(part)
            if room <= 0:
                return

    def _plain(self, chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
        coding = encoding.strip().lower()
        if coding in ("", "identity"):
            yield from self._counted(chunks)
        elif coding in _WINDOW:
            yield from self._inflated(self._counted(chunks), coding)
        else:
            raise FetchError(
                f"answers packed as {coding[:40]!r}, which was not asked for",
                where=self._where,
                remedy=f"the server ignores Accept-Encoding ({ACCEPT_ENCODING}); take another source",
            )

    def _counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._sent += len(chunk)
            if self._sent > self._settings.body_bytes:
                raise self._too_large()
            yield chunk

    def _inflated(self, chunks: Iterable[bytes], coding: str) -> Iterator[bytes]:
        """Unpacked in steps, so that a bomb is noticed before it is in memory."""
        inflater, members = None, 0
        for chunk in chunks:
            rest = chunk
            while rest:
                if inflater is None:
                    if members and not rest.startswith(b"\x1f"):
                        return  # padding after the last member
                    # Some servers send "deflate" without the header that it has by its definition.
                    bare = coding == "deflate" and rest[0] & 0x0F != 8
                    inflater = zlib.decompressobj(-15 if bare else _WINDOW[coding])
                yield self._allowed(self._step(inflater.decompress, rest))
                rest = inflater.unconsumed_tail
                if inflater.eof:
                    rest, inflater, members = inflater.unused_data, None, members + 1
        if inflater is not None:
            yield self._allowed(inflater.flush())
            if not inflater.eof:
                raise self._broken("it ends too early")

    def _step(self, inflate: Callable[[bytes, int], bytes], chunk: bytes) -> bytes:
        try:
            return inflate(chunk, _STEP)
        except zlib.error as error:
            raise self._broken(str(error)) from error

    def _allowed(self, part: bytes) -> bytes:
        limits = self._settings
        self._unpacked += len(part)
        if self._unpacked > limits.unpacked_bytes:
            message = f"unpacks to more than {limits.unpacked_bytes:,} bytes"
            raise LimitError(message, limit="unpacked_bytes", where=self._where)
        if self._unpacked > limits.ratio_floor_bytes and self._unpacked > self._sent * limits.ratio:
            message = f"unpacks to more than {limits.ratio} times what was sent"
            raise LimitError(message, limit="ratio", where=self._where)
        return part

    def _too_large(self) -> LimitError:
        message = f"is larger than {self._settings.body_bytes:,} bytes"
        return LimitError(message, limit="body_bytes", where=self._where)

    def _broken(self, why: str) -> FetchError:
        return FetchError(f"the packed answer is broken: {why}", where=self._where, remedy="try again", retryable=True)
