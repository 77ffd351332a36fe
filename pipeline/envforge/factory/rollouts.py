"""Runs of rollouts: environments, tasks, pool, models and agents, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Timing, Trajectory
from envforge.factory.eval_config import drawn
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.factory.rollout_config import COMMAND, MODEL, RolloutConfig
from envforge.llm.connect import Connection, Endpoints, ModelSettings, connect
from envforge.llm.prices import PRICES_FILE, Prices, read_prices
from envforge.rollout.command_player import CommandPlayer
from envforge.rollout.model_player import ModelPlayer
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import Player, RolloutRequest, planned_requests
from envforge.rollout.rewards import rewarded
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog
from envforge.rollout.users import UserMaker, user_maker
from envforge.store.workspace import Workspace
from envforge.world.pool.pool import WorldPool

_CACHE = "cache"
_USER = "user"
"""Accounts and cache of the model that plays the user stand apart."""


@dataclass
class Tally:
    """Episodes of one agent."""

    episodes: int = 0
    scored: int = 0
    passed: int = 0
    statuses: Counter[str] = field(default_factory=Counter[str])

    def add(self, trajectory: Trajectory) -> None:
        """One more."""
        self.episodes += 1
        self.scored += trajectory.reward is not None
        self.passed += trajectory.verdict is not None and trajectory.verdict.score == 1.0
        self.statuses[trajectory.status] += 1


@dataclass
class RolloutReport:
    """What a run came to. `seconds` and `shares` are of what was played now, the rest of all that stands in it."""

    out: str
    found: int = 0
    """Episodes that were there already."""
    played: int = 0
    seconds: float = 0.0
    waited: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds of all episodes together, by what for: model, world, score."""
    agents: dict[str, Tally] = field(default_factory=dict[str, Tally])
    spent: dict[str, Any] | None = None

    @property
    def whole(self) -> bool:
        """Every episode could be scored."""
        return all(tally.scored == tally.episodes for tally in self.agents.values())

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        agents = {
            name: {
                "episodes": tally.episodes,
                "scored": tally.scored,
                "passed": tally.passed,
                "statuses": dict(sorted(tally.statuses.items())),
            }
            for name, tally in sorted(self.agents.items())
        }
        waited = {name: round(seconds, 3) for name, seconds in sorted(self.waited.items())}
        known = {"out": self.out, "found": self.found, "played": self.played, "seconds": round(self.seconds, 3)}
        return {**known, "waited_seconds": waited, "agents": agents, "spent": self.spent, "whole": self.whole}


async def rollout(workspace: Workspace, config: RolloutConfig, progress: Progress) -> RolloutReport:
    """Play what the config says into its folder; what stands there already is not played again.

    Raises ConfigError, StoreError for what cannot be opened, BudgetError when the budget is used up (what was played
    stands in the folder), SandboxError when this machine cannot hold tool code.
    """
    opened = [open_tasks(workspace, name) for name in config.environments]
    given = [one.assignment(task) for one in opened for task in chosen_tasks(one, config)]
    report = RolloutReport(str(config.out))
    began = perf_counter()
    async with AsyncExitStack() as stack:
        log = stack.enter_context(TrajectoryLog(config.out, again=config.again))
        report.found = log.found
        _refuse_other_rewards(log, {one.task.id: one.task for one in given}, config)
        prices = read_prices(workspace.data_file(PRICES_FILE))
        players = await _players(config, opened, prices, stack)
        requests = list(planned_requests(given, players, attempts=config.attempts, seed=config.seed))
        pool = await stack.enter_async_context(_pool(opened, config))
        on_done = _counting(report, requests, log, progress)
        await run_rollouts(
            requests, pool=pool, out=log, concurrency=config.concurrency, on_done=on_done, rewarding=config.rewarding
        )
        for trajectory in log.trajectories():
            report.agents.setdefault(trajectory.agent, Tally()).add(trajectory)
        report.spent = _spent(players)
    report.seconds = perf_counter() - began
    return report


def _refuse_other_rewards(log: TrajectoryLog, tasks: Mapping[str, Task], config: RolloutConfig) -> None:
    """Raises ConfigError for a folder whose episodes were rewarded otherwise: a trainer must not get both as one."""
    for one in log.trajectories() if log.found else ():
        if one.verdict is None or one.task_id not in tasks:
            continue
        now = rewarded(tasks[one.task_id], one, one.verdict, config.rewarding)
        if (now.reward, now.rewards) != (one.reward, one.rewards):
            message = "holds episodes that were rewarded otherwise"
            remedy = "give another --out, or the --reward and --rewarding of the run there"
            raise ConfigError(message, where=str(config.out), remedy=remedy)


def chosen_tasks(opened: OpenedTasks, config: RolloutConfig) -> Sequence[Task]:
    """The tasks of one environment, in the order of its file. Raises StoreError for one that is not there."""
    tasks = opened.tasks.tasks
    if config.task_ids:
        known = {task.id for task in tasks}
        wanted = {name if name in known else opened.tasks.task(name).id for name in config.task_ids}
        return [task for task in tasks if task.id in wanted]
    return drawn(tasks, config.count, config.seed)


def _pool(opened: Sequence[OpenedTasks], config: RolloutConfig) -> WorldPool:
    return WorldPool(
        [one.environment for one in opened],
        max_live=max(config.concurrency, 1),
        workers=config.workers,
        isolation=config.isolation,
    )


def _counting(report: RolloutReport, requests: Sequence[RolloutRequest], log: TrajectoryLog, progress: Progress) -> Any:
    total = len({request.key for request in requests})
    passed = 0
    progress("rollouts", sum(request.key in log for request in requests), total)

    def on_done(request: RolloutRequest, trajectory: Trajectory, timing: Timing) -> None:
        nonlocal passed
        del request
        report.played += 1
        passed += trajectory.reward == 1.0
        waited = {"model": sum(timing.model_seconds), "world": timing.world_seconds, "score": timing.score_seconds}
        for name, seconds in {**waited, "all": timing.seconds}.items():
            report.waited[name] = report.waited.get(name, 0.0) + seconds
        progress(f"rollouts ({passed} of {report.played} passed)", len(log), total)

    return on_done


async def _players(
    config: RolloutConfig, opened: Iterable[OpenedTasks], prices: Prices, stack: AsyncExitStack
) -> list[Player]:
    endpoints, players = Endpoints(), list[Player]()
    for agent in config.agents:
        if agent == MODEL and config.model is not None:
            connection = _connected(config.model, config.out, prices, endpoints, stack)
            user = _user(config, prices, endpoints, stack)
            players.append(_MeteredPlayer(connection, config, user))
        elif agent == COMMAND and config.command is not None:
            environments = [one.environment for one in opened]
            player = CommandPlayer(config.command, environments, seconds=config.command_seconds)
            players.append(await stack.enter_async_context(player))
        else:
            players.append(NamedPlayer(agent))
    if len({player.name for player in players}) < len(players):
        raise ConfigError("an agent is named twice", where="--agent", remedy="name each once; --attempts repeats")
    return players


def _connected(
    settings: ModelSettings, run: Path, prices: Prices, endpoints: Endpoints, stack: AsyncExitStack
) -> Connection:
    connection = connect(
        settings,
        run=run,
        cache=run / _CACHE,
        prices=prices,
        endpoints=endpoints,
        transcribed=False,
        cache_unusable=True,
    )
    stack.push_async_callback(connection.model.close)
    return connection


def _user(config: RolloutConfig, prices: Prices, endpoints: Endpoints, stack: AsyncExitStack) -> UserMaker | None:
    if config.user is None:
        return None
    if config.user_model is None:
        return user_maker(config.user)
    return user_maker(config.user, _connected(config.user_model, config.out / _USER, prices, endpoints, stack).model)


class _MeteredPlayer(ModelPlayer):
    """A model whose spending is known."""

    def __init__(self, connection: Connection, config: RolloutConfig, user: UserMaker | None) -> None:
        assert config.model is not None
        super().__init__(connection.model, config.play, name=f"model:{Path(config.model.model).name}", user=user)
        self.accounts = connection.accounts


def _spent(players: Iterable[Player]) -> dict[str, Any] | None:
    return next((player.accounts.to_json() for player in players if isinstance(player, _MeteredPlayer)), None)
