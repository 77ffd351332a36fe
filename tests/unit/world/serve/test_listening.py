"""Answers go out whole."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from envforge.world.serve.listening import OneWrite

from ..pool.loops import on_a_loop


class Wire:
    """What was done to a transport, in its order."""

    def __init__(self) -> None:
        self.done: list[bytes | str] = []

    def write(self, data: bytes) -> None:
        self.done.append(data)

    def close(self) -> None:
        self.done.append("closed")

    def abort(self) -> None:
        self.done.append("aborted")


def _over(wire: Wire) -> OneWrite:
    return OneWrite(cast("Any", wire), asyncio.get_running_loop())


@on_a_loop
async def test_head_and_body_are_one_write() -> None:
    wire = Wire()
    transport = _over(wire)
    transport.write(b"head, ")
    transport.write(b"body")
    assert wire.done == []
    await asyncio.sleep(0)
    transport.write(b"the next")
    await asyncio.sleep(0)
    assert wire.done == [b"head, body", b"the next"]


@on_a_loop
async def test_what_was_written_is_sent_before_the_end() -> None:
    wire = Wire()
    transport = _over(wire)
    transport.write(b"all")
    transport.close()
    await asyncio.sleep(0)
    assert wire.done == [b"all", "closed"]


@on_a_loop
async def test_the_rest_is_the_transport_s_own() -> None:
    wire = Wire()
    _over(wire).abort()
    assert wire.done == ["aborted"]
