"""Limits of an endpoint: calls at once, and requests and tokens per minute."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from envforge.core.errors import ConfigError
from envforge.llm.clock import Clock

_WINDOW = 60.0


@dataclass
class Admitted:
    """A call that was let through. Whoever knows what it cost sets `tokens`."""

    at: float
    tokens: int


class Limits:
    """Lets calls through in the order they came. `None` is no limit.

    The minute slides: in no 60 seconds are there more requests or tokens than given (a single call that is larger than
    the limit by itself waits until it is alone). Raises ConfigError for a limit that would let nothing through.
    """

    def __init__(
        self,
        *,
        at_once: int = 8,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        given = {"at_once": at_once, "requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
        for name, limit in given.items():
            if limit is not None and limit < 1:
                raise ConfigError(f"{limit} lets no call through", where=name, remedy="give 1 or more")
        self._slots = asyncio.Semaphore(at_once)
        self._queue = asyncio.Lock()
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock or Clock()
        self._recent: deque[Admitted] = deque()

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncGenerator[Admitted]:
        """A place for a call of about so many tokens."""
        async with self._slots:
            async with self._queue:
                while wait := self._wait(tokens):
                    await self._clock.sleep(wait)
                admitted = Admitted(self._clock.now(), tokens)
                self._recent.append(admitted)
            yield admitted

    def _wait(self, tokens: int) -> float:
        now = self._clock.now()
        while self._recent and self._recent[0].at + _WINDOW <= now:
            self._recent.popleft()
        if not self._recent or not self._full(tokens):
            return 0.0
        return max(self._recent[0].at + _WINDOW - now, 0.001)

    def _full(self, tokens: int) -> bool:
        if self._requests is not None and len(self._recent) >= self._requests:
            return True
        used = sum(call.tokens for call in self._recent)
        return self._tokens is not None and used + tokens > self._tokens
