"""A request as the chat-completions protocol writes it."""

from __future__ import annotations

from typing import Any

from envforge.core.records.completion import CompletionRequest, FunctionTool, Message, ToolCall

_CHOICES = ("auto", "none", "required")


def request_body(
    model: str, request: CompletionRequest, *, native_schema: bool = True, length: str = "max_tokens"
) -> dict[str, Any]:
    """The JSON body. Without `native_schema` the server is not told of the schema (the prompt has to).

    `length` is what the endpoint calls the most tokens of an answer.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        length: request.max_tokens,
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        body["tool_choice"] = _choice(request.tool_choice)
        if request.parallel_tool_calls is not None:
            body["parallel_tool_calls"] = request.parallel_tool_calls
    if request.json_schema is not None and native_schema:
        body["response_format"] = _schema(request.json_schema)
    if request.top_logprobs is not None:
        body["logprobs"] = True
        body["top_logprobs"] = request.top_logprobs
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return body


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    # `strict` asks for what every server with a grammar does; hosted ones want closed objects then, which is the
    # caller's business: a schema is never changed here.
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def _choice(choice: str) -> Any:
    return choice if choice in _CHOICES else {"type": "function", "function": {"name": choice}}


def _tool(tool: FunctionTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [_call(call) for call in message.tool_calls]
        if not message.content:
            body["content"] = None
    if message.role == "tool":
        body["tool_call_id"] = message.tool_call_id
    return body


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.raw_arguments}
    return {"id": call.id, "type": "function", "function": function}
