"""index.json beside a WARC: one entry per record, with the offset and length of its gzip member."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from pydantic import Field, ValidationError

from envforge.core.errors import SourceError
from envforge.core.records.base import Record
from envforge.core.records.source import Licence, LicenceStatus, Source
from envforge.web.licence import is_open
from envforge.web.spec import parse_package_url

INDEX_NAME = "index.json"


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
    )


def read_index(folder: Path) -> tuple[IndexEntry, ...]:
    """The entries of a snapshot folder.

    Raises:
        SourceError: there is no index, or it is not one; the message names the record and field.
    """
    path = folder / INDEX_NAME
    if not path.is_file():
        raise SourceError(
            f"there is no {INDEX_NAME}", where=str(folder), remedy="give a folder that holds a WARC and its index.json"
        )
    try:
        content: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"the index cannot be read: {error}", where=str(path)) from error
    records: Any = cast("dict[str, Any]", content).get("records") if isinstance(content, dict) else None
    if not isinstance(records, list) or cast("dict[str, Any]", content).get("version") != 1:
        raise SourceError("is not an index of version 1 with a list `records`", where=str(path))
    entries: list[IndexEntry] = []
    for number, record in enumerate(cast("list[Any]", records)):
        try:
            entries.append(IndexEntry.model_validate(record))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise SourceError(
                f"record {number}: {first['msg']}", where=f"{path} field {field!r}", remedy="write the snapshot again"
            ) from error
    return tuple(entries)


def index_bytes(entries: tuple[IndexEntry, ...], created: str) -> bytes:
    """The text of an index."""
    records = [entry.model_dump(mode="json", exclude_none=True) for entry in entries]
    content = {"version": 1, "created": created, "records": records}
    return (json.dumps(content, indent=0, ensure_ascii=False) + "\n").encode()
