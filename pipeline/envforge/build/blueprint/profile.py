"""What the rows of a table say about its columns: how many values, categories, numbers worth comparing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from envforge.core.contracts import Row
from envforge.core.records.domain import Column, Table

MAX_CATEGORIES = 400
PLACES = frozenset({"lat", "latitude", "lon", "long", "longitude", "lng", "tz", "timezone", "utc_offset"})
PARTS_OF_TIME = frozenset({"year", "month", "day", "hour", "minute", "second"})
_TIME = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Profile:
    """Counts over the rows of one table."""

    rows: int
    counts: dict[str, int]
    longest: dict[str, int]
    """Length of the longest text of each text column."""
    times: frozenset[str]
    """Text columns that hold local times."""

    def distinct(self, column: str) -> int:
        """How many different values a column holds."""
        return self.counts.get(column, 0)

    def is_category(self, column: str) -> bool:
        """True if values repeat: text that sorts rows into groups."""
        values = self.distinct(column)
        return 2 <= values <= MAX_CATEGORIES and values * 2 <= self.rows and column not in self.times

    def is_searched(self, column: str) -> bool:
        """True for short text that several rows share: a city, a manufacturer."""
        shared = self.distinct(column) * 1.1 <= self.rows
        return shared and 0 < self.longest.get(column, 0) <= 120 and column not in self.times

    def is_number_name(self, column: str) -> bool:
        """True for a number that names a thing (a flight number) rather than measures it."""
        return column.endswith(("_number", "_no", "_num")) or column in {"number", "flight"}

    def is_measure(self, column: Column) -> bool:
        """True for a number that people compare, sum or average."""
        if column.type not in {"integer", "real"} or column.references or column.enum:
            return False
        if column.name in PLACES | PARTS_OF_TIME or self.is_number_name(column.name):
            return False
        return column.role not in {"id", "position", "parent"} and self.distinct(column.name) > 10


def profile_of(table: Table, rows: Sequence[Row]) -> Profile:
    """Looks at every value of every column once."""
    values = {
        column.name: {row[column.name] for row in rows if row.get(column.name) is not None} for column in table.columns
    }
    texts = {column.name: values[column.name] for column in table.columns if column.type == "text"}
    return Profile(
        rows=len(rows),
        counts={name: len(held) for name, held in values.items()},
        longest={name: max((len(str(value)) for value in held), default=0) for name, held in texts.items()},
        times=frozenset(
            name for name, held in texts.items() if held and all(_TIME.match(str(value)) for value in held)
        ),
    )
