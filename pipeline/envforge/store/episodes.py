"""episodes.jsonl: recorded episodes, one a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from envforge.core.errors import StoreError
from envforge.core.records.episode import Episode
from envforge.store.files import write_jsonl
from envforge.store.record_lines import read_records

_REMEDY = "a line is {environment_hash, seed, calls: [{tool, arguments}], digest}; see episode.schema.json"


def read_episodes(path: Path) -> list[Episode]:
    """All episodes of a file. Raises StoreError naming file, line and field."""
    episodes = read_records(path, Episode, _REMEDY)
    if not episodes:
        raise StoreError("holds no episode", where=str(path), remedy=_REMEDY)
    return episodes


def write_episodes(path: Path, episodes: Iterable[Episode]) -> None:
    """Write episodes, atomically. Raises StoreError."""
    write_jsonl(path, [episode.to_json() for episode in episodes])
