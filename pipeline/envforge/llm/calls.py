"""Reads the tool calls of an answer."""

from __future__ import annotations

from typing import Any, cast

from envforge.core.model_errors import MalformedArgumentsError, UnknownToolError
from envforge.core.records.completion import CompletionRequest, FunctionTool, ToolCall
from envforge.llm.fields import excerpt, list_of, malformed, object_of, text_of
from envforge.store.files import parse_json


def tool_calls(value: Any, request: CompletionRequest) -> tuple[ToolCall, ...]:
    """The calls, each of a tool that was offered and with arguments that are an object.

    Raises MalformedAnswerError, UnknownToolError, MalformedArgumentsError.
    """
    offered = {tool.name: tool for tool in request.tools}
    calls = tuple(_call(entry, place, offered) for place, entry in enumerate(list_of(value, "tool_calls")))
    if len({call.id for call in calls}) < len(calls):
        raise malformed("two calls have one id", value)
    return calls


def _call(entry: Any, place: int, offered: dict[str, FunctionTool]) -> ToolCall:
    call = object_of(entry, "a call")
    if call.get("type", "function") not in ("function", None):
        raise malformed(f"a call is of the type {call['type']!r}", call)
    function = object_of(call.get("function"), "the function of a call")
    name = text_of(function.get("name"), "the name of a function")
    if name not in offered:
        there = f"there are: {', '.join(sorted(offered))}" if offered else "no tool was offered"
        told = f"a call of the tool {excerpt(repr(name))} that was not offered"
        raise UnknownToolError(told, remedy=there, text=excerpt(function))
    raw = function.get("arguments")
    if not isinstance(raw, str):
        raise MalformedArgumentsError(f"the arguments of {name} are no text", text=excerpt(raw))
    # Not every server gives ids; the conversation needs some.
    return ToolCall(
        id=text_of(call.get("id"), "the id of a call") or f"call_{place}",
        name=name,
        raw_arguments=raw,
        arguments=_arguments(raw, offered[name]),
    )


def _arguments(raw: str, tool: FunctionTool) -> dict[str, Any]:
    if not raw.strip() and not tool.parameters.get("required"):
        # How several servers write a call without arguments.
        return {}
    try:
        value: Any = parse_json(raw)
    except ValueError as error:
        raise MalformedArgumentsError(f"the arguments of {tool.name} are no JSON: {error}", text=excerpt(raw)) from None
    if not isinstance(value, dict):
        raise MalformedArgumentsError(f"the arguments of {tool.name} are no JSON object", text=excerpt(raw))
    return cast("dict[str, Any]", value)
