"""Why something is not published: the rule, the file, the row, and what to do about it."""

from __future__ import annotations

from envforge.core.records.base import Record


class Refusal(Record):
    """One thing that keeps a set of environments from being published."""

    rule: str
    file: str
    row: str | None = None
    reason: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}, {self.row}" if self.row else self.file
        return f"[{self.rule}] {place}: {self.reason} ({self.remedy})"
