"""The ASGI application of a server: which request goes where."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any, cast

from envforge.core.errors import SandboxError
from envforge.world.pool.failures import EpisodeGone
from envforge.world.serve.control import Control, about, no_episode
from envforge.world.serve.episodes import Episodes, LiveEpisode
from envforge.world.serve.exchange import Exchange, Gone, Receive, Refusal, Scope, Send, plain_json
from envforge.world.serve.guard import Guard
from envforge.world.serve.metrics import KIND, exposition
from envforge.world.serve.sdk import Sdk
from envforge.world.serve.usual import Usual

REQUEST_SECONDS = 120.0
"""For a request from its head to the end of its answer, also when the client does not read."""
_logger = logging.getLogger("envforge.serve")


class Application:
    """Routes requests. `async with` it: the MCP SDK needs a running background."""

    def __init__(self, episodes: Episodes, guard: Guard, control: Control) -> None:
        self._episodes = episodes
        self._guard = guard
        self._control = control
        self._refusals: Counter[str] = Counter()
        self._usual = {name: Usual(offer) for name, offer in episodes.offers.items()}
        self._sdk = Sdk(episodes.offers.values())

    async def __aenter__(self) -> Application:
        await self._sdk.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._sdk.__aexit__()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application for HTTP."""
        exchange = Exchange(scope, receive, send)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._served(exchange)
        except TimeoutError:
            self._refusals["timed_out"] += 1
            if not exchange.answered:
                what = f"the request took more than {REQUEST_SECONDS:g} s"
                await exchange.refuse(Refusal(503, "timed_out", what, remedy="a call may have been made: look first"))

    async def _served(self, exchange: Exchange) -> None:
        try:
            self._guard.check(exchange)
            await self._route(exchange)
        except Gone:
            return
        except Refusal as refusal:
            self._refusals[refusal.code] += 1
            await exchange.refuse(refusal)
        except Exception:
            # The path holds a key: it is not logged.
            _logger.exception("a request failed")
            self._refusals["internal"] += 1
            if not exchange.answered:
                await exchange.refuse(Refusal(500, "internal", "the server failed; this is its fault"))

    async def _route(self, exchange: Exchange) -> None:
        parts = exchange.path.split("/")[1:]
        match exchange.method, parts:
            case _, ["e", key, *rest]:
                await self._episode(exchange, key, rest)
            case "GET" | "HEAD", ["health"]:
                await exchange.answer(200, {"status": "ok", "episodes": len(self._episodes)})
            case "GET", ["metrics"]:
                self._guard.check_token(exchange)
                body = exposition(self._episodes.figures(), self._refusals).encode()
                await exchange.answer_bytes(200, body, KIND)
            case "GET", ["tasks"]:
                self._guard.check_token(exchange)
                await self._control.tasks(exchange)
            case "POST", ["episodes"]:
                self._guard.check_token(exchange)
                await self._control.start(exchange)
            case "DELETE", ["episodes", key]:
                self._guard.check_token(exchange)
                await self._control.discard(exchange, key)
            case "POST", ["episodes", key, "finish"]:
                self._guard.check_token(exchange)
                await self._control.finish(exchange, key)
            case _:
                raise Refusal(404, "no_route", "nothing is served there for this method")

    # What agents reach

    async def _episode(self, exchange: Exchange, key: str, rest: list[str]) -> None:
        episode = self._episodes.find(key)
        if episode is None:
            raise no_episode()
        match exchange.method, rest:
            case "POST", ["mcp"]:
                await self._mcp(exchange, episode)
            case "POST", ["call"]:
                await _plain_call(exchange, episode)
            case "POST", ["answer"]:
                await _answer(exchange, episode)
            case "GET", []:
                tools = [_plain_tool(tool) for tool in episode.session.environment.tools]
                await exchange.answer(200, {**about(episode), "tools": tools})
            case _, ["mcp" | "call" | "answer"]:
                allow = {"allow": "POST"}
                raise Refusal(
                    405, "no_method", "only POST is served here: there is no stream to listen to", headers=allow
                )
            case _:
                raise Refusal(404, "no_route", "nothing is served there for this method")

    async def _mcp(self, exchange: Exchange, episode: LiveEpisode) -> None:
        body = await exchange.body()
        if b"\\u" in body:
            plain_json(body)  # half a character cannot be answered in JSON
        if not await self._usual[episode.offer.name].answer(exchange, episode, body):
            await self._sdk.handle(exchange, episode, body)


async def _plain_call(exchange: Exchange, episode: LiveEpisode) -> None:
    asked = await exchange.json_object()
    tool: Any = asked.get("tool")
    arguments: Any = asked.get("arguments")
    if not isinstance(tool, str) or not isinstance(arguments, dict | None) or not set(asked) <= {"tool", "arguments"}:
        remedy = 'send {"tool": NAME, "arguments": {…}}'
        raise Refusal(400, "malformed", "the body names no tool, or its arguments are no object", remedy=remedy)
    try:
        observation = await episode.call(tool, cast("dict[str, Any] | None", arguments))
    except EpisodeGone as error:
        raise no_episode() from error
    except SandboxError as error:
        remedy = "the episode stands where it stood; the call may be made again"
        raise Refusal(503, "sandbox", error.message, remedy=remedy, retryable=True) from error
    await exchange.answer_json(200, observation.text())


async def _answer(exchange: Exchange, episode: LiveEpisode) -> None:
    """The agent is done. What it handed in last is its answer when the episode is finished without another."""
    asked = await exchange.json_object()
    if set(asked) != {"answer"}:
        raise Refusal(400, "malformed", "the body is no answer", remedy='send {"answer": …}')
    episode.answer = (asked["answer"],)
    await exchange.answer(200, {"received": True})


def _plain_tool(tool: Any) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "annotations": tool.annotations.to_json(),
    }
