"""Waiting for a model where the caller does not wait: one event loop for all of them, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
_FIRST = threading.Lock()


def run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to. Connections stay open from call to call: the loop is the same every time.

    Raises what it raises. Never call it from that loop.
    """
    with _FIRST:  # `cache` alone would start a loop for each of two threads that come first
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="authors", daemon=True).start()
    return loop
