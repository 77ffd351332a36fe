"""Markdown that shows what stands in records as text, whatever it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from envforge.core.records.base import Record

_MEANS_SOMETHING = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_BREAKS = re.compile(r"\s+")


class Picture(Record):
    """A picture of the card: its file below images/, and what it shows for those who cannot see it."""

    file: str
    shows: str

    def __str__(self) -> str:
        return f"![{plain(self.shows)}](images/{self.file})"


def plain(text: str) -> str:
    """Text of a record on one line, with no sign that Markdown or HTML would read."""
    return _MEANS_SOMETHING.sub(r"\\\1", _BREAKS.sub(" ", text).strip())


def code(text: str) -> str:
    """Text of a record as code on one line; fenced with one backtick more than it holds in a row."""
    flat = _BREAKS.sub(" ", text).strip()
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    return f"{fence} {flat} {fence}" if "`" in flat else f"`{flat}`"


def cell(text: str) -> str:
    """Code in a cell of a table, where a bar would end it."""
    return code(text).replace("|", "\\|")


def table(columns: Sequence[str], rows: Iterable[Sequence[str | int]], *, numbers: Iterable[str] = ()) -> str:
    """A table; cells are Markdown already. Columns in `numbers` stand at the right."""
    right = set(numbers)
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "|".join("---:" if name in right else "---" for name in columns) + "|",
        *("| " + " | ".join(f"{value:,}" if isinstance(value, int) else value for value in row) + " |" for row in rows),
    ]
    return "\n".join(lines)


def block(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.strip()}\n```"


def share(value: float | None) -> str:
    """A share as whole percent; what is not quite all or nothing is not told as that."""
    if value is None:
        return "–"
    if 0 < value < 0.01:
        return "<1 %"
    return ">99 %" if 0.99 < value < 1 else f"{value:.0%}".replace("%", " %")
