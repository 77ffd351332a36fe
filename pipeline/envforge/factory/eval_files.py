"""The files of a run's folder, beside the log of its trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.base import Record
from envforge.core.records.evaluation import EvalReport, Evaluation, MeasuredDifficulty
from envforge.core.records.task import Task
from envforge.store.files import read_json, write_json, write_jsonl
from envforge.store.record_lines import read_records
from envforge.store.tasks import MEASURED

RecordT = TypeVar("RecordT", bound=Record)
EVALUATION = "eval.json"
REPORT = "report.json"
MISTAKES = "mistakes.jsonl"
PAGE = "page.html"
_REMEDY = "the file is written by envforge eval"


def begin(folder: Path, evaluation: Evaluation) -> None:
    """Write eval.json, or find the same one there. Raises ConfigError when the folder holds another run, StoreError."""
    path = folder / EVALUATION
    if not path.is_file():
        write_json(path, evaluation.to_json())
        return
    found = read_evaluation(folder)
    if found != evaluation:
        ours, theirs = evaluation.model_dump(), found.model_dump()
        differing = ", ".join(name for name in ours if ours[name] != theirs[name])
        remedy = "give another --out, or what the run there was given"
        raise ConfigError(f"holds another run (it differs in: {differing})", where=str(folder), remedy=remedy)


def read_evaluation(folder: Path) -> Evaluation:
    """eval.json of a run. Raises ConfigError when there is none, StoreError."""
    return _read(folder, EVALUATION, Evaluation)


def read_report(folder: Path) -> EvalReport:
    """report.json of a run. Raises ConfigError when there is none, StoreError."""
    return _read(folder, REPORT, EvalReport)


def write_measured(folder: Path, measured: Sequence[MeasuredDifficulty]) -> None:
    """Put what an agent reached beside the tasks; what other agents reached, and on other tasks, stays. StoreError."""
    path = folder / MEASURED
    before = read_measured(folder)
    ours = {(one.task_id, one.agent, one.identity) for one in measured}
    kept = [one for one in before if (one.task_id, one.agent, one.identity) not in ours]
    lines = sorted([*kept, *measured], key=lambda one: (one.task_id, one.agent, one.identity))
    write_jsonl(path, [one.to_json() for one in lines])


def read_measured(folder: Path) -> list[MeasuredDifficulty]:
    """What agents reached on the tasks of a folder; nothing where nobody measured. Raises StoreError."""
    path = folder / MEASURED
    return read_records(path, MeasuredDifficulty, _REMEDY) if path.is_file() else []


def task_digest(task: Task) -> str:
    """The hash of a task as it is run."""
    return sha256_text(canonical_json(task.to_json()))


def measured_of(folder: Path, task: Task) -> list[MeasuredDifficulty]:
    """What agents reached on this very task; on an older one of its name it says nothing. Raises StoreError."""
    return [one for one in read_measured(folder) if one.task_id == task.id and one.task == task_digest(task)]


def _read(folder: Path, name: str, kind: type[RecordT]) -> RecordT:
    path = folder / name
    if not path.is_file():
        raise ConfigError(f"is no run of envforge eval: it has no {name}", where=str(folder), remedy="run it first")
    try:
        return kind.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        raise StoreError(f"{place}: {first['msg']}", where=str(path), remedy=_REMEDY) from error
