"""The lanes of one environment: where its episodes live."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from envforge.core.errors import EnvforgeError, SandboxError, ToolFault
from envforge.world.admission import admit
from envforge.world.pool.lane import Lane, in_a_thread
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.workers import start_worker

if TYPE_CHECKING:
    from envforge.world.environment import Environment

_logger = logging.getLogger("envforge.pool")


class Group:
    """Lanes of an environment: when it is shared, up to `workers` that hold all episodes; otherwise one for each."""

    def __init__(
        self, environment: Environment, *, workers: int, shared: bool | None, limits: Limits, backend: str | None
    ) -> None:
        """`shared`: None asks whether the environment may be (`admission`), and takes what it may."""
        self.environment = environment
        self.lanes: list[Lane] = []
        self.apart = ""
        """Why episodes that were to share workers do not."""
        self._past_replaced = self._past_brought_back = self._past_lost = 0
        """Of lanes that are closed by now."""
        self._workers = workers
        self._shared = shared
        self._limits = limits
        self._backend = backend
        self._admitted = False
        self._starting = asyncio.Lock()

    @property
    def replaced(self) -> int:
        """Workers that died."""
        return self._past_replaced + sum(lane.replaced for lane in self.lanes)

    @property
    def brought_back(self) -> int:
        """Episodes that went on in a fresh worker."""
        return self._past_brought_back + sum(lane.brought_back for lane in self.lanes)

    @property
    def lost(self) -> int:
        """Requests that cost their worker and failed."""
        return self._past_lost + sum(lane.lost for lane in self.lanes)

    async def place(self) -> tuple[Lane, int]:
        """A lane for one more episode, and its number there.

        Raises SandboxError, ToolFault (also when the environment may not be shared).
        """
        async with self._starting:
            await self._admit()
            lanes = [lane for lane in self.lanes if lane.error is None] if self._shared else []
            least = min(lanes, key=lambda lane: len(lane.live), default=None)
            if least is None or (least.live and len(lanes) < self._workers):
                least = await self._new()
            # At once: a lane that holds nobody may be closed.
            return least, least.join()

    async def left(self, lane: Lane) -> None:
        """An episode has left: a lane that nobody needs any more is closed."""
        if not lane.live and (not self._shared or lane.error is not None):
            await self._close(lane)

    async def rest(self) -> bool:
        """Close the lanes that nobody uses; True when there was one."""
        idle = [lane for lane in self.lanes if not lane.live]
        for lane in idle:
            await self._close(lane)
        return bool(idle)

    async def close(self, error: EnvforgeError) -> None:
        """Close every lane."""
        await asyncio.gather(*(lane.close(error) for lane in self.lanes))

    async def _close(self, lane: Lane) -> None:
        # Who closes it first takes it out of the list.
        with contextlib.suppress(ValueError):
            self.lanes.remove(lane)
            self._past_replaced += lane.replaced
            self._past_brought_back += lane.brought_back
            self._past_lost += lane.lost
            await lane.close(SandboxError("the worker was no longer needed", retryable=True))

    async def _admit(self) -> None:
        if self._admitted or self._shared is False:
            return
        try:
            await asyncio.to_thread(admit, self.environment, backend=self._backend)
        except ToolFault as fault:
            if self._shared:
                raise
            self._shared, self.apart = False, fault.message
            name = self.environment.manifest.id
            _logger.warning("%s: each episode has a process of its own: %s", name, fault.message)
            return
        self._shared = self._admitted = True

    def _start(self) -> WorkerProcess:
        return start_worker(self.environment, self._limits, backend=self._backend)

    async def _new(self) -> Lane:
        try:
            process = await in_a_thread(self._start)
        except SandboxError as error:
            if not error.retryable:
                raise
            # The zygote had died unseen: the next worker comes from a new one.
            process = await in_a_thread(self._start)
        lane = Lane(self._start, process)
        self.lanes.append(lane)
        return lane
