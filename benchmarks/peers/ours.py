"""envforge on the bench, in the caller's process: tools run in sandboxed workers, calls go over their sockets.

`session`: a worker process per episode. `shared`: few workers hold all episodes, callers are threads. `pool`: the same
on an event loop, with episodes that survive their worker.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Answer, Episode, Peer
from benchmarks.peers.measure import first_answer
from benchmarks.peers.prepare import THEME

from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.pool.pool import WorldPool
from envforge.world.pool.session import PooledSession
from envforge.world.session import Session
from envforge.world.shared import SharedWorkers


def _answer(seen: Observation) -> Answer:
    if seen.result is None:
        raise RuntimeError(str(seen.error))
    return seen.result


class BlockingEpisode:
    """A session: its calls block."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        return _answer(self._session.call(tool, arguments))

    async def reset(self) -> None:
        """Back to the start."""
        self._session.reset()

    async def close(self) -> None:
        """End it."""
        self._session.close()


class PooledEpisode:
    """A session of the pool: its calls are awaited."""

    def __init__(self, session: PooledSession) -> None:
        self._session = session

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        return _answer(await self._session.call(tool, arguments))

    async def reset(self) -> None:
        """Back to the start."""
        await self._session.reset()

    async def close(self) -> None:
        """End it."""
        await self._session.close()


class _Ours:
    """What the three have in common."""

    over = "in process"
    reset_by = "reset()"
    openings = 8

    def __init__(self, work: Path, variant: str) -> None:
        self.fresh: Sequence[str] | None = [sys.executable, "-m", "benchmarks.peers.ours", str(work), variant]
        self._folder = work / "environments" / THEME


class SessionPeer(_Ours):
    """A worker process per episode."""

    threads = True

    async def start(self) -> None:
        """Open the environment."""
        self._environment = Environment.open(self._folder)

    async def open(self) -> Episode:
        """A session in a process of its own."""
        return BlockingEpisode(self._environment.start())

    async def stop(self) -> None:
        """Nothing: a worker ends with its session."""


class SharedPeer(_Ours):
    """As many workers as cores for all episodes."""

    threads = True
    _group: SharedWorkers | None = None

    async def start(self) -> None:
        """Open the environment, start the workers."""
        self._group = Environment.open(self._folder).share(_cores())

    async def open(self) -> Episode:
        """A session in the worker that holds the fewest."""
        assert self._group is not None
        return BlockingEpisode(self._group.start())

    async def stop(self) -> None:
        """End the workers."""
        if self._group is not None:
            self._group.close()


class PoolPeer(_Ours):
    """The same for an event loop."""

    threads = False
    _pool: WorldPool | None = None

    async def start(self) -> None:
        """Open the environment and a pool for it."""
        self._pool = await WorldPool([Environment.open(self._folder)], workers=_cores()).__aenter__()

    async def open(self) -> Episode:
        """A session of the pool."""
        assert self._pool is not None
        return PooledEpisode(await self._pool.start())

    async def stop(self) -> None:
        """End the pool."""
        if self._pool is not None:
            await self._pool.close()


_VARIANTS = {"session": SessionPeer, "shared": SharedPeer, "pool": PoolPeer}


def peer(work: Path, variant: str) -> Peer:
    """As the driver asks for it."""
    return _VARIANTS[variant](work, variant)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    asyncio.run(first_answer(peer(Path(sys.argv[1]), sys.argv[2])))
