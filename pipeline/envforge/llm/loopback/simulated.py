"""A simulated model behind the loopback server: it can what real endpoints can, or less, as one likes."""

from __future__ import annotations

import json
import random
from typing import Any, Literal

from envforge.core.seeds import derive_seed
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.loopback.faults import status, well
from envforge.llm.loopback.server import Behaviour, Exchange

Ability = Literal["schema", "tools", "parallel", "tool_choice", "seed", "logprobs", "stream", "context", "usage"]
ABILITIES: frozenset[Ability] = frozenset(
    ("schema", "tools", "parallel", "tool_choice", "seed", "logprobs", "stream", "context", "usage")
)
_CONTEXT = 2048
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "juniper")
_CITIES = ("Oslo", "Lima", "Rome", "Cairo", "Quito")


def simulated(abilities: frozenset[Ability] = ABILITIES) -> Behaviour:
    """A behaviour that answers by simple rules. What it is not able to it ignores, as servers do."""

    async def behave(exchange: Exchange) -> None:
        body = exchange.body
        if exchange.path.endswith("/models"):
            context = {"max_model_len": _CONTEXT} if "context" in abilities else {}
            await exchange.answer({"object": "list", "data": [{"id": "simulated", **context}]})
        elif len(json.dumps(body)) // 4 > _CONTEXT:
            await status(400, f"This model's maximum context length is {_CONTEXT} tokens")(exchange)
        else:
            held = body if "stream" in abilities else {**body, "stream": False}
            exchange.body = held
            await well(_answer(held, abilities, exchange.number))(exchange)

    return behave


def _answer(body: dict[str, Any], abilities: frozenset[Ability], number: int) -> dict[str, Any]:
    calls = _calls(body, abilities)
    if calls:
        return answer_of(None, calls=calls)
    text = _text(body, abilities, number)
    if len(text.split()) > body["max_tokens"]:
        return answer_of(" ".join(text.split()[: body["max_tokens"]]), finish="length")
    logprobs = _logprobs(text, body) if "logprobs" in abilities and body.get("logprobs") else None
    return answer_of(text, logprobs=logprobs, usage=None if "usage" in abilities else {})


def _text(body: dict[str, Any], abilities: frozenset[Ability], number: int) -> str:
    wish = body.get("response_format")
    if wish and "schema" in abilities:
        return json.dumps(_fitting(wish["json_schema"]["schema"]))
    asked = str(body["messages"][-1]["content"])
    said = [str(message["content"]).partition("JSON Schema:\n") for message in body["messages"]]
    schemas = [schema for _, mark, schema in said if mark]
    if schemas and "schema" in abilities:
        # Without a grammar models get it wrong at first.
        return json.dumps(_fitting(json.loads(schemas[0]))) if "not right" in asked else "Here you are."
    if body.get("temperature"):
        held = body.get("seed") if "seed" in abilities else None
        drawn = random.Random(derive_seed(number if held is None else held, asked))
        return " ".join(drawn.choice(_WORDS) for _ in range(8))
    return "Yes." if "yes or no" in asked.lower() else "Good morning."


def _calls(body: dict[str, Any], abilities: frozenset[Ability]) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = [tool["function"] for tool in body.get("tools", [])]
    choice: Any = body.get("tool_choice", "auto") if "tool_choice" in abilities else "auto"
    if not tools or "tools" not in abilities or choice == "none" or body["messages"][-1]["role"] == "tool":
        return []
    named = str(tools[0]["name"] if isinstance(choice, str) else choice["function"]["name"])
    asked = str(body["messages"][-1]["content"])
    cities = [city for city in _CITIES if city in asked]
    if not cities and choice == "auto":
        return []
    cities = (cities or ["Oslo"]) if "parallel" in abilities else (cities or ["Oslo"])[:1]
    return [call_of(named, {"city": city}, place) for place, city in enumerate(cities)]


def _fitting(schema: dict[str, Any]) -> Any:
    """Some value of a simple schema."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _fitting(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [_fitting(schema.get("items", {}))]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return "Oslo"


def _logprobs(text: str, body: dict[str, Any]) -> dict[str, Any]:
    count = body.get("top_logprobs", 0)
    top = [{"token": word, "logprob": -0.5 - place} for place, word in enumerate(("Yes", "No", "Maybe")[:count])]
    return {"content": [{"token": token, "logprob": -0.1, "top_logprobs": top} for token in text.split()]}
