"""The live episodes of a server, by key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.task import Task
from envforge.world.arguments import CallError
from envforge.world.observation import Observation
from envforge.world.pool.failures import EpisodeGone
from envforge.world.pool.figures import PoolFigures
from envforge.world.pool.pool import WorldPool
from envforge.world.pool.session import PooledSession
from envforge.world.serve import recording
from envforge.world.serve.keys import KeyRing, new_key
from envforge.world.serve.offer import Offer
from envforge.world.serve.recording import Made, Outcome, Record

_SWEEP_SECONDS = 1.0


class LiveEpisode:
    """A session in the pool, its key, and what is kept of it."""

    def __init__(
        self,
        key: str,
        session: PooledSession,
        offer: Offer,
        *,
        task: Task | None,
        record: Record | None,
        ends: float | None,
    ) -> None:
        """`ends`: loop time at which it ends in any case."""
        self.key = key
        self.session = session
        self.offer = offer
        self.task = task
        self.record = record
        self.ends = ends
        self.answer: tuple[Any, ...] = ()
        """What the agent handed in, once it has."""
        self._calls = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    @property
    def instructions(self) -> str:
        """What an agent is told of it."""
        return self.offer.instructions(self.task)

    def touch(self) -> None:
        """Somebody uses it."""
        self.session.last_used = asyncio.get_running_loop().time()

    async def call(self, tool: str, arguments: Mapping[str, Any] | None) -> Observation:
        """Call a tool. Raises SandboxError only."""
        if self.record is not None and len(self.record) >= recording.MOST_CALLS:
            message = f"The episode has taken all of its {recording.MOST_CALLS:,} calls."
            return Observation(False, error=CallError("limit_exceeded", message, "Finish it, or start a new one."))
        made = self.record.begin(tool, arguments) if self.record is not None else None
        self._calls += 1
        self._quiet.clear()
        work = self._answered(tool, arguments, made)
        if made is None:
            return await work
        # Whoever stops waiting for it has made the call all the same: it is recorded with what it changed.
        running = asyncio.ensure_future(work)
        running.add_done_callback(_heard)
        await asyncio.wait((running,))
        return running.result()

    async def _answered(self, tool: str, arguments: Mapping[str, Any] | None, made: Made | None) -> Observation:
        observation = None
        try:
            observation = await self.session.call(tool, arguments)
            return observation
        finally:
            self.touch()
            self._calls -= 1
            if not self._calls:
                self._quiet.set()
            if self.record is not None and made is not None:
                self.record.end(made, observation)

    async def quiet(self) -> None:
        """Wait until no call is running."""
        await self._quiet.wait()


def _heard(running: asyncio.Future[Observation]) -> None:
    """A failure that nobody waits for any more is none of the server's: asyncio would log it."""
    if not running.cancelled():
        running.exception()


class Episodes:
    """Starts, finds and ends episodes. `async with` it: it looks after those that nobody ends."""

    def __init__(
        self, pool: WorldPool, offers: Sequence[Offer], *, record: Path | None = None, keep_calls: bool = False
    ) -> None:
        """`record`: folder for finished episodes. `keep_calls`: without one, too, each has its calls for the caller."""
        self._keep_calls = keep_calls
        self._pool = pool
        self._offers = {offer.name: offer for offer in offers}
        self._record = record
        self._live: KeyRing[LiveEpisode] = KeyRing()
        self._sweeping: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def offers(self) -> Mapping[str, Offer]:
        """What may be started, by id of the environment."""
        return self._offers

    def __len__(self) -> int:
        return len(self._live)

    def figures(self) -> PoolFigures:
        """How the pool stands."""
        return self._pool.figures()

    def find(self, key: str) -> LiveEpisode | None:
        """The live episode with this key, marked as used."""
        episode = self._live.get(key)
        if episode is None or not episode.session.alive or self._over(episode):
            return None
        episode.touch()
        return episode

    async def start(
        self, environment: str | None = None, task: str | None = None, seed: int = 0, ttl_seconds: float | None = None
    ) -> LiveEpisode:
        """A new episode. Raises PoolFull when there is no room, ConfigError and StoreError for what is not offered,
        SandboxError and ToolFault when no worker starts.
        """
        offer, found = self._offered(environment, task)
        session = await self._pool.start(offer.name, seed, wait=False)
        ends = None if ttl_seconds is None else asyncio.get_running_loop().time() + ttl_seconds
        record = Record() if self._record is not None or self._keep_calls else None
        episode = LiveEpisode(new_key(), session, offer, task=found, record=record, ends=ends)
        self._live.add(episode.key, episode)
        return episode

    def _offered(self, environment: str | None, task: str | None) -> tuple[Offer, Task | None]:
        if environment is None and len(self._offers) == 1:
            environment = next(iter(self._offers))
        if environment is None or environment not in self._offers:
            what = "an environment must be named" if environment is None else f"there is no environment {environment!r}"
            raise ConfigError(what, where="environment", remedy=f"there are: {', '.join(sorted(self._offers))}")
        offer = self._offers[environment]
        if task is None:
            return offer, None
        if offer.find_task is None:
            raise ConfigError("tasks are not served", where="task", remedy="start the server with --tasks")
        return offer, offer.find_task(task)

    async def discard(self, episode: LiveEpisode) -> None:
        """End it; nothing is kept of it."""
        self._live.remove(episode.key)
        await episode.session.close()

    async def finish(self, episode: LiveEpisode, outcome: Outcome) -> bool:
        """End it when its running calls are answered; True when it was recorded.

        Raises StoreError when it could not be recorded: it lives on then, and can be finished again.
        """
        self._live.remove(episode.key)
        try:
            await episode.quiet()
            kept = await self._keep(episode, outcome)
        except EpisodeGone:
            raise
        except BaseException:
            # Also when whoever finishes it does not wait: nothing may be left that nobody can end.
            self._live.add(episode.key, episode)
            raise
        await episode.session.close()
        return kept

    async def _keep(self, episode: LiveEpisode, outcome: Outcome) -> bool:
        record, folder, session = episode.record, self._record, episode.session
        if record is None or folder is None:
            return False
        changeset = await session.changeset()
        lines: dict[str, Any] = {"episodes.jsonl": record.episode(session.environment, session.seed, changeset)}
        if episode.task is not None:
            lines["trajectories.jsonl"] = record.trajectory(episode.task, session.seed, changeset, outcome)
        await asyncio.to_thread(record.write, folder, session.environment, lines)
        return True

    async def __aenter__(self) -> Episodes:
        self._sweeping = asyncio.create_task(self._sweep())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)

    def _over(self, episode: LiveEpisode) -> bool:
        return episode.ends is not None and asyncio.get_running_loop().time() >= episode.ends

    async def _sweep(self) -> None:
        """Forget what the pool ended for idleness, and end what has lived its time."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            past = [one for one in self._live.values() if not one.session.alive or self._over(one)]
            for episode in past:
                self._live.remove(episode.key)
            await asyncio.gather(*(one.session.end("the time of the episode is over") for one in past))
