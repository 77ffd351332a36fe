"""Where a session's instance lives: a worker of its own (forked mode) or one that it shares (shared mode)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from envforge.core.errors import SandboxError, ToolFault
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess

if TYPE_CHECKING:
    from envforge.world.environment import Environment


class Residence(Protocol):
    """A worker process as the sessions in it see it."""

    process: WorkerProcess

    def join(self) -> int:
        """A number for a further instance."""
        ...

    def leave(self, number: int) -> None:
        """An instance is done."""
        ...

    def elsewhere(self) -> Residence:
        """A place for an instance that starts over: in another process when this one is gone."""
        ...


class OwnWorker:
    """Forked mode: a process for one session and the sessions forked off it; it ends with the last of them."""

    def __init__(
        self, environment: Environment, limits: Limits, backend: str | None = None, *, apart: bool = False
    ) -> None:
        """Raises SandboxError, ToolFault."""
        self._environment = environment
        self._backend = backend
        self._apart = apart
        self._live: set[int] = set()
        self._numbers = 0
        self.process = start_worker(environment, limits, backend=backend, apart=apart)

    def join(self) -> int:
        """A number for a further instance."""
        self._numbers += 1
        self._live.add(self._numbers)
        return self._numbers

    def leave(self, number: int) -> None:
        """An instance is done; the process too when it was the last."""
        self._live.discard(number)
        if not self._live:
            self.process.close()
        else:
            free_instance(self.process, number)

    def elsewhere(self) -> OwnWorker:
        """A new process."""
        return OwnWorker(self._environment, self.process.limits, self._backend, apart=self._apart)


def free_instance(process: WorkerProcess, number: int) -> None:
    """Tell a worker that an instance is done; nothing to do when the worker is gone."""
    if process.alive:
        # Whoever still uses the worker learns at the next call that it died just now.
        with contextlib.suppress(SandboxError):
            process.ask({"do": "close", "world": number})


def start_worker(
    environment: Environment,
    limits: Limits,
    *,
    testing: bool = False,
    backend: str | None = None,
    apart: bool = False,
) -> WorkerProcess:
    """A worker with the environment's tools loaded. Raises SandboxError, ToolFault when tools.py does not load."""
    process = WorkerProcess(
        environment.plan,
        environment.template,
        environment.source,
        limits,
        names=[tool.name for tool in environment.tools],
        testing=testing,
        backend=backend,
        apart=apart,
    )
    where = str(environment.folder / "tools.py")
    answer = process.load()
    if answer.get("error"):
        process.close()
        raise ToolFault(str(answer["error"]), where=f"{where}:{answer['line']}", remedy="build the environment again")
    if answer["missing"]:
        process.close()
        message = f"has no function {', '.join(answer['missing'])}, which tools.json names"
        raise ToolFault(message, where=where, remedy="build the environment again")
    return process
