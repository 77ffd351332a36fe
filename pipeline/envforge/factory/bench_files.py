"""The files of a run of somebody else's benchmark."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.benchmark import BenchmarkItem, BenchmarkRun
from envforge.core.records.trajectory import Timing
from envforge.store.files import read_json, write_json
from envforge.store.log import append_record
from envforge.store.record_lines import read_records

RUN, ITEMS, TIMINGS, REPORT = "bench.json", "items.jsonl", "timings.jsonl", "report.json"
_REMEDY = "the file is written by envforge eval --bench"


def begin_bench(folder: Path, run: BenchmarkRun) -> None:
    """Write bench.json, or find the same one there. Raises ConfigError where another run is, StoreError."""
    path = folder / RUN
    if not path.is_file():
        write_json(path, run.to_json())
        return
    try:
        found = BenchmarkRun.model_validate(read_json(path))
    except ValidationError as error:
        raise StoreError(f"is no run: {error.errors()[0]['msg']}", where=str(path), remedy=_REMEDY) from error
    if found != run:
        ours, theirs = run.model_dump(), found.model_dump()
        differing = ", ".join(name for name in ours if ours[name] != theirs[name])
        remedy = "give another --out, or what the run there was given"
        raise ConfigError(f"holds another run (it differs in: {differing})", where=str(folder), remedy=remedy)


def write_item(folder: Path, item: BenchmarkItem, seconds: float) -> None:
    """One more item that is over. Raises StoreError."""
    append_record(folder / TIMINGS, Timing(key=item.id, seconds=seconds).to_json())
    append_record(folder / ITEMS, item.to_json())


def read_items(folder: Path) -> dict[str, BenchmarkItem]:
    """Items by id, the last line of each; nothing where none was played. Raises StoreError naming line and field."""
    path = folder / ITEMS
    return {one.id: one for one in read_records(path, BenchmarkItem, _REMEDY)} if path.is_file() else {}
