"""The zygote: a process that has loaded all that tools may need, has left the host's world, and forks workers.

Trusted: it never runs tool code; it compiles a module only after a worker has done so without harm. Started by
`zygote_client.py`; one per host process serves every environment. A worker is ready some milliseconds after a fork.
"""

from __future__ import annotations

import datetime
import io
import json
import marshal
import os
import socket
import sys
from typing import Any, NoReturn

from envforge.world.engine import preload_engines
from envforge.world.live import TIME_FORMAT
from envforge.world.sandbox import frames, namespaces
from envforge.world.sandbox.lockdown import (
    HELD_FILES,
    Lockdown,
    forget_the_kernel,
    install_audit,
    settle,
)
from envforge.world.sandbox.tool_module import TOOL_IMPORTS
from envforge.world.sandbox.worker import Worker, WorkerPipe, map_template

_PRELOADED = ("_strptime", "collections.abc", "encodings.idna", "encodings.latin_1", "encodings.utf_16", "json.tool")
_FOR_TESTS = ("pytest", "envforge.world.testing", "envforge.world.sandbox.trial")
_ANY_TIME = "2000-01-01T00:00:00Z"
_LARGEST_REQUEST = 16 * 1024 * 1024
_KEPT_MODULES = 64


class Zygote:
    """Answers fork and reap requests on its control socket until the host is gone."""

    def __init__(self, control: socket.socket, layers: tuple[str, ...]) -> None:
        self._control = control
        self._lockdown = Lockdown(layers)
        self._kept: dict[str, bytes] = {}
        """Digest of a module → its code, marshalled. A worker unpacks its own and forgets the others'."""
        self.features: dict[str, Any] = {"namespaces": [], "root": "the host's"}
        install_audit()
        if "namespaces" in layers:
            self.features = namespaces.enter()
        else:
            self.features["user"] = namespaces.become_nobody()
        sys.path[:] = []
        sys.path_importer_cache.clear()
        settle()

    def serve(self) -> None:
        """Until the control socket closes."""
        while True:
            request, blob, descriptors = self._receive()
            if request["do"] == "fork":
                answer = {"pid": self._fork(request, blob, descriptors)}
            else:
                answer = {"status": os.waitpid(int(request["pid"]), 0)[1]}
            self._control.sendall(frames.pack_json(answer))

    def _fork(self, request: dict[str, Any], source: bytes, descriptors: list[int]) -> int:
        if source:
            code = compile(source.decode("utf-8"), "tools.py", "exec", dont_inherit=True)
            self._kept[str(request["module"])] = marshal.dumps(code)
            while len(self._kept) > _KEPT_MODULES:
                del self._kept[next(iter(self._kept))]
            del code, source
        pid = os.fork()
        if not pid:
            self._become_worker(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return pid

    def _become_worker(self, request: dict[str, Any], descriptors: list[int]) -> NoReturn:
        """In the child. Never returns into the zygote's own loop, whatever happens."""
        self._control.detach()
        pipe, template = _keep(descriptors)
        code = self._kept.get(str(request["module"]), b"")
        self._kept.clear()
        try:
            features = self._lockdown.apply(memory_mb=int(request["memory_mb"]))
            forget_the_kernel()
            Worker(pipe, template, {**self.features, **features}, code).serve()
        except BaseException as error:
            if not pipe.asked:
                pipe.receive()  # an answer repeats the mark of a request
            pipe.send(frames.pack_json({"broken": f"{type(error).__name__}: {error}"[:2000]}))
        finally:
            os._exit(1)

    def _receive(self) -> tuple[dict[str, Any], bytes, list[int]]:
        """A request, its blob, and the descriptors that came with its first bytes."""
        data, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 4)
        held = bytearray(data)

        def read_exactly(size: int) -> bytes:
            while len(held) < size:
                part = self._control.recv(1 << 20)
                if not part:
                    os._exit(0)
                held.extend(part)
            taken = bytes(held[:size])
            del held[:size]
            return taken

        if not data:
            os._exit(0)  # the host is gone; the workers go with this process
        request, blob = frames.read_frame(read_exactly, _LARGEST_REQUEST)
        return request, blob, descriptors


def _keep(descriptors: list[int]) -> tuple[WorkerPipe, Any]:
    """The worker's pipe as the one open file beside null; the template, mapped."""
    pipe, template = descriptors
    mapped = map_template(template)
    if pipe != HELD_FILES - 1:
        os.dup2(pipe, HELD_FILES - 1)
    os.closerange(HELD_FILES, 1024)
    return WorkerPipe(HELD_FILES - 1), mapped


def preload(*, testing: bool) -> None:
    """Import now what tools and tests may need: in the empty root there is no file to import."""
    for name in (*_PRELOADED, *sorted(TOOL_IMPORTS), *(_FOR_TESTS if testing else ())):
        __import__(name)
    preload_engines()
    # The first use of these builds tables that every worker would build again.
    datetime.datetime.strptime(_ANY_TIME, TIME_FORMAT)
    frames.read_frame(io.BytesIO(frames.pack_json({"warm": [1.5, "é"]})).read, _LARGEST_REQUEST)


def main() -> None:
    """Entry point of the zygote process: control socket and setup are its arguments."""
    setup = json.loads(sys.argv[2])
    control = socket.socket(fileno=int(setup["control"]))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    try:
        preload(testing=bool(setup["testing"]))
        zygote = Zygote(control, tuple(setup["layers"]))
    except (OSError, ImportError) as error:
        control.sendall(frames.pack_json({"error": str(error)}))
        return
    # Up to here stderr explains why a zygote did not start; workers get no channel of their own.
    os.dup2(null, 2)
    os.close(null)
    control.sendall(frames.pack_json({"features": zygote.features}))
    zygote.serve()
