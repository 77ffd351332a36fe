"""StateDiff: what an episode changed, as rows and documents; the host's own reading of a changeset."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.core.ids import canonical_json, sha256_text
from envforge.world.changes import Row, TableChanges
from envforge.world.engine.guard import DOCUMENTS_TABLE


@dataclass(frozen=True)
class StateDiff:
    """Changes since the start, sorted by table and key.

    `tables` has only tables with a change; `documents` maps a path to (text before, text after), None where the
    document is not there.
    """

    tables: Mapping[str, TableChanges]
    documents: Mapping[str, tuple[str | None, str | None]] = field(
        default_factory=lambda: dict[str, tuple[str | None, str | None]]()
    )

    @classmethod
    def of(cls, changes: Mapping[str, TableChanges]) -> StateDiff:
        """Separate documents from rows."""
        tables = {name: found for name, found in changes.items() if name != DOCUMENTS_TABLE}
        found = changes.get(DOCUMENTS_TABLE, TableChanges())
        documents: dict[str, tuple[str | None, str | None]] = {}
        documents.update({row["path"]: (None, row["text"]) for row in found.inserted})
        documents.update({row["path"]: (row["text"], None) for row in found.deleted})
        documents.update({before["path"]: (before["text"], after["text"]) for before, after in found.updated})
        return cls(tables, dict(sorted(documents.items())))

    @property
    def empty(self) -> bool:
        """True when nothing changed."""
        return not self.tables and not self.documents

    def to_json(self) -> dict[str, Any]:
        """JSON values; a blob is {"base64": ...}, an infinite number {"real": ...}."""
        return {
            "tables": {
                name: {
                    "inserted": [_plain(row) for row in found.inserted],
                    "updated": [{"before": _plain(before), "after": _plain(after)} for before, after in found.updated],
                    "deleted": [_plain(row) for row in found.deleted],
                }
                for name, found in self.tables.items()
            },
            "documents": [
                {"path": path, "before": before, "after": after} for path, (before, after) in self.documents.items()
            ],
        }

    def digest(self) -> str:
        """SHA-256 of the changes: equal exactly when two episodes of one environment left equal data."""
        return sha256_text(canonical_json(self.to_json()))


def _plain(row: Row) -> Row:
    return {name: _value(value) if isinstance(value, (bytes, float)) else value for name, value in row.items()}


def _value(value: bytes | float) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    return value if math.isfinite(value) else {"real": str(value)}
