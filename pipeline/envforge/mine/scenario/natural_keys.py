"""Keys that are made of other columns (`UA15-20130101-EWR`): the pattern is read off rows that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.contracts import Row
from envforge.core.records.domain import Table

_SAMPLE = 24
Part = tuple[str, str]
"""("column", name), ("compact", name: without dashes and colons) or ("text", literal)."""


def key_pattern(table: Table, rows: Sequence[Row]) -> list[Part] | None:
    """The pattern of the table's single text key, or None when its keys are not made of columns."""
    if len(table.primary_key) != 1 or len(rows) < 2:
        return None
    key = table.primary_key[0]
    step = max(1, len(rows) // _SAMPLE)
    sample = list(rows[::step])[:_SAMPLE]
    columns = [column.name for column in table.columns if column.name != key and column.origin != "synthetic"]
    for pattern in _patterns(str(sample[0][key]), sample[0], columns, []):
        if all(spelled(pattern, row) == row[key] for row in sample):
            return pattern
    return None


def _patterns(rest: str, row: Row, columns: Sequence[str], so_far: list[Part]) -> list[list[Part]]:
    """Ways to read `rest` as columns with single separators between them, longer columns first."""
    if not rest:
        return [so_far] if sum(kind != "text" for kind, _ in so_far) >= 2 else []
    found: list[list[Part]] = []
    options: list[tuple[int, Part]] = []
    for name in columns:
        value = row.get(name)
        if value is None or value == "":
            continue
        for kind, text in (("column", str(value)), ("compact", _compact(value))):
            if rest.startswith(text) and (kind, name) not in so_far:
                options.append((len(text), (kind, name)))
    for length, part in sorted(options, key=lambda option: -option[0])[:4]:
        found += _patterns(rest[length:], row, columns, [*so_far, part])
    if rest[0] in "-_/.: " and so_far and so_far[-1][0] != "text":
        found += _patterns(rest[1:], row, columns, [*so_far, ("text", rest[0])])
    return found


def spelled(pattern: Sequence[Part], row: Mapping[str, Any]) -> str | None:
    """The key of a row by the pattern; None when a column it needs is empty."""
    out = ""
    for kind, name in pattern:
        value = name if kind == "text" else row.get(name)
        if value is None:
            return None
        out += _compact(value) if kind == "compact" else str(value)
    return out


def _compact(value: Any) -> str:
    return str(value).replace("-", "").replace(":", "")
