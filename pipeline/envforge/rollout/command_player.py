"""An agent of somebody else's as a player: a program that is told a URL and a task, and posts its answer there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from shutil import which
from tempfile import TemporaryFile
from typing import IO

from envforge.core.errors import ConfigError, EnvforgeError, SandboxError, StoreError, ToolFault
from envforge.core.ids import sha256_text
from envforge.core.records.trajectory import STATUS, EpisodeSettings, Trajectory
from envforge.rollout.request import Clocked, Played, RolloutRequest
from envforge.rollout.score import refuse_stranger
from envforge.world.environment import Environment
from envforge.world.observation import SHOWN_BYTES
from envforge.world.pool.pool import WorldPool
from envforge.world.serve.app import Application
from envforge.world.serve.control import Control, about
from envforge.world.serve.episodes import Episodes, LiveEpisode
from envforge.world.serve.guard import Guard
from envforge.world.serve.keys import new_token
from envforge.world.serve.listening import answering, listen
from envforge.world.serve.offer import Offer
from envforge.world.serve.recording import MOST_CALLS, Outcome

_LOOPBACK = "127.0.0.1"
_TOLD = 1500
"""Bytes of what a failed program said last."""
_GRACE_SECONDS = 2


@dataclass(frozen=True)
class _Place:
    """Where episodes are served."""

    episodes: Episodes
    url: str


class CommandPlayer:
    """Starts the command anew for each episode. `async with` it: the server for the programs ends with the block.

    A program reads one JSON object from its standard input: the task (`instruction`, `answer_schema`, `now`), and the
    URLs of this episode: `mcp_url`, `call_url`, and `answer_url`, to which it posts {"answer": ...} when it is done.
    """

    name = "command"

    def __init__(self, command: str, environments: Sequence[Environment], *, seconds: float) -> None:
        """Raises ConfigError for a command that is none."""
        self._words = _words(command)
        # Its words may hold what is nobody's business.
        self.model = f"command {sha256_text(command)[:16]}"
        self._seconds = seconds
        self._offers = [Offer(environment) for environment in environments]
        self._stop = asyncio.Event()
        self._place: asyncio.Future[_Place] | None = None
        self._server: asyncio.Task[None] | None = None
        self.settings = EpisodeSettings(max_turns=MOST_CALLS, shown_bytes=SHOWN_BYTES)

    async def __aenter__(self) -> CommandPlayer:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        if self._server is not None:
            await self._server

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        """An episode: the program is ended with it, whatever it does."""
        del clocked  # what the program waits for is its own
        task = request.assignment.task
        try:
            place = await self._served(pool)
            if task.environment_id in pool.environments:
                refuse_stranger(pool.environments[task.environment_id], task)
            episode = await place.episodes.start(task.environment_id, seed=request.seed)
        except (SandboxError, ToolFault, StoreError, ConfigError) as error:
            return Played(_broken(request, error))
        try:
            outcome = await self._outcome(request, episode, place.url)
            await episode.quiet()
            changeset = await episode.session.changeset()
            assert episode.record is not None
            return Played(episode.record.trajectory(task, request.seed, changeset, outcome))
        except SandboxError as error:
            return Played(_broken(request, error))
        finally:
            await place.episodes.discard(episode)

    async def _served(self, pool: WorldPool) -> _Place:
        """The server, started with the first episode: it lives on the pool of the run."""
        if self._place is None:
            self._place = asyncio.get_running_loop().create_future()
            # In a task of its own, which is not the one of an episode: it ends where it began.
            self._server = asyncio.create_task(self._serve(pool, self._place))
        return await asyncio.shield(self._place)

    async def _serve(self, pool: WorldPool, place: asyncio.Future[_Place]) -> None:
        try:
            async with _serving(pool, self._offers) as served:
                place.set_result(served)
                await self._stop.wait()
        except Exception as error:
            if place.done():
                raise
            place.set_exception(error)  # whatever it is: episodes wait for the place

    async def _outcome(self, request: RolloutRequest, episode: LiveEpisode, url: str) -> Outcome:
        base = f"{url}/e/{episode.key}"
        task = request.assignment.task
        told = {
            **about(episode),
            "now": task.now,
            "task": task.id,
            "instruction": task.instruction,
            "answer_schema": task.answer_schema,
            **{f"{name}_url": f"{base}/{name}" for name in ("mcp", "call", "answer")},
        }
        code, said = await self._run(json.dumps(told))
        if episode.answer:
            return Outcome("answered", episode.answer[0], self.name)
        if code is None:
            return Outcome("agent_failure", None, self.name, f"no answer within {self._seconds:g} seconds")
        if code:
            return Outcome("agent_failure", None, self.name, f"the command ended with exit code {code}: {said}")
        return Outcome("gave_up", None, self.name, "the command ended without an answer")

    async def _run(self, told: str) -> tuple[int | None, str]:
        """Exit code, None when it took too long, and what it said last on standard error.

        Raises ConfigError for a program that cannot be started.
        """
        # A file and no pipe: a pipe is open as long as anything that the program started holds it.
        with TemporaryFile() as said:
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._words,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=said,
                    start_new_session=True,
                )
            except OSError as error:
                what = f"{self._words[0]} cannot be started: {error.strerror}"
                remedy = "give a program, or an interpreter and its script"
                raise ConfigError(what, where="--agent-command", remedy=remedy) from error
            try:
                async with asyncio.timeout(self._seconds):
                    await process.communicate(told.encode())
                return process.returncode, _last_words(said)
            except TimeoutError:
                return None, ""
            finally:
                # It and what it started: nothing of it may go on calling, or cost anything, behind the episode.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


def _last_words(said: IO[bytes]) -> str:
    said.seek(max(0, said.seek(0, os.SEEK_END) - _TOLD))
    return said.read().decode("utf-8", "replace").strip()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"is no command: {error}", where="--agent-command") from None
    if not words or which(words[0]) is None:
        what = f"there is no program {words[0]!r}" if words else "is empty"
        raise ConfigError(what, where="--agent-command", remedy="give a program in PATH, or its path")
    return words


@asynccontextmanager
async def _serving(pool: WorldPool, offers: Sequence[Offer]) -> AsyncGenerator[_Place]:
    """Episodes of a pool over HTTP on loopback; nobody has the token, so nobody but us starts any."""
    with listen(_LOOPBACK, 0) as listener:
        async with Episodes(pool, offers, keep_calls=True) as episodes:
            control = Control(episodes, idle_seconds=None)
            async with (
                Application(episodes, Guard(new_token(), host=_LOOPBACK), control) as application,
                answering(application, listener, grace_seconds=_GRACE_SECONDS),
            ):
                yield _Place(episodes, f"http://{_LOOPBACK}:{listener.getsockname()[1]}")


def _broken(request: RolloutRequest, error: EnvforgeError) -> Trajectory:
    task = request.assignment.task
    return Trajectory(
        task_id=task.id,
        environment_id=task.environment_id,
        environment_hash=task.environment_hash,
        agent=CommandPlayer.name,
        seed=request.seed,
        turns=(),
        ending="infrastructure_failure",
        status=STATUS["infrastructure_failure"],
        failure=str(error),
        failure_kind=type(error).__name__,
    )
