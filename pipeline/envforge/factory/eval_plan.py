"""What a run of `envforge eval` consists of, before anything is played: tasks, agents, and what it is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from envforge.core.errors import ConfigError
from envforge.core.records.evaluation import EvaluatedAgent, EvaluatedSet, Evaluation
from envforge.core.records.task import Task
from envforge.factory.eval_config import BASELINES, EvalConfig, drawn
from envforge.factory.eval_files import read_evaluation
from envforge.factory.eval_subjects import Subject
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.rollout.agents import Assignment
from envforge.rollout.evaluation import Asked
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import Player, RolloutRequest, planned_requests
from envforge.store.workspace import Workspace

MUST_AGREE = ("on_malformed", "max_turns", "shown_bytes", "user")
"""Settings without which two runs are not comparable: who is given more is not better."""


@dataclass(frozen=True)
class EvalRun:
    """A run, ready to be played."""

    config: EvalConfig
    evaluation: Evaluation
    opened: Mapping[str, OpenedTasks]
    asked: Sequence[Asked]
    players: Sequence[tuple[EvaluatedAgent, Player]]

    @cached_property
    def requests(self) -> Sequence[tuple[EvaluatedAgent, RolloutRequest]]:
        """Every episode: task by task, agent by agent."""
        return [
            (agent, request)
            for item in self.asked
            for agent, player in self.players
            for request in planned_requests(
                [self._assignment(item.task)], [player], attempts=agent.episodes, seed=self.config.seed
            )
        ]

    def _assignment(self, task: Task) -> Assignment:
        return self.opened[task.environment_id].assignment(task)


def prepared(config: EvalConfig, subject: Subject) -> EvalRun:
    """The run. Raises ConfigError for what is not there, StoreError for tasks that are not of their environment."""
    workspace = Workspace(config.workspace)
    opened: dict[str, OpenedTasks] = {}
    sets: list[EvaluatedSet] = []
    asked: list[Asked] = []
    for name in config.environments or with_tasks(workspace):
        held = open_tasks(workspace, name)
        manifest = held.environment.manifest
        if manifest.id in opened:
            raise ConfigError(f"{manifest.id} is named twice", where="--env", remedy="name it once")
        chosen = drawn(held.tasks.tasks, config.tasks, config.seed)
        opened[manifest.id] = held
        asked += [Asked(task, manifest.grounding) for task in chosen]
        ids = tuple(task.id for task in chosen)
        sets.append(
            EvaluatedSet(
                environment_id=manifest.id,
                environment_hash=manifest.environment_hash,
                grounding=manifest.grounding,
                tasks=ids,
            )
        )
    players = _players(config, subject)
    evaluation = Evaluation(seed=config.seed, sets=tuple(sets), agents=tuple(agent for agent, _ in players))
    return EvalRun(config, evaluation, opened, asked, players)


def with_tasks(workspace: Workspace) -> list[str]:
    """Environments that have tasks. Raises ConfigError when there are none."""
    found = sorted(path.parent.name for path in workspace.environments.glob("*/environment.json"))
    known = [name for name in found if (workspace.tasks / name / "tasks.jsonl").is_file()]
    if not known:
        remedy = "make some: envforge synth-tasks"
        raise ConfigError("no environment has tasks", where=str(workspace.environments), remedy=remedy)
    return known


def _players(config: EvalConfig, subject: Subject) -> list[tuple[EvaluatedAgent, Player]]:
    player = subject.player
    first = EvaluatedAgent(
        name=player.name,
        model=subject.model,
        identity=player.model,
        episodes=config.episodes,
        settings=player.settings,
    )
    found: list[tuple[EvaluatedAgent, Player]] = [(first, player)]
    for name in BASELINES if config.baselines else ():
        if name == player.name:
            continue
        beside = NamedPlayer(name, max_turns=player.settings.max_turns, shown=player.settings.shown_bytes)
        episodes = config.episodes if name == "random" else 1  # the others draw nothing
        agent = EvaluatedAgent(name=name, role="baseline", episodes=episodes, settings=beside.settings)
        found.append((agent, beside))
    return found


def comparable(run: EvalRun, folder: Path) -> tuple[Evaluation, Path]:
    """The run in another folder. Raises ConfigError when it has other tasks or was played otherwise."""
    other = read_evaluation(folder)
    refuse_strangers(run.evaluation, other, folder)
    return other, folder


def refuse_strangers(ours: Evaluation, theirs: Evaluation, folder: Path) -> None:
    """Raises ConfigError when the run in `folder` has other tasks than ours, or was played otherwise."""
    here, there = (
        {sets.environment_id: (sets.environment_hash, set(sets.tasks)) for sets in one.sets} for one in (ours, theirs)
    )
    if here != there:
        differing = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
        remedy = "run both on the same environments, with the same --tasks and --seed"
        raise ConfigError(f"other tasks were run there: {', '.join(differing)}", where=str(folder), remedy=remedy)
    mine, yours = ours.agents[0].settings, theirs.agents[0].settings
    for name in MUST_AGREE:
        if getattr(mine, name) != getattr(yours, name):
            message = f"{name} is {getattr(yours, name)!r} there and {getattr(mine, name)!r} here"
            raise ConfigError(message, where=str(folder), remedy="run both with the same setting")


def folder_name(evaluation: Evaluation) -> str:
    """The name of a run's folder: the agent, and a hash of what is run."""
    first = evaluation.agents[0]
    plain = "".join(letter if letter.isalnum() else "-" for letter in (first.model or first.name)).strip("-")
    return f"{plain[-40:]}-{evaluation.content_id('eval')[5:13]}"
