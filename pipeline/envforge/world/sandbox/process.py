"""The host's side of a worker: start it, talk to it within a deadline, stop it, say how it ended."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import importlib.util
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from envforge.core.errors import SandboxError
from envforge.world.live import WorldPlan
from envforge.world.sandbox import frames
from envforge.world.sandbox.limits import Limits
from envforge.world.template import Template

_START = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from envforge.world.sandbox.worker import main; main()"
_ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "HOME": "/", "PATH": ""}
_LARGEST_ANSWER = 256 * 1024 * 1024


class WorkerProcess:
    """One sandboxed process that runs the tools of one environment.

    Every method raises SandboxError when the worker died, ran over its time or answered garbage; it is gone then.
    """

    def __init__(
        self, plan: WorldPlan, template: Template, source: str, limits: Limits, *, testing: bool = False
    ) -> None:
        self.limits = limits
        self.reason = ""
        self.features: dict[str, Any] = {}
        """What this machine enforces for the worker."""
        self._lock = threading.Lock()
        descriptor = _template_file(template)
        self._popen = subprocess.Popen(
            [sys.executable, "-s", "-S", "-P", "-B", "-c", _START, "\n".join(_search_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_ENVIRONMENT,
            cwd="/",
            pass_fds=(descriptor,),
            start_new_session=True,
            bufsize=0,
        )
        assert self._popen.stdin is not None and self._popen.stdout is not None
        self._to, self._from = self._popen.stdin.fileno(), self._popen.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        setup = {
            "limits": limits.to_json(),
            "plan": plan.to_json(),
            "template": descriptor,
            "source": source,
            "testing": testing,
        }
        self._start_deadline = time.monotonic() + limits.start_seconds
        self._send(frames.pack_json(setup), self._start_deadline)

    def load(self, names: list[str]) -> dict[str, Any]:
        """Load tools.py. Raises SandboxError when the worker did not start."""
        self._send(frames.pack_json({"load": names}), self._start_deadline)
        return self._receive(self._start_deadline)[0]

    def ask(
        self,
        request: dict[str, Any],
        blob: bytes = b"",
        *,
        seconds: float | None = None,
        processor_seconds: float | None = None,
    ) -> tuple[Any, bytes]:
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
    def pid(self) -> int:
        """Process id of the worker."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """True while the worker can be asked."""
        return not self.reason and self._popen.poll() is None

    def close(self) -> None:
        """End the worker; nothing happens when it has ended."""
        self._kill("the session was closed")

    def _send(self, frame: bytes, deadline: float) -> None:
        view = memoryview(frame)
        while view:
            self._wait(self._to, select.POLLOUT, deadline)
            try:
                view = view[os.write(self._to, view) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._ended() from error

    def _receive(self, deadline: float) -> tuple[Any, bytes]:
        def read_exactly(size: int) -> bytes:
            parts: list[bytes] = []
            while size:
                part = self._read_part(size, deadline)
                parts.append(part)
                size -= len(part)
            return b"".join(parts)

        try:
            return frames.read_frame(read_exactly, _LARGEST_ANSWER)
        except frames.FrameError as error:
            raise self._fail(f"the worker answered garbage: {error}") from error

    def _read_part(self, size: int, deadline: float) -> bytes:
        while True:
            self._wait(self._from, select.POLLIN, deadline)
            try:
                part = os.read(self._from, min(size, 1 << 20))
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._ended() from error
            if not part:
                raise self._ended()
            return part

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        if self.reason:
            raise SandboxError(f"the worker is gone: {self.reason}", remedy="start a new session or restart() this one")
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise self._fail("the worker ran over its time and was stopped")

    def _ended(self) -> SandboxError:
        """The error for a worker that ended by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(2.0)
        code = self._popen.returncode
        said = ""
        if self._popen.stderr is not None and not self._popen.stderr.closed:
            os.set_blocking(self._popen.stderr.fileno(), False)
            said = (self._popen.stderr.read(65536) or b"").decode("utf-8", "replace").strip()
        how = f"by {signal.Signals(-code).name}" if code is not None and code < 0 else f"with status {code}"
        return self._fail(f"the worker ended {how}{': ' + said[-600:] if said else ''}")

    def _fail(self, reason: str) -> SandboxError:
        self._kill(reason)
        return SandboxError(reason, remedy="start a new session or restart() this one", retryable=True)

    def _kill(self, reason: str) -> None:
        if self.reason:
            return
        self.reason = reason
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                stream.close()


@functools.cache
def _search_path() -> tuple[str, ...]:
    """Folders that the worker imports from: the standard library, apsw, envforge and, for tests, pytest."""
    folders = [Path(__file__).resolve().parents[3]]
    for name in ("apsw", "pytest"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(f"the package {name} is missing", remedy=f"pip install {name}")
        folder = Path(spec.origin).resolve().parent
        folders.append(folder.parent if spec.submodule_search_locations else folder)
    standard = [Path(entry) for entry in sys.path if entry and _is_standard(Path(entry))]
    return tuple(dict.fromkeys(str(folder) for folder in (*standard, *folders)))


def _is_standard(folder: Path) -> bool:
    return folder.is_absolute() and "site-packages" not in folder.parts and str(folder).startswith(sys.base_prefix)


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
