"""Frames on the sockets between host, zygote and worker: two lengths, a JSON text, a blob. Standard library only."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

HEAD = struct.Struct(">II")
TOKEN = 8
"""Bytes before a frame between host and worker: the request's mark, which its answer repeats."""


class FrameError(Exception):
    """The other side sent something that is no frame, or one too large."""


def pack(message: str, blob: bytes = b"") -> bytes:
    """A frame of a JSON text and a blob."""
    body = message.encode("utf-8")
    return HEAD.pack(len(body), len(blob)) + body + blob


def pack_json(message: Any, blob: bytes = b"") -> bytes:
    """A frame of a JSON value and a blob."""
    return pack(json.dumps(message, ensure_ascii=True, allow_nan=False), blob)


def read_frame(
    read_exactly: Callable[[int], bytes], largest: int, largest_text: int | None = None
) -> tuple[Any, bytes]:
    """The next frame; its JSON text alone may be bounded closer. Raises FrameError, and what `read_exactly` raises."""
    text_size, blob_size = HEAD.unpack(read_exactly(HEAD.size))
    if text_size + blob_size > largest or text_size > (largest_text or largest):
        raise FrameError(f"a frame of {text_size + blob_size} bytes is over the limit of {largest}")
    text = read_exactly(text_size)
    blob = read_exactly(blob_size) if blob_size else b""
    try:
        value = json.loads(text, parse_constant=_refuse)
        if b"\\ud" in text or b"\\uD" in text:
            # Half of a pair is no text: nobody could write it down.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame holds no JSON: {error}") from error
    return value, blob


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
