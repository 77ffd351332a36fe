"""Who may start an episode when a pool is full: the environment with the fewest, and there who waits longest."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter, deque

from envforge.core.errors import SandboxError
from envforge.world.pool.failures import PoolFull


class Turnstile:
    """Lets in up to `most` at once."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError("a pool holds at least one episode")
        self.most = most
        self.inside: Counter[str] = Counter()
        self._waiting: dict[str, deque[tuple[int, asyncio.Future[None]]]] = {}
        self._tickets = itertools.count()
        self._closed: SandboxError | None = None

    @property
    def waiting(self) -> dict[str, int]:
        """How many wait, by kind."""
        return {kind: len(queue) for kind, queue in sorted(self._waiting.items())}

    def enter_now(self, kind: str) -> None:
        """Enter, or raise PoolFull."""
        self._check()
        if self.inside.total() >= self.most:
            remedy = "close episodes that are done, or start the pool with a larger max_live"
            raise PoolFull(f"{self.most} episodes are open, as many as may be", remedy=remedy, retryable=True)
        self.inside[kind] += 1

    async def enter(self, kind: str) -> None:
        """Enter as soon as there is room. Raises SandboxError when the pool is closed meanwhile."""
        self._check()
        if self.inside.total() < self.most:
            self.inside[kind] += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(kind, deque()).append((next(self._tickets), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(kind)  # it was let in and does not come
            raise

    def leave(self, kind: str) -> None:
        """One is done; who waits comes in its place."""
        self.inside[kind] -= 1
        while self._waiting and self.inside.total() < self.most:
            fewest = min(self._waiting, key=lambda name: (self.inside[name], self._waiting[name][0][0]))
            _, turn = self._waiting[fewest].popleft()
            if not self._waiting[fewest]:
                del self._waiting[fewest]
            if not turn.done():
                self.inside[fewest] += 1
                turn.set_result(None)

    def close(self, error: SandboxError) -> None:
        """Nobody comes in any more."""
        self._closed = error
        for queue in self._waiting.values():
            for _, turn in queue:
                if not turn.done():
                    turn.set_exception(error)
        self._waiting.clear()

    def _check(self) -> None:
        if self._closed is not None:
            raise self._closed
