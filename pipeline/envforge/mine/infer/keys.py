"""Primary keys: stated ones are verified, missing ones are looked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.names import words

MAX_KEY_COLUMNS = 4
_MAX_CANDIDATES = 9
_MAX_KEY_TEXT = 64
_MAX_CODE = 16
_KEY_WORDS = frozenset({"id", "ids", "code", "codes", "key", "slug", "uuid", "guid", "number", "no", "num", "sku"}) | {
    "identifier",
    "shortname",
    "handle",
    "login",
    "username",
    "abbreviation",
    "symbol",
}
_CALENDAR = frozenset({"year", "month", "day", "hour", "week", "quarter", "date", "version", "position", "line"})
_KEY_TYPES: frozenset[ColumnType] = frozenset({"text", "integer", "date", "timestamp"})


@dataclass(frozen=True)
class NamedColumn:
    """A column in hand: name, type and all values in row order."""

    name: str
    type: ColumnType
    values: Sequence[Any]


@dataclass(frozen=True)
class Key:
    """A primary key that the rows themselves have, and what speaks for it."""

    columns: tuple[str, ...]
    evidence: str


def key_faults(columns: Sequence[NamedColumn], *, limit: int = 3) -> list[str]:
    """Why `columns` are no key of the rows: NULLs and duplicates, at most `limit` of them; empty when they are."""
    faults = [
        f"{column.name} is NULL in row {column.values.index(None) + 1}"
        for column in columns
        if any(value is None for value in column.values)
    ]
    seen: dict[tuple[Any, ...], int] = {}
    for number, value in enumerate(zip(*(column.values for column in columns), strict=True), start=1):
        if len(faults) >= limit:
            break
        first = seen.setdefault(value, number)
        if first != number:
            faults.append(f"{_shown(value)} in rows {first} and {number}")
    return faults[:limit]


def find_key(columns: Sequence[NamedColumn], *, entity: str, entities: Sequence[str] = ()) -> Key | None:
    """The natural key of the rows: the smallest unique set of columns without NULLs that names speak for.

    `entities` are the names of all entities: a column named after one of them may be part of a composite key.
    None when the rows have no such set (give them a surrogate `id`).
    """
    rows = len(columns[0].values) if columns else 0
    if rows < 2:
        return None
    usable = [column for column in columns if _usable(column)]
    singles = [column for column in usable if len(set(column.values)) == rows]
    ranked = sorted(
        ((_rank(column, columns.index(column), entity), columns.index(column), column) for column in singles),
        key=lambda item: item[:2],
    )
    if ranked and ranked[0][0] < 9:
        return Key((ranked[0][2].name,), f"unique and without NULLs in {rows} rows; {_reason(ranked[0][0])}")
    unique = {column.name for column in singles}
    parts = [
        column
        for column in usable
        if column.name not in unique and len(set(column.values)) > 1 and _may_be_part(column, entities)
    ]
    return _composite(parts[:_MAX_CANDIDATES], rows)


def _composite(parts: Sequence[NamedColumn], rows: int) -> Key | None:
    for width in range(2, MAX_KEY_COLUMNS + 1):
        for group in combinations(parts, width):
            if _is_unique(group, rows):
                names = tuple(column.name for column in group)
                return Key(names, f"together unique and without NULLs in {rows} rows; no smaller set is")
    return None


def _is_unique(group: Sequence[NamedColumn], rows: int) -> bool:
    seen: set[tuple[Any, ...]] = set()
    for number, value in enumerate(zip(*(column.values for column in group), strict=True), start=1):
        seen.add(value)
        if len(seen) != number:
            return False
    return len(seen) == rows


def _usable(column: NamedColumn) -> bool:
    if column.type not in _KEY_TYPES:
        return False
    return all(value is not None and value != "" and len(str(value)) <= _MAX_KEY_TEXT for value in column.values)


def _rank(column: NamedColumn, position: int, entity: str) -> int:
    """Smaller is better; 9 means that no name speaks for the column."""
    name, parts = column.name, words(column.name)
    if name == "id":
        return 0
    if name in (f"{entity}_id", f"{entity}_code", f"{entity}_key"):
        return 1
    if parts and parts[-1] in _KEY_WORDS:
        return 2
    if name == entity or (position == 0 and column.type == "text" and is_code_like(column.values)):
        return 3
    if column.type == "text" and is_code_like(column.values) and "name" not in parts:
        return 4
    return 9


def _reason(rank: int) -> str:
    return {0: "named id", 1: "named after the entity", 2: "named as a key", 3: "first column of codes"}.get(
        rank, "codes"
    )


def is_code_like(values: Iterable[Any]) -> bool:
    """True if all (non-NULL) texts are short and without spaces, as codes are."""
    return all(value is None or (len(value) <= _MAX_CODE and " " not in value) for value in values)


def _may_be_part(column: NamedColumn, entities: Sequence[str]) -> bool:
    parts = words(column.name)
    if column.type in ("date", "timestamp"):
        return True
    if any(part in _KEY_WORDS for part in parts) or any(part in entities for part in parts):
        return True
    return any(part in _CALENDAR for part in parts) or (column.type == "text" and is_code_like(column.values))


def _shown(value: tuple[Any, ...]) -> str:
    return "/".join(str(part) for part in value)
