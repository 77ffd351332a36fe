"""An environment as an MCP server: its tools, and calls of them in the episode that a request belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from envforge.core.errors import SandboxError
from envforge.world.fitting import json_text
from envforge.world.serve.episodes import LiveEpisode
from envforge.world.serve.told import INTERNAL_ERROR, LIST_MS, infrastructure_failure, server_info, told_tool

if TYPE_CHECKING:
    from envforge.world.environment import Environment

Context = ServerRequestContext[Any, Any]
FindEpisode = Callable[[Context], LiveEpisode]
"""The episode that a request belongs to."""

_HEADER = "x-mcp-header"
"""What a schema says of a parameter that clients repeat in a header; only then are headers compared."""


def protocol_server(environment: Environment, episode_of: FindEpisode) -> Server[Any]:
    """Speaks MCP for all episodes of an environment; holds no state of its own."""
    info = server_info(environment)
    tools = [Tool.model_validate(told_tool(tool)) for tool in environment.tools]
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
        info["name"],
        version=info["version"],
        title=info["title"],
        cache_hints={"tools/list": CacheHint(LIST_MS, "private")},
        get_tool_input_schema=in_headers.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware = [introduce]
    return server


async def _call(episode: LiveEpisode, params: CallToolRequestParams) -> CallToolResult:
    try:
        observation = await episode.call(params.name, params.arguments)
    except SandboxError as error:
        raise MCPError(INTERNAL_ERROR, *infrastructure_failure(error)) from error
    return CallToolResult(
        content=[TextContent(text=observation.text())],
        structured_content=observation.to_json(),
        is_error=not observation.ok,
    )
