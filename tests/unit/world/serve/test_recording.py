"""What is kept of a finished episode, and that it can be played again and scored."""

from __future__ import annotations

import asyncio
import gc
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import SandboxError, StoreError
from envforge.core.records.intent import Intent
from envforge.core.records.task import Check, Difficulty, GoldCall, RubricItem, Task, TaskCertificate
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.score import Scorer
from envforge.store import log
from envforge.store.episodes import read_episodes
from envforge.store.log import append_record
from envforge.store.record_lines import read_records
from envforge.store.tasks import TaskSet
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.pool.pool import WorldPool
from envforge.world.replay import audit, observed
from envforge.world.serve import recording
from envforge.world.serve.episodes import Episodes
from envforge.world.serve.offer import Offer
from envforge.world.serve.recording import Outcome, Record

from ..pool.loops import on_a_loop
from .conftest import Serve, Served, serve_in_thread

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_book", {"book_id": 101}),
    ("add_member", {"name": "Ada", "level": "adult"}),
    ("add_member", {"name": "Ada", "level": "gold"}),
    ("no_such_tool", {}),
    ("get_book", {"book_id": 1 << 70}),
    ("post_notice", {"name": "hours", "text": "closed on Monday"}),
]


def _play(served: Served, key: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    sent = [{"tool": tool, "arguments": arguments} for tool, arguments in calls]
    return [served.ask("POST", f"/e/{key}/call", one, token=None).json for one in sent]


def test_a_finished_episode_is_what_a_replay_gives(serve: Serve, library: Environment, tmp_path: Path) -> None:
    with serve(record=tmp_path) as served:
        for seed in (0, 5):
            key = served.start(seed=seed)["episode"]
            _play(served, key, CALLS)
            told = served.ask("POST", f"/episodes/{key}/finish", {"answer": None})
            assert told.json == {"closed": True, "recorded": True}
        dropped = served.start()["episode"]
        _play(served, dropped, CALLS)
        assert served.ask("DELETE", f"/episodes/{dropped}").status == 200
    episodes = read_episodes(tmp_path / "library" / "episodes.jsonl")
    assert [episode.seed for episode in episodes] == [0, 5]
    assert [call.tool for call in episodes[0].calls] == [tool for tool, _ in CALLS]
    # What the World cannot hold is not written down, so its answer is not claimed.
    assert [bool(call.observation) for call in episodes[0].calls] == [True, True, True, True, False, True]
    assert audit(library, episodes, share=1.0) == []
    assert not (tmp_path / "library" / "trajectories.jsonl").exists()


def test_a_recorded_episode_does_not_grow_for_ever(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MOST_CALLS", 3)
    with serve(record=tmp_path) as served:
        key = served.start()["episode"]
        answers = _play(served, key, [CALLS[0]] * 5)
        assert [answer.get("error", {}).get("code") for answer in answers] == [None] * 3 + ["limit_exceeded"] * 2
        assert served.ask("POST", f"/episodes/{key}/finish", {}).json["recorded"] is True
    (episode,) = read_episodes(tmp_path / "library" / "episodes.jsonl")
    assert len(episode.calls) == 3


def test_of_two_like_calls_the_one_that_failed_is_left_out(library: Environment) -> None:
    record = Record()
    first, second = (record.begin("get_book", {"book_id": 101}) for _ in range(2))
    record.end(second, None)
    record.end(first, Observation(True, result={"id": 101}))
    (kept,) = record.episode(library, 0, b"").calls
    assert kept.observation == observed(Observation(True, result={"id": 101}))


@on_a_loop
async def test_a_call_that_nobody_waits_for_is_recorded_all_the_same(library: Environment, tmp_path: Path) -> None:
    pool = WorldPool([library], max_live=1, workers=1, isolation="shared")
    async with pool, Episodes(pool, [Offer(library)], record=tmp_path) as episodes:
        episode = await episodes.start()
        calls = [asyncio.create_task(episode.call(*call)) for call in CALLS[:2]]
        for _ in range(3):
            await asyncio.sleep(0)
        assert not any(call.done() for call in calls)
        calls[1].cancel()
        await asyncio.wait(calls)
        assert calls[1].cancelled()
        assert await episodes.finish(episode, Outcome("gave_up"))
    (kept,) = read_episodes(tmp_path / "library" / "episodes.jsonl")
    assert [call.tool for call in kept.calls] == ["get_book", "add_member"]
    assert audit(library, [kept], share=1.0) == []


@on_a_loop
async def test_a_call_that_fails_when_nobody_waits_is_not_logged(library: Environment, tmp_path: Path) -> None:
    logged: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
    pool = WorldPool([library], max_live=1, workers=1, isolation="shared")
    async with pool, Episodes(pool, [Offer(library)], record=tmp_path) as episodes:
        episode = await episodes.start()
        going, fail = asyncio.Event(), asyncio.Event()

        async def failing(*_: Any) -> Observation:
            going.set()
            await fail.wait()
            raise SandboxError("the worker died")

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(episode.session, "call", failing)
            call = asyncio.create_task(episode.call(*CALLS[0]))
            await going.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            del call
            fail.set()
            await episode.quiet()
        await asyncio.sleep(0)
        assert await episodes.finish(episode, Outcome("gave_up"))
    gc.collect()
    assert logged == []
    (kept,) = read_episodes(tmp_path / "library" / "episodes.jsonl")
    assert kept.calls == ()


def test_nothing_is_written_where_nobody_asked_for_it(served: Served) -> None:
    key = served.start()["episode"]
    assert served.ask("POST", f"/episodes/{key}/finish", {"answer": 1}).json == {"closed": True, "recorded": False}


CHECKS = (
    Check(
        id="new",
        kind="row",
        table="members",
        inserted=True,
        expect={"name": "Ada", "level": "adult"},
        fresh=("id",),
        free_columns=("id", "email", "active"),
    ),
    Check(id="said", kind="answer", path="title", expect="The Lighthouse Keeper's Atlas"),
)


@pytest.fixture
def opened(library: Environment) -> Environment:
    return replace(library, manifest=library.manifest.model_copy(update={"environment_hash": "11" * 32}))


@pytest.fixture
def task(opened: Environment) -> Task:
    """Take Ada on, and say what book 101 is called."""
    said: dict[str, Any] = {"source": "archetype", "parameters": {}, "said": {}, "spoken": {}, "banks": ()}
    return Task(
        id="library-0001",
        environment_id="library",
        environment_hash=opened.manifest.environment_hash,
        kind="graph",
        intent=Intent(family="take-on", kind="state_change", candidates=2, chosen=1, **said),
        instruction="Ada wants to be a member. And what is book 101 called?",
        now=opened.manifest.clock.epoch,
        answer_schema={"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
        checks=CHECKS,
        gold=(GoldCall(tool="get_book", arguments={"book_id": 101}),),
        rubric=(RubricItem(id="book", text="The book is named.", checks=("said",)),),
        difficulty=Difficulty(level=1, minimal_calls=2, tools=2, depth=1),
        certificate=TaskCertificate(gates=()),
    )


def _offer(opened: Environment, task: Task) -> Offer:
    return Offer(opened, {task.id: task}, TaskSet((task,)).task)


FINISHES: list[tuple[dict[str, Any], str, float | None]] = [
    ({"answer": {"title": "The Lighthouse Keeper's Atlas"}, "agent": "mine"}, "answered", 1.0),
    ({"answer": {"title": "Night Trains"}}, "answered", 0.0),
    ({"answer": None}, "answered", 0.0),
    ({}, "gave_up", 0.0),
]


def test_a_finished_task_can_be_scored(serve: Serve, opened: Environment, task: Task, tmp_path: Path) -> None:
    with serve([_offer(opened, task)], record=tmp_path) as served:
        assert served.ask("GET", "/tasks").json == {
            "library": [{"task": task.id, "level": 1, "instruction": task.instruction}]
        }
        for finish, _, _ in FINISHES:
            told = served.start(task="1", seed=4)
            assert told["task"] == task.id and told["instruction"] == task.instruction
            assert told["answer_schema"] == task.answer_schema and told["now"] == task.now
            _play(served, told["episode"], CALLS[:2])
            assert served.ask("POST", f"/episodes/{told['episode']}/finish", finish).json["recorded"] is True
    trajectories = read_records(tmp_path / "library" / "trajectories.jsonl", Trajectory, "")
    assert [one.ending for one in trajectories] == [ending for _, ending, _ in FINISHES]
    assert [one.agent for one in trajectories] == ["mine", "client", "client", "client"]
    assert all(one.verdict is None and one.seed == 4 and len(one.turns) == 2 for one in trajectories)
    with Scorer(opened) as scorer:
        verdicts = [scorer.score_episode(task, one) for one in trajectories]
    assert [verdict.score for verdict in verdicts] == [score for _, _, score in FINISHES], verdicts[0]


HANDED_IN: list[tuple[list[Any], dict[str, Any], Any]] = [
    ([{"title": "A"}, {"title": "B"}], {}, {"title": "B"}),
    ([None], {}, None),
    ([{"title": "A"}], {"answer": 3}, 3),
]
"""What the agent handed in, how the episode was finished, and the answer that is recorded."""


def test_what_the_agent_handed_in_last_is_its_answer_unless_another_is_given(
    serve: Serve, opened: Environment, task: Task, tmp_path: Path
) -> None:
    with serve([_offer(opened, task)], record=tmp_path) as served:
        for values, finish, _ in HANDED_IN:
            key = served.start(task="1")["episode"]
            for value in values:
                assert served.ask("POST", f"/e/{key}/answer", {"answer": value}, token=None).status == 200
            assert served.ask("POST", f"/episodes/{key}/finish", finish).json["recorded"] is True
    trajectories = read_records(tmp_path / "library" / "trajectories.jsonl", Trajectory, "")
    assert [(one.ending, one.answer) for one in trajectories] == [("answered", answer) for _, _, answer in HANDED_IN]


def test_an_agent_learns_of_its_task_no_more_than_its_words(serve: Serve, opened: Environment, task: Task) -> None:
    with serve([_offer(opened, task)]) as served:
        told = served.start(task=task.id)
        key = told["episode"]
        who = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        rpc = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
        accepting = {"accept": "application/json, text/event-stream"}
        seen = [served.ask("POST", f"/e/{key}/mcp", rpc, headers=accepting)]
        seen += [served.ask("GET", f"/e/{key}", token=None), served.ask("GET", "/tasks")]
        text = json.dumps(told) + "".join(answer.body.decode() for answer in seen)
        assert task.instruction in text
        for secret in (
            "checks",
            "gold",
            "rubric",
            "verifier",
            "certificate",
            "The book is named",
            "inserted",
            "expect",
        ):
            assert secret not in text


def test_a_task_that_is_not_there(serve: Serve, opened: Environment, task: Task) -> None:
    with serve([_offer(opened, task)]) as served:
        answer = served.ask("POST", "/episodes", {"task": "task-9"})
        assert answer.status == 400 and "no task 'task-9'" in answer.failure["message"]
        assert task.id in answer.failure["remedy"]


def test_a_start_that_fails_on_a_file_of_the_server_tells_no_path(opened: Environment, tmp_path: Path) -> None:
    def gone(_: str) -> Task:
        raise StoreError("cannot be read", where=str(tmp_path / "tasks.jsonl"))

    with serve_in_thread([Offer(opened, find_task=gone)]) as served:
        answer = served.ask("POST", "/episodes", {"task": "1"})
    assert answer.status == 400 and answer.failure["code"] == "store" and str(tmp_path) not in answer.body.decode()


def test_an_episode_that_could_not_be_recorded_can_be_finished_again(
    serve: Serve, opened: Environment, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with serve([_offer(opened, task)], record=tmp_path) as served:
        key = served.start(task=task.id)["episode"]
        _play(served, key, CALLS[:2])
        with monkeypatch.context() as patched:
            patched.setattr(log.os, "write", full)
            answer = served.ask("POST", f"/episodes/{key}/finish", {"answer": 1})
        assert answer.status == 507 and "No space left" in answer.failure["message"]
        assert str(tmp_path) not in answer.body.decode()
        assert served.ask("POST", f"/episodes/{key}/finish", {"answer": 1}).json["recorded"] is True
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        assert len((tmp_path / "library" / name).read_bytes().splitlines()) == 1


def test_a_line_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "log.jsonl"
    append_record(path, {"a": 1})
    append_record(path, {"b": "ü\u2028"})
    whole = path.read_bytes()
    assert whole.count(b"\n") == 2
    path.write_bytes(whole + b'{"cut": "sho')
    append_record(path, {"c": 3})
    assert path.read_bytes() == whole + b'{"c":3}\n'
    written: list[int] = []

    def half(handle: int, data: memoryview) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(pwrite(handle, data[:4], path.stat().st_size))
        return 4

    pwrite = log.os.pwrite
    monkeypatch.setattr(log.os, "write", half)
    with pytest.raises(StoreError, match="No space left"):
        append_record(path, {"d": "this one does not fit"})
    monkeypatch.undo()
    assert written == [4] and path.read_bytes() == whole + b'{"c":3}\n'


def test_a_file_of_one_cut_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"x" * 200_000)
    append_record(path, {"a": 1})
    assert path.read_bytes() == b'{"a":1}\n'


def test_many_writers_leave_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"

    def append(number: int) -> None:
        append_record(path, {"n": number, "text": "x" * 5000})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(append, range(200)))
    assert sorted(json.loads(line)["n"] for line in path.read_text().splitlines()) == list(range(200))
