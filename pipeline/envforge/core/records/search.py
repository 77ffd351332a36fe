"""What a search finds."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record


class Hit(Record):
    """One document that answers a query. Text of strangers, without what looks like a secret."""

    title: str
    url: str = Field(description="where it is to be had: a web address, or a purl for a package")
    snippet: str = ""
    rank: int = Field(ge=1, description="1 is the best")
    provider: str
