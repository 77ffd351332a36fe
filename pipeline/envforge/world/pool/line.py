"""The connection of an event loop to one worker: requests go out without waiting for the answers to those before."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable

from envforge.core.errors import SandboxError
from envforge.world.pool.asked import Asked, checksum_of
from envforge.world.sandbox import frames
from envforge.world.sandbox.process import TOO_LONG, UNASKED, WorkerProcess

WINDOW = 256
"""Requests that a worker is given before it has answered the first of them."""
_TOKENS = 512
_CHUNK = 1 << 18
_TOGETHER = 32
"""Requests that are sent at once although more may follow: the worker is not to wait until all of a batch are asked."""
_LOOKS = 8
"""How often within the time of a call it is looked at whether it has run over."""


class Line:
    """Sends requests in order and hands their answers to their sinks. `lost` is told once when the worker is gone.

    What was asked and not answered is then in `pending`; nothing is answered twice, and nothing is dropped.
    """

    def __init__(self, process: WorkerProcess, lost: Callable[[SandboxError | None], None]) -> None:
        self.process = process
        self.alone = 0
        """How many requests, from the head on, are given to the worker one at a time."""
        self.overdue = False
        """The worker was ended because the request at the head ran over its time."""
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._socket, self._inbox = process.hand_over()
        self._socket.setblocking(False)
        self._sent: deque[Asked] = deque()
        self._queue: deque[Asked] = deque()
        self._out = bytearray()
        self._tokens = b""
        self._pumping = False
        self._writing = False
        self._since = 0.0
        self._open = True
        self._watch: asyncio.TimerHandle | None = None
        self._loop.add_reader(self._socket, self._on_readable)

    @property
    def pending(self) -> tuple[list[Asked], list[Asked]]:
        """What the worker had and did not answer, and what it has not been given yet."""
        return list(self._sent), list(self._queue)

    def ask(self, asked: Asked) -> None:
        """Send it in its turn."""
        self._queue.append(asked)
        if len(self._queue) == _TOGETHER and self._open:
            self._pump()
        elif not self._pumping:
            self._pumping = True
            self._loop.call_soon(self._pump_later)

    def forget(self) -> None:
        """Drop what is pending: whoever looked at it sees to it."""
        self._sent.clear()
        self._queue.clear()

    def close(self) -> None:
        """Listen no more. The process is the caller's to end."""
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._socket)
        if self._writing:
            self._loop.remove_writer(self._socket)
        if self._watch is not None:
            self._watch.cancel()

    # Outwards

    def _pump_later(self) -> None:
        self._pumping = False
        self._pump()

    def _pump(self) -> None:
        if not self._open or not self._queue:
            return
        if not self._sent:
            self._since = self._loop.time()
            self._look_later()
        window = 1 if self.alone else WINDOW
        while self._queue and len(self._sent) < window:
            asked = self._queue.popleft()
            asked.token = self._token()
            self._sent.append(asked)
            self._out += asked.frame()
        self._write()

    def _token(self) -> bytes:
        if not self._tokens:
            self._tokens = os.urandom(frames.TOKEN * _TOKENS)
        token, self._tokens = self._tokens[: frames.TOKEN], self._tokens[frames.TOKEN :]
        return token

    def _write(self) -> None:
        try:
            sent = self._socket.send(self._out) if self._out else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            # It is gone. The answers it gave before lie there yet, and its end is read behind them: what is pending
            # then begins with the request it died of.
            sent = len(self._out)
        del self._out[:sent]
        if self._out and not self._writing:
            self._loop.add_writer(self._socket, self._write)
        elif self._writing and not self._out:
            self._loop.remove_writer(self._socket)
        self._writing = bool(self._out)

    # Inwards

    def _on_readable(self) -> None:
        try:
            data = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end(None)
            return
        self._inbox.feed(data)
        try:
            self._take()
        except frames.FrameError as error:
            self._end(self.process.failed(f"the worker answered garbage: {error}"))
        except SandboxError as error:
            self._end(error)

    def _take(self) -> None:
        """Hand over the answers that are whole. Raises SandboxError, FrameError."""
        inbox, process, sent = self._inbox, self.process, self._sent
        answered = False
        while self._open:
            whole = inbox.take()
            token = inbox.token if whole is None else whole[0]
            if token and (not sent or token != sent[0].token):
                raise process.failed(UNASKED)
            if whole is None:
                break
            told = process.told(whole[1])
            asked = sent[0]
            if not asked.sink.answered(told, whole[2]):
                raise process.garbage()
            sent.popleft()
            if self.alone:
                self.alone -= 1
            if asked.then is not None:
                asked.then(asked, told, checksum_of(whole[1]))
            answered = True
        if answered:
            self._since = self._loop.time()
        if self._queue:
            self._pump()

    def _look_later(self) -> None:
        if self._watch is None:
            self._watch = self._loop.call_later(self.process.limits.call_seconds / _LOOKS, self._look)

    def _look(self) -> None:
        """End the worker when what it is at has run over its time."""
        self._watch = None
        if not self._sent or not self._open:
            return
        # An event loop that stood still for long may have the answer lying before it.
        self._on_readable()
        if not self._open or not self._sent:
            return
        if self._loop.time() - self._since > self.process.limits.call_seconds:
            self.overdue = True
            self._end(self.process.failed(TOO_LONG))
        else:
            self._look_later()

    def _end(self, error: SandboxError | None) -> None:
        if self._open:
            self.close()
            self._lost(error)
