"""What a research is to reach, what it planned, and what it found: rows that were verified, and those that were not."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.agent import Ending
from envforge.core.records.base import Record

Cell = str | None


class ResearchGoals(Record):
    """When a research has enough. Only rows that were verified count."""

    tables: int = Field(default=4, ge=1)
    rows: int = Field(default=60, ge=1, description="over all tables")
    table_rows: int = Field(default=5, ge=1, description="in each planned table")
    sources: int = Field(default=1, ge=1, description="files that rows come from")


class PlannedTable(Record):
    """A table that the research fills."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    about: str = ""
    columns: tuple[str, ...] = Field(min_length=1, max_length=40)
    key: str = Field(description="the column whose value names a row")


class RefusedRow(Record):
    """A row that was handed in and not taken, with the reason that the agent was told."""

    values: tuple[Cell, ...]
    reason: str


class FoundRows(Record):
    """Rows of one step from one file. Each has a place in that file at which its values stand."""

    step: int
    table: str
    address: str
    source: str = Field(description="source id of the file")
    path: str = Field(description="the file's path, as locators name it")
    by: Literal["take", "rows", "code"] = Field(
        description="read by an extractor, written by the model, by its program"
    )
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    locators: tuple[str, ...]
    refused: tuple[RefusedRow, ...] = Field(default=(), description="the first of them")
    refused_count: int = 0


class Research(Record):
    """research.json: all that a research found, and how it ended."""

    theme: str
    goals: ResearchGoals
    tables: tuple[PlannedTable, ...]
    found: tuple[FoundRows, ...]
    addresses: tuple[str, ...] = Field(description="of files that rows come from, in the order of their first rows")
    verified: int = Field(description="rows that stand in their source")
    refused: int = Field(description="rows that were handed in and do not, or have no key")
    ended: Ending
    reason: str = ""
    missing: tuple[str, ...] = Field(default=(), description="goals that were not reached")

    @property
    def verified_share(self) -> float:
        """Of the rows that were handed in; 0 where none was."""
        total = self.verified + self.refused
        return self.verified / total if total else 0.0
