"""SIGINT and SIGTERM end a server: at once while it starts, in good order when it serves."""

from __future__ import annotations

import asyncio
import signal
from types import TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """`with` it around all that the running task does: a start that is called off leaves the block without an error.

    What runs in a thread then is waited for when the loop ends.
    """

    def __init__(self) -> None:
        self._told = asyncio.Event()
        self._starting: asyncio.Task[object] | None = None
        self._called_off = False

    def __enter__(self) -> Stopping:
        self._starting = asyncio.current_task()
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> bool:
        self._starting = None
        return self._called_off and kind is not None and issubclass(kind, asyncio.CancelledError)

    def started(self) -> None:
        """From here on a signal is only told to who waits."""
        self._starting = None

    async def wait(self) -> None:
        """Until a signal comes."""
        await self._told.wait()

    @property
    def told(self) -> bool:
        """A signal has come."""
        return self._told.is_set()

    def _stop(self) -> None:
        self._told.set()
        if self._starting is not None and not self._called_off:
            self._called_off = True
            self._starting.cancel()
