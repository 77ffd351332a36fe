"""A server from its first moment to its last: pool, episodes, listening, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envforge.core.errors import ConfigError
from envforge.world.pool.pool import WorldPool
from envforge.world.sandbox.backends import best_backend
from envforge.world.sandbox.limits import Limits
from envforge.world.serve.app import Application
from envforge.world.serve.control import Control
from envforge.world.serve.episodes import Episodes
from envforge.world.serve.guard import Guard, is_loopback
from envforge.world.serve.keys import new_token
from envforge.world.serve.listening import allow_many_files, answering, listen
from envforge.world.serve.offer import Offer
from envforge.world.serve.stopping import Stopping

Isolation = Literal["auto", "shared", "forked"]


@dataclass(frozen=True)
class ServeConfig:
    """How to serve.

    Args:
        host, port: what to listen on; port 0 takes any free one.
        max_live: episodes at once.
        workers: processes of one environment (shared).
        isolation: as in `WorldPool`.
        idle_seconds: an episode that nobody uses for so long is ended.
        grace_seconds: how long running calls may go on when the server is told to end.
        record: folder for finished episodes; None: they are not kept.
        limits: of a worker; None: as in `WorldPool`.
        token: of those who may start and end episodes; None: a new one.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    max_live: int = 1000
    workers: int = 2
    isolation: Isolation = "auto"
    idle_seconds: float = 1800.0
    grace_seconds: int = 10
    record: Path | None = None
    limits: Limits | None = None
    token: str | None = None


@dataclass(frozen=True)
class Ready:
    """A server that listens. `token` is None when it was given and is known."""

    url: str
    token: str | None
    environments: tuple[str, ...]
    max_live: int
    idle_seconds: float


def serve(
    offers: Sequence[Offer], config: ServeConfig, listener: socket.socket, on_ready: Callable[[Ready], None]
) -> None:
    """Serve on a socket of `open_listener` until SIGINT or SIGTERM."""
    asyncio.run(_serve(offers, config, listener, on_ready))


def open_listener(config: ServeConfig) -> socket.socket:
    """The socket, before anything that takes time. Raises ConfigError; nobody serves strangers with a printed token."""
    if not is_loopback(config.host) and config.token is None:
        what = f"{config.host} can be reached from other machines"
        raise ConfigError(what, where="--host", remedy="give a token with --token-file")
    return listen(config.host, config.port)


async def _serve(
    offers: Sequence[Offer], config: ServeConfig, listener: socket.socket, on_ready: Callable[[Ready], None]
) -> None:
    with listener, Stopping() as stop:
        async with serving(offers, config, listener) as ready:
            stop.started()
            on_ready(ready)
            await stop.wait()


@asynccontextmanager
async def serving(offers: Sequence[Offer], config: ServeConfig, listener: socket.socket) -> AsyncGenerator[Ready]:
    """A server in the running event loop; it ends with the block: first what runs, then every episode and worker.

    Raises SandboxError when this machine cannot hold tool code, StoreError for parameters that are no JSON Schema,
    ConfigError for two environments of one id.
    """
    token = config.token or new_token()
    allow_many_files()
    # What cannot be served is known before anybody asks for it: no sandbox, a schema that is none.
    await asyncio.to_thread(best_backend)
    for offer in offers:
        _ = offer.environment.checks
    pool = WorldPool(
        [offer.environment for offer in offers],
        max_live=config.max_live,
        workers=config.workers,
        isolation=config.isolation,
        limits=config.limits,
        idle_seconds=config.idle_seconds,
    )
    async with pool, Episodes(pool, offers, record=config.record) as episodes:
        control = Control(episodes, idle_seconds=config.idle_seconds)
        async with (
            Application(episodes, Guard(token, host=config.host), control) as application,
            answering(application, listener, grace_seconds=config.grace_seconds),
        ):
            yield _ready(offers, config, listener, None if config.token else token)


def _ready(offers: Sequence[Offer], config: ServeConfig, listener: socket.socket, token: str | None) -> Ready:
    address = listener.getsockname()
    host = f"[{address[0]}]" if listener.family == socket.AF_INET6 else address[0]
    names = tuple(offer.name for offer in offers)
    return Ready(f"http://{host}:{address[1]}", token, names, config.max_live, config.idle_seconds)
