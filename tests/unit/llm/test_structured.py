from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ConfigError
from envforge.core.records.completion import CompletionRequest
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.llm.structured import Structured, structured

Ask = Callable[..., CompletionRequest]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["city", "count"],
}
GOOD = '{"city": "Oslo", "count": 2}'


def got(script: Sequence[Answer], request: CompletionRequest, **wish: Any) -> tuple[Structured, ScriptedModel]:
    model = ScriptedModel(script)
    return asyncio.run(structured(model, request, SCHEMA, **wish)), model


def test_natively_the_server_is_told(ask: Ask) -> None:
    answer, model = got([GOOD], ask())
    assert answer.value == {"city": "Oslo", "count": 2} and answer.tries == 1
    assert model.asked[0].json_schema == SCHEMA and len(model.asked[0].messages) == 1


def test_without_it_the_prompt_says_the_schema(ask: Ask) -> None:
    answer, model = got([f"```json\n{GOOD}\n```"], ask(), native=False)
    assert answer.value["count"] == 2 and model.asked[0].json_schema is None
    assert '"minimum": 1' in model.asked[0].messages[0].content


@pytest.mark.parametrize("native", [True, False])
def test_what_was_wrong_is_said_and_asked_again(ask: Ask, native: bool) -> None:
    answer, model = got(["Here you are!", '{"city": "Oslo", "count": 0}', GOOD], ask(), native=native)
    assert answer.tries == 3 and answer.completion.text == GOOD
    said = [message.content for message in model.asked[-1].messages]
    assert any("no JSON" in text for text in said) and any("count: 0 is less" in text for text in said)
    assert '{"city": "Oslo", "count": 0}' in said


@pytest.mark.parametrize("native", [True, False])
def test_the_tries_end_with_the_last_error(ask: Ask, native: bool) -> None:
    model = ScriptedModel(["no", "no", '{"city": 1, "count": 0}', GOOD])
    with pytest.raises(errors.SchemaMismatchError) as caught:
        asyncio.run(structured(model, ask(), SCHEMA, native=native, tries=3))
    assert len(model.asked) == 3 and len(caught.value.problems) == 2


def test_other_failures_are_not_repaired(ask: Ask) -> None:
    model = ScriptedModel([errors.RefusedAnswerError("no"), GOOD])
    with pytest.raises(errors.RefusedAnswerError):
        asyncio.run(structured(model, ask(), SCHEMA))
    assert len(model.asked) == 1


def test_a_block_with_words_around_it_is_no_json(ask: Ask) -> None:
    with pytest.raises(errors.NotJsonError):
        got([f"Here:\n```json\n{GOOD}\n```"], ask(), native=False, tries=1)


def test_a_schema_that_is_none_is_the_callers_fault(ask: Ask) -> None:
    with pytest.raises(ConfigError, match="no JSON Schema"):
        asyncio.run(ScriptedModel([GOOD]).complete(ask(json_schema={"type": "objekt"})))
