"""A second run asks nobody; what may not be kept is not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ModelError, StoreError
from envforge.core.records.completion import Completion, CompletionRequest, Message, Usage
from envforge.llm.cache import CachedModel
from envforge.llm.connect import Connection, ModelSettings, connect
from envforge.llm.loopback.faults import FAULTS, in_turn, well
from envforge.llm.loopback.server import LoopbackServer
from envforge.llm.providers.scripted import ScriptedModel

Ask = Callable[..., CompletionRequest]


async def questions(connection: Connection, ask: Ask) -> list[Completion]:
    calls = (connection.model.complete(ask(f"Question {number}")) for number in range(6))
    answers = await asyncio.gather(*calls)
    await connection.model.close()
    return answers


def test_a_second_run_is_free(tmp_path: Path, ask: Ask) -> None:
    with LoopbackServer(well()) as server:
        settings = ModelSettings("m", base_url=server.base_url)

        def run() -> tuple[Connection, list[Completion]]:
            connection = connect(settings, run=tmp_path / "run", cache=tmp_path / "cache")
            return connection, asyncio.run(questions(connection, ask))

        first, answers = run()
        assert len(server.seen) == 6 and first.accounts.total.calls == 6
        second, again = run()
        assert len(server.seen) == 6 and second.accounts.total.calls == 6
    assert [answer.cached for answer in again] == [True] * 6
    assert [a.model_copy(update={"cached": False}) for a in again] == answers
    assert len((tmp_path / "run" / "transcript.jsonl").read_text().splitlines()) == 12


def test_failures_are_not_kept(tmp_path: Path, ask: Ask) -> None:
    with LoopbackServer(in_turn(FAULTS["empty"], well())) as server:
        connection = connect(ModelSettings("m", base_url=server.base_url), cache=tmp_path)

        async def main() -> Completion:
            with pytest.raises(errors.EmptyAnswerError):
                await connection.model.complete(ask())
            answer = await connection.model.complete(ask())
            await connection.model.close()
            return answer

        assert not asyncio.run(main()).cached


def kept(folder: Path, script: list[str], *requests: CompletionRequest, sampled: bool = False) -> list[str]:
    model = CachedModel(ScriptedModel(list(script)), folder, sampled=sampled)

    async def main() -> list[str]:
        return [(await model.complete(request)).text for request in requests]

    return asyncio.run(main())


def test_sampling_without_a_seed_is_asked_anew(tmp_path: Path, ask: Ask) -> None:
    drawn, seeded = ask(temperature=1.0), ask(temperature=1.0, seed=3)
    assert kept(tmp_path, ["a", "b", "c"], drawn, drawn, seeded, seeded) == ["a", "b", "c", "c"]
    assert kept(tmp_path, ["d"], drawn, drawn, sampled=True) == ["d", "d"]
    assert kept(tmp_path, ["e"], ask(temperature=None)) == ["e"]


def test_stage_and_stream_are_no_part_of_the_question(tmp_path: Path, ask: Ask) -> None:
    same = [ask(), ask(stage="tasks"), ask(stream=True)]
    assert kept(tmp_path, ["a"], *same) == ["a"] * 3
    others = [ask("Good evening."), ask(seed=1), ask(max_tokens=7), ask(top_logprobs=0), ask(json_schema={})]
    assert len({request.key("m") for request in (*others, same[0])}) == 6
    assert same[0].key("m") != same[0].key("another")


def test_the_same_question_at_once_is_asked_once(tmp_path: Path, ask: Ask) -> None:
    inner = ScriptedModel(["a"])
    model = CachedModel(inner, tmp_path)

    async def main() -> None:
        await asyncio.gather(*(model.complete(ask()) for _ in range(8)))

    asyncio.run(main())
    assert len(inner.asked) == 1 and model.hits == 7


def test_a_damaged_file_is_told(tmp_path: Path, ask: Ask) -> None:
    kept(tmp_path, ["a"], ask())
    (path,) = tmp_path.rglob("*.json")
    for text in ("{", '{"completion": {"text": 7}}', "[]"):
        path.write_text(text)
        with pytest.raises(StoreError, match=path.name):
            kept(tmp_path, [], ask())


UNUSABLE = errors.UnknownToolError("no such tool", remedy="there are: a", text="b()", usage=Usage(completion_tokens=3))


MISMATCH = errors.SchemaMismatchError("does not fit", problems=("a: is missing",), text="{}", usage=Usage())


@pytest.mark.parametrize(
    ("error", "times"),
    [
        *((UNUSABLE, 1), (errors.NotJsonError("x"), 1), (MISMATCH, 1)),
        *((errors.ConnectionLostError("gone"), 2), (errors.MalformedAnswerError("a page"), 2)),
    ],
)
def test_an_answer_that_may_not_be_used_is_kept_where_that_is_wanted(
    tmp_path: Path, error: ModelError, times: int
) -> None:
    model = ScriptedModel([error, error])
    request = CompletionRequest(messages=(Message(role="user", content="x"),))
    for _ in range(2):
        with pytest.raises(type(error)) as raised:
            asyncio.run(CachedModel(model, tmp_path, unusable=True).complete(request))
        told = raised.value
        assert (told.message, told.remedy) == (error.message, error.remedy)
        if isinstance(told, errors.SchemaMismatchError):
            assert (told.text, told.problems) == ("{}", ("a: is missing",))
        if isinstance(told, errors.UnknownToolError):
            assert (told.text, told.usage) == ("b()", Usage(completion_tokens=3))
    assert len(model.asked) == times


def test_a_kept_error_that_was_changed_is_refused(tmp_path: Path) -> None:
    request = CompletionRequest(messages=(Message(role="user", content="x"),))
    with pytest.raises(errors.UnknownToolError):
        asyncio.run(CachedModel(ScriptedModel([UNUSABLE]), tmp_path, unusable=True).complete(request))
    (file,) = tmp_path.rglob("*.json")
    file.write_text(file.read_text().replace("UnknownToolError", "SystemExit"))
    with pytest.raises(StoreError, match="no kept answer"):
        asyncio.run(CachedModel(ScriptedModel([]), tmp_path, unusable=True).complete(request))
