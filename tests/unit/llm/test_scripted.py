from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ConfigError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.loopback.answers import answer_of
from envforge.llm.permission import Secret
from envforge.llm.providers.scripted import ScriptedModel, from_transcript
from envforge.llm.transcripts import RecordedModel, Transcript

Ask = Callable[..., CompletionRequest]


def test_a_list_is_answered_in_turn_and_ends(ask: Ask) -> None:
    empty = errors.EmptyAnswerError("empty")
    model = ScriptedModel(
        ["One.", answer_of("Two."), Completion(text="Three."), empty, answer_of("Fo", finish="length")]
    )

    async def main() -> None:
        assert [(await model.complete(ask())).text for _ in range(3)] == ["One.", "Two.", "Three."]
        for kind in (errors.EmptyAnswerError, errors.TruncatedAnswerError, errors.ScriptEndedError):
            with pytest.raises(kind):
                await model.complete(ask())

    asyncio.run(main())
    assert len(model.asked) == 6


def test_texts_are_read_as_strictly_as_real_answers(ask: Ask) -> None:
    with pytest.raises(errors.NotJsonError):
        asyncio.run(ScriptedModel(["no"]).complete(ask(json_schema={"type": "object"})))
    with pytest.raises(errors.EmptyAnswerError):
        asyncio.run(ScriptedModel([""]).complete(ask()))


def test_a_function_sees_the_request(ask: Ask) -> None:
    model = ScriptedModel(lambda request: request.messages[-1].content.upper())
    assert asyncio.run(model.complete(ask("good morning"))).text == "GOOD MORNING"


def recorded(path: Path, ask: Ask) -> None:
    script = ["One.", errors.EmptyAnswerError("empty: k-secret-1"), "Two.", "token=abcdef123456 and k-secret-1"]
    model = RecordedModel(ScriptedModel(script), Transcript(path, Secret("k-secret-1")))

    async def main() -> None:
        for text in ("a", "a", "a", "b k-secret-1"):
            try:
                await model.complete(ask(text, stage="tasks"))
            except errors.EmptyAnswerError:
                continue

    asyncio.run(main())


def test_a_transcript_holds_every_call_and_no_secret(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "transcript.jsonl"
    recorded(path, ask)
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert "k-secret-1" not in text and "abcdef123456" not in text
    assert [set(line) - {"key", "model", "request"} for line in lines] == [
        {w} for w in ("completion", "error", "completion", "completion")
    ]
    assert lines[1]["error"] == {"kind": "EmptyAnswerError", "message": "empty: ***", "retryable": False, "text": ""}
    assert lines[0]["request"]["stage"] == "tasks"


def test_a_transcript_is_replayed(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "transcript.jsonl"
    recorded(path, ask)
    model = from_transcript(path)

    async def main() -> list[str]:
        with pytest.raises(errors.ScriptEndedError):
            await model.complete(ask("unheard of"))
        return [(await model.complete(ask("a"))).text for _ in range(3)]

    assert asyncio.run(main()) == ["One.", "Two.", "Two."]
    # What was asked stands there without its secret, and is found all the same.
    assert asyncio.run(from_transcript(path).complete(ask("b k-secret-1"))).text == "token=*** and ***"


def test_two_models_of_a_transcript_answer_in_the_order_they_did(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "transcript.jsonl"
    models = [RecordedModel(ScriptedModel(["x", "y"], identity=name), Transcript(path)) for name in ("b", "a")]

    async def main() -> list[str]:
        for model in (*models, *models):
            await model.complete(ask())
        replayed = from_transcript(path)
        return [(await replayed.complete(ask())).text for _ in range(5)]

    assert asyncio.run(main()) == ["x", "x", "y", "y", "y"]


def test_what_is_no_transcript_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text('{"completion": {"text": 7}, "request": {"messages": []}}\n')
    with pytest.raises(ConfigError, match="line 1"):
        from_transcript(path)
