"""WorldPool: thousands of live episodes of many environments, for rollouts on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from envforge.core.errors import ConfigError, EnvforgeError, SandboxError
from envforge.world.observation import Observation
from envforge.world.pool.batch import call_many
from envforge.world.pool.figures import BOUNDS, PoolFigures, Tally
from envforge.world.pool.group import Group
from envforge.world.pool.session import PooledSession
from envforge.world.pool.turnstile import Turnstile
from envforge.world.sandbox.limits import Limits

if TYPE_CHECKING:
    from envforge.world.environment import Environment

_SHARED = {"shared": True, "forked": False, "auto": None}
_EPISODE_KB = 512
_PROCESSES = 256
"""Workers of a pool, above which those that nobody uses are ended."""


@dataclass(frozen=True)
class PooledCall:
    """One call of a batch."""

    session: PooledSession
    tool: str
    arguments: Mapping[str, Any] | None = None


class WorldPool:
    """Holds up to `max_live` episodes; belongs to the event loop in which it is used.

    Args:
        environments: what may be started, each under its id.
        max_live: episodes at once; who wants more waits, and comes in as `Turnstile` says.
        workers: processes of one environment (shared), started when episodes need them.
        isolation: shared - episodes of an environment share workers (it must be admitted, see `admission`);
            forked - each has a process of its own; auto - shared where that is allowed.
        limits: of a worker; memory grows with the episodes that it may hold unless limits are given.
        idle_seconds: an episode that nobody used for so long is ended; None: never.
        on_figures: told the figures every `figures_seconds`, and once more at the end.
    """

    def __init__(
        self,
        environments: Iterable[Environment],
        *,
        max_live: int = 1000,
        workers: int = 2,
        isolation: Literal["shared", "forked", "auto"] = "shared",
        limits: Limits | None = None,
        backend: str | None = None,
        idle_seconds: float | None = None,
        on_figures: Callable[[PoolFigures], None] | None = None,
        figures_seconds: float = 1.0,
    ) -> None:
        """Raises ConfigError for two environments of one id; nothing is started yet."""
        if workers < 1:
            raise ValueError("an environment has at least one worker")
        limits = limits or Limits(memory_mb=Limits().memory_mb + max_live * _EPISODE_KB // 1024)
        self._groups: dict[str, Group] = {}
        for environment in environments:
            name = environment.manifest.id
            if name in self._groups:
                raise ConfigError(f"two environments have the id {name}", where=str(environment.folder))
            self._groups[name] = Group(
                environment, workers=workers, shared=_SHARED[isolation], limits=limits, backend=backend
            )
        self._turnstile = Turnstile(max_live)
        self._tally = Tally()
        self._live: set[PooledSession] = set()
        self._started = self._ended = self._idled = 0
        self._idle_seconds = idle_seconds
        self._on_figures = on_figures
        self._figures_seconds = figures_seconds
        self._chores: list[asyncio.Task[None]] = []
        self._closed: SandboxError | None = None

    @property
    def environments(self) -> dict[str, Environment]:
        """What can be started, by id."""
        return {name: group.environment for name, group in self._groups.items()}

    async def start(self, environment: str | None = None, seed: int = 0, *, wait: bool = True) -> PooledSession:
        """A live episode. The id may be left out when the pool has one environment only.

        Waits while the pool is full; raises PoolFull at once if `wait` is False. Raises ConfigError for an unknown id,
        ToolFault and SandboxError as `Environment.share` and `Environment.start`.
        """
        group = self._group(environment)
        kind = group.environment.manifest.id
        if wait:
            await self._turnstile.enter(kind)
        else:
            self._turnstile.enter_now(kind)
        try:
            await self._make_room(group)
            lane, number = await group.place()
            session = PooledSession(group.environment, lane, number, self._tally, seed=seed)
        except BaseException:
            self._turnstile.leave(kind)
            raise
        return await self._opened(session, session.open(self._gone))

    async def fork(self, session: PooledSession, *, wait: bool = True) -> PooledSession:
        """A second, independent episode in the same state and with the same future. Waits and raises as `start`."""
        kind = session.environment.manifest.id
        if wait:
            await self._turnstile.enter(kind)
        else:
            self._turnstile.enter_now(kind)
        try:
            twin = session.twin()
        except BaseException:
            self._turnstile.leave(kind)
            raise
        return await self._opened(twin, session.become(twin, self._gone))

    async def call_many(self, calls: Sequence[PooledCall]) -> list[Observation | EnvforgeError]:
        """Make many calls at once: their answers in order, an error where one could not be had.

        Calls of one session are made in the order of the list. Faster than as many `call`s: one wake-up for all.
        """
        return await call_many([(call.session, call.tool, call.arguments) for call in calls])

    def figures(self) -> PoolFigures:
        """How the pool stands."""
        tally, counts = self._tally, accumulate(self._tally.classes)
        return PoolFigures(
            live={name: count for name, count in sorted(self._turnstile.inside.items()) if count},
            waiting=self._turnstile.waiting,
            workers={name: len(group.lanes) for name, group in self._groups.items() if group.lanes},
            apart={name: group.apart for name, group in self._groups.items() if group.apart},
            started=self._started,
            ended=self._ended,
            idled=self._idled,
            calls=tally.calls,
            refused=tally.refused,
            faults=tally.faults,
            lost=sum(group.lost for group in self._groups.values()),
            replaced=sum(group.replaced for group in self._groups.values()),
            brought_back=sum(group.brought_back for group in self._groups.values()),
            seconds=tally.seconds,
            call_times=tuple(zip((*BOUNDS, float("inf")), counts, strict=True)),
        )

    async def close(self) -> None:
        """End every episode and every worker; who waits or asks gets SandboxError."""
        if self._closed is not None:
            return
        self._closed = SandboxError("the pool is closed", remedy="open a new one")
        self._turnstile.close(self._closed)
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await asyncio.gather(*(group.close(self._closed) for group in self._groups.values()))
        if self._on_figures is not None:
            self._on_figures(self.figures())

    async def __aenter__(self) -> WorldPool:
        if self._idle_seconds is not None:
            self._chores.append(asyncio.create_task(self._end_idle(self._idle_seconds)))
        if self._on_figures is not None:
            self._chores.append(asyncio.create_task(self._tell(self._on_figures)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _group(self, name: str | None) -> Group:
        if self._closed is not None:
            raise self._closed
        if name is None and len(self._groups) == 1:
            return next(iter(self._groups.values()))
        if name not in self._groups:
            what = "an environment must be named" if name is None else f"there is no environment {name!r}"
            raise ConfigError(f"{what}; the pool has {', '.join(sorted(self._groups)) or 'none'}")
        return self._groups[name]

    async def _opened(self, session: PooledSession, opening: Any) -> PooledSession:
        try:
            await opening
        except BaseException:
            await asyncio.shield(session.end("it was never opened"))
            raise
        self._started += 1
        self._live.add(session)
        return session

    async def _gone(self, session: PooledSession) -> None:
        """Told by a session that it has ended."""
        name = session.environment.manifest.id
        await self._groups[name].left(session.lane)
        self._turnstile.leave(name)
        if session in self._live:
            self._live.discard(session)
            self._ended += 1

    async def _make_room(self, wanted: Group) -> None:
        """End workers that nobody uses when there are many."""
        if wanted.lanes or sum(len(group.lanes) for group in self._groups.values()) < _PROCESSES:
            return
        for group in self._groups.values():
            if await group.rest():
                return

    async def _end_idle(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(max(0.02, min(seconds / 4, 5.0)))
            for session in [one for one in self._live if one.last_used < loop.time() - seconds]:
                self._idled += 1
                await session.end(f"the session was not used for {seconds:g} s and was ended")

    async def _tell(self, on_figures: Callable[[PoolFigures], None]) -> None:
        while True:
            await asyncio.sleep(self._figures_seconds)
            on_figures(self.figures())
