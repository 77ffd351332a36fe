"""All callers share one event loop, however many come first at once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from envforge.agents import threads


async def _running() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def _asked() -> asyncio.AbstractEventLoop:
    return threads.run_in_thread(_running())


def test_threads_that_come_first_together_get_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    both, begin = threading.Barrier(2), asyncio.new_event_loop
    threads._loop.cache_clear()  # pyright: ignore[reportPrivateUsage]

    def slow() -> asyncio.AbstractEventLoop:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.2)  # whoever comes in while the first one is at it
        return begin()

    monkeypatch.setattr(asyncio, "new_event_loop", slow)
    with ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(_asked) for _ in range(2))
    assert first.result() is second.result()
