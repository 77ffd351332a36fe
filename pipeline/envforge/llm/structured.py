"""Answers that are JSON of a given schema: by the server where it can, else by asking again with what was wrong."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from envforge.core.contracts import Model
from envforge.core.model_errors import AnswerError, NotJsonError, SchemaMismatchError
from envforge.core.records.completion import Completion, CompletionRequest, Message
from envforge.llm.schema_answer import parsed_answer

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_TOLD = "Answer with JSON only, no other words, that fits this JSON Schema:\n"


@dataclass(frozen=True)
class Structured:
    """The JSON value, the answer it comes from, and how many tries it took."""

    value: Any
    completion: Completion
    tries: int


async def structured(
    model: Model, request: CompletionRequest, schema: dict[str, Any], *, native: bool = True, tries: int = 3
) -> Structured:
    """A value that fits `schema`, after at most `tries` calls.

    `native`: the server is told of the schema and may hold the model to it; otherwise only the prompt says it. Either
    way the answer is checked here. Raises NotJsonError or SchemaMismatchError when the last try was wrong too;
    every other ModelError as it comes.
    """
    asked = request.model_copy(update={"json_schema": schema if native else None})
    if not native:
        asked = _with_schema_said(asked, schema)
    number = 0
    while True:
        number += 1
        try:
            completion = await model.complete(asked)
            value = completion.parsed if native else parsed_answer(_unfenced(completion.text), schema)
            return Structured(value, completion, number)
        except (NotJsonError, SchemaMismatchError) as error:
            if number >= tries:
                raise
            asked = _asked_again(asked, error)


def _with_schema_said(request: CompletionRequest, schema: dict[str, Any]) -> CompletionRequest:
    said = Message(role="system", content=_TOLD + json.dumps(schema, ensure_ascii=False))
    return request.model_copy(update={"messages": (said, *request.messages)})


def _unfenced(text: str) -> str:
    """The inside of a code block that is the whole of the text: a way of writing, not another answer."""
    found = _FENCED.fullmatch(text)
    return found[1] if found else text


def _asked_again(request: CompletionRequest, error: AnswerError) -> CompletionRequest:
    wrong = "\n".join(error.problems) if isinstance(error, SchemaMismatchError) else error.message
    answer = Message(role="assistant", content=error.text or "(nothing)")
    told = Message(role="user", content=f"That was not right:\n{wrong}\nAnswer again, with the corrected JSON only.")
    return request.model_copy(update={"messages": (*request.messages, answer, told)})
