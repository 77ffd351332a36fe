"""What a line tells when its worker is gone: what was answered before is answered, and the rest is pending."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.world.pool.asked import Asked, rest_of
from envforge.world.pool.line import Line

from .fake_worker import FakeWorker
from .loops import on_a_loop


class Counted:
    """A sink that counts."""

    def __init__(self) -> None:
        self.answers = 0

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        del told, blob
        self.answers += 1
        return True

    def failed(self, error: EnvforgeError) -> None:
        raise error


@on_a_loop
async def test_what_a_worker_answered_before_it_died_is_read_though_more_cannot_be_written() -> None:
    dead = threading.Event()

    def dies_at_twenty(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        if request.get("value") != 20:
            return None
        worker.die()
        dead.set()
        raise OSError("dead")

    worker, sink = FakeWorker(dies_at_twenty), Counted()
    gone: asyncio.Future[SandboxError | None] = asyncio.get_running_loop().create_future()
    line = Line(worker.as_process(), gone.set_result)
    asked = [Asked(1, rest_of({"do": "open", "seed": 0}), sink)]
    asked += [Asked(1, rest_of({"do": "add", "value": value}), sink) for value in range(60)]
    for request in asked[:32]:
        line.ask(request)
    assert dead.wait(5)
    for request in asked[32:]:
        line.ask(request)  # the loop has not run: this is written to a worker that is dead
    assert await gone is None
    had, _ = line.pending
    assert sink.answers == 21 and had[0] is asked[21]
    worker.close()
