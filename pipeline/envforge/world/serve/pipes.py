"""Lines over standard input and output, read and written by threads that nobody has to wait for.

A read that blocks cannot be called off. The threads are daemons that work on bare descriptors, so that a program whose
client neither speaks nor leaves can still end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator

_CHUNK = 1 << 16
_AHEAD = 64
"""Lines that are read before they are wanted."""
_FLUSH_SECONDS = 5.0
_STDOUT, _STDERR = 1, 2

Line = bytes | None
"""None: a line that was too long; it was skipped."""


@contextlib.contextmanager
def own_output() -> Generator[int]:
    """A descriptor of standard output for the block alone: whatever else is printed goes to standard error."""
    own = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        yield own
    finally:
        os.dup2(own, _STDOUT)
        os.close(own)


async def lines(handle: int, longest: int) -> AsyncIterator[Line]:
    """Lines that arrive on a descriptor, without their ends, until it is closed."""
    arrived: asyncio.Queue[Line | EOFError] = asyncio.Queue()
    room = threading.Semaphore(_AHEAD)
    loop = asyncio.get_running_loop()

    def hand_over(line: Line | EOFError) -> None:
        room.acquire()
        loop.call_soon_threadsafe(arrived.put_nowait, line)

    def read() -> None:
        # The loop may be closed before the client speaks again.
        with contextlib.suppress(RuntimeError):
            for line in _split(handle, longest):
                hand_over(line)
            hand_over(EOFError())

    threading.Thread(target=read, daemon=True).start()
    while True:
        line = await arrived.get()
        room.release()
        if isinstance(line, EOFError):
            return
        yield line


def _split(handle: int, longest: int) -> Generator[Line]:
    held, too_long = bytearray(), False
    while True:
        try:
            chunk = os.read(handle, _CHUNK)
        except OSError:
            return
        if not chunk:
            return
        held += chunk
        while (end := held.find(b"\n")) >= 0:
            line = bytes(held[:end])
            del held[: end + 1]
            yield None if too_long or len(line) > longest else line
            too_long = False
        if len(held) > longest:
            held.clear()
            too_long = True


@contextlib.asynccontextmanager
async def writer(handle: int) -> AsyncGenerator[Callable[[bytes], None]]:
    """Writes bytes in order without making the event loop wait; what is left is written when the block ends."""
    waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def write() -> None:
        while (data := waiting.get()) is not None:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(handle, rest) :]
            except OSError:
                return  # the client has left

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield waiting.put
    finally:
        waiting.put(None)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(_ended(thread))


async def _ended(thread: threading.Thread) -> None:
    deadline = asyncio.get_running_loop().time() + _FLUSH_SECONDS
    while thread.is_alive() and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.005)
