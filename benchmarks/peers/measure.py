"""The measurements, the same for every peer. Every answer of every call is compared with what the rows say."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from benchmarks.peers.contract import Answer, CannotReset, Episode, Peer
from benchmarks.peers.memory import proportional_set_size
from benchmarks.peers.script import FIRST_ARGUMENTS, FIRST_TOOL, Call, Rows, Script, WrongAnswer

Figures = dict[str, Any]
Result = TypeVar("Result")
SHARED_ITEM = 7
"""The item that all clients write when their isolation is checked."""


@dataclass(frozen=True)
class Plan:
    """How much is measured. Counts are upper bounds: a slow peer stops at its seconds, but never before `least`."""

    starts: int = 3
    openings: int = 20
    resets: int = 50
    seconds: float = 6.0
    least: int = 3
    call_seconds: float = 3.0
    further: int = 16
    clients: tuple[int, ...] = (16, 64)
    load_seconds: float = 4.0
    patience: float = 60.0
    """Seconds that beginning the episodes of a step may take; what would take longer is left out, and says so."""


class TooSlow(Exception):
    """So many episodes would take longer to begin than the plan has patience."""


async def measure(
    make: Callable[[], Peer], plan: Plan, rows: Rows, tell: Callable[[str, Figures], None] = lambda step, report: None
) -> Figures:
    """All figures of a peer: seconds, bytes, calls per second.

    What fails stands under `failed` and what would take too long under `left_out`, by step. `tell`: told each step
    before it is made, and the report as it is then.
    """
    peer = make()
    crowd = Crowd(peer, rows, plan.patience)
    report: Figures = {"over": peer.over, "reset_by": peer.reset_by, "failed": {}, "left_out": {}}
    steps: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
        ("ready", lambda: _ready(make, plan, rows)),
        ("start", peer.start),
        ("open", lambda: _openings(peer, plan, rows)),
        ("reset", lambda: _resets(peer, plan, rows)),
        ("call", lambda: _calls(peer, plan, rows)),
        ("memory", lambda: _memory(crowd, plan)),
        ("isolation", lambda: isolation(peer, crowd, plan, rows)),
        *((f"load_{clients}", lambda clients=clients: _load(crowd, clients, plan)) for clients in plan.clients),
        ("close", crowd.close),
    ]
    try:
        for name, step in steps:
            tell(name, report)
            try:
                told = await step()
            except TooSlow as slow:
                report["left_out"][name] = str(slow)
            except Exception as error:  # a step that fails is told in the table; the others still count
                report["failed"][name] = f"{type(error).__name__}: {error}"[:600]
                if name == "start":
                    break
            else:
                if name not in ("start", "close"):
                    report[name] = told
                if name == "open":
                    crowd.seconds_each = told["median"]
    finally:
        await peer.stop()
    return report


async def _ready(make: Callable[[], Peer], plan: Plan, rows: Rows) -> Figures:
    """From nothing to the first answered call."""
    taken: list[float] = []
    for _ in range(plan.starts):
        peer = make()
        if peer.fresh is not None:
            answer, seconds = await asyncio.to_thread(_first_line, peer.fresh)
            Script(rows).first().check(answer)
            taken.append(seconds)
            continue
        begun = time.perf_counter()
        try:
            await peer.start()
            episode = await peer.open()
            await _asked(episode, Script(rows).first())
            taken.append(time.perf_counter() - begun)
            await episode.close()
        finally:
            await peer.stop()
    return _spread(taken)


async def first_answer(peer: Peer) -> None:
    """Start a peer, begin an episode, make the first call, print its answer: the other end of `Peer.fresh`."""
    await peer.start()
    episode = await peer.open()
    answer = await episode.call(FIRST_TOOL, FIRST_ARGUMENTS)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    await episode.close()
    await peer.stop()


def _first_line(command: Sequence[str]) -> tuple[Answer, float]:
    """What `first_answer` prints in a fresh interpreter, and after how long."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        taken = time.perf_counter() - begun
        if not line:
            raise RuntimeError(f"no first answer; exit {process.wait()}")
        return json.loads(line), taken


async def _openings(peer: Peer, plan: Plan, rows: Rows) -> Figures:
    """A further episode, to its first answered call; the others live on."""
    taken: list[float] = []
    other = await peer.open()
    await _asked(other, Script(rows).first())
    for _ in _turns(plan.openings, plan):
        begun = time.perf_counter()
        episode = await peer.open()
        await _asked(episode, Script(rows).first())
        taken.append(time.perf_counter() - begun)
        await episode.close()
    await other.close()
    return _spread(taken)


async def _resets(peer: Peer, plan: Plan, rows: Rows) -> Figures | None:
    """Back to the start after two writes, which must be gone then. None: a peer that cannot."""
    taken: list[float] = []
    episode = await peer.open()
    try:
        for _ in _turns(plan.resets, plan):
            script = Script(rows)
            await _asked(episode, script.create(SHARED_ITEM))
            await _asked(episode, script.update(SHARED_ITEM))
            begun = time.perf_counter()
            await episode.reset()
            taken.append(time.perf_counter() - begun)
            for call in Script(rows).read_back(SHARED_ITEM):
                await _asked(episode, call)
    except CannotReset:
        return None
    finally:
        await episode.close()
    return _spread(taken)


async def _calls(peer: Peer, plan: Plan, rows: Rows) -> Figures:
    """One episode kept open, one caller: rounds of the script, as often as they fit."""
    episode = await peer.open()
    try:
        script = Script(rows)
        for call in script.round():
            await _asked(episode, call)  # the first round warms up
        found: dict[str, list[float]] = defaultdict(list)
        until = time.perf_counter() + plan.call_seconds
        while time.perf_counter() < until or not found:
            for call in script.round():
                found[call.kind].append(await _asked(episode, call))
    finally:
        await episode.close()
    every = [seconds for kind in found.values() for seconds in kind]
    return {**_spread(every), "kinds": {kind: _spread(taken) for kind, taken in found.items()}}


class Crowd:
    """Many live episodes, each with its script; the steps of the bench share them, as some cost seconds to begin."""

    def __init__(self, peer: Peer, rows: Rows, patience: float) -> None:
        self._peer = peer
        self._rows = rows
        self._patience = patience
        self.seconds_each = 0.0
        """What beginning one takes, once that is known."""
        self.members: list[tuple[Episode, Script]] = []

    async def grow(self, count: int) -> float:
        """Open episodes until there are so many, a round of calls in each new one; the seconds that it took.

        Raises TooSlow.
        """
        missing = max(0, count - len(self.members))
        seconds = missing * self._pace
        if seconds > self._patience:
            about = f"{missing} more episodes would take about {seconds:.0f} s to begin"
            raise TooSlow(f"{about}; the plan's patience is {self._patience:.0f} s")
        begun = time.perf_counter()
        places = asyncio.Semaphore(self._peer.openings)

        async def one(client: int) -> tuple[Episode, Script]:
            async with places:
                episode = await self._peer.open()
            script = Script(self._rows, client)
            for call in script.round():
                await _asked(episode, call)
            return episode, script

        self.members += await asyncio.gather(*(one(client) for client in range(len(self.members), count)))
        return time.perf_counter() - begun

    def affordable(self, count: int) -> int:
        """How many there may be, up to a count, before patience ends: where fewer do, fewer are better than none."""
        more = count - len(self.members)
        return count if more * self._pace <= self._patience else len(self.members) + int(self._patience / self._pace)

    @property
    def _pace(self) -> float:
        """Seconds for each that is begun, as many at a time as there are cores."""
        return self.seconds_each / min(self._peer.openings, len(os.sched_getaffinity(0)))

    async def all(self, work: Callable[[Episode, Script], Awaitable[Result]], count: int) -> list[Result]:
        """Something in the first of them at once: as tasks, or in a thread each where calls block."""
        members = self.members[:count]
        if not self._peer.threads:
            return list(await asyncio.gather(*(work(*member) for member in members)))

        def run(member: tuple[Episode, Script]) -> Result:
            async def awaited() -> Result:
                return await work(*member)

            return asyncio.run(awaited())

        with ThreadPoolExecutor(max_workers=count) as threads:
            return list(threads.map(run, members))

    async def close(self) -> None:
        """End them."""
        places = asyncio.Semaphore(self._peer.openings)

        async def one(episode: Episode) -> None:
            async with places:
                await episode.close()

        members, self.members = self.members, []
        await asyncio.gather(*(one(episode) for episode, _ in members))


async def _memory(crowd: Crowd, plan: Plan) -> Figures:
    """What a further live episode takes after a round of calls: the caller's process and all that it started."""
    await crowd.grow(1)
    before = proportional_set_size()
    further = max(2, crowd.affordable(1 + plan.further) - 1)
    await crowd.grow(1 + further)
    after = proportional_set_size()
    return {"per_episode": (after - before) / further, "first": before, "episodes": further}


async def isolation(peer: Peer, crowd: Crowd, plan: Plan, rows: Rows) -> Figures:
    """Every client writes the same rows in its own way; each must then read its own writes, a new episode none."""
    count = max(2, crowd.affordable(plan.clients[0]))
    await crowd.grow(count)

    async def write(episode: Episode, script: Script) -> None:
        for call in (script.create(SHARED_ITEM), script.update(SHARED_ITEM)):
            await episode.call(call.tool, call.arguments)

    async def read(episode: Episode, script: Script) -> str:
        try:
            for call in script.read_back(SHARED_ITEM):
                await _asked(episode, call)
        except WrongAnswer as error:
            return str(error)
        return ""

    await crowd.all(write, count)
    wrong = await crowd.all(read, count)
    fresh = await peer.open()
    wrong.append(await read(fresh, Script(rows)))
    await fresh.close()
    leaks = [text for text in wrong if text]
    return {"episodes": count + 1, "leaks": len(leaks), "example": leaks[0] if leaks else ""}


async def _load(crowd: Crowd, clients: int, plan: Plan) -> Figures:
    """Calls per second of many clients at once, each with an episode of its own and no pause between calls."""
    grown = await crowd.grow(clients)
    begun = time.perf_counter()
    until = begun + plan.load_seconds

    async def rounds(episode: Episode, script: Script) -> list[float]:
        taken: list[float] = []
        while time.perf_counter() < until:
            for call in script.round():
                taken.append(await _asked(episode, call))
        return taken

    every = [one for client in await crowd.all(rounds, clients) for one in client]
    return {**_spread(every), "per_second": len(every) / (time.perf_counter() - begun), "grown": grown}


async def _asked(episode: Episode, call: Call) -> float:
    """The seconds of a call. Raises WrongAnswer."""
    begun = time.perf_counter()
    answer: Answer = await episode.call(call.tool, call.arguments)
    taken = time.perf_counter() - begun
    call.check(answer)
    return taken


def _turns(count: int, plan: Plan) -> Iterator[int]:
    """Up to `count` turns, fewer when they take too long."""
    begun = time.perf_counter()
    for turn in range(count):
        if turn >= plan.least and time.perf_counter() - begun > plan.seconds:
            return
        yield turn


def _spread(taken: list[float]) -> Figures:
    ordered = sorted(taken)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))],
        "count": len(ordered),
    }
