"""What becomes of episodes and of what was asked when a worker dies, hangs or talks nonsense."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from envforge.core.errors import EnvforgeError, SandboxError, ToolFault
from envforge.world.exchange import call_request
from envforge.world.pool.asked import Asked, rest_of, rest_of_call
from envforge.world.pool.lane import Lane
from envforge.world.sandbox.process import WorkerProcess

from .fake_worker import Behave, FakeWorker, random_bytes
from .loops import on_a_loop


class Answers:
    """A sink for a test."""

    def __init__(self) -> None:
        self.future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        self.future.set_result(told)
        return True

    def failed(self, error: EnvforgeError) -> None:
        self.future.set_exception(error)


class Bench:
    """A lane over fake workers, of which each may be given a behaviour."""

    def __init__(self, *behaviours: Behave | None, call_seconds: float = 5.0) -> None:
        self.workers: list[FakeWorker] = []
        self._behaviours = list(behaviours)
        self._seconds = call_seconds
        self.lane = Lane(self._start, self._start())

    def _start(self) -> WorkerProcess:
        behave = self._behaviours.pop(0) if self._behaviours else None
        self.workers.append(FakeWorker(behave, call_seconds=self._seconds))
        return self.workers[-1].as_process()

    async def open(self) -> int:
        number = self.lane.join()
        await self.ask(number, {"do": "open", "seed": 0}, self.lane.journals.begin)
        return number

    def ask(self, number: int, request: dict[str, Any], then: Any = None) -> asyncio.Future[dict[str, Any]]:
        sink = Answers()
        self.lane.ask(Asked(number, rest_of(request), sink, then=then))
        return sink.future

    def add(self, number: int, value: int) -> asyncio.Future[dict[str, Any]]:
        return self.ask(number, {"do": "add", "value": value}, self.lane.journals.add)

    async def values(self, number: int) -> list[int]:
        return (await self.ask(number, {"do": "list"}))["result"]["values"]

    async def close(self) -> None:
        await self.lane.close(SandboxError("closed"))


def dies_at(value: int, times: int = 1) -> Behave:
    """Workers that die at a request to add this value, so many times (over all workers that share it)."""
    left = [times]

    def behave(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        if request.get("value") == value and left[0]:
            left[0] -= 1
            worker.die()
            raise OSError("dead")
        return None

    return behave


@on_a_loop
async def test_episodes_go_on_where_they_stood_when_their_worker_is_killed() -> None:
    bench = Bench()
    one, two = await bench.open(), await bench.open()
    for value in (1, 2, 3):
        await bench.add(one, value)
    await bench.add(two, 7)
    bench.workers[0].die()
    assert await bench.values(one) == [1, 2, 3] and await bench.values(two) == [7]
    assert (bench.lane.replaced, bench.lane.brought_back, bench.lane.lost) == (1, 2, 0)
    await bench.close()


@on_a_loop
async def test_what_a_dead_worker_had_is_asked_again_once_each() -> None:
    dying = dies_at(20)
    bench = Bench(dying, dying)
    one, two = await bench.open(), await bench.open()
    asked = [bench.add((one, two)[value % 2], value) for value in range(40)]
    told = await asyncio.gather(*asked)
    assert all("result" in answer for answer in told)
    assert await bench.values(one) == list(range(0, 40, 2))
    assert await bench.values(two) == list(range(1, 40, 2))
    assert bench.lane.replaced == 1 and bench.lane.lost == 0
    await bench.close()


@on_a_loop
async def test_a_request_that_kills_every_worker_fails_alone() -> None:
    dying = dies_at(20, times=10)
    bench = Bench(*[dying] * 10)
    one, two = await bench.open(), await bench.open()
    asked = [bench.add((one, two)[value % 2], value) for value in range(40)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    failed = [number for number, answer in enumerate(told) if isinstance(answer, BaseException)]
    assert failed == [20] and isinstance(told[20], SandboxError)
    assert await bench.values(one) == [value for value in range(0, 40, 2) if value != 20]
    assert bench.lane.replaced == 3 and bench.lane.lost == 1
    await bench.close()


@on_a_loop
async def test_a_request_that_runs_over_its_time_fails_at_once_and_alone() -> None:
    stuck = threading.Event()

    def hangs(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        if request.get("value") == 2:
            stuck.wait(20)
            raise OSError("dead")
        return None

    bench = Bench(hangs, call_seconds=0.4)
    one = await bench.open()
    told = await asyncio.gather(*[bench.add(one, value) for value in (1, 2, 3)], return_exceptions=True)
    stuck.set()
    assert isinstance(told[1], SandboxError) and "over its time" in str(told[1])
    assert await bench.values(one) == [1, 3]
    await bench.close()


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(random_bytes, id="nonsense"),
        pytest.param(lambda worker, request: b"x" * 8 + b"\0\0\0\2\0\0\0\0{}", id="of another request"),  # pyright: ignore
        pytest.param(lambda worker, request: b"\0" * 8 + b"\xff" * 8, id="endless"),  # pyright: ignore
    ],
)
@on_a_loop
async def test_an_answer_that_is_none_costs_the_worker_and_no_episode(behave: Behave) -> None:
    def once(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        return behave(worker, request) if request.get("value") == 2 else None

    bench = Bench(once)
    one = await bench.open()
    await asyncio.gather(*[bench.add(one, value) for value in (1, 2, 3)])
    assert await bench.values(one) == [1, 2, 3] and bench.lane.replaced == 1
    await bench.close()


@on_a_loop
async def test_an_episode_whose_tools_answer_otherwise_the_second_time_is_gone_and_says_so() -> None:
    def forgets(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        if request.get("value") == 5:
            worker.worlds[request["world"]].append(1000)
        return None

    bench = Bench(None, forgets)
    one, two = await bench.open(), await bench.open()
    await bench.add(one, 5)
    await bench.add(two, 6)
    bench.workers[0].die()
    with pytest.raises(SandboxError, match="answered otherwise"):
        await bench.values(one)
    with pytest.raises(SandboxError, match="answered otherwise"):
        await bench.add(one, 1)
    assert await bench.values(two) == [6]
    assert set(bench.workers[1].worlds) == {two}  # what nobody can reach takes no room
    await bench.close()


@on_a_loop
async def test_a_lane_that_gets_no_worker_any_more_says_so_to_all() -> None:
    def dies(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        worker.die()
        raise OSError("dead")

    bench = Bench(None, *[dies] * 10)
    one = await bench.open()
    bench.workers[0].die()
    told = await asyncio.gather(*[bench.add(one, value) for value in (1, 2)], return_exceptions=True)
    assert all("could not be brought back" in str(answer) for answer in told)
    with pytest.raises(SandboxError, match="could not be brought back"):
        await bench.add(one, 3)
    assert bench.lane.replaced == 4
    await bench.close()


async def _killed_again_and_again(places: Iterable[int], episodes: int) -> tuple[Bench, list[int]]:
    """A bench whose first worker is killed, and each further one while it is told what the next of `places` did."""
    bench = Bench(None, *map(dies_at, places))
    opened = [await bench.open() for _ in range(episodes)]
    for value, number in enumerate(opened):
        await bench.add(number, value)
    bench.workers[0].die()
    return bench, opened


@on_a_loop
async def test_workers_that_are_killed_at_one_episode_and_another_cost_none() -> None:
    bench, opened = await _killed_again_and_again([5, 1, 1, 3, 0, 2, 1, 4], episodes=6)
    assert [await bench.values(number) for number in opened] == [[value] for value in range(6)]
    assert (bench.lane.replaced, bench.lane.brought_back, bench.lane.lost) == (9, 6, 0)
    await bench.close()


@pytest.mark.parametrize(
    ("places", "replaced"),
    [
        pytest.param([5, 1, 1, 3, 1, 1, 4], 6, id="at the same episode"),
        pytest.param(range(30), 16, id="at any episode, for ever"),
    ],
)
@on_a_loop
async def test_workers_that_die_on_and_on_are_given_up(places: Sequence[int], replaced: int) -> None:
    bench, opened = await _killed_again_and_again(places, episodes=30)
    with pytest.raises(SandboxError, match="could not be brought back"):
        await bench.values(opened[0])
    assert bench.lane.replaced == replaced
    await bench.close()


@pytest.mark.parametrize("fault", [SandboxError("no memory"), ToolFault("it is another one now")])
@on_a_loop
async def test_workers_that_do_not_start_are_given_up(fault: EnvforgeError, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    one = await bench.open()

    def fails() -> WorkerProcess:
        raise fault

    monkeypatch.setattr(bench.lane, "_start", fails)
    bench.workers[0].die()
    with pytest.raises(SandboxError, match="could not be brought back"):
        await bench.values(one)
    assert bench.lane.replaced == 4
    await bench.close()


@on_a_loop
async def test_what_waits_when_a_lane_is_closed_is_told() -> None:
    def slow(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        threading.Event().wait(0.2)
        return None

    bench = Bench(None, slow)
    one = await bench.open()
    bench.workers[0].die()
    waiting = bench.add(one, 1)
    await asyncio.sleep(0.05)
    await bench.close()
    with pytest.raises(SandboxError, match="closed"):
        await waiting


@on_a_loop
async def test_reads_and_refused_calls_are_not_made_again() -> None:
    bench = Bench()
    one = await bench.open()
    await bench.add(one, 1)
    for _ in range(5):
        await bench.values(one)
    bench.workers[0].die()
    assert await bench.values(one) == [1]
    assert [request["do"] for request in bench.workers[1].seen] == ["open", "add", "list"]
    await bench.close()


@on_a_loop
async def test_what_came_before_a_reset_is_not_made_again() -> None:
    bench = Bench()
    one = await bench.open()
    await bench.add(one, 1)
    await bench.ask(one, {"do": "reset", "seed": 3}, bench.lane.journals.begin)
    await bench.add(one, 2)
    bench.workers[0].die()
    assert await bench.values(one) == [2]
    assert bench.workers[1].seen[0] == {"world": one, "do": "open", "seed": 3}
    await bench.close()


@on_a_loop
async def test_a_worker_begins_before_all_of_a_batch_are_asked() -> None:
    begun = threading.Event()

    def tells(worker: FakeWorker, request: dict[str, Any]) -> bytes | None:
        if request.get("value") == 10:
            begun.set()
        return None

    bench = Bench(tells)
    one = await bench.open()
    asked = [bench.add(one, value) for value in range(100)]
    # Nothing here has given way to the loop yet.
    assert begun.wait(20)
    await asyncio.gather(*asked)
    assert await bench.values(one) == list(range(100))
    await bench.close()


@pytest.mark.parametrize("tool", ["search", "{}", 'a"b{}'])
@pytest.mark.parametrize("arguments", [{}, {"query": "{}", "n": 3}, {"nested": {"\u00e9": [None, True, 1.5]}}])
def test_a_call_is_asked_as_any_request(tool: str, arguments: dict[str, Any]) -> None:
    request = call_request(tool, arguments, reads_only=True)
    assert rest_of_call(tool, arguments, reads_only=True) == rest_of(request)
