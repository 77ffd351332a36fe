"""The log of a run: one line per episode, at once; at the end in the order in which they were asked for."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.trajectory import Status, Timing, Trajectory
from envforge.store.files import parse_json
from envforge.store.log import append_record, keep_lines, whole_lines
from envforge.store.record_lines import each_record

TRAJECTORIES = "trajectories.jsonl"
TIMINGS = "timings.jsonl"
_LOCK = ".lock"
_KEY = re.compile(rb'"key":"([0-9a-f]{64})"')
_MOST_BYTES = 1 << 40
_REMEDY = "it is written by envforge rollout; delete the line, the episode is then played again"


class TrajectoryLog:
    """Trajectories and timings of a run, in a folder. What stands there when it is opened is not played again.

    `again`: episodes with these statuses are. One process at a time may have a folder open.
    """

    def __init__(self, folder: Path, *, again: Iterable[Status] = ()) -> None:
        """Raises ConfigError when another process has it, StoreError for files that are not as they were written."""
        self.folder = folder
        self._lock: int | None = _locked(folder)
        try:
            self._keys = _kept(folder / TRAJECTORIES, frozenset(again))
        except BaseException:
            self.close()
            raise
        self.found = len(self._keys)
        """Episodes that were there already."""

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def append(self, trajectory: Trajectory, timing: Timing) -> None:
        """One more episode. Raises StoreError."""
        append_record(self.folder / TIMINGS, timing.to_json())
        append_record(self.folder / TRAJECTORIES, trajectory.to_json())
        self._keys.add(trajectory.key)

    def finish(self, keys: Iterable[str]) -> None:
        """Put the lines into the order of `keys`, what belongs to none of them behind: the same run, the same bytes.

        Raises StoreError; the files are as before then.
        """
        order = list(dict.fromkeys(keys))
        for name in (TRAJECTORIES, TIMINGS):
            if (path := self.folder / name).exists():
                keep_lines(path, _in_order(path, order, self._keys))

    def trajectories(self) -> Iterator[Trajectory]:
        """All, one after the other. Raises StoreError naming line and field."""
        return read_trajectories(self.folder)

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> TrajectoryLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def trajectories_file(place: Path) -> Path:
    """The file of a run's folder, or the file itself."""
    return place / TRAJECTORIES if place.is_dir() else place


def read_trajectories(place: Path) -> Iterator[Trajectory]:
    """The trajectories of a run's folder, or of a file. Raises StoreError naming file, line and field."""
    path = trajectories_file(place)
    if not path.is_file():
        raise StoreError("there are no trajectories", where=str(path), remedy="make some with envforge rollout")
    return each_record(path, Trajectory, _REMEDY, most=_MOST_BYTES)


def read_timings(folder: Path) -> dict[str, Timing]:
    """Timings by key; nothing where there are none. Raises StoreError."""
    path = folder / TIMINGS
    return (
        {timing.key: timing for timing in each_record(path, Timing, _REMEDY, most=_MOST_BYTES)}
        if path.is_file()
        else {}
    )


def _locked(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", where=str(folder), remedy="give another") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise ConfigError("another run writes there", where=str(folder), remedy="give another folder") from error
    return handle


def _kept(path: Path, again: Collection[Status]) -> set[str]:
    """Keys of the episodes that need not be played; the last line of each key counts."""
    found: dict[str, bool] = {}
    for number, (_, value) in enumerate(_values(path), start=1):
        try:
            trajectory = Trajectory.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            message = f"line {number}: {'.'.join(map(str, first['loc'])) or '(whole line)'}: {first['msg']}"
            raise StoreError(message, where=str(path), remedy=_REMEDY) from error
        found[trajectory.key] = trajectory.status not in again
    return {key for key, kept in found.items() if kept}


def _in_order(path: Path, order: Iterable[str], keys: set[str]) -> list[int]:
    """Where the last line of each key begins."""
    places = {_key_of(line, keys): place for place, line in whole_lines(path)}
    known = [key for key in order if key in keys and key in places]
    others = sorted((keys - set(known)) & places.keys())
    return [places[key] for key in [*known, *others]]


def _key_of(line: bytes, keys: set[str]) -> str:
    """The key of a line. Lines are long: it is looked for as text first, and where that finds another one, read."""
    found = _KEY.search(line)
    if found is not None and (key := found[1].decode()) in keys:
        return key
    return str(parse_json(line.decode("utf-8")).get("key"))


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    if not path.exists():
        return
    for number, (place, line) in enumerate(whole_lines(path), start=1):
        try:
            yield place, parse_json(line.decode("utf-8"))
        except ValueError as error:
            raise StoreError(f"not JSON: line {number}: {error}", where=str(path), remedy=_REMEDY) from error
