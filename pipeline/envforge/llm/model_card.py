"""What an endpoint tells of its models: their names and their context."""

from __future__ import annotations

from typing import Any, cast

from openai import APIError, AsyncOpenAI

_FIELDS = ("max_model_len", "context_length", "context_window", "n_ctx", "n_ctx_train", "max_context_length")
"""What servers call the tokens that fit into the context."""


async def told_context(client: AsyncOpenAI, model: str) -> int | None:
    """Tokens of the model's context as its endpoint tells them, None where it does not."""
    try:
        body = await client.get("/models", cast_to=object)
    except (APIError, ValueError):
        return None
    listed: Any = cast("dict[str, Any]", body).get("data") if isinstance(body, dict) else None
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    cards = [cast("dict[str, Any]", card) for card in entries if isinstance(card, dict)]
    named = [card for card in cards if card.get("id") == model] or (cards if len(cards) == 1 else [])
    for card in named:
        meta: Any = card.get("meta")
        for held in (card, cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}):
            for name in _FIELDS:
                value = held.get(name)
                if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                    return value
    return None
