"""The tasks that ship with the project, as victims of cheats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from envforge.core.data_flow import reference_in
from envforge.core.records.task import Task
from envforge.core.seeds import stream
from envforge.gates.solutions import Player
from envforge.store.tasks import read_tasks

from .cheats import Victim

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(path.parent.name for path in (ROOT / "tasks").glob("*/tasks.jsonl"))
"""Environments with tasks."""


def sampled(tasks: Sequence[Task], most: int | None) -> tuple[Task, ...]:
    """So many of the tasks, drawn by a seed that another set changes; all of them without a number."""
    if most is None or len(tasks) <= most:
        return tuple(tasks)
    drawn = stream(0, *(task.id for task in tasks)).sample(range(len(tasks)), k=most)
    return tuple(tasks[place] for place in sorted(drawn))


def victims_of(player: Player, folder: Path, most: int | None = None) -> Iterator[Victim]:
    """The tasks in `folder`, or `most` of them."""
    found = read_tasks(folder)
    for task in sampled(found.tasks, most):
        program = found.programs.get(task.id) or straight_program(task)
        verifier = found.verifiers.get(task.id, "")
        yield Victim(task.id, player, task.instruction, task.answer_schema, task.checks, verifier, program, task.intent)


def straight_program(task: Task) -> str:
    """A graph task's calls as a program."""
    lines = ["def solve(call):"]
    for number, made in enumerate(task.gold, 1):
        given = ", ".join(f"{name}={_source(value)}" for name, value in made.arguments.items())
        lines.append(f"    r{number} = call({made.tool!r}{', ' if given else ''}{given})")
    return "\n".join([*lines, f"    return {_source(task.gold_answer)}", ""])


def _source(value: Any) -> str:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{json.dumps(name)}: {_source(item)}" for name, item in fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_source(item) for item in cast("list[Any]", value)) + "]"
    reference = reference_in(value)
    return (
        repr(value) if reference is None else f"r{reference.call}" + "".join(f"[{part!r}]" for part in reference.path)
    )
