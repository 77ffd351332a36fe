"""How many tokens a text may be, without the model's tokenizer."""

from __future__ import annotations

from envforge.core.ids import canonical_json
from envforge.core.records.completion import CompletionRequest

_BYTES_A_TOKEN = 4
_AROUND = 16
"""Tokens that a chat template puts around a message, generously."""


def estimate_answer(text: str) -> int:
    """Likely tokens of a text: four bytes each."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def estimate_request(request: CompletionRequest) -> int:
    """Likely tokens of a prompt."""
    return -(-_bytes(request) // _BYTES_A_TOKEN) + _AROUND * len(request.messages)


def most_tokens(request: CompletionRequest) -> int:
    """Tokens that a call can cost at most: a token is at least a byte, and the answer is bounded."""
    return _bytes(request) + _AROUND * (len(request.messages) + len(request.tools)) + request.max_tokens


def _bytes(request: CompletionRequest) -> int:
    asked = [message.to_json() for message in request.messages]
    offered = [tool.to_json() for tool in request.tools]
    # A schema counts too: servers put it into the prompt.
    held = canonical_json([asked, offered, request.json_schema])
    return len(held.encode("utf-8", "replace"))
