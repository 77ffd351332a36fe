"""What was hidden in a text: its kind and its place, never the thing itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

FindingKind = Literal["key", "private-key", "password", "e-mail", "telephone"]


class Finding(Record):
    """One place of a text that was hidden."""

    kind: FindingKind
    line: int = Field(ge=1, description="of the text as it came, counted from 1")
    column: int = Field(ge=1, description="counted from 1, in bytes of a text that is stored as bytes")
