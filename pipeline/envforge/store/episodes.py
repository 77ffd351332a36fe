"""episodes.jsonl: recorded episodes, one a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.episode import Episode
from envforge.store.files import read_jsonl, write_jsonl

_REMEDY = "a line is {environment_hash, seed, calls: [{tool, arguments}], digest}; see episode.schema.json"


def read_episodes(path: Path) -> list[Episode]:
    """All episodes of a file. Raises StoreError naming file, line and field."""
    episodes: list[Episode] = []
    for number, value in enumerate(read_jsonl(path), start=1):
        try:
            episodes.append(Episode.model_validate(value))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "(whole line)"
            message = f"line {number}: {field}: {first['msg']}"
            raise StoreError(message, where=str(path), remedy=_REMEDY) from error
    if not episodes:
        raise StoreError("holds no episode", where=str(path), remedy=_REMEDY)
    return episodes


def write_episodes(path: Path, episodes: Iterable[Episode]) -> None:
    """Write episodes, atomically. Raises StoreError."""
    write_jsonl(path, [episode.to_json() for episode in episodes])
