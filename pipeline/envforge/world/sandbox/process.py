"""The host's side of a worker: have it forked, talk to it within a deadline, stop it, say how it ended."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import select
import signal
import socket
import tempfile
import threading
import time
from typing import Any, cast

from envforge.core.errors import SandboxError
from envforge.core.ids import sha256_text
from envforge.world.live import WorldPlan
from envforge.world.sandbox import frames
from envforge.world.sandbox.backends import BACKENDS, best_backend, checked_backend
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.zygote_client import ZygoteClient, zygote_of
from envforge.world.template import Template

_LARGEST_ANSWER = 256 * 1024 * 1024
_LARGEST_TEXT = 16 * 1024 * 1024
_CHUNK = 1 << 16
_LAST_SECONDS = 2.0
_GRACE_SECONDS = 1.0
_REMEDY = "start a new session or restart() this one"
UNASKED = "the worker answered what it was not asked"
TOO_LONG = "the worker ran over its time and was stopped"


class WorkerProcess:
    """One sandboxed process that runs the tools of one environment.

    Every method raises SandboxError when the worker died, ran over its time or answered garbage; it is gone then.
    """

    def __init__(
        self,
        plan: WorldPlan,
        template: Template,
        source: str,
        limits: Limits,
        *,
        names: list[str] | None = None,
        testing: bool = False,
        backend: str | None = None,
        apart: bool = False,
    ) -> None:
        """`apart`: from a zygote of its own, so that nothing is shared with other workers, not even addresses."""
        self.limits = limits
        self.backend = best_backend() if backend is None else checked_backend(backend)
        self.reason = ""
        self.features: dict[str, Any] = {}
        """What this machine enforces for the worker."""
        self._lock = threading.Lock()
        # JSON takes twenty times its size in our memory: a worker may not choose how much.
        self._inbox = frames.Inbox(_LARGEST_ANSWER, max(_LARGEST_TEXT, 4 * limits.output_bytes))
        self._token = b""
        self._source = source
        self._apart = apart
        own = ZygoteClient.start(BACKENDS[self.backend], testing=testing) if apart else None
        self._zygote = own or zygote_of(self.backend, testing=testing)
        text = source.encode("utf-8")
        try:
            self.pid, self._socket = self._zygote.fork(
                memory_mb=limits.memory_mb,
                template=_template_file(template),
                module=sha256_text(source),
                source=text if self._zygote.should_keep(source) else b"",
            )
        except BaseException:
            if apart:
                self._zygote.close()  # nobody else knows of it
            raise
        """Process id of the worker."""
        self._start_deadline = time.monotonic() + limits.start_seconds
        setup = {"limits": limits.to_json(), "plan": plan.to_json(), "names": names or []}
        self._send(frames.pack_json(setup, text), self._start_deadline)

    def load(self) -> dict[str, Any]:
        """What became of tools.py: {missing} or {error, line}. Raises SandboxError when the worker did not start."""
        answer = self._receive(self._start_deadline)[0]
        self.features = answer["features"]
        if "error" not in answer:
            self._zygote.compiled_safely(self._source)
        return answer

    def ask(
        self,
        request: dict[str, Any],
        blob: bytes = b"",
        *,
        seconds: float | None = None,
        processor_seconds: float | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """One request and its answer within `seconds`; more answers may follow in the same processor time."""
        allowed = seconds or self.limits.call_seconds
        deadline = time.monotonic() + allowed
        with self._lock:
            self._send(frames.pack_json({**request, "seconds": processor_seconds or allowed}, blob), deadline)
            return self._receive(deadline)

    def next_answer(self, seconds: float) -> Any:
        """A further answer to the last request."""
        with self._lock:
            return self._receive(time.monotonic() + seconds)[0]

    @property
    def alive(self) -> bool:
        """True while the worker can be asked."""
        if self.reason:
            return False
        poll = select.poll()
        poll.register(self._socket.fileno(), 0)  # hang-ups are always told
        return not poll.poll(0)

    def garbage(self) -> SandboxError:
        """The error for an answer that is none; the worker is ended."""
        return self.failed("the worker answered garbage")

    def hand_over(self) -> tuple[socket.socket, frames.Inbox]:
        """The host's end of the socket and what has come in on it, for who asks without waiting (`world/pool`).

        From then on `ask` is not to be used; `told`, `failed`, `ended` and `close` are.
        """
        return self._socket, self._inbox

    def close(self) -> None:
        """End the worker; nothing happens when it has ended."""
        self._kill("the session was closed")

    def _send(self, frame: bytes, deadline: float) -> None:
        self._check()
        self._token = secrets.token_bytes(frames.TOKEN)
        try:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            self._socket.sendall(self._token + frame)
        except TimeoutError as error:
            raise self.failed(TOO_LONG) from error
        except OSError as error:
            raise self.ended() from error

    def _receive(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        self._check()
        inbox = self._inbox
        try:
            while True:
                # Whoever answers must have seen this request: nothing written ahead of it is taken for its answer.
                if inbox.token not in (b"", self._token):
                    raise self.failed(UNASKED)
                whole = inbox.take()
                if whole is not None:
                    return self.told(whole[1]), whole[2]
                inbox.feed(self._read_part(inbox.lacks, deadline))
        except frames.FrameError as error:
            raise self.failed(f"the worker answered garbage: {error}") from error

    def told(self, text: bytes) -> dict[str, Any]:
        """What an answer's text says. Raises SandboxError, and ends the worker, when that is no answer."""
        try:
            answer = frames.value_of(text)
        except frames.FrameError as error:
            raise self.failed(f"the worker answered garbage: {error}") from error
        if not isinstance(answer, dict):
            raise self.failed("the worker answered garbage: no object")
        told = cast("dict[str, Any]", answer)
        if "broken" in told:
            raise self.failed(f"the worker failed: {str(told['broken'])[:2000]}")
        return told

    def _read_part(self, wanted: int, deadline: float) -> bytes:
        try:
            left = deadline - time.monotonic()
            if left < -_GRACE_SECONDS:  # who never stops sending would never run into the time-out below
                raise TimeoutError
            self._socket.settimeout(max(0.001, left))
            part = self._socket.recv(min(max(wanted, _CHUNK), 1 << 22))
        except TimeoutError as error:
            raise self.failed(TOO_LONG) from error
        except OSError as error:
            raise self.ended() from error
        if not part:
            raise self.ended()
        return part

    def _check(self) -> None:
        if self.reason:
            raise SandboxError(f"the worker is gone: {self.reason}", remedy=_REMEDY)

    def ended(self) -> SandboxError:
        """The error for a worker that ended by itself."""
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(self.pid)
            try:
                select.select([descriptor], [], [], _LAST_SECONDS)
            finally:
                os.close(descriptor)
        status = self._kill("the worker ended")
        how = "" if status is None else _how(status)
        self.reason = f"the worker ended{how}"
        return SandboxError(self.reason, remedy=_REMEDY, retryable=True)

    def failed(self, reason: str) -> SandboxError:
        """The error for a worker that broke a rule; it is ended."""
        self._kill(reason)
        return SandboxError(reason, remedy=_REMEDY, retryable=True)

    def _kill(self, reason: str) -> int | None:
        """Its wait status. Its number is not given to another process before the zygote has reaped it."""
        if self.reason:
            return None
        self.reason = reason
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, signal.SIGKILL)
        self._socket.close()
        status = self._zygote.reap(self.pid)
        if self._apart:
            self._zygote.close()
        return status


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f" by {signal.Signals(-code).name}" if code < 0 else f" with status {code}"


def _template_file(template: Template) -> int:
    """A descriptor of the template's bytes, in memory where the system can; sealed against writing."""
    held = _descriptors.get(template.digest)
    if held is None:
        held = _descriptors[template.digest] = _sealed(template.data)
    return held


def _sealed(data: bytes) -> int:
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            return os.dup(file.fileno())
    descriptor = os.memfd_create("envforge-template", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


_descriptors: dict[str, int] = {}
