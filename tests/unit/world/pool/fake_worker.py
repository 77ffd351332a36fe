"""A worker of which a test says what it does: it keeps a list of numbers per instance, and can die or talk nonsense."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable
from typing import Any, cast

from envforge.core.errors import SandboxError
from envforge.world.sandbox import frames
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess

_pids = itertools.count(1)

Behave = Callable[["FakeWorker", dict[str, Any]], bytes | None]
"""What it does with a request instead of answering as it should; None: it answers as it should."""


class FakeWorker:
    """Speaks the frames of a worker from a thread. `add` keeps a number, `list` gives them back."""

    def __init__(self, behave: Behave | None = None, *, call_seconds: float = 5.0) -> None:
        self.pid = next(_pids)
        self.limits = Limits(call_seconds=call_seconds)
        self.seen: list[dict[str, Any]] = []
        self.worlds: dict[int, list[int]] = {}
        self._behave = behave
        self._ours, self._theirs = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def as_process(self) -> WorkerProcess:
        """For what takes a WorkerProcess."""
        return cast("WorkerProcess", self)

    def hand_over(self) -> tuple[socket.socket, frames.Inbox]:
        """As a WorkerProcess."""
        return self._ours, frames.Inbox(1 << 20, 1 << 20)

    def told(self, text: bytes) -> dict[str, Any]:
        """As a WorkerProcess."""
        return frames.value_of(text)

    def failed(self, reason: str) -> SandboxError:
        """As a WorkerProcess."""
        self.close()
        return SandboxError(reason)

    def garbage(self) -> SandboxError:
        """As a WorkerProcess."""
        return self.failed("garbage")

    def ended(self) -> SandboxError:
        """As a WorkerProcess."""
        return self.failed("the worker ended")

    def close(self) -> None:
        """As a WorkerProcess."""
        self.die()
        self._ours.close()

    def die(self) -> None:
        """End at once."""
        try:
            self._theirs.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def _serve(self) -> None:
        try:
            while True:
                token = self._read(frames.TOKEN)
                request, _ = frames.read_frame(self._read, 1 << 20)
                self.seen.append(request)
                answer = self._behave(self, request) if self._behave is not None else None
                self._theirs.sendall(answer if answer is not None else token + self._answer(request))
        except OSError:
            self._theirs.close()

    def _read(self, size: int) -> bytes:
        data = self._theirs.recv(size, socket.MSG_WAITALL) if size else b""
        if len(data) < size:
            raise OSError("the host is gone")
        return data

    def _answer(self, request: dict[str, Any]) -> bytes:
        number, what = request["world"], request["do"]
        if what in ("open", "reset"):
            self.worlds[number] = []
        elif what == "close":
            del self.worlds[number]
        elif what == "add":
            self.worlds[number].append(request["value"])
            return frames.pack_json({"result": {"sum": sum(self.worlds[number])}})
        elif what == "list":
            return frames.pack_json({"result": {"values": self.worlds[number], "pid": self.pid}})
        return frames.pack_json({})


def random_bytes(_: FakeWorker, __: dict[str, Any]) -> bytes:
    """What no frame is."""
    return os.urandom(64)
