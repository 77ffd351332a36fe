"""An environment as an MCP server: its tools, and calls of them in the episode that a request belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from mcp_types import ToolAnnotations as Hints

from envforge import __version__
from envforge.core.errors import SandboxError
from envforge.core.records.environment import ToolSpec
from envforge.world.fitting import json_text
from envforge.world.pool.failures import EpisodeGone
from envforge.world.serve.episodes import LiveEpisode

if TYPE_CHECKING:
    from envforge.world.environment import Environment

Context = ServerRequestContext[Any, Any]
FindEpisode = Callable[[Context], LiveEpisode]
"""The episode that a request belongs to."""

_HOUR_MS = 3_600_000
_HEADER = "x-mcp-header"
"""What a schema says of a parameter that clients repeat in a header; only then are headers compared."""
_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
    "required": ["code", "message"],
}


def protocol_server(environment: Environment, episode_of: FindEpisode) -> Server[Any]:
    """Speaks MCP for all episodes of an environment; holds no state of its own."""
    manifest = environment.manifest
    tools = [described(tool) for tool in environment.tools]
    in_headers = {tool.name: tool.parameters for tool in environment.tools if _HEADER in json_text(tool.parameters)}

    async def list_tools(_: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "There is no such page: all tools are on the first one.")
        return ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        return await _call(episode_of(context), params)

    async def introduce(ctx: Context, call_next: CallNext) -> HandlerResult:
        """What a client shows its model when it connects is of this very episode."""
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            return {**result, "instructions": episode_of(ctx).instructions}
        return result

    server: Server[Any] = Server(
        f"envforge/{manifest.id}",
        version=__version__,
        title=manifest.title,
        cache_hints={"tools/list": CacheHint(_HOUR_MS, "private")},
        get_tool_input_schema=in_headers.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware = [introduce]
    return server


def described(spec: ToolSpec) -> Tool:
    """A tool as clients are told of it."""
    hints = spec.annotations
    return Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.parameters,
        output_schema=output_schema(spec.returns),
        annotations=Hints(
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def output_schema(returns: dict[str, Any]) -> dict[str, Any]:
    """What structured content looks like: a result, an error, or what was cut, which fits no schema of the whole.

    Clients check errors against it too.
    """
    return {
        "type": "object",
        "properties": {"result": {"type": "object"}, "error": _ERROR, "truncated": {"type": "array"}},
        "anyOf": [
            {"required": ["result"], "properties": {"result": returns}},
            {"required": ["error"]},
            {"required": ["truncated"]},
        ],
    }


async def _call(episode: LiveEpisode, params: CallToolRequestParams) -> CallToolResult:
    try:
        observation = await episode.call(params.name, params.arguments)
    except SandboxError as error:
        raise _infrastructure(error) from error
    return CallToolResult(
        content=[TextContent(text=observation.text())],
        structured_content=observation.to_json(),
        is_error=not observation.ok,
    )


def _infrastructure(error: SandboxError) -> MCPError:
    """It is no answer of a tool and must never be read as one."""
    gone = isinstance(error, EpisodeGone)
    advice = "start a new episode" if gone else "the episode stands where it stood; the call may be made again"
    data = {"kind": "infrastructure", "retryable": not gone, "message": error.message}
    return MCPError(INTERNAL_ERROR, f"Infrastructure failure, no answer of the tool: {error.message} ({advice})", data)
