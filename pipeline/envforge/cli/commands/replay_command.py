"""`envforge replay`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from envforge.cli import render
from envforge.cli.commands.trajectory_words import say, show_trajectory
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, EnvforgeError
from envforge.core.records.trajectory import Trajectory
from envforge.factory.opened_tasks import task_folder
from envforge.rollout.trajectory_log import read_trajectories
from envforge.store.files import write_text
from envforge.store.tasks import read_tasks
from envforge.store.workspace import Workspace
from envforge.studio.replay import replay_page


def run(place: Path, *, index: int | None, html: Path | None, shared: SharedOptions) -> None:
    """One episode, or what there is to choose from."""
    if index is None:
        first = list(islice(read_trajectories(place), 2))
        if not first:
            raise ConfigError("holds no episode", where=str(place))
        if len(first) > 1 and html is None:
            _list(place, shared)
            return
    trajectory = _chosen(place, index or 1)
    if html is not None:
        write_text(html, replay_page(trajectory, _instruction(shared, trajectory)))
        if not shared.json_output:
            say(f"wrote {html}")
    if shared.json_output:
        render.print_json(trajectory.to_json())
    elif html is None:
        show_trajectory(trajectory)


def _chosen(place: Path, index: int) -> Trajectory:
    found = next(islice(read_trajectories(place), index - 1, None), None)
    if found is None:
        raise ConfigError(f"there is no episode {index}", where=str(place), remedy="without --index all are listed")
    return found


def _list(place: Path, shared: SharedOptions) -> None:
    known = [
        (number, one.task_id, one.agent, one.attempt + 1, len(one.turns), one.ending.replace("_", " "), one.reward)
        for number, one in enumerate(read_trajectories(place), start=1)
    ]
    columns = ("index", "task", "agent", "attempt", "calls", "ending", "reward")
    if shared.json_output:
        render.print_json([dict(zip(columns, row, strict=True)) for row in known])
        return
    rows = [(*row[:-1], "none" if row[-1] is None else f"{row[-1]:g}") for row in known]
    render.table(str(place), columns, rows)
    say("envforge replay … --index N shows one of them, with --html FILE as a page")


def _instruction(shared: SharedOptions, trajectory: Trajectory) -> str:
    """The task's words, where the workspace has it; the page does without where it has not."""
    if trajectory.messages or not trajectory.environment_id:
        return ""
    try:
        tasks = read_tasks(task_folder(Workspace(shared.workspace), trajectory.environment_id))
    except EnvforgeError:
        return ""
    return next((task.instruction for task in tasks.tasks if task.id == trajectory.task_id), "")
