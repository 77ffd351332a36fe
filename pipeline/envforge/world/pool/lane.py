"""A place for episodes of one environment: a worker, and after its death the next one in the same states.

An episode's state follows from its seed and the calls that changed it: tools keep nothing between calls, and time,
ids and chance come from the World. So when a worker dies, a fresh one is told these calls again, each answer is
compared with the first one, and what was asked and not answered is asked again - one request at a time, so that the
one that kills its worker is known. Only that one fails.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import Callable

from envforge.core.errors import EnvforgeError, SandboxError, ToolFault
from envforge.world.pool.asked import Asked, Journals, rest_of
from envforge.world.pool.line import Line
from envforge.world.pool.replaying import Replaying
from envforge.world.sandbox.process import WorkerProcess

_DEATHS_AT_ONE = 4
"""Fresh workers that may die while the same episode is brought back in them, or that may not start."""
_ATTEMPTS = 16
"""Fresh workers that may die in all while episodes are brought back, at one or another."""
_MOST_TRIES = 3
"""Workers that one request may cost."""

StartWorker = Callable[[], WorkerProcess]


async def in_a_thread(start: StartWorker) -> WorkerProcess:
    """A worker. Who is cancelled meanwhile leaves none behind. Raises SandboxError, ToolFault."""
    starting = asyncio.ensure_future(asyncio.to_thread(start))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with contextlib.suppress(SandboxError, ToolFault):
            (await starting).close()
        raise


class Lane:
    """Workers one after the other, and the episodes that live there."""

    def __init__(self, start: StartWorker, process: WorkerProcess) -> None:
        """`start`: a further worker, as `workers.start_worker` gives it; called in a thread."""
        self.live: set[int] = set()
        """Numbers of the instances."""
        self.replaced = 0
        """Workers that died."""
        self.brought_back = 0
        """Episodes that went on in a fresh worker."""
        self.lost = 0
        """Requests that cost their worker and failed."""
        self.error: EnvforgeError | None = None
        """Why nothing can be asked here any more."""
        self._start = start
        self._numbers = 0
        self.journals = Journals()
        """What led to every instance."""
        self._gone: dict[int, SandboxError] = {}
        self._waiting: deque[Asked] = deque()
        """What is asked while there is no worker."""
        self._recovery: asyncio.Task[None] | None = None
        self._replaying: Replaying | None = None
        self._line = Line(process, self._lost)

    @property
    def process(self) -> WorkerProcess:
        """The worker of now."""
        return self._line.process

    def join(self) -> int:
        """A number for a further instance."""
        self._numbers += 1
        self.live.add(self._numbers)
        return self._numbers

    def leave(self, number: int) -> None:
        """An instance is done."""
        self.live.discard(number)
        self._gone.pop(number, None)

    def ask(self, asked: Asked) -> None:
        """Ask in turn. The sink learns what became of it, whatever happens to workers."""
        error = self.error or self._gone.get(asked.number)
        if error is not None:
            asked.sink.failed(error)
        elif self._recovery is not None:
            self._waiting.append(asked)
        else:
            self._line.ask(asked)

    async def close(self, error: EnvforgeError) -> None:
        """End the worker and all that lives here; what is still asked fails with `error`."""
        self.error = self.error or error
        if self._recovery is not None:
            self._recovery.cancel()
            await asyncio.gather(self._recovery, return_exceptions=True)
        self._line.close()
        self._fail_all(self.error)
        self.journals.steps.clear()
        await asyncio.to_thread(self._line.process.close)

    # When a worker is gone

    def _lost(self, error: SandboxError | None) -> None:
        """Told by the line: its worker ended (None: by itself)."""
        if self._replaying is not None:
            self._replaying.broke_off(error)
        elif self.error is None:
            self._recovery = asyncio.get_running_loop().create_task(self._recover(error))

    async def _recover(self, error: SandboxError | None) -> None:
        again: list[Asked] = []
        try:
            error = error or await asyncio.to_thread(self._line.process.ended)
            again, not_yet = self._sort_out(error)
            self._waiting.extendleft(reversed([*again, *not_yet]))
            await self._bring_back(error)
        except EnvforgeError as gone:
            self.error = gone
            self._fail_all(gone)
            return
        except Exception as fault:  # a fault of ours: nobody must wait for ever because of it
            self.error = SandboxError(f"its episodes could not be brought back: {fault!r}", remedy="start them anew")
            self._fail_all(self.error)
            raise
        finally:
            self._recovery = None
        self.brought_back += len(self.journals.steps)
        self._line.alone = len(again)
        waiting, self._waiting = self._waiting, deque[Asked]()
        for asked in waiting:
            self.ask(asked)

    def _sort_out(self, error: SandboxError) -> tuple[list[Asked], list[Asked]]:
        """What the dead worker had and is asked again, and what it was not given; what killed it for sure fails."""
        had, not_yet = self._line.pending
        alone = len(had) == 1
        again: list[Asked] = []
        for place, asked in enumerate(had):
            asked.tries += 1
            if place == 0 and (self._line.overdue or (alone and asked.tries >= _MOST_TRIES)):
                self.lost += 1
                asked.sink.failed(error)
            else:
                again.append(asked)
        self._line.forget()
        return again, not_yet

    async def _bring_back(self, error: SandboxError) -> None:
        """A worker in which every episode stands where it stood. Raises SandboxError, ToolFault."""
        deaths: Counter[int] = Counter()
        for _ in range(_ATTEMPTS):
            self.replaced += 1
            try:
                await self._replay(await in_a_thread(self._start))
                return
            except (SandboxError, ToolFault) as failed:
                error = failed if isinstance(failed, SandboxError) else SandboxError(str(failed))
            # Killed from outside, workers die at any episode; what an episode itself does to them, they die of again.
            had, _ = self._line.pending
            self._line.forget()
            at = had[0].number if had else 0  # none had: no worker came up
            deaths[at] += 1
            if deaths[at] == _DEATHS_AT_ONE:
                break
        raise SandboxError(f"its episodes could not be brought back: {error.message}", remedy="start them anew")

    async def _replay(self, process: WorkerProcess) -> None:
        """Tell a fresh worker what led to every episode. Raises SandboxError when it dies of that."""
        self._line = Line(process, self._lost)
        self._replaying = replaying = Replaying(self.journals)
        try:
            for asked in replaying.requests():
                self._line.ask(asked)
            await replaying.done
        except SandboxError:
            await asyncio.to_thread(process.close)
            raise
        finally:
            self._replaying = None
        for number, gone in replaying.otherwise.items():
            self._gone[number] = gone
            self.journals.steps.pop(number, None)
            self._line.ask(Asked(number, rest_of({"do": "close"}), replaying))

    def _fail_all(self, error: EnvforgeError) -> None:
        had, not_yet = self._line.pending
        self._line.forget()
        for asked in (*had, *not_yet, *self._waiting):
            asked.sink.failed(error)
        self._waiting.clear()
