"""What the loop costs beside its model: an in-process model that takes 50 ms and plays the gold solutions."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.records.completion import Completion, CompletionRequest, ToolCall, Usage
from envforge.core.records.trajectory import Trajectory
from envforge.core.seeds import derive_seed
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.rollout.model_player import ModelPlay, ModelPlayer
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import Player, RolloutRequest, planned_requests
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog, read_timings, read_trajectories
from envforge.store.workspace import Workspace
from envforge.world.pool.pool import WorldPool

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ("notion", "airline-booking", "web-browsers")
LATENCY = 0.05
WHOLE = os.environ.get("ENVFORGE_BENCH_EPISODES", "")
"""How many episodes where it is measured; a few where it is only tried."""


@dataclass
class GoldModel:
    """Answers as the gold solution of the episode would go on, after 50 ms. It knows the episode by its seeds."""

    answers: Mapping[int, ToolCall]
    latency: float = LATENCY
    identity: str = "gold in 50 ms"
    calls: int = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        await asyncio.sleep(self.latency)
        self.calls += 1
        if request.seed is None or request.seed not in self.answers:
            raise ConfigError("no such turn was recorded", where=str(request.seed))
        call = self.answers[request.seed]
        usage = Usage(prompt_tokens=1000, completion_tokens=40)
        return Completion(tool_calls=(call,), finish_reason="tool_calls", usage=usage)

    async def close(self) -> None:
        pass


@dataclass
class Stand:
    """Episodes whose gold solutions were recorded."""

    opened: Sequence[OpenedTasks]
    attempts: int
    answers: dict[int, ToolCall] = field(default_factory=dict[int, ToolCall])

    def requests(self, player: Player) -> list[RolloutRequest]:
        given = [one.assignment(task) for one in self.opened for task in one.tasks.tasks]
        return list(planned_requests(given, [player], attempts=self.attempts))

    def learn(self, trajectory: Trajectory) -> None:
        calls = [(turn.tool, turn.arguments) for turn in trajectory.turns]
        calls.append(("final_answer", trajectory.answer))
        for number, (name, arguments) in enumerate(calls):
            call = ToolCall(id="c", name=name, raw_arguments=canonical_json(arguments), arguments=arguments)
            self.answers[derive_seed(trajectory.seed, "turn", number) >> 33] = call


def played(stand: Stand, player: Player, folder: Path, concurrency: int, most: int) -> tuple[list[Trajectory], float]:
    async def whole() -> float:
        pool = WorldPool([one.environment for one in stand.opened], max_live=concurrency)
        async with pool:
            for one in stand.opened:
                await (await pool.start(one.environment.manifest.id)).close()
            began = perf_counter()
            with TrajectoryLog(folder) as out:
                requests = stand.requests(player)
                chosen = requests[:: max(1, len(requests) // most)][:most]
                await run_rollouts(chosen, pool=pool, out=out, concurrency=concurrency)
            return perf_counter() - began

    seconds = asyncio.run(whole())
    return list(read_trajectories(folder)), seconds


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Stand:
    workspace = Workspace(ROOT)
    stand = Stand([open_tasks(workspace, name) for name in ENVIRONMENTS], attempts=5 if WHOLE else 1)
    found, _ = played(stand, NamedPlayer("gold"), tmp_path_factory.mktemp("gold"), 8, int(WHOLE or 16))
    assert all(one.reward == 1.0 for one in found)
    for one in found:
        stand.learn(one)
    return stand


@pytest.mark.parametrize("concurrency", [8, 200])
def test_share_of_environment_and_scoring(
    benchmark: Any, stand: Stand, tmp_path: Path, concurrency: int, capsys: pytest.CaptureFixture[str]
) -> None:
    model = GoldModel(stand.answers, latency=LATENCY if WHOLE else 0.0)
    player = ModelPlayer(model, ModelPlay(max_turns=400))
    most = int(WHOLE or 16)
    found, seconds = benchmark.pedantic(
        played, args=(stand, player, tmp_path, concurrency, most), rounds=1, iterations=1, warmup_rounds=0
    )
    assert len(found) == most and all(one.reward == 1.0 for one in found)
    timings = read_timings(tmp_path).values()
    whole = sum(timing.seconds for timing in timings)
    ours = sum(timing.world_seconds + timing.score_seconds for timing in timings)
    ideal = model.calls * model.latency / concurrency
    with capsys.disabled():
        sys.stdout.write(
            f"\n{concurrency} at once: {len(found)} episodes, {model.calls} calls of the model in {seconds:.2f} s; "
            f"environment and scoring {ours / whole:.2%} of an episode's time; "
            f"{ideal / seconds:.1%} of the ideal rate ({model.calls / seconds:.0f} calls a second)\n"
        )
