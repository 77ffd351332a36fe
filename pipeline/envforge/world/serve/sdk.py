"""The MCP SDK behind a server, for requests that are not of the usual form: loaded when the first of them comes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from envforge.world.serve.episodes import LiveEpisode
from envforge.world.serve.exchange import MOST_BODY, Exchange
from envforge.world.serve.offer import Offer

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    Managers = dict[str, StreamableHTTPSessionManager]

_EPISODE = "envforge.episode"
"""Where a request's episode is kept in its scope."""


class Sdk:
    """`async with` it: what the SDK runs in the background begins and ends in one task."""

    def __init__(self, offers: Iterable[Offer]) -> None:
        self._offers = list(offers)
        self._wanted = asyncio.Event()
        self._stop = asyncio.Event()
        self._loaded: asyncio.Future[Managers] = asyncio.get_running_loop().create_future()
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Sdk:
        self._running = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        self._wanted.set()
        if self._running is not None:
            await self._running
        self._loaded.cancel()

    async def handle(self, exchange: Exchange, episode: LiveEpisode, body: bytes) -> None:
        """Let the SDK answer a request whose body has been read."""
        self._wanted.set()
        manager = (await asyncio.shield(self._loaded))[episode.offer.name]
        scope = {**exchange.scope, _EPISODE: episode}
        await manager.handle_request(scope, exchange.replayed(body), exchange.send)

    async def _run(self) -> None:
        await self._wanted.wait()
        if self._stop.is_set():
            return
        try:
            managers = await asyncio.to_thread(_managers, self._offers)
        except Exception as error:
            self._loaded.set_exception(error)
            return
        async with AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            self._loaded.set_result(managers)
            await self._stop.wait()


def _managers(offers: Iterable[Offer]) -> Managers:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from envforge.world.serve.protocol import protocol_server

    def episode_of(context: Any) -> LiveEpisode:
        return context.request.scope[_EPISODE]

    # Without sessions of their own: the episode in the URL is the session, in both generations of the protocol.
    return {
        offer.name: StreamableHTTPSessionManager(
            protocol_server(offer.environment, episode_of),
            json_response=True,
            stateless=True,
            max_request_body_size=MOST_BODY,
        )
        for offer in offers
    }
