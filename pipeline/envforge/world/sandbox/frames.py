"""Frames on the sockets between host, zygote and worker: two lengths, a JSON text, a blob. Standard library only."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

HEAD = struct.Struct(">II")
_COMPACT_AT = 1 << 20
TOKEN = 8
"""Bytes before a frame between host and worker: the request's mark, which its answer repeats."""


class FrameError(Exception):
    """The other side sent something that is no frame, or one too large."""


def text_encoder(*, ensure_ascii: bool, separators: tuple[str, str] = (", ", ": ")) -> Callable[[Any], str]:
    """`JSONEncoder.encode` without NaN. The library makes its C encoder anew for each value: here it is made once."""
    encoder = json.JSONEncoder(ensure_ascii=ensure_ascii, allow_nan=False, separators=separators)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    strings: Any = getattr(json.encoder, "encode_basestring_ascii" if ensure_ascii else "encode_basestring")
    if make is None:
        return encoder.encode
    item, pair = separators[0], separators[1]
    made: Any = make(None, encoder.default, strings, None, pair, item, False, False, False)

    def encode(value: Any) -> str:
        if not isinstance(value, (dict, list)):
            return encoder.encode(value)
        try:
            return "".join(made(value, 0))
        except RecursionError:
            return encoder.encode(value)  # says whether it holds itself

    return encode


def pack(message: str, blob: bytes = b"") -> bytes:
    """A frame of a JSON text and a blob."""
    body = message.encode("utf-8")
    return HEAD.pack(len(body), len(blob)) + body + blob


def pack_json(message: Any, blob: bytes = b"") -> bytes:
    """A frame of a JSON value and a blob."""
    return pack(_encode(message), blob)


def read_frame(
    read_exactly: Callable[[int], bytes], largest: int, largest_text: int | None = None
) -> tuple[Any, bytes]:
    """The next frame; its JSON text alone may be bounded closer. Raises FrameError, and what `read_exactly` raises."""
    text_size, blob_size = sizes_of(read_exactly(HEAD.size), largest, largest_text)
    text = read_exactly(text_size)
    blob = read_exactly(blob_size) if blob_size else b""
    return value_of(text), blob


def value_of(text: bytes) -> Any:
    """What a frame's text says. Raises FrameError when it is no JSON, or none that could be written down."""
    try:
        told = text.decode("utf-8")
        value, end = _DECODER.raw_decode(told)
        if told[end:].strip():
            raise ValueError("there is more behind it")
        if b"\\ud" in text or b"\\uD" in text:
            # Half of a pair is no text: nobody could write it down.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame holds no JSON: {error}") from error
    return value


class Inbox:
    """Bytes as they come in, frames with their tokens as they are whole. Knows no socket."""

    def __init__(self, largest: int, largest_text: int) -> None:
        self._largest = largest
        self._largest_text = largest_text
        self._held = bytearray()
        self._start = 0

    def feed(self, data: bytes) -> None:
        """Further bytes."""
        self._held += data

    @property
    def lacks(self) -> int:
        """Bytes that the next frame still needs, as far as its head tells; at least one. Raises FrameError."""
        there = len(self._held) - self._start
        if there < TOKEN + HEAD.size:
            return TOKEN + HEAD.size - there
        return max(1, TOKEN + HEAD.size + sum(self._head()) - there)

    @property
    def token(self) -> bytes:
        """The token of the next frame, as soon as it is there; nothing before."""
        token = bytes(self._held[self._start : self._start + TOKEN])
        return token if len(token) == TOKEN else b""

    def take(self) -> tuple[bytes, bytes, bytes] | None:
        """Token, text and blob of the next frame; None while it is not whole. Raises FrameError for one too large."""
        held, start = self._held, self._start
        body = start + TOKEN + HEAD.size
        if len(held) < body:
            return None
        text_size, blob_size = self._head()
        end = body + text_size + blob_size
        if len(held) < end:
            return None
        token, text = bytes(held[start : start + TOKEN]), bytes(held[body : body + text_size])
        blob = bytes(held[body + text_size : end]) if blob_size else b""
        self._start = end
        if end == len(held) or end > _COMPACT_AT:
            del held[:end]
            self._start = 0
        return token, text, blob

    def _head(self) -> tuple[int, int]:
        start = self._start + TOKEN
        return sizes_of(self._held[start : start + HEAD.size], self._largest, self._largest_text)


def sizes_of(head: bytes | bytearray, largest: int, largest_text: int | None = None) -> tuple[int, int]:
    """Bytes of a frame's text and blob. Raises FrameError for more than there may be."""
    text_size, blob_size = HEAD.unpack(head)
    if text_size + blob_size > largest or text_size > (largest_text or largest):
        raise FrameError(f"a frame of {text_size + blob_size} bytes is over the limit of {largest}")
    return text_size, blob_size


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_encode = text_encoder(ensure_ascii=True)
_DECODER = json.JSONDecoder(parse_constant=_refuse)
