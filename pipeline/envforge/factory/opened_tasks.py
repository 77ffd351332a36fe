"""The tasks of an environment, opened together with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envforge.core.errors import ConfigError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents import Assignment, agent_maker
from envforge.rollout.loop import MOST_TURNS, run_episode
from envforge.rollout.score import Scorer, refuse_stranger
from envforge.store.tasks import TaskSet, read_tasks
from envforge.store.workspace import Workspace
from envforge.world.environment import Environment


@dataclass(frozen=True)
class OpenedTasks:
    """An environment and its tasks, each made for it to the byte."""

    environment: Environment
    folder: Path
    """Of the tasks."""
    tasks: TaskSet

    def assignment(self, task: Task) -> Assignment:
        """A task with what stands beside it."""
        program, verifier = (sources.get(task.id, "") for sources in (self.tasks.programs, self.tasks.verifiers))
        return Assignment(task, self.environment.tools, program, verifier)

    def replay(self, task: Task, agent: str, seed: int, max_turns: int = MOST_TURNS) -> Trajectory:
        """One episode of an agent on a task, with its verdict.

        Raises ConfigError for an unknown agent, VerifierError when the verifier crashes, SandboxError, ToolFault.
        """
        given = self.assignment(task)
        made = agent_maker(agent)(given, seed)
        with self.environment.start(seed) as session, Scorer(self.environment) as scorer:
            trajectory = run_episode(session, task, made, max_turns=max_turns, seed=seed)
            verdict = scorer.score_episode(task, trajectory, given.verifier or None)
        return trajectory.model_copy(update={"verdict": verdict})


def open_tasks(workspace: Workspace, name: str) -> OpenedTasks:
    """An environment, by id or path, with its tasks.

    Raises ConfigError for an unknown environment, StoreError for files that are not as they were written, and for
    tasks that were made for another environment hash.
    """
    place = workspace.environment(name)
    folder = workspace.tasks_of(place)
    tasks = read_tasks(folder)
    environment = Environment.open(place)
    for task in tasks.tasks:
        refuse_stranger(environment, task)
    return OpenedTasks(environment, folder, tasks)


def task_folder(workspace: Workspace, name: str) -> Path:
    """The folder of an environment's tasks, given the environment's id or a path. Raises ConfigError."""
    for candidate in (workspace.tasks / name, Path(name)):
        if (candidate / "tasks.jsonl").is_file():
            return candidate
    place = workspace.environment(name)
    folder = workspace.tasks_of(place)
    if not (folder / "tasks.jsonl").is_file():
        remedy = f"make some: envforge synth-tasks --env {place.name}"
        raise ConfigError("there are no tasks yet", where=str(folder), remedy=remedy)
    return folder
