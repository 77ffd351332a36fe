"""MCP as clients speak it nearly always, answered at once; what is said in any other way is left to the MCP SDK.

The SDK reads a request several times over and makes objects of it, and it takes a second to load. The requests here
are read once, and the answers hold the same JSON as the SDK's (a test compares them). Whatever is not exactly of the
form below - another version, a header or field more, a mistake - is none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from envforge.core.errors import SandboxError
from envforge.store.files import parse_json
from envforge.world.fitting import json_text
from envforge.world.serve.episodes import LiveEpisode
from envforge.world.serve.exchange import Exchange
from envforge.world.serve.offer import Offer
from envforge.world.serve.told import INTERNAL_ERROR, LIST_MS, infrastructure_failure, server_info, told_tool

Generation = Literal["modern", "legacy"]

_MODERN = "2026-07-28"
_LEGACY = ("2025-11-25", "2025-06-18")
_META = "io.modelcontextprotocol/"
_ACCEPT = b"application/json, text/event-stream"
_KIND = b"application/json"
_LARGEST_ID = 1 << 53
_IN_HEADERS = "x-mcp-header"
"""What a schema says of a parameter that clients repeat in a header: the SDK compares them."""
_CAPABILITIES = {"tools": {"listChanged": False}}


@dataclass(frozen=True)
class Asked:
    """A request in the usual form."""

    generation: Generation
    id: int | str | None
    """None: a notification."""
    method: str
    params: dict[str, Any]


class Usual:
    """Answers the usual requests of one environment's clients."""

    def __init__(self, offer: Offer) -> None:
        environment = offer.environment
        self._info = server_info(environment)
        self._tools = json_text([told_tool(tool) for tool in environment.tools])
        self._in_headers = {tool.name for tool in environment.tools if _IN_HEADERS in json_text(tool.parameters)}
        self._signed = f', "resultType": "complete", "_meta": {json_text({f"{_META}serverInfo": self._info})}'

    async def answer(self, exchange: Exchange, episode: LiveEpisode, body: bytes) -> bool:
        """Answer; False when the request is not of the usual form: nothing was done then."""
        asked = read(cast("list[tuple[bytes, bytes]]", exchange.scope["headers"]), body)
        if asked is None or asked.params.get("name") in self._in_headers:
            return False
        if asked.id is None:
            await exchange.answer_bytes(202, b"", _KIND.decode())
            return True
        name, value = await self._answered(asked, episode)
        await exchange.answer_json(200, f'{{"jsonrpc": "2.0", "id": {json_text(asked.id)}, "{name}": {value}}}')
        return True

    async def _answered(self, asked: Asked, episode: LiveEpisode) -> tuple[str, str]:
        """The answer's last field and the JSON of its value."""
        modern = asked.generation == "modern"
        match asked.method:
            case "tools/call":
                return await self._called(asked, episode)
            case "tools/list":
                signed = f', "cacheScope": "private", "ttlMs": {LIST_MS}{self._signed}' if modern else ""
                return "result", f'{{"tools": {self._tools}{signed}}}'
            case "initialize":
                version = asked.params["protocolVersion"]
                told = {"protocolVersion": version, "capabilities": _CAPABILITIES, "serverInfo": self._info}
                return "result", json_text({**told, "instructions": episode.instructions})
            case "server/discover":
                about = {"supportedVersions": [_MODERN], "capabilities": _CAPABILITIES}
                told = json_text({**about, "instructions": episode.instructions})
                return "result", f'{told[:-1]}, "cacheScope": "private", "ttlMs": 0{self._signed}}}'
            case _:
                return "result", "{}"  # ping

    async def _called(self, asked: Asked, episode: LiveEpisode) -> tuple[str, str]:
        try:
            observation = await episode.call(asked.params["name"], asked.params.get("arguments"))
        except SandboxError as error:
            message, data = infrastructure_failure(error)
            return "error", json_text({"code": INTERNAL_ERROR, "message": message, "data": data})
        text = observation.text()
        content = f'"content": [{{"type": "text", "text": {json_text(text)}}}], "structuredContent": {text}'
        signed = self._signed if asked.generation == "modern" else ""
        return "result", f'{{{content}, "isError": {"false" if observation.ok else "true"}{signed}}}'


def read(headers: list[tuple[bytes, bytes]], body: bytes) -> Asked | None:
    """The request, when headers and body are of the usual form."""
    told = dict(headers)
    if len(told) < len(headers) or told.get(b"accept") != _ACCEPT or told.get(b"content-type") != _KIND:
        return None
    if b"mcp-session-id" in told or b"last-event-id" in told:
        return None
    try:
        message: Any = parse_json(body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(message, dict):
        return None
    fields = cast("dict[str, Any]", message)
    number, method, params = fields.get("id"), fields.get("method"), fields.get("params", {})
    if fields.get("jsonrpc") != "2.0" or not fields.keys() <= {"jsonrpc", "id", "method", "params"}:
        return None
    if not isinstance(method, str) or not isinstance(params, dict) or not _is_id(number, given="id" in fields):
        return None
    version = told.get(b"mcp-protocol-version", b"").decode("latin-1")
    given = cast("dict[str, Any]", params)
    if version == _MODERN:
        fits = number is not None and _is_modern(told, method, given)
        return Asked("modern", number, method, given) if fits else None
    return Asked("legacy", number, method, given) if _is_legacy(version, number, method, given) else None


def _is_id(number: Any, *, given: bool) -> bool:
    if not given:
        return True
    return isinstance(number, str) or (type(number) is int and abs(number) < _LARGEST_ID)


def _is_modern(headers: dict[bytes, bytes], method: str, params: dict[str, Any]) -> bool:
    if headers.get(b"mcp-method") != method.encode("utf-8", "replace") or not _is_meta(params.get("_meta")):
        return False
    if method == "tools/call":
        name = params.get("name")
        return (
            isinstance(name, str) and headers.get(b"mcp-name") == name.encode("ascii", "replace") and _is_call(params)
        )
    return method in ("tools/list", "server/discover") and b"mcp-name" not in headers and params.keys() == {"_meta"}


def _is_meta(meta: Any) -> bool:
    """Who asks, and that it can do nothing but ask."""
    if not isinstance(meta, dict):
        return False
    held = cast("dict[str, Any]", meta)
    client = held.get(f"{_META}clientInfo")
    told: dict[str, Any] = {f"{_META}protocolVersion": _MODERN, f"{_META}clientCapabilities": {}}
    return held == {**told, f"{_META}clientInfo": client} and _is_client(client)


def _is_client(client: Any) -> bool:
    if not isinstance(client, dict):
        return False
    held = cast("dict[str, Any]", client)
    return held.keys() == {"name", "version"} and all(isinstance(value, str) for value in held.values())


def _is_legacy(version: str, number: Any, method: str, params: dict[str, Any]) -> bool:
    if method == "initialize":
        known = params.get("protocolVersion") in _LEGACY and params.keys() == {
            "protocolVersion",
            "capabilities",
            "clientInfo",
        }
        plain = known and params["capabilities"] == {} and _is_client(params["clientInfo"])
        return not version and number is not None and plain
    if version not in _LEGACY:
        return False
    if number is None:
        return method == "notifications/initialized" and not params
    if method == "tools/call":
        return "_meta" not in params and _is_call(params)
    return method in ("tools/list", "ping") and not params


def _is_call(params: dict[str, Any]) -> bool:
    if not params.keys() <= {"name", "arguments", "_meta"} or not isinstance(params.get("name"), str):
        return False
    return isinstance(params.get("arguments", {}), dict)
