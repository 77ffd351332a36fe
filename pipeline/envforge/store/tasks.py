"""tasks/<environment>/: tasks.jsonl, programs/ and verifiers/, rejected.jsonl, graph.json, certificate.json."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from envforge.core.errors import StoreError
from envforge.core.records.graph import ToolGraph
from envforge.core.records.task import RejectedTask, Task, TaskSetCertificate
from envforge.store.files import file_size, read_json, read_text, staged_folder, write_json, write_jsonl, write_text
from envforge.store.record_lines import each_record
from envforge.store.schemas import validate

CERTIFICATE = "certificate.json"
MEASURED = "measured.jsonl"
"""What agents reached on these tasks, beside them; the certificate does not answer for it."""
_SOURCES = ("programs", "verifiers")
MOST_TASKS = 10_000
MOST_CHECKS = 5_000
"""Of one task."""
MOST_LINE = 2_000_000
"""Bytes of one task in tasks.jsonl; the longest that were made have some 40,000."""
MOST_BYTES = 128 << 20
"""Of tasks.jsonl, and of any other single file of the folder."""
MOST_SOURCES = 256 << 20
"""Characters of all programs and verifiers."""
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
    tasks = _records(path)
    names = [task.id for task in tasks]
    if len(set(names)) != len(names):
        raise StoreError("two tasks have one id", where=str(path), remedy=_REMEDY)
    sources = _read_sources(folder, [task.id for task in tasks if task.kind == "program"])
    return TaskSet(tuple(tasks), sources["programs"], sources["verifiers"])


def _records(path: Path) -> list[Task]:
    tasks: list[Task] = []
    for number, task in enumerate(each_record(path, Task, _REMEDY, most=MOST_BYTES, most_line=MOST_LINE), start=1):
        if number > MOST_TASKS:
            raise StoreError(f"holds more than {MOST_TASKS:,} tasks", where=str(path), remedy=_REMEDY)
        if len(task.checks) > MOST_CHECKS:
            message = f"line {number}: checks: there are more than {MOST_CHECKS:,}"
            raise StoreError(message, where=str(path), remedy=_REMEDY)
        _refuse_no_schema(task, number, path)
        tasks.append(task)
    return tasks


def _read_sources(folder: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Kind → task → source."""
    sources: dict[str, dict[str, str]] = {kind: {} for kind in _SOURCES}
    length = 0
    for kind, name in product(_SOURCES, names):
        sources[kind][name] = source = _source(folder / kind / f"{name}.py")
        length += len(source)
        if length > MOST_SOURCES:
            message = f"programs and verifiers have more than {MOST_SOURCES:,} characters"
            raise StoreError(message, where=str(folder), remedy=_REMEDY)
    return sources


def read_set_certificate(folder: Path) -> TaskSetCertificate:
    """certificate.json of a folder of tasks. Raises StoreError."""
    path = folder / CERTIFICATE
    if not path.is_file():
        raise StoreError("no such file", where=str(path), remedy=_REMEDY)
    value = read_json(path, MOST_BYTES)
    validate("task_set", value, str(path))
    return TaskSetCertificate.model_validate(value)


def set_hashes(folder: Path) -> dict[str, str]:
    """Path -> SHA-256 of every file of a folder of tasks that its certificate answers for. Raises StoreError."""
    return {path.relative_to(folder).as_posix(): _hash(path) for path in _content(folder)}


def _hash(path: Path) -> str:
    file_size(path, MOST_BYTES)
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(f"could not be read: {error}", where=str(path), remedy=_REMEDY) from error


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
        source = read_text(path, 4 * _MOST_SOURCE)
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
