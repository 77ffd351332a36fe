"""What the bench asks of whoever serves the toy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Answer = dict[str, Any]


class CannotReset(Exception):
    """There is no way back to the start of an episode but a new one."""


class Episode(Protocol):
    """A live episode: its own state behind the toy's tools."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool. Whatever is no answer raises."""
        ...

    async def reset(self) -> None:
        """Back to the start. Raises CannotReset."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


class Peer(Protocol):
    """One way to serve the toy."""

    over: str
    """How a call gets there: in process, MCP over HTTP, WebSocket …"""
    reset_by: str
    """How an episode starts over."""
    threads: bool
    """Whether its calls block, so that concurrent clients are threads instead of tasks."""
    openings: int
    """How many episodes may be opened at a time."""
    fresh: Sequence[str] | None
    """Where the peer lives in the caller's own process: a command that starts an interpreter, begins an episode,
    makes one call and then prints a line. Its time is the time to be ready."""

    async def start(self) -> None:
        """Everything that all episodes share."""
        ...

    async def open(self) -> Episode:
        """A further episode in the initial state."""
        ...

    async def stop(self) -> None:
        """End it all."""
        ...
