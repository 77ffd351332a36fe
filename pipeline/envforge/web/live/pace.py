"""How politely hosts are asked: one request at a time to each, with a pause between two."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """Seconds that only go forward, and sleep; handed in so that tests need not wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class HostQueues:
    """One queue per host, over all threads that share this object."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._free_at: dict[str, float] = {}
        self._guard = threading.Lock()

    @contextmanager
    def turn(self, host: str, delay: float) -> Generator[None]:
        """Wait for the host's turn; the next one comes `delay` seconds after this one is over."""
        with self._guard:
            lock = self._locks[host]
        with lock:
            wait = self._free_at.get(host, 0.0) - self._pace.now()
            if wait > 0:
                self._pace.sleep(wait)
            try:
                yield
            finally:
                self.leave_alone(host, delay)

    def leave_alone(self, host: str, seconds: float) -> None:
        """Ask the host nothing for so many seconds from now."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._pace.now() + seconds)
