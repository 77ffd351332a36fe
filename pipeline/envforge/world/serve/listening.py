"""The socket of a server and its HTTP connections: what is kept open, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import resource
import socket
from collections.abc import AsyncGenerator, Generator
from typing import Any, cast

from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from envforge.core.errors import ConfigError

HEAD_SECONDS = 30.0
"""For the first line and headers of a request to arrive."""
KEPT_SECONDS = 300
"""How long a connection is kept that asks nothing: agents think between calls."""
_BACKLOG = 1024
_SILENT_SECONDS = 60
"""After which a connection is tried whose other side may be gone, or reads nothing that was sent."""


def listen(host: str, port: int) -> socket.socket:
    """A bound socket. Raises ConfigError for an address that is none, is not this machine's, or is taken."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{host!r} is no address", where="--host", remedy="give a name or address") from error
    # The protocol is named: without it asyncio leaves Nagle's algorithm on, and each call takes 40 ms more.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _notice_the_dead(listener)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _refused(error, host, port) from error
    return listener


def _refused(error: OSError, host: str, port: int) -> ConfigError:
    if error.errno == errno.EADDRINUSE:
        remedy = "end the program that uses it, or give another --port (0: any free one)"
        return ConfigError(f"port {port} is in use", where=host, remedy=remedy)
    if error.errno == errno.EACCES:
        return ConfigError(f"port {port} may not be used", where=host, remedy="give a --port over 1023")
    what = f"cannot listen on {host}: {error.strerror}"
    return ConfigError(what, where="--host", remedy="give an address of this machine")


def _notice_the_dead(listener: socket.socket) -> None:
    """Accepted connections inherit these: a client that vanished without a word is noticed."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", _SILENT_SECONDS), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _SILENT_SECONDS * 1000)


def allow_many_files() -> None:
    """As many open connections as this process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class OneWrite:
    """A transport that sends at once what is written in one turn of the loop: an answer is one packet.

    Otherwise a client wakes up for the head, and once more for the body.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held = bytearray()

    def write(self, data: bytes) -> None:
        """Send it before the loop waits again."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held += data

    def close(self) -> None:
        """Close when all is sent."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _flush(self) -> None:
        if self._held:
            data, self._held = bytes(self._held), bytearray()
            self._transport.write(data)


class Connection(H11Protocol):
    """A connection that is closed when a request does not begin in time, or stops in the middle of its head."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(cast("asyncio.Transport", OneWrite(transport, self.loop)))
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something arrived."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self._wait_no_more()
        elif self._waiting is None and self.timeout_keep_alive_task is None:
            self._wait()

    def on_response_complete(self) -> None:
        """A request is answered; the next one may have begun."""
        super().on_response_complete()
        if self.cycle.response_complete and self.conn.trailing_data[0] and self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _too_slow(self) -> None:
        self._waiting = None
        if not self.transport.is_closing():
            self.transport.abort()


class HttpServer(Server):
    """Uvicorn that leaves signals to its caller."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


def http_server(application: Any, *, grace_seconds: int) -> HttpServer:
    """Serves an ASGI application; when told to exit, running requests have `grace_seconds` to end."""
    config = Config(
        application,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=KEPT_SECONDS,
        timeout_graceful_shutdown=grace_seconds,
    )
    return HttpServer(config)


@contextlib.asynccontextmanager
async def answering(application: Any, listener: socket.socket, *, grace_seconds: int) -> AsyncGenerator[None]:
    """The application answers at `listener` while the block runs; at its end it is told to exit, and waited for."""
    server = http_server(application, grace_seconds=grace_seconds)
    running = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started:
            await asyncio.sleep(0)
            if running.done():
                running.result()
        yield
    finally:
        server.should_exit = True
        await running
