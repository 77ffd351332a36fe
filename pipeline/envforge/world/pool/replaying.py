"""Episodes brought back: the requests they stand on are made again, and each must be answered as the first time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.world.pool.asked import Asked, Journals

_OTHERWISE = "the episode cannot be brought back: a tool answered otherwise when its calls were made again"


class Replaying:
    """A sink for requests made again. `done` is set when all were answered, or raises when the worker broke off."""

    def __init__(self, journals: Journals) -> None:
        self.otherwise: dict[int, SandboxError] = {}
        """Instances that are not where they were, by number."""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._steps = {number: list(steps) for number, steps in journals.steps.items()}
        self._left = sum(len(steps) for steps in self._steps.values())
        self._finish()

    def requests(self) -> Iterator[Asked]:
        """Each instance's requests in their order."""
        for number, steps in self._steps.items():
            for step in steps:
                compare = partial(self._compare, step.checksum)
                yield Asked(number, step.rest, self, blob=step.blob, then=compare)

    def broke_off(self, error: SandboxError | None) -> None:
        """The worker is gone before the end."""
        if not self.done.done():
            self.done.set_exception(error or SandboxError("a fresh worker died while episodes were brought back"))

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        """Any answer is one: whether it is the same as the first time is looked at behind it."""
        del told, blob
        return True

    def failed(self, error: EnvforgeError) -> None:
        """The worker is gone: `broke_off` says so once."""

    def _compare(self, checksum: int, asked: Asked, _: dict[str, Any], again: int) -> None:
        self._left -= 1
        if again != checksum:
            self.otherwise[asked.number] = SandboxError(_OTHERWISE, remedy="start it anew")
        self._finish()

    def _finish(self) -> None:
        if not self._left and not self.done.done():
            self.done.set_result(None)
