"""What an MCP client is told of tools and failures, as JSON values: whoever puts them on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envforge import __version__
from envforge.core.errors import SandboxError
from envforge.core.records.environment import ToolSpec
from envforge.world.pool.failures import EpisodeGone

if TYPE_CHECKING:
    from envforge.world.environment import Environment

LIST_MS = 3_600_000
"""How long a client may keep the list of tools."""
INTERNAL_ERROR = -32603
"""JSON-RPC's code for a failure of the server."""
_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
    "required": ["code", "message"],
}


def server_info(environment: Environment) -> dict[str, str]:
    """Who answers."""
    manifest = environment.manifest
    return {"name": f"envforge/{manifest.id}", "title": manifest.title, "version": __version__}


def told_tool(spec: ToolSpec) -> dict[str, Any]:
    """A tool as clients are told of it."""
    hints = spec.annotations
    return {
        "name": spec.name,
        "description": spec.description,
        "inputSchema": spec.parameters,
        "outputSchema": output_schema(spec.returns),
        "annotations": {
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    }


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


def infrastructure_failure(error: SandboxError) -> tuple[str, dict[str, Any]]:
    """Message and data of a protocol error: it is no answer of a tool and must never be read as one."""
    gone = isinstance(error, EpisodeGone)
    advice = "start a new episode" if gone else "the episode stands where it stood; the call may be made again"
    data = {"kind": "infrastructure", "retryable": not gone, "message": error.message}
    return f"Infrastructure failure, no answer of the tool: {error.message} ({advice})", data
