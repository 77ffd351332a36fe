"""Servers as processes, and clients that are kept open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Generic, TypeVar

Client = TypeVar("Client")


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """A module of this package run as a server on a port of its own."""

    def __init__(self, module: str, environment: Mapping[str, str], log: Path) -> None:
        self.port = free_port()
        self._log = log
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"benchmarks.peers.served.{module}"],
                env={**os.environ, **environment, "PORT": str(self.port)},
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def listening(self) -> None:
        """Returns when it accepts connections. Raises RuntimeError with the end of its log when it ends instead."""
        while self._process.poll() is None:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            await asyncio.sleep(0.005)
        raise RuntimeError(f"the server ended: {self._log.read_text(encoding='utf-8', errors='replace')[-1_500:]}")

    async def stop(self) -> None:
        """End it; at once when it does not go by itself."""
        self._process.terminate()
        try:
            await asyncio.to_thread(self._process.wait, 5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)


class KeptOpen(Generic[Client]):
    """A client entered and left in one task of its own, as the MCP clients demand, and used from any."""

    def __init__(self, enter: Callable[[], AbstractAsyncContextManager[Client]]) -> None:
        self._enter = enter
        self._done = asyncio.Event()
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold())

    async def client(self) -> Client:
        """The open client. Raises what opening raised."""
        return await asyncio.shield(self._client)

    async def close(self) -> None:
        """Leave it."""
        self._done.set()
        await self._task

    async def _hold(self) -> None:
        try:
            async with self._enter() as client:
                self._client.set_result(client)
                await self._done.wait()
        except BaseException as error:
            if self._client.done():
                raise
            # Whoever waits for the client must learn of a cancellation too, which is no Exception.
            self._client.set_exception(RuntimeError(f"the client was not opened: {error!r}"))
            self._client.exception()  # nobody may be left to ask
