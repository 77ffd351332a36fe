"""index.json beside a WARC: one entry per record, with the offset and length of its gzip member.

While a run records, the entries stand in a journal to which each fetch appends; at its end they become index.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import Field, ValidationError

from envforge.core.errors import SourceError, StoreError
from envforge.core.records.base import Record
from envforge.core.records.finding import Finding
from envforge.core.records.source import Licence, LicenceStatus, Source
from envforge.store.log import append_record, whole_lines
from envforge.web.licence import is_open
from envforge.web.spec import parse_package_url

INDEX_NAME = "index.json"
JOURNAL_NAME = "index.journal.jsonl"
"""Beside a recording that is not finished: one line per record."""


class IndexEntry(Record):
    """One record of a snapshot."""

    theme: str = ""
    url: str
    url_status: str = "none"
    title: str = ""
    licence: str | None = None
    licence_evidence: str = ""
    licence_status: LicenceStatus | None = Field(default=None, description="when absent, it follows from `licence`")
    source: str = Field(default="", description="purl of the package, empty when there is none")
    source_path: str = Field(description="ecosystem/package-version/path inside the package")
    transform: str = "none"
    mime: str
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    offset: int = Field(ge=0, lt=1 << 60)
    length: int = Field(gt=0, lt=1 << 30)
    specs: tuple[str, ...] = Field(default=(), description="anchor specs that this record was fetched for")
    retrieved_at: str | None = Field(default=None, description="UTC ISO 8601, as in the record")
    status: int | None = Field(
        default=None,
        ge=0,
        le=999,
        description="of a fetch without success: HTTP's, or 0 where there was no usable answer; evidence, never data",
    )
    hidden: tuple[Finding, ...] = Field(default=(), description="what the bytes no longer hold")
    raw: bool | None = Field(
        default=None, description="true: the bytes are as they came; secrets and persons are hidden when they are read"
    )

    @property
    def path(self) -> str:
        """The path inside the package: `source_path` without its first two segments."""
        parts = self.source_path.split("/", 2)
        return parts[2] if len(parts) == 3 else self.source_path

    def stated_licence(self) -> Licence:
        """The licence with its status."""
        status = self.licence_status
        if status is None:
            status = "unstated" if not self.licence else "stated-open" if is_open(self.licence) else "stated-other"
        return Licence(status=status, spdx=self.licence, evidence=self.licence_evidence)


def entry_of(source: Source, *, offset: int, length: int, specs: tuple[str, ...]) -> IndexEntry:
    """The index entry from which the source record can be told again."""
    package = parse_package_url(source.package)
    folder = f"{package.kind}/{package.name.lstrip('@').replace('/', '-')}-{package.version}" if package else "file/-"
    return IndexEntry(
        url=source.url,
        url_status=source.url_status,
        title=source.title,
        licence=source.licence.spdx,
        licence_evidence=source.licence.evidence,
        licence_status=source.licence.status,
        source=source.package or "",
        source_path=f"{folder}/{source.path}",
        transform=source.transform,
        mime=source.mime,
        bytes=source.bytes,
        sha256=source.sha256,
        offset=offset,
        length=length,
        specs=specs,
        retrieved_at=source.retrieved_at,
        hidden=source.hidden,
    )


def read_index(folder: Path) -> tuple[IndexEntry, ...]:
    """The entries of a snapshot folder; of a recording that was interrupted, what it had so far.

    Raises:
        SourceError: there is no index, or it is not one; the message names the record and field.
    """
    path, journal = folder / INDEX_NAME, folder / JOURNAL_NAME
    if not path.is_file() and not journal.is_file():
        raise SourceError(
            f"there is no {INDEX_NAME}", where=str(folder), remedy="give a folder that holds a WARC and its index.json"
        )
    entries = _indexed(path) if path.is_file() else []
    if not journal.is_file():
        return tuple(entries)
    by_place = {entry.offset: entry for entry in entries}
    for number, line in enumerate(_lines(journal), start=1):
        entry = _entry(line, f"line {number}", journal)
        by_place[entry.offset] = entry
    # An entry that nobody's spec names any more was replaced by a newer fetch.
    return tuple(entry for entry in by_place.values() if entry.specs)


def _indexed(path: Path) -> list[IndexEntry]:
    try:
        content: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"the index cannot be read: {error}", where=str(path)) from error
    records: Any = cast("dict[str, Any]", content).get("records") if isinstance(content, dict) else None
    if not isinstance(records, list) or cast("dict[str, Any]", content).get("version") != 1:
        raise SourceError("is not an index of version 1 with a list `records`", where=str(path))
    return [_entry(record, f"record {n}", path) for n, record in enumerate(cast("list[Any]", records))]


def _entry(record: Any, place: str, path: Path) -> IndexEntry:
    try:
        return IndexEntry.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SourceError(
            f"{place}: {first['msg']}", where=f"{path} field {field!r}", remedy="write the snapshot again"
        ) from error


def _lines(journal: Path) -> Iterator[Any]:
    try:
        for _, line in whole_lines(journal):
            yield json.loads(line)
    except (StoreError, ValueError, RecursionError) as error:
        raise SourceError(
            f"the journal cannot be read: {error}", where=str(journal), remedy="delete it and fetch again"
        ) from error


def note_entry(folder: Path, entry: IndexEntry) -> None:
    """Append an entry, or its new state, to the journal. Raises StoreError."""
    append_record(folder / JOURNAL_NAME, entry.model_dump(mode="json", exclude_none=True))


def index_bytes(entries: tuple[IndexEntry, ...]) -> bytes:
    """The text of an index."""
    created = max((entry.retrieved_at or "" for entry in entries), default="")
    records = [entry.model_dump(mode="json", exclude_none=True) for entry in entries]
    content = {"version": 1, "created": created, "records": records}
    return (json.dumps(content, indent=0, ensure_ascii=False) + "\n").encode()
