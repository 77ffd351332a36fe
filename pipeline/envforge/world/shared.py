"""Shared mode: few worker processes that hold many instances of one environment, for training.

A process is shared only by instances of one environment, and only when its tools are admitted (`admission.py`). Tool
code that breaks out of Python's rules could still reach other instances in its process; a sample of episodes
replayed in forked mode (`replay.py`) shows it.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING

from envforge.world.admission import admit
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.session import Session
from envforge.world.workers import free_instance, start_worker

if TYPE_CHECKING:
    from envforge.world.environment import Environment


class _Shared:
    """One process of a group, as its sessions see it."""

    def __init__(self, group: SharedWorkers, process: WorkerProcess) -> None:
        self.group = group
        self.process = process
        self.live: set[int] = set()
        self._numbers = 0

    def join(self) -> int:
        with self.group.lock:
            self._numbers += 1
            self.live.add(self._numbers)
            return self._numbers

    def leave(self, number: int) -> None:
        with self.group.lock:
            self.live.discard(number)
        free_instance(self.process, number)

    def elsewhere(self) -> _Shared:
        return self.group.place()


class SharedWorkers:
    """A group of workers over one environment. `start` gives sessions, spread evenly.

    A worker that breaks a limit or dies is replaced; the sessions in it raise SandboxError (an infrastructure
    failure, never a score), the others go on.
    """

    def __init__(
        self, environment: Environment, workers: int = 1, limits: Limits | None = None, backend: str | None = None
    ) -> None:
        """Start the workers. Raises as `admission.admit`; SandboxError, ToolFault when no worker starts."""
        if workers < 1:
            raise ValueError("a group has at least one worker")
        admit(environment, backend=backend)
        self._environment = environment
        self._limits = limits or Limits()
        self._backend = backend
        self.lock = threading.Lock()
        self.replaced = 0
        """Workers that died and were replaced."""
        self._closed = False
        self._places: list[_Shared] = []
        try:
            for _ in range(workers):
                self._places.append(self._new())
        except BaseException:
            self.close()
            raise

    def start(self, seed: int = 0) -> Session:
        """A live instance in the worker that holds the fewest. Raises SandboxError."""
        return Session.open(self._environment, self.place(), seed=seed)

    def place(self) -> _Shared:
        """The worker that holds the fewest instances; dead ones are replaced first. Raises SandboxError."""
        with self.lock:
            if self._closed:
                raise ValueError("the group is closed")
            for index, place in enumerate(self._places):
                if not place.process.alive:
                    place.process.close()
                    self._places[index] = self._new()
                    self.replaced += 1
            return min(self._places, key=lambda place: len(place.live))

    @property
    def live(self) -> int:
        """Instances in workers that are alive."""
        with self.lock:
            return sum(len(place.live) for place in self._places if place.process.alive)

    def close(self) -> None:
        """End the workers and all that lives in them."""
        with self.lock:
            self._closed = True
            for place in self._places:
                place.process.close()

    def __enter__(self) -> SharedWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _new(self) -> _Shared:
        return _Shared(self, start_worker(self._environment, self._limits, backend=self._backend))
