"""The HTTP of the loopback server: it reads requests and lets a behaviour answer them, byte by byte if it likes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias

from envforge.core.errors import ConfigError


@dataclass
class Exchange:
    """One request, and the means to answer it. `number` counts the requests of the server from 0."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    _writer: asyncio.StreamWriter = field(repr=False)

    async def send(self, data: bytes) -> None:
        """Bytes, as they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def answer(self, value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """A whole answer of JSON."""
        await self.answer_text(json.dumps(value), status=status, headers=headers)

    async def answer_text(
        self, text: str, *, status: int = 200, kind: str = "application/json", headers: dict[str, str] | None = None
    ) -> None:
        """A whole answer of any kind."""
        body = text.encode()
        await self.send(
            _head(status, {"content-type": kind, "content-length": str(len(body)), **(headers or {})}) + body
        )

    async def begin_stream(self) -> None:
        """The head of a stream of events; the end of the connection ends it."""
        await self.send(_head(200, {"content-type": "text/event-stream"}))

    async def event(self, data: Any) -> None:
        """One event: text as it is, all else as JSON."""
        await self.send(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())

    def abort(self) -> None:
        """Cut the connection without a farewell."""
        self._writer.transport.abort()


Behaviour: TypeAlias = Callable[[Exchange], Awaitable[None]]


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Status'}"]
    lines += [f"{name}: {value}" for name, value in {**headers, "connection": "close"}.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class LoopbackServer:
    """Answers chat-completions requests on 127.0.0.1 by a behaviour, in a thread of its own.

    `with LoopbackServer(behaviour) as server: … server.base_url …`. `seen` holds the exchanges, `most_at_once` how many
    were open at once. Raises ConfigError when no port can be had.
    """

    def __init__(self, behaviour: Behaviour, *, port: int = 0) -> None:
        self._behaviour = behaviour
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.Task[None]] = set()
        self._at_once = 0
        self.most_at_once = 0
        self.seen: list[Exchange] = []
        self._server = self._started()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def _started(self) -> asyncio.Server:
        try:
            return self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self._port))
        except OSError as error:
            self._loop.close()
            raise ConfigError(f"port {self._port} cannot be had: {error.strerror}", remedy="give another") from None

    @property
    def base_url(self) -> str:
        """What clients are given."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def __enter__(self) -> LoopbackServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._loop.shutdown_asyncgens()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            # A client that has gone, or a server that is stopped in the middle of a behaviour.
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._exchange(reader, writer)
        finally:
            self._at_once -= 1
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = head[0].split(" ")[1]
        exchange = Exchange(len(self.seen), path, headers, json.loads(body or b"{}"), writer)
        self.seen.append(exchange)
        await self._behaviour(exchange)
