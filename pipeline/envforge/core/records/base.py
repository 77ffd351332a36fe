"""The base of every record."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from envforge.core.ids import content_id


class Record(BaseModel):
    """Frozen, closed (unknown fields are refused) and addressed by its content."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    schema_version: ClassVar[int] = 1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, aliases applied, None and defaults dropped where a default exists."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    def content_id(self, prefix: str) -> str:
        """Content-hash id of this record."""
        return content_id(prefix, self.to_json())
