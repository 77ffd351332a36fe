"""Moves bytes from one end to the other, within the bytes of a run and never for ever."""

from __future__ import annotations

import asyncio

_CHUNK = 1 << 16


class OverBudget(Exception):
    """The run has used up its bytes."""


class Budget:
    """Bytes that may still move."""

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, size: int) -> None:
        """Raises OverBudget."""
        self.left -= size
        if self.left <= 0:
            raise OverBudget


async def relay(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    idle_seconds: float | None,
    budget: Budget,
    *,
    exactly: int | None = None,
) -> None:
    """Copy until the end of the stream, or `exactly` so many bytes.

    Raises:
        TimeoutError: nothing moved for `idle_seconds` (None: may be silent).
        OverBudget: the run has used up its bytes.
        IncompleteReadError: the stream ended before `exactly` bytes.
    """
    left = exactly
    while left is None or left > 0:
        async with asyncio.timeout(idle_seconds):
            data = await reader.read(_CHUNK if left is None else min(left, _CHUNK))
            if not data and left is not None:
                raise asyncio.IncompleteReadError(b"", left)
            if not data:
                return
            budget.take(len(data))
            writer.write(data)
            await writer.drain()
        left = None if left is None else left - len(data)
    await writer.drain()
