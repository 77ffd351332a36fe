"""A soak of the pool: many calls over many live episodes while workers are killed at random.

    python tests/soak/soak.py --calls 2000000 --episodes 500 --kills 0.2

Episodes are recorded once, each in a process of its own; then they are played over and over in a pool, many at a time.
Every answer that is looked at and every final state must be the recorded one, whatever died meanwhile. At the end no
process, no open file and no episode may be left; memory is measured at each tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from envforge.core.errors import SandboxError
from envforge.core.records.episode import Episode
from envforge.rollout.agents.agent import Assignment, Call
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.agents.random_calls import RandomAgent
from envforge.store.tasks import read_tasks
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool
from envforge.world.pool.session import PooledSession
from envforge.world.replay import Recorder, observed

ROOT = Path(__file__).parents[2]
_LOOKED_AT = 16
"""Of so many answers one is compared in full; of the states, all."""


@dataclass
class Report:
    """What a soak found. All but the first lines must be empty or flat."""

    calls: int = 0
    episodes: int = 0
    kills: int = 0
    lost_calls: int = 0
    seconds: float = 0.0
    replaced: int = 0
    brought_back: int = 0
    wrong_answers: list[str] = field(default_factory=list[str])
    wrong_states: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])
    left_processes: int = 0
    left_files: int = 0
    left_episodes: int = 0
    host_mb: list[float] = field(default_factory=list[float])
    workers_mb: list[float] = field(default_factory=list[float])

    @property
    def clean(self) -> bool:
        """True when nothing went wrong and nothing was left behind."""
        wrong = (self.wrong_answers, self.wrong_states, self.failures)
        left = (self.left_processes, self.left_files, self.left_episodes)
        return not any(wrong) and not any(left)


def record(environment: Environment, tasks: Path, *, episodes: int, calls: int) -> list[Episode]:
    """Episodes in processes of their own: every other one is a task's solution, the others valid calls at random."""
    found = read_tasks(tasks)
    recorded: list[Episode] = []
    for number in range(episodes):
        name = found.tasks[number % len(found.tasks)].id
        assignment = Assignment(found.task(name), environment.tools, found.programs.get(name, ""))
        agent = gold_agent(assignment, number) if number % 2 else RandomAgent(assignment, number, calls)
        with environment.start(number) as session:
            recorder = Recorder(session, number)
            action = agent.act(None)
            for _ in range(calls):
                if not isinstance(action, Call):
                    break
                action = agent.act(recorder.call(action.tool, action.arguments).to_json())
            recorded.append(recorder.episode())
        agent.close()
    return [episode for episode in recorded if episode.calls]


class Soak:
    """Plays recorded episodes in a pool until enough calls were made."""

    def __init__(self, recorded: dict[str, list[Episode]], *, calls: int, episodes: int, kills: float) -> None:
        self.report = Report()
        self._recorded = recorded
        self._most_calls = calls
        self._episodes = episodes
        self._kills = kills
        self._chance = random.Random(0)
        self._pool: WorldPool | None = None
        self._live: dict[int, PooledSession] = {}

    async def run(self, pool: WorldPool) -> Report:
        """Play, kill, count."""
        self._pool = pool
        began = time.perf_counter()
        watcher = asyncio.create_task(self._watch())
        await asyncio.gather(*(self._play(number) for number in range(self._episodes)))
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)
        figures = pool.figures()
        self.report.seconds = round(time.perf_counter() - began, 1)
        self.report.replaced, self.report.brought_back = figures.replaced, figures.brought_back
        self.report.left_episodes = sum(figures.live.values())
        return self.report

    async def _play(self, number: int) -> None:
        """One place of the pool: an episode after the other."""
        assert self._pool is not None
        names = sorted(self._recorded)
        while self.report.calls < self._most_calls:
            name = names[number % len(names)]
            episode = self._chance.choice(self._recorded[name])
            try:
                async with await self._pool.start(name, seed=episode.seed) as session:
                    self._live[number] = session
                    await self._one(session, episode)
            except SandboxError as error:
                self.report.failures.append(str(error))
            self.report.episodes += 1

    async def _one(self, session: PooledSession, episode: Episode) -> None:
        for at, call in enumerate(episode.calls):
            while True:
                try:
                    found = await session.call(call.tool, call.arguments)
                    break
                except SandboxError as error:
                    if not session.alive:
                        raise
                    self.report.lost_calls += 1
                    del error
            self.report.calls += 1
            self._maybe_kill()
            if self._chance.randrange(_LOOKED_AT) == 0 and observed(found) != call.observation:
                self.report.wrong_answers.append(f"{session.environment.manifest.id} {episode.seed} call {at}")
        if await session.digest() != episode.digest:
            self.report.wrong_states.append(f"{session.environment.manifest.id} {episode.seed}")

    def _maybe_kill(self) -> None:
        """Kill a worker now and then."""
        if self._chance.random() < self._kills / 1000:
            self.report.kills += 1
            with contextlib.suppress(ProcessLookupError):  # it has just been killed
                os.kill(self._chance.choice(self._workers()), signal.SIGKILL)

    def _workers(self) -> list[int]:
        return sorted({session.worker_pid for session in self._live.values() if session.alive})

    async def _watch(self) -> None:
        """Memory at each tenth."""
        for tenth in range(1, 10):
            while self.report.calls < self._most_calls * tenth / 10:
                await asyncio.sleep(0.05)
            self.report.host_mb.append(round(psutil.Process().memory_info().rss / 2**20, 1))
            self.report.workers_mb.append(round(sum(proportional(pid) for pid in self._workers()) / 2**20, 1))
            sizes = f"host {self.report.host_mb[-1]} MB, workers {self.report.workers_mb[-1]} MB"
            sys.stderr.write(f"{self.report.calls:>9} calls, {self.report.kills} kills, {sizes}\n")


def processes() -> int:
    """Processes below this one."""
    return len(psutil.Process().children(recursive=True))


def proportional(pid: int) -> int:
    """Bytes of a process, shared pages counted in part (PSS)."""
    try:
        return int(psutil.Process(pid).memory_full_info().pss)
    except psutil.Error:
        return 0


def open_files() -> list[str]:
    """What the descriptors of this process lead to."""
    folder = Path("/proc/self/fd")
    found: list[str] = []
    for entry in folder.iterdir():
        try:
            found.append(str(entry.readlink()))
        except OSError:
            continue
    return found


async def soak(recorded: dict[str, list[Episode]], environments: Sequence[Environment], **wanted: float) -> Report:
    """Run a soak and look at what is left behind."""
    before_files, before_workers = len(open_files()), processes()
    plan = Soak(recorded, calls=int(wanted["calls"]), episodes=int(wanted["episodes"]), kills=wanted["kills"])
    async with WorldPool(environments, max_live=int(wanted["episodes"])) as pool:
        report = await plan.run(pool)
    await asyncio.sleep(0.2)
    report.left_processes = processes() - before_workers
    report.left_files = max(0, len(open_files()) - before_files)
    return report


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=2_000_000)
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--kills", type=float, default=0.2, help="workers killed per 1,000 calls, on average")
    parser.add_argument("--environments", nargs="+", default=["notion"])
    wanted = parser.parse_args()
    environments = [Environment.open(ROOT / "environments" / name) for name in wanted.environments]
    recorded = {
        environment.manifest.id: record(environment, ROOT / "tasks" / environment.manifest.id, episodes=48, calls=60)
        for environment in environments
    }
    report = asyncio.run(soak(recorded, environments, calls=wanted.calls, episodes=wanted.episodes, kills=wanted.kills))
    sys.stdout.write(json.dumps(asdict(report), indent=2) + "\n")
    return 0 if report.clean else 1


if __name__ == "__main__":
    sys.exit(main())
