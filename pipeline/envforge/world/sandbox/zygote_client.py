"""The host's side of a zygote: start it, have it fork workers, learn how they ended."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from envforge.core.errors import SandboxError
from envforge.world.engine import COPY_ON_WRITE, available_engines
from envforge.world.sandbox import frames
from envforge.world.sandbox.backends import BACKENDS, Backend

_START = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from envforge.world.sandbox.zygote import main; main()"
_ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "HOME": "/", "PATH": ""}
_START_SECONDS = 30.0
_ANSWER_SECONDS = 15.0
_LARGEST_ANSWER = 1 << 20
_KEPT_MODULES = 60
"""Fewer than the zygote holds compiled."""


class ZygoteClient:
    """A running zygote. Its methods may be called from any thread; they raise SandboxError when it is gone."""

    def __init__(self, popen: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._popen = popen
        self._control = control
        self._lock = threading.Lock()
        self._compiled: dict[str, bool] = {}
        self.features: dict[str, Any] = {}
        """What this machine enforces for every worker of this zygote."""

    @classmethod
    def start(cls, backend: Backend, *, testing: bool = False) -> ZygoteClient:
        """Start one; it is ready when this returns. Raises SandboxError when this machine lacks a layer."""
        ours, theirs = socket.socketpair()
        setup = {"control": theirs.fileno(), "layers": backend.layers, "testing": testing}
        popen = subprocess.Popen(
            [sys.executable, "-s", "-S", "-P", "-B", "-c", _START, "\n".join(_search_path()), json.dumps(setup)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_ENVIRONMENT,
            cwd="/",
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
        theirs.close()
        client = cls(popen, ours)
        ours.settimeout(_START_SECONDS)
        answer = client._answer()
        ours.settimeout(_ANSWER_SECONDS)
        if "error" in answer:
            client.close()
            raise SandboxError(f"the sandbox {backend.name!r} cannot be had here: {answer['error']}")
        client.features = answer["features"]
        return client

    @property
    def alive(self) -> bool:
        """True while workers can be forked."""
        return self._popen.poll() is None

    def fork(self, *, memory_mb: int, template: int, module: str, source: bytes = b"") -> tuple[int, socket.socket]:
        """A worker: its process id and the host's end of its socket.

        `module`: digest of the module that it will load; `source`: its text, when the zygote is to keep it compiled.
        """
        ours, theirs = socket.socketpair()
        try:
            request = frames.pack_json({"do": "fork", "memory_mb": memory_mb, "module": module}, source)
            answer = self._ask(request, [theirs.fileno(), template])
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return int(answer["pid"]), ours

    def compiled_safely(self, source: str) -> None:
        """A worker has compiled this module without harm: the zygote may compile it for its children."""
        self._compiled.setdefault(source, False)
        while len(self._compiled) > _KEPT_MODULES:
            self._compiled.pop(next(iter(self._compiled)))

    def should_keep(self, source: str) -> bool:
        """True once for a module that compiled safely: send it along with the next fork."""
        if self._compiled.get(source, True):
            return False
        self._compiled[source] = True
        return True

    def reap(self, pid: int) -> int | None:
        """Wait status of a worker that has ended; None when the zygote ended with it."""
        try:
            return int(self._ask(frames.pack_json({"do": "reap", "pid": pid}), [])["status"])
        except SandboxError:
            return None

    def close(self) -> None:
        """End the zygote and with it its workers."""
        with contextlib.suppress(OSError):
            self._control.close()
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.wait()
        if self._popen.stderr is not None:
            self._popen.stderr.close()

    def _ask(self, frame: bytes, descriptors: list[int]) -> dict[str, Any]:
        with self._lock:
            try:
                sent = socket.send_fds(self._control, [frame], descriptors) if descriptors else 0
                self._control.sendall(frame[sent:])
            except OSError as error:
                raise self._gone(str(error)) from error
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        def read_exactly(size: int) -> bytes:
            data = self._control.recv(size, socket.MSG_WAITALL)
            if len(data) < size:
                raise OSError("it ended")
            return data

        try:
            return frames.read_frame(read_exactly, _LARGEST_ANSWER)[0]
        except (OSError, frames.FrameError) as error:
            raise self._gone(str(error)) from error

    def _gone(self, reason: str) -> SandboxError:
        said = ""
        self._popen.kill()
        with contextlib.suppress(ValueError, OSError):
            said = (self._popen.communicate(timeout=5.0)[1] or b"").decode("utf-8", "replace").strip()
        self.close()
        return SandboxError(f"the zygote is gone: {reason}{': ' + said[-600:] if said else ''}", retryable=True)


_running: dict[tuple[str, bool], ZygoteClient] = {}
_starting = threading.Lock()


def zygote_of(backend: str, *, testing: bool = False) -> ZygoteClient:
    """The zygote of this process for a backend, started on first use. Raises SandboxError."""
    with _starting:
        held = _running.get((backend, testing))
        if held is None or not held.alive:
            held = _running[backend, testing] = ZygoteClient.start(BACKENDS[backend], testing=testing)
        return held


@atexit.register
def _close_all() -> None:
    while _running:
        _running.popitem()[1].close()


# A forked child shares the sockets: it must start its own.
os.register_at_fork(after_in_child=_running.clear)


@functools.cache
def _search_path() -> tuple[str, ...]:
    """Folders that the zygote imports from: the standard library, apsw, envforge and, for tests, pytest."""
    folders = [Path(__file__).resolve().parents[3]]
    for name in ("apsw", "pytest"):
        if name == "apsw" and COPY_ON_WRITE not in available_engines():
            continue
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(f"the package {name} is missing", remedy=f"pip install {name}")
        folder = Path(spec.origin).resolve().parent
        folders.append(folder.parent if spec.submodule_search_locations else folder)
    standard = [Path(entry) for entry in sys.path if entry and _is_standard(Path(entry))]
    return tuple(dict.fromkeys(str(folder) for folder in (*standard, *folders)))


def _is_standard(folder: Path) -> bool:
    return folder.is_absolute() and "site-packages" not in folder.parts and str(folder).startswith(sys.base_prefix)
