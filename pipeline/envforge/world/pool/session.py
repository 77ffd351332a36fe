"""PooledSession: a live instance in a pool, for an event loop. It is what `Session` is for a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.core.records.environment import ToolSpec
from envforge.world.diff import StateDiff
from envforge.world.exchange import observed, prepared
from envforge.world.observation import Observation
from envforge.world.pool.asked import Asked, Keep, rest_of, rest_of_call
from envforge.world.pool.failures import EpisodeGone
from envforge.world.pool.figures import Tally
from envforge.world.pool.lane import Lane
from envforge.world.saved import SavedState, saved_state
from envforge.world.session import diff_of, loadable_changeset, refused_state

if TYPE_CHECKING:
    from envforge.world.environment import Environment

T = TypeVar("T")
Ended = Callable[["PooledSession"], Awaitable[None]]
"""Told once when a session has ended."""
_REMEDY = "start a new session"


class _Answer(Generic[T]):
    """A sink that sets a future."""

    __slots__ = ("_read", "future")

    def __init__(self, read: Callable[[dict[str, Any], bytes], T | None]) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._read = read

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        """Read it; False when it is no answer."""
        value = self._read(told, blob)
        if value is not None and not self.future.done():
            self.future.set_result(value)
        return value is not None

    def failed(self, error: EnvforgeError) -> None:
        """Raised by who waits."""
        if not self.future.done():
            self.future.set_exception(error)


class PooledSession:
    """One live instance. `call` never raises for what the caller or the tool did wrong.

    Calls of one session are made in the order in which they were handed in, also when several wait. SandboxError means
    that this very request cost its worker (three of them, when it was not for its time): the session goes on without
    it, in the state before it. EpisodeGone means that the session has ended. A cancelled call may have been made.
    """

    def __init__(self, environment: Environment, lane: Lane, number: int, tally: Tally, *, seed: int) -> None:
        self.environment = environment
        self.seed = seed
        self.last_used = 0.0
        """Loop time of the last request."""
        self.lane = lane
        """Where it lives."""
        self._tally = tally
        self._number = number
        self._gone: EpisodeGone | None = None
        self._ended: Ended | None = None

    @property
    def alive(self) -> bool:
        """False once closed or ended."""
        return self._gone is None and self.lane.error is None

    @property
    def worker_pid(self) -> int:
        """Process id of the worker of now."""
        return self.lane.process.pid

    async def open(self, ended: Ended) -> None:
        """Used by the pool: bring the instance to life. Raises SandboxError."""
        self._ended = ended
        await self._ask({"do": "open", "seed": self.seed}, _nothing, self.lane.journals.begin)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Observation:
        """Call a tool. Raises SandboxError only."""
        ready = self.prepare(tool, arguments)
        if isinstance(ready, Observation):
            return ready
        sink = _Answer(ready.read)
        self.hand_in(ready, sink)
        return await sink.future

    def prepare(self, tool: str, arguments: Mapping[str, Any] | None) -> PreparedCall | Observation:
        """A call that can be handed in, or its refusal. Raises EpisodeGone."""
        self._check()
        ready = prepared(self.environment, tool, arguments)
        if isinstance(ready, Observation):
            self._tally.refused += 1
            return ready
        return PreparedCall(*ready, self._tally)

    def hand_in(self, call: PreparedCall, sink: Any) -> None:
        """Ask for a prepared call; its answer goes to the sink."""
        reads_only = call.spec.annotations.read_only
        rest = rest_of_call(call.spec.name, call.arguments, reads_only=reads_only)
        self.lane.ask(Asked(self._number, rest, sink, then=None if reads_only else self.lane.journals.add))

    async def reset(self, seed: int | None = None) -> None:
        """Back to the start of an episode, with a new episode seed if one is given."""
        self.seed = self.seed if seed is None else seed
        await self._ask({"do": "reset", "seed": self.seed}, _nothing, self.lane.journals.begin)

    async def changeset(self) -> bytes:
        """What changed since the start, as a SQLite changeset."""
        return await self._ask({"do": "changeset"}, _blob)

    async def now(self) -> str:
        """The World's time."""
        return await self._ask({"do": "changeset"}, _now)

    async def diff(self) -> StateDiff:
        """What changed since the start, as rows and documents: the host's own reading, not the worker's."""
        return diff_of(self.environment, await self.changeset())

    async def digest(self) -> str:
        """SHA-256 of what changed; equal when two instances hold equal rows and documents."""
        return (await self.diff()).digest()

    async def save_state(self) -> SavedState:
        """Where the episode stands, for another process or machine (`world/saved.py`)."""
        told, changeset = await self._ask({"do": "save"}, _both)
        diff_of(self.environment, changeset)
        try:
            return saved_state(self.environment, self.seed, told, changeset)
        except ValueError as error:
            raise SandboxError("the worker told of a state that is none", remedy=_REMEDY) from error

    async def load_state(self, saved: SavedState) -> None:
        """To a saved state. Raises StoreError when it is broken or of another environment, as `Session.load_state`."""
        changeset = loadable_changeset(self.environment, saved)
        self.seed = saved.seed
        fields = saved.model_dump(mode="json", include={"writes", "minted"})
        request = {"do": "load", "seed": saved.seed, "saved": fields}
        told, _ = await self._ask(request, _both, self.lane.journals.load, changeset)
        if "refused" in told:
            raise refused_state(self.environment, str(told["refused"]))

    def twin(self) -> PooledSession:
        """Used by the pool: a second session in the same worker, not yet forked off."""
        self._check()
        return PooledSession(self.environment, self.lane, self.lane.join(), self._tally, seed=self.seed)

    async def become(self, other: PooledSession, ended: Ended) -> None:
        """Used by the pool: `other`, a twin, is in this one's state from here on. Raises SandboxError."""

        def copy(_: Asked, __: dict[str, Any], ___: int) -> None:
            self.lane.journals.copy(self._number, other._number)

        other._ended = ended
        await self._ask({"do": "fork", "other": other._number}, _nothing, copy)

    async def close(self) -> None:
        """End the instance. Nothing happens when it has ended."""
        await self.end("the session is closed")

    async def end(self, why: str) -> None:
        """Used by the pool: end the instance; whoever asks it later is told why."""
        if self._gone is not None:
            return
        sink = _Answer(_nothing)
        self.lane.ask(Asked(self._number, rest_of({"do": "close"}), sink, then=self.lane.journals.end))
        self._gone = EpisodeGone(why, remedy=_REMEDY)
        try:
            await sink.future
        except SandboxError:
            pass  # whatever became of the worker: the instance is gone
        finally:
            self.lane.leave(self._number)
            if self._ended is not None:
                await self._ended(self)

    async def __aenter__(self) -> PooledSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _check(self) -> None:
        if self._gone is not None:
            raise self._gone
        self.last_used = asyncio.get_running_loop().time()

    async def _ask(
        self,
        request: dict[str, Any],
        read: Callable[[dict[str, Any], bytes], T | None],
        keep: Keep | None = None,
        blob: bytes = b"",
    ) -> T:
        self._check()
        sink = _Answer(read)
        self.lane.ask(Asked(self._number, rest_of(request), sink, blob=blob, then=keep))
        return await sink.future


class PreparedCall:
    """A tool and arguments that fit it."""

    __slots__ = ("_asked_at", "_tally", "arguments", "spec")

    def __init__(self, spec: ToolSpec, arguments: dict[str, Any], tally: Tally) -> None:
        self.spec = spec
        self.arguments = arguments
        self._tally = tally
        self._asked_at = tally.clock()

    def read(self, told: dict[str, Any], _: bytes) -> Observation | None:
        """The observation; None when it is no answer."""
        observation = observed(told, self.spec)
        if observation is not None:
            self._tally.called(observation, self._tally.clock() - self._asked_at)
        return observation


def _nothing(_: dict[str, Any], __: bytes) -> bool:
    return True


def _blob(_: dict[str, Any], blob: bytes) -> bytes:
    return blob


def _both(told: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
    return told, blob


def _now(told: dict[str, Any], _: bytes) -> str | None:
    now = told.get("now")
    return now if isinstance(now, str) else None
