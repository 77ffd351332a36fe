"""A World's state as a blob for the pipe, and back. Standard library only."""

from __future__ import annotations

import json
import struct
import zlib

from envforge.world.engine.contract import PAGE_SIZE, Image
from envforge.world.live import LiveState

_HEAD = struct.Struct(">IIQI")


def pack_state(state: LiveState) -> bytes:
    """The state as bytes (pages compressed, sorted: equal states of one history give equal bytes)."""
    pages = state.image.pages
    offsets = sorted(pages)
    notes = json.dumps({"writes": state.writes, "minted": state.minted, "offsets": offsets}, sort_keys=True).encode()
    body = zlib.compress(b"".join(pages[offset] for offset in offsets), 1)
    head = _HEAD.pack(len(notes), len(state.image.changeset), state.image.size, len(body))
    return head + notes + state.image.changeset + body


def unpack_state(blob: bytes) -> LiveState:
    """The state from its bytes."""
    notes_size, changes_size, size, body_size = _HEAD.unpack_from(blob)
    start = _HEAD.size
    notes = json.loads(blob[start : start + notes_size])
    start += notes_size
    changeset = blob[start : start + changes_size]
    start += changes_size
    body = zlib.decompress(blob[start : start + body_size])
    pages = {offset: body[at * PAGE_SIZE : (at + 1) * PAGE_SIZE] for at, offset in enumerate(notes["offsets"])}
    minted = {table: (count, last) for table, (count, last) in notes["minted"].items()}
    return LiveState(Image(pages, size, changeset), notes["writes"], minted)


def changeset_of(blob: bytes) -> bytes:
    """The changeset of a packed state, without unpacking its pages. Raises ValueError when it is no packed state."""
    if len(blob) < _HEAD.size:
        raise ValueError("no packed state")
    notes_size, changes_size, _, _ = _HEAD.unpack_from(blob)
    start = _HEAD.size + notes_size
    return blob[start : start + changes_size]
