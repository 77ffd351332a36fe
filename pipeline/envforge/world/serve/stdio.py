"""One episode for one client over standard input and output: the way desktop programs start MCP servers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

from envforge.core.records.task import Task
from envforge.world.pool.pool import WorldPool
from envforge.world.serve.episodes import Episodes, LiveEpisode
from envforge.world.serve.exchange import MOST_BODY
from envforge.world.serve.offer import Offer
from envforge.world.serve.pipes import Line, lines, own_output, writer
from envforge.world.serve.protocol import protocol_server
from envforge.world.serve.recording import Outcome
from envforge.world.serve.server import Isolation
from envforge.world.serve.stopping import Stopping

_STDIN = 0


@dataclass(frozen=True)
class StdioConfig:
    """Which episode, and where it is recorded when the client has left."""

    task: Task | None = None
    seed: int = 0
    isolation: Isolation = "auto"
    record: Path | None = None


def serve_stdio(offer: Offer, config: StdioConfig) -> None:
    """Serve until the client closes its side, SIGINT or SIGTERM.

    Raises SandboxError and ToolFault when no worker starts, StoreError when the episode could not be recorded.
    """
    with own_output() as output:
        asyncio.run(_serve(offer, config, output))


async def _serve(offer: Offer, config: StdioConfig, output: int) -> None:
    pool = WorldPool([offer.environment], max_live=1, workers=1, isolation=config.isolation)
    with Stopping() as stop:
        async with pool, Episodes(pool, [offer], record=config.record) as episodes:
            task = config.task.id if config.task is not None else None
            episode = await episodes.start(offer.name, task, config.seed)
            stop.started()
            speaking, stopping = asyncio.create_task(_speak(episode, output)), asyncio.create_task(stop.wait())
            await asyncio.wait([speaking, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not stop.told:
                stopping.cancel()
                speaking.result()
            speaking.cancel()
            # Called off in the middle of a message, streams break one by one: that is no failure.
            await asyncio.gather(speaking, stopping, return_exceptions=True)
            left = "the client left; no answer can be given over stdio"
            await episodes.finish(episode, Outcome("gave_up", failure=left))


async def _speak(episode: LiveEpisode, output: int) -> None:
    server = protocol_server(episode.session.environment, lambda _: episode)
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    async with writer(output) as write:

        def send(message: JSONRPCMessage) -> None:
            write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

        async def listen() -> None:
            async with received:
                async for line in lines(_STDIN, MOST_BODY):
                    message = _message(line)
                    if isinstance(message, JSONRPCError):
                        send(message)
                    else:
                        await received.send(SessionMessage(message))

        async def tell() -> None:
            async with to_send:
                async for message in to_send:
                    send(message.message)

        async with anyio.create_task_group() as group:
            group.start_soon(listen)
            group.start_soon(tell)
            await server.run(incoming, outgoing, server.create_initialization_options())


def _message(line: Line) -> JSONRPCMessage:
    """What a line says; an error to be answered when that is no message."""
    what = f"a message has at most {MOST_BODY:,} bytes"
    if line is not None:
        try:
            return jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            what = "the line is no JSON-RPC message"
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message=what))
