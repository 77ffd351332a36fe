"""Records in a JSONL file, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.base import Record
from envforge.store.files import MOST_BYTES, each_jsonl

RecordT = TypeVar("RecordT", bound=Record)


def read_records(path: Path, record: type[RecordT], remedy: str) -> list[RecordT]:
    """All lines as records. Raises StoreError naming file, line and field."""
    return list(each_record(path, record, remedy))


def each_record(
    path: Path, record: type[RecordT], remedy: str, *, most: int = MOST_BYTES, most_line: int = MOST_BYTES
) -> Iterator[RecordT]:
    """The same, one line after the other; `most` bytes of the file, `most_line` of a line."""
    for number, value in enumerate(each_jsonl(path, most=most, most_line=most_line), start=1):
        try:
            yield record.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "(whole line)"
            message = f"line {number}: {place}: {first['msg']}"
            raise StoreError(message, where=str(path), remedy=remedy) from error
