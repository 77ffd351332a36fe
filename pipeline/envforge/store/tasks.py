"""tasks/<environment>/: tasks.jsonl, programs/<task>.py, verifiers/<task>.py, rejected.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.task import RejectedTask, Task
from envforge.store.files import read_jsonl, read_text, staged_folder, write_jsonl, write_text

_REMEDY = "the file is written by envforge synth-tasks; make the tasks again or restore it"


def _no_texts() -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class TaskSet:
    """The tasks of one environment: records, and the sources of programs and verifiers by task id."""

    tasks: tuple[Task, ...]
    programs: Mapping[str, str] = field(default_factory=_no_texts)
    verifiers: Mapping[str, str] = field(default_factory=_no_texts)

    def task(self, name: str) -> Task:
        """The task with this id, or the only one whose id begins so. Raises StoreError with near ids."""
        found = [task for task in self.tasks if task.id == name] or [t for t in self.tasks if t.id.startswith(name)]
        if len(found) != 1:
            what = "no task" if not found else f"{len(found)} tasks"
            ids = ", ".join(task.id for task in (found or self.tasks)[:8])
            raise StoreError(f"{what} {name!r}", remedy=f"give one of: {ids}")
        return found[0]


def read_tasks(folder: Path) -> TaskSet:
    """The tasks in a folder. Raises StoreError naming file, line and field."""
    path = folder / "tasks.jsonl"
    if not path.is_file():
        raise StoreError("holds no tasks", where=str(folder), remedy="make some: envforge synth-tasks --env NAME")
    tasks: list[Task] = []
    for number, value in enumerate(read_jsonl(path), start=1):
        try:
            tasks.append(Task.model_validate(value))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "(whole line)"
            message = f"line {number}: {place}: {first['msg']}"
            raise StoreError(message, where=str(path), remedy=_REMEDY) from error
    names = [task.id for task in tasks]
    if len(set(names)) != len(names):
        raise StoreError("two tasks have one id", where=str(path), remedy=_REMEDY)
    programs = [task.id for task in tasks if task.kind == "program"]
    return TaskSet(
        tuple(tasks),
        {name: read_text(folder / "programs" / f"{name}.py") for name in programs},
        {name: read_text(folder / "verifiers" / f"{name}.py") for name in programs},
    )


def write_tasks(folder: Path, tasks: TaskSet, rejected: Iterable[RejectedTask]) -> None:
    """Write a folder whole: what was there before stays until the new one is complete. Raises StoreError."""
    with staged_folder(folder) as scratch:
        write_jsonl(scratch / "tasks.jsonl", [task.to_json() for task in tasks.tasks])
        write_jsonl(scratch / "rejected.jsonl", [one.to_json() for one in rejected])
        for kind, sources in (("programs", tasks.programs), ("verifiers", tasks.verifiers)):
            for name, source in sorted(sources.items()):
                write_text(scratch / kind / f"{name}.py", source)
