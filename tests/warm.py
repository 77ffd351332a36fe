"""The command line as processes that start warm: each is forked off one process that has the modules loaded.

Loading them takes more than a second; the hundreds of commands that the tests start are done in a fraction of it. Such
a process has its own memory, folder, environment, standard streams, and an exit code, as one that was started cold. The
order of sets is the same in all of them: where two runs are to give the same bytes, one of them is started cold.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

_LONGEST = 1 << 17
_STATUS = 8


@dataclass(frozen=True)
class Order:
    """The process that is wished for."""

    arguments: tuple[str, ...]
    cwd: str
    env: dict[str, str]


class WarmStart:
    """Starts the process that is forked from on first use; `close` ends it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._turn = threading.Lock()
        self._parent: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def run(
        self, arguments: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """What subprocess.run says of `python -m envforge.cli.main ARGUMENTS`. Raises TimeoutExpired."""
        order = json.dumps(asdict(Order(arguments, str(cwd), dict(env)))).encode()
        assert len(order) <= _LONGEST, "too long an order: start the process cold"
        with self._turn, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            line = self._connected()
            with Path(os.devnull).open("rb") as nothing:
                socket.send_fds(line, [order], [nothing.fileno(), out.fileno(), err.fileno()])
            process = int.from_bytes(self._answer(line), "big")
            line.settimeout(timeout)
            try:
                code = int.from_bytes(self._answer(line), "big", signed=True)
            except TimeoutError:
                # It may have ended in the meantime; its status is read all the same, or the next command would get it.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                line.settimeout(None)
                self._answer(line)
                raise subprocess.TimeoutExpired(["envforge", *arguments], timeout) from None
            finally:
                line.settimeout(None)
            return subprocess.CompletedProcess(["envforge", *arguments], code, _text(out.fileno()), _text(err.fileno()))

    def close(self) -> None:
        """End the process that is forked from."""
        if self._line is not None and self._parent is not None:
            self._line.close()
            self._parent.wait()

    def _connected(self) -> socket.socket:
        if self._line is None:
            self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._parent = subprocess.Popen(
                    [sys.executable, __file__, str(theirs.fileno())],
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                )
        return self._line

    @staticmethod
    def _answer(line: socket.socket) -> bytes:
        answer = line.recv(_STATUS)
        assert answer, "the warm process is gone; what it said of it stands in standard error"
        return answer


def _text(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, encoding="utf-8", newline=None, closefd=False) as stream:
        return stream.read()


def _load() -> None:
    """Load what the commands load: modules, and the archetypes that ship."""
    import importlib
    import pkgutil

    import envforge.cli.commands
    from envforge.mine.archetypes import load_archetypes
    from envforge.store.workspace import Workspace

    for module in pkgutil.iter_modules(envforge.cli.commands.__path__):
        importlib.import_module(f"envforge.cli.commands.{module.name}")
    # Kept in memory for as long as the files stay as they are; reading them takes longer than most commands do.
    shipped = [folder / "archetypes" for folder in Workspace(Path(os.devnull)).data_folders("themes")]
    load_archetypes(shipped, shipped=shipped)
    assert threading.active_count() == 1, "a thread would not be there in what is forked"
    gc.freeze()


def _next_order(line: socket.socket) -> Order:
    """Fork at each order and say how it went. In the forked process: set up as ordered, and return."""
    while True:
        order, descriptors, _, _ = socket.recv_fds(line, _LONGEST, 3)
        if not order:
            # No handlers: what the modules registered is for commands.
            os._exit(0)
        process = os.fork()
        if process == 0:
            line.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            return Order(**json.loads(order))
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(process.to_bytes(_STATUS, "big"))
        _, status = os.waitpid(process, 0)
        line.send(os.waitstatus_to_exitcode(status).to_bytes(_STATUS, "big", signed=True))


def _become(order: Order) -> None:
    """This process, as it would have been had it been started so."""
    os.chdir(order.cwd)
    os.environ.clear()
    os.environ.update(order.env)
    time.tzset()
    tempfile.tempdir = None
    random.seed()
    sys.argv = ["envforge", *order.arguments]
    sys.path.insert(0, order.cwd)


if __name__ == "__main__":
    # Not the folder of this file.
    sys.path.pop(0)
    try:
        _load()
        _become(_next_order(socket.socket(fileno=int(sys.argv[1]))))
    except KeyboardInterrupt:
        os._exit(130)
    from envforge.cli.main import main

    main()
