"""A soak of the server: clients play recorded episodes over HTTP while workers are killed and other clients vanish.

    python tests/soak/server_soak.py --calls 50000 --clients 32

Some connections are opened and left half-way: a head without its end, a body without its end, an answer that nobody
reads. The server records every finished episode; each must be the recorded one, call by call and in its final state. At
the end no episode, no process and no open file of the server may be left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.core.records.episode import Episode
from envforge.store.episodes import read_episodes
from envforge.world.client import EpisodeServer, RemoteEpisode
from envforge.world.environment import Environment

ROOT = Path(__file__).parents[2]
_SETTLE_SECONDS = 30.0


@dataclass
class ServerReport:
    """What was found. What is wrong or left must be empty or zero."""

    calls: int = 0
    episodes: int = 0
    kills: int = 0
    half_open: int = 0
    retried: int = 0
    seconds: float = 0.0
    wrong_episodes: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])
    left_episodes: int = 0
    left_files: int = 0
    left_processes: int = 0
    exit_code: int = 0
    server_mb: list[float] = field(default_factory=list[float])

    @property
    def clean(self) -> bool:
        """True when nothing went wrong and nothing was left behind."""
        left = self.left_episodes or self.left_files or self.left_processes or self.exit_code
        return not self.wrong_episodes and not self.failures and not left


class Served:
    """A server in a process of its own."""

    def __init__(self, environment: Environment, record: Path) -> None:
        command = [sys.executable, "-m", "envforge.cli.main", "serve", str(environment.folder), "--port", "0", "--json"]
        self._popen = subprocess.Popen([*command, "--record", str(record)], stdout=subprocess.PIPE, text=True)
        assert self._popen.stdout is not None
        told: dict[str, Any] = json.loads(self._popen.stdout.readline())
        self.url, self.token = str(told["url"]), str(told["token"])
        self.process = psutil.Process(self._popen.pid)
        with EpisodeServer(self.url, self.token) as server, server.start() as one, server.start() as two:
            # These have brought the zygote and both workers to life: what is there now is there to stay.
            assert one.tools() == two.tools()
            self._above = {child.pid for child in self.process.children(recursive=True)} - set(self._leaves())

    def _leaves(self) -> list[int]:
        family = self.process.children(recursive=True)
        parents = {child.ppid() for child in family}
        return [child.pid for child in family if child.pid not in parents]

    def workers(self) -> list[int]:
        """Processes that run tools."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return [child.pid for child in self.process.children(recursive=True) if child.pid not in self._above]
        return []

    def files(self) -> int:
        """Open files and sockets of the server."""
        return self.process.num_fds()

    def stop(self) -> tuple[int, int]:
        """Ask it to end; its exit code, and how many processes it left."""
        family = self.process.children(recursive=True)
        self._popen.send_signal(signal.SIGTERM)
        code = self._popen.wait(timeout=60)
        _, alive = psutil.wait_procs(family, timeout=10)
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        return code, len(alive)


class ServerSoak:
    """Clients in threads, one episode after the other."""

    def __init__(self, served: Served, recorded: list[Episode], *, calls: int, clients: int) -> None:
        self.report = ServerReport()
        self._served = served
        self._recorded = recorded
        self._most = calls
        self._clients = clients
        self._lock = threading.Lock()
        self._dangling: list[socket.socket] = []

    def run(self) -> ServerReport:
        """Play until enough calls were made."""
        began = time.perf_counter()
        with ThreadPoolExecutor(self._clients) as threads:
            for one in [threads.submit(self._client, number) for number in range(self._clients)]:
                one.result()
        self.report.seconds = round(time.perf_counter() - began, 1)
        for left in self._dangling:
            left.close()
        return self.report

    def _client(self, number: int) -> None:
        chance = random.Random(number)
        with EpisodeServer(self._served.url, self._served.token) as server:
            while self.report.calls < self._most:
                episode = chance.choice(self._recorded)
                try:
                    with server.start(seed=episode.seed) as live:
                        self._play(live, episode, chance)
                except EnvforgeError as error:
                    self.report.failures.append(str(error))
                with self._lock:
                    self.report.episodes += 1

    def _play(self, live: RemoteEpisode, episode: Episode, chance: random.Random) -> None:
        for call in episode.calls:
            while True:
                try:
                    live.call(call.tool, call.arguments)
                    break
                except SandboxError as error:
                    if not error.retryable:
                        raise
                    with self._lock:
                        self.report.retried += 1
            with self._lock:
                self.report.calls += 1
                if self.report.calls % 1000 == 0:
                    self.report.server_mb.append(round(self._served.process.memory_info().rss / 2**20, 1))
            if chance.random() < 0.002:
                self._kill(chance)
            if chance.random() < 0.01:
                self._vanish(live, chance)
        live.finish(None)

    def _kill(self, chance: random.Random) -> None:
        workers = self._served.workers()
        if workers:
            self.report.kills += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)

    def _vanish(self, live: RemoteEpisode, chance: random.Random) -> None:
        """Begin a request on a connection of its own and stay away; some hang up, some do not."""
        where = urlsplit(self._served.url)
        head = f"GET /e/{live.key} HTTP/1.1\r\nHost: {where.netloc}\r\n"
        begun = {
            0: head.encode(),
            1: f"{head}Content-Length: 100000\r\n\r\n".replace("GET", "POST", 1)
            .replace(" HTTP", "/call HTTP")
            .encode(),
            2: f"{head}\r\n".encode(),
        }
        caller = socket.create_connection((str(where.hostname), int(where.port or 80)))
        caller.sendall(begun[chance.randrange(3)])
        self.report.half_open += 1
        with self._lock:
            self._dangling.append(caller)
            gone = self._dangling.pop(0) if len(self._dangling) > 40 else None
        if gone is not None:
            gone.close()


def judged(report: ServerReport, served: Served, recorded: list[Episode], record: Path, files: int) -> None:
    """Compare what the server recorded with what was to be, and look at what is left."""
    for found in read_episodes(next(record.rglob("episodes.jsonl"))):
        if found not in recorded:
            report.wrong_episodes.append(f"seed {found.seed}, {len(found.calls)} calls")
    report.left_files = max(0, _settled(served, files) - files)
    with EpisodeServer(served.url, served.token) as server:
        report.left_episodes = int(server.health()["episodes"])


def _settled(served: Served, files: int) -> int:
    """Open files once closed connections have been noticed."""
    until = time.monotonic() + _SETTLE_SECONDS
    while served.files() > files and time.monotonic() < until:
        time.sleep(0.1)
    return served.files()


@contextlib.contextmanager
def serving(environment: Environment, record: Path) -> Generator[Served]:
    """A server, ended whatever happens."""
    served = Served(environment, record)
    try:
        yield served
    finally:
        if served.process.is_running():
            served.stop()


def server_soak(
    environment: Environment, recorded: list[Episode], record: Path, *, calls: int, clients: int
) -> ServerReport:
    """Run a soak and look at what is left behind."""
    with serving(environment, record) as served:
        files = served.files()
        report = ServerSoak(served, recorded, calls=calls, clients=clients).run()
        judged(report, served, recorded, record, files)
        report.exit_code, report.left_processes = served.stop()
    return report


def main() -> int:
    """The command line."""
    from soak import record as record_episodes  # pyright: ignore  # this file is the program: its folder is on the path

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--environment", default="notion")
    wanted = parser.parse_args()
    environment = Environment.open(ROOT / "environments" / wanted.environment)
    recorded: list[Episode] = record_episodes(environment, ROOT / "tasks" / wanted.environment, episodes=24, calls=40)
    folder = Path(tempfile.mkdtemp())
    report = server_soak(environment, recorded, folder, calls=wanted.calls, clients=wanted.clients)
    shutil.rmtree(folder)
    sys.stdout.write(json.dumps(asdict(report), indent=2) + "\n")
    return 0 if report.clean else 1


if __name__ == "__main__":
    sys.exit(main())
