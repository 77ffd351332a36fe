"""Many episodes at once: scored, logged, resumed; the same seed gives the same bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.trajectory import Timing, Trajectory
from envforge.rollout.agents import Assignment
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import RolloutRequest, planned_requests
from envforge.rollout.runner import OnDone, run_rollouts
from envforge.rollout.trajectory_log import TIMINGS, TRAJECTORIES, TrajectoryLog, read_timings, read_trajectories
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

from .conftest import make_task


def run(
    library: Environment,
    folder: Path,
    requests: Sequence[RolloutRequest],
    *,
    concurrency: int = 3,
    on_done: OnDone | None = None,
) -> list[Trajectory]:
    async def whole() -> None:
        async with WorldPool([library], isolation="forked") as pool:
            with TrajectoryLog(folder) as out:
                await run_rollouts(requests, pool=pool, out=out, concurrency=concurrency, on_done=on_done)

    asyncio.run(whole())
    return list(read_trajectories(folder))


@pytest.fixture(scope="module")
def planned(graph: Assignment, program: Assignment) -> list[RolloutRequest]:
    players = [NamedPlayer(name) for name in ("gold", "noop", "scripted:0.5")]
    return list(planned_requests([graph, program], players, attempts=2, seed=4))


def test_each_is_played_scored_and_logged(library: Environment, tmp_path: Path, planned: list[RolloutRequest]) -> None:
    done: list[str] = []

    def on_done(request: RolloutRequest, trajectory: Trajectory, timing: Timing) -> None:
        assert request.key == trajectory.key == timing.key
        done.append(request.key)

    found = run(library, tmp_path, planned, on_done=on_done)
    assert [one.key for one in found] == [one.key for one in planned]
    assert sorted(done) == sorted(one.key for one in planned)
    by_agent = {name: [one.reward for one in found if one.agent == name] for name in ("gold", "noop")}
    assert by_agent == {"gold": [1.0] * 4, "noop": [0.0] * 4}
    assert {one.status for one in found} <= {"completed", "error"}
    assert read_timings(tmp_path).keys() == {one.key for one in planned}


def test_what_each_call_changed(library: Environment, tmp_path: Path, graph: Assignment) -> None:
    (found,) = run(library, tmp_path, [RolloutRequest(graph, NamedPlayer("gold"), 5)])
    search, listed, back, lent = (turn.changed for turn in found.turns)
    assert search == listed == {}
    assert back is not None and len(back["tables"]["loans"]["updated"]) == 1 and not back["tables"]["loans"]["inserted"]
    assert lent is not None and len(lent["tables"]["loans"]["inserted"]) == 1 and not lent["tables"]["loans"]["updated"]
    assert found.state_diff is not None and len(found.state_diff["tables"]["loans"]["updated"]) == 1


def test_the_same_seed_gives_the_same_bytes(
    library: Environment, tmp_path: Path, planned: list[RolloutRequest]
) -> None:
    run(library, tmp_path / "one", planned, concurrency=4)
    run(library, tmp_path / "two", planned, concurrency=1)
    one, two = ((tmp_path / name / TRAJECTORIES).read_bytes() for name in ("one", "two"))
    assert one == two


def test_what_is_in_the_log_is_not_played_again(
    library: Environment, tmp_path: Path, planned: list[RolloutRequest]
) -> None:
    run(library, tmp_path / "whole", planned)
    whole = (tmp_path / "whole" / TRAJECTORIES).read_bytes()
    # Interrupted: five lines and a half, in the order in which episodes ended.
    lines = whole.splitlines(keepends=True)
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / TRAJECTORIES).write_bytes(b"".join(reversed(lines[:5])) + lines[5][:40])
    done: list[str] = []
    run(library, cut, planned, on_done=lambda request, trajectory, timing: done.append(request.key))
    assert sorted(done) == sorted(one.key for one in planned[5:])
    assert (cut / TRAJECTORIES).read_bytes() == whole


class Stops(Exception):
    pass


def test_an_interrupted_run_leaves_whole_episodes(
    library: Environment, tmp_path: Path, planned: list[RolloutRequest]
) -> None:
    left = [3]

    def stop(*_: object) -> None:
        left[0] -= 1
        if not left[0]:
            raise Stops

    with pytest.raises(Stops):
        run(library, tmp_path, planned, on_done=stop)
    found = list(read_trajectories(tmp_path))
    assert 3 <= len(found) < len(planned) and all(one.verdict is not None for one in found)
    assert [one.key for one in run(library, tmp_path, planned)] == [one.key for one in planned]


def test_a_task_of_another_environment_is_infrastructure_and_the_rest_goes_on(
    library: Environment, tmp_path: Path, graph: Assignment
) -> None:
    strangers = [
        replace(graph, task=make_task(id="other-hash", environment_hash="22" * 32)),
        replace(graph, task=make_task(id="no-hash", environment_hash="")),
        replace(graph, task=make_task(id="elsewhere", environment_id="nowhere")),
    ]
    found = run(library, tmp_path, list(planned_requests([*strangers, graph], [NamedPlayer("gold")])))
    assert [one.status for one in found] == ["infrastructure"] * 3 + ["completed"]
    assert [one.reward for one in found] == [None] * 3 + [1.0]
    assert [one.failure_kind for one in found] == ["StoreError", "StoreError", "ConfigError", ""]


def test_a_verifier_that_breaks_is_no_zero(library: Environment, tmp_path: Path, program: Assignment) -> None:
    broken = replace(program, verifier="def verify(initial, final, diff, answer):\n    return 1 / 0\n")
    first, second = run(library, tmp_path, list(planned_requests([broken, program], [NamedPlayer("gold")])))
    assert first.verdict is not None and first.verdict.status == "unscored" and first.reward is None
    assert "verifier" in first.verdict.reasons[0]
    assert second.reward == 1.0


def test_infrastructure_is_played_again_when_told(library: Environment, tmp_path: Path, graph: Assignment) -> None:
    lost = replace(graph, task=make_task(environment_id="nowhere"))
    request = RolloutRequest(lost, NamedPlayer("noop"), 1)
    run(library, tmp_path, [request])
    with TrajectoryLog(tmp_path) as log:
        assert request.key in log and log.found == 1
    with TrajectoryLog(tmp_path, again=["infrastructure"]) as log:
        assert request.key not in log and log.found == 0


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with TrajectoryLog(tmp_path), pytest.raises(ConfigError, match="another run writes there"):
        TrajectoryLog(tmp_path)
    TrajectoryLog(tmp_path).close()


@pytest.mark.parametrize("line", [b"{}\n", b"no json\n", b"[]\n"])
def test_a_log_that_was_changed_is_refused(tmp_path: Path, line: bytes) -> None:
    (tmp_path / TRAJECTORIES).write_bytes(line)
    with pytest.raises(StoreError, match="line 1"):
        TrajectoryLog(tmp_path)
    # It lets go of the folder.
    (tmp_path / TRAJECTORIES).unlink()
    TrajectoryLog(tmp_path).close()


def test_a_timing_without_its_episode_goes(library: Environment, tmp_path: Path, graph: Assignment) -> None:
    (tmp_path / TIMINGS).write_text(f'{{"key": "{"0" * 64}", "seconds": 1.0}}\n')
    run(library, tmp_path, [RolloutRequest(graph, NamedPlayer("noop"), 1)])
    assert "0" * 64 not in read_timings(tmp_path)
