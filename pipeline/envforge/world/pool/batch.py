"""Many calls with one wake-up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.errors import EnvforgeError
from envforge.world.observation import Observation
from envforge.world.pool.failures import EpisodeGone
from envforge.world.pool.session import PooledSession, PreparedCall

Result = Observation | EnvforgeError


async def call_many(calls: Sequence[tuple[PooledSession, str, Mapping[str, Any] | None]]) -> list[Result]:
    """The answers in the order of the calls, an error where one could not be had."""
    batch = _Batch(len(calls))
    for place, (session, tool, arguments) in enumerate(calls):
        try:
            ready = session.prepare(tool, arguments)
        except EpisodeGone as gone:
            batch.put(place, gone)
            continue
        if isinstance(ready, Observation):
            batch.put(place, ready)
        else:
            session.hand_in(ready, _Slot(batch, place, ready))
    return await batch.done if calls else []


class _Batch:
    def __init__(self, size: int) -> None:
        self.done: asyncio.Future[list[Result]] = asyncio.get_running_loop().create_future()
        self._results: list[Result | None] = [None] * size
        self._left = size

    def put(self, place: int, result: Result) -> None:
        self._results[place] = result
        self._left -= 1
        if not self._left and not self.done.done():
            self.done.set_result(cast("list[Result]", self._results))


class _Slot:
    """A sink: one place of a batch."""

    __slots__ = ("_batch", "_call", "_place")

    def __init__(self, batch: _Batch, place: int, call: PreparedCall) -> None:
        self._batch, self._place, self._call = batch, place, call

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        """Put the observation in its place; False when it is none."""
        observation = self._call.read(told, blob)
        if observation is None:
            return False
        self._batch.put(self._place, observation)
        return True

    def failed(self, error: EnvforgeError) -> None:
        """Put the error in its place."""
        self._batch.put(self._place, error)
