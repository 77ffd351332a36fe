"""tasks/<environment>/: tasks.jsonl, programs/ and verifiers/, rejected.jsonl, graph.json, certificate.json."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from envforge.core.errors import StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.graph import ToolGraph
from envforge.core.records.task import RejectedTask, Task, TaskSetCertificate
from envforge.store.files import read_json, read_text, staged_folder, write_json, write_jsonl, write_text
from envforge.store.record_lines import read_records
from envforge.store.schemas import validate

CERTIFICATE = "certificate.json"
_SOURCES = ("programs", "verifiers")
_MOST_SOURCE = 1_000_000
_REMEDY = "the file is written by envforge synth-tasks; make the tasks again or restore it"


def _no_texts() -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class TaskSet:
    """The tasks of one environment: records, and the sources of programs and verifiers by task id."""

    tasks: tuple[Task, ...]
    programs: Mapping[str, str] = field(default_factory=_no_texts)
    verifiers: Mapping[str, str] = field(default_factory=_no_texts)
    graph: ToolGraph | None = None
    """Of the environment's tools; it is written with the tasks and read by itself."""

    def task(self, name: str) -> Task:
        """The task with this id, the only one whose id begins so, or (up to three digits) the one at this place.

        Raises StoreError with near ids.
        """
        found = [task for task in self.tasks if task.id == name]
        if not found and re.fullmatch(r"[0-9]{1,3}", name):
            found = list(self.tasks[int(name) - 1 : int(name)]) if int(name) else []
        elif not found and name:
            found = [task for task in self.tasks if task.id.startswith((name, f"task-{name}"))]
        if len(found) != 1:
            what = "no task" if not found else f"{len(found)} tasks"
            ids = ", ".join(task.id for task in (found or self.tasks)[:8])
            raise StoreError(f"{what} {name!r}", remedy=f"give one of: {ids}")
        return found[0]


def read_tasks(folder: Path) -> TaskSet:
    """The tasks in a folder. Raises StoreError naming file, line and field."""
    path = folder / "tasks.jsonl"
    if not path.is_file():
        raise StoreError("holds no tasks", where=str(folder), remedy=f"envforge synth-tasks --env {folder.name}")
    _refuse_links(folder)
    tasks = read_records(path, Task, _REMEDY)
    for number, task in enumerate(tasks, start=1):
        _refuse_no_schema(task, number, path)
    names = [task.id for task in tasks]
    if len(set(names)) != len(names):
        raise StoreError("two tasks have one id", where=str(path), remedy=_REMEDY)
    programs = [task.id for task in tasks if task.kind == "program"]
    return TaskSet(
        tuple(tasks),
        {name: _source(folder / "programs" / f"{name}.py") for name in programs},
        {name: _source(folder / "verifiers" / f"{name}.py") for name in programs},
    )


def read_set_certificate(folder: Path) -> TaskSetCertificate:
    """certificate.json of a folder of tasks. Raises StoreError."""
    path = folder / CERTIFICATE
    if not path.is_file():
        raise StoreError("no such file", where=str(path), remedy=_REMEDY)
    value = read_json(path)
    validate("task_set", value, str(path))
    return TaskSetCertificate.model_validate(value)


def set_hashes(folder: Path) -> dict[str, str]:
    """Path -> SHA-256 of every file of a folder of tasks that its certificate answers for."""
    return {path.relative_to(folder).as_posix(): sha256_bytes(path.read_bytes()) for path in _content(folder)}


def write_tasks(
    folder: Path, tasks: TaskSet, rejected: Iterable[RejectedTask], certificate: TaskSetCertificate
) -> None:
    """Write a folder whole, its certificate bound to it: what was there before stays until the new one is complete.

    Raises StoreError.
    """
    with staged_folder(folder) as scratch:
        write_jsonl(scratch / "tasks.jsonl", [task.to_json() for task in tasks.tasks])
        write_jsonl(scratch / "rejected.jsonl", [one.to_json() for one in rejected])
        for kind, sources in zip(_SOURCES, (tasks.programs, tasks.verifiers), strict=True):
            for name, source in sorted(sources.items()):
                write_text(scratch / kind / f"{name}.py", source)
        if tasks.graph is not None:
            write_json(scratch / "graph.json", tasks.graph.to_json())
        bound = certificate.model_copy(update={"files": set_hashes(scratch)})
        write_json(scratch / CERTIFICATE, bound.to_json())


def _content(folder: Path) -> Iterator[Path]:
    yield from (path for name in ("graph.json", "rejected.jsonl", "tasks.jsonl") if (path := folder / name).is_file())
    for kind in _SOURCES:
        yield from sorted(path for path in (folder / kind).glob("*") if path.is_file())


def _refuse_no_schema(task: Task, number: int, path: Path) -> None:
    """Agents that draw an answer, and models that are shown the schema, take it at its word."""
    try:
        Draft202012Validator.check_schema(task.answer_schema)
    except (SchemaError, RecursionError) as error:
        what = error.message[:200] if isinstance(error, SchemaError) else "it is nested too deep"
        raise StoreError(f"line {number}: answer_schema: {what}", where=str(path), remedy=_REMEDY) from error


def _source(path: Path) -> str:
    try:
        source = read_text(path)
    except StoreError as error:
        raise StoreError(error.message, where=error.where, remedy=_REMEDY) from error
    if len(source) > _MOST_SOURCE:
        raise StoreError(f"is longer than {_MOST_SOURCE} characters", where=str(path), remedy=_REMEDY)
    return source


def _refuse_links(folder: Path) -> None:
    """What is read must lie in the folder itself."""
    for path in (
        *(folder / name for name in ("tasks.jsonl", "rejected.jsonl", CERTIFICATE, "graph.json")),
        *(p for kind in _SOURCES for p in (folder / kind, *(folder / kind).glob("*"))),
    ):
        if path.is_symlink():
            raise StoreError("a symbolic link cannot be part of a set of tasks", where=str(path), remedy=_REMEDY)
