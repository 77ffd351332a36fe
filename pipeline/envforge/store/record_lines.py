"""Records in a JSONL file, one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.base import Record
from envforge.store.files import read_jsonl

RecordT = TypeVar("RecordT", bound=Record)


def read_records(path: Path, record: type[RecordT], remedy: str) -> list[RecordT]:
    """All lines as records. Raises StoreError naming file, line and field."""
    found: list[RecordT] = []
    for number, value in enumerate(read_jsonl(path), start=1):
        try:
            found.append(record.model_validate(value))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "(whole line)"
            message = f"line {number}: {place}: {first['msg']}"
            raise StoreError(message, where=str(path), remedy=remedy) from error
    return found
