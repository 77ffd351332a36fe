"""Finds repeated groups in the rows of a table: numbered columns, lists in one text, JSON lists of plain values.

A group is taken only where it is regular; what looks like one and is not is refused with the reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from envforge.core.contracts import Row
from envforge.core.records.domain import Column, Reference, Table
from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.names import singular, words

DELIMITERS = ("|", ";", ",")
MIN_ROWS = 5
"""Rows that must hold two or more items."""
MIN_EMPTY = 0.1
"""Share of rows whose last column is empty: what every row has in full is no repetition but parts of one thing."""
MIN_ALIKE = 0.8
MIN_LISTS = 0.2
MIN_RECURRENCE = 2.0
"""How often an item of a delimited list must occur on average: words of prose do not come again."""
MAX_NUMBER, MAX_ITEMS, MAX_ITEM, MAX_WORDS, MAX_JSON = 20, 50, 40, 5, 20_000
_NUMBERED = re.compile(r"([a-z][a-z_]*?)(_?)([1-9]\d?)(?:_([a-z][a-z_]*))?")
_LINES = frozenset({"addr", "address", "line", "street"})
_NOT_LISTS = frozenset({"id", "title", "body", "url", "email"})


@dataclass(frozen=True)
class Group:
    """A repeated group: per row the fields of its items, in order."""

    stem: str
    columns: tuple[str, ...]
    fields: dict[str, ColumnType]
    items: list[list[tuple[Any, ...]]]
    place: str
    """Where an item stands in its row: a template with {position}."""
    reference: Reference | None = None


@dataclass(frozen=True)
class Refused:
    """What looks like a repeated group and is none."""

    columns: tuple[str, ...]
    reason: str


def repeated_groups(table: Table, rows: Sequence[Row], fixed: Iterable[str]) -> tuple[list[Group], list[Refused]]:
    """The groups of a table and what was refused. `fixed` are columns that must stay: keys, what others refer to."""
    kept = set(fixed)
    groups: list[Group] = []
    refused: list[Refused] = []
    taken: set[str] = set()
    for stem, numbered in _numbered(table).items():
        names = tuple(name for fields in numbered.values() for name in fields.values())
        if len(numbered) < 2:
            continue
        taken |= set(names)
        reason = (
            _fault_of_numbers(table, rows, stem, numbered)
            if not kept & set(names)
            else "keys, checks or other rows need them"
        )
        if reason:
            refused.append(Refused(names, reason))
        else:
            groups.append(_of_numbers(table, rows, stem, numbered))
    for column in table.columns:
        if column.name in taken | kept or column.references or column.role in _NOT_LISTS:
            continue
        found = _of_lists(column, [row[column.name] for row in rows])
        if isinstance(found, Group):
            groups.append(found)
        elif found is not None:
            refused.append(found)
    return groups, refused


def _numbered(table: Table) -> dict[str, dict[int, dict[str, str]]]:
    """Stem → number → field ("" where the column is all there is) → column."""
    found: dict[str, dict[int, dict[str, str]]] = {}
    for column in table.columns:
        match = _NUMBERED.fullmatch(column.name)
        if match:
            place = f"{match[1]}{match[2]}"
            found.setdefault(place, {}).setdefault(int(match[3]), {})[match[4] or ""] = column.name
    return found


def _fault_of_numbers(table: Table, rows: Sequence[Row], stem: str, numbered: dict[int, dict[str, str]]) -> str | None:
    """Why numbered columns are no repeated group."""
    numbers = sorted(numbered)
    if numbers != list(range(1, len(numbers) + 1)) or len(numbers) > MAX_NUMBER:
        return "they are not numbered from 1 on"
    fields = list(numbered[1])
    if any(list(numbered[number]) != fields for number in numbers):
        return "they do not have the same fields"
    if set(words(stem)) & _LINES:
        return "they are lines of one address"
    for field in fields:
        columns = [table.column(numbered[number][field]) for number in numbers]
        targets = {(one.references.table, one.references.column) if one.references else None for one in columns}
        if len({one.type for one in columns}) > 1 or len(targets) > 1:
            return "they are not of one type"
    filled = [[any(row[name] is not None for name in numbered[n].values()) for n in numbers] for row in rows]
    if any(later and not earlier for row in filled for earlier, later in pairwise(row)):
        return "some rows have a later one without the one before"
    if sum(not row[-1] for row in filled) < MIN_EMPTY * len(filled):
        return "nearly every row has all of them"
    if sum(row[1] for row in filled) < MIN_ROWS:
        return f"fewer than {MIN_ROWS} rows have a second one"
    for field in fields:
        columns = [table.column(numbered[number][field]) for number in numbers]
        if columns[0].type == "text" and not _alike([[row[one.name] for row in rows] for one in columns]):
            return "their values do not look alike"
    return None


def _alike(columns: Sequence[Sequence[Any]]) -> bool:
    """True if the values of the later columns are, or are written, as those of the first."""
    first = [value for value in columns[0] if value is not None]
    known, forms = set(first), {_form(value) for value in first}
    for values in columns[1:]:
        later = [value for value in values if value is not None]
        same = sum(value in known or _form(value) in forms for value in later)
        if same < MIN_ALIKE * len(later):
            return False
    return True


def _form(value: str) -> str:
    """How a value is written: runs of letters, of digits, and the signs between them."""
    return re.sub(r"[0-9]+", "9", re.sub(r"[^\W\d_]+", "a", value[:200]))


def _of_numbers(table: Table, rows: Sequence[Row], stem: str, numbered: dict[int, dict[str, str]]) -> Group:
    fields = list(numbered[1])
    items: list[list[tuple[Any, ...]]] = []
    for row in rows:
        all_of_row = [tuple(row[name] for name in numbered[number].values()) for number in sorted(numbered)]
        items.append([item for item in all_of_row if any(value is not None for value in item)])
    name = stem.rstrip("_")
    first = [table.column(numbered[1][field]) for field in fields]
    return Group(
        stem=name,
        columns=tuple(column for number in sorted(numbered) for column in numbered[number].values()),
        fields={field or singular(name): column.type for field, column in zip(fields, first, strict=True)},
        items=items,
        place=f"{stem}{{position}}" + (f"_{fields[0]}" if len(fields) == 1 and fields[0] else ""),
        reference=first[0].references if len(first) == 1 else None,
    )


def _of_lists(column: Column, values: Sequence[Any]) -> Group | Refused | None:
    """The lists that a column holds; Refused where only some rule is broken; None where nothing looks like lists."""
    filled = [value for value in values if isinstance(value, str)]
    if column.type not in ("text", "json") or len(filled) < MIN_ROWS:
        return None
    if all(value.startswith("[") for value in filled):
        lists = [_json_list(value) for value in values]
        if None in lists:
            return Refused((column.name,), "some value is no JSON list of plain values")
        return _listed(column, cast("list[list[Any]]", lists))
    refused: Refused | None = None
    for delimiter in DELIMITERS if column.type == "text" else ():
        if sum(delimiter in value for value in filled) < max(MIN_ROWS, MIN_LISTS * len(filled)):
            continue
        lists = [[item.strip() for item in value.split(delimiter)] if value else [] for value in values]
        reason = _fault_of_lists(lists)
        if reason is None:
            return _listed(column, lists)
        refused = refused or Refused((column.name,), f"lists by {delimiter!r}: {reason}")
    return refused


def _json_list(value: Any) -> list[Any] | None:
    if value is None:
        return []
    if len(value) > MAX_JSON:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(cast("list[Any]", found)) > MAX_ITEMS:
        return None
    items = cast("list[Any]", found)
    plain = all(isinstance(item, str | int) and not isinstance(item, bool) and item != "" for item in items)
    return items if plain and len(set(map(type, items))) < 2 else None


def _fault_of_lists(lists: Sequence[Sequence[str]]) -> str | None:
    counts = Counter(item for items in lists for item in items)
    if "" in counts:
        return "some item is empty"
    if any(len(item) > MAX_ITEM or len(item.split()) > MAX_WORDS or "\n" in item for item in counts):
        return "some item is too long for a list"
    if any(len(items) > MAX_ITEMS or len(set(items)) < len(items) for items in lists):
        return "some value has an item twice, or too many"
    if len({len(items) for items in lists if items}) < 2:
        return "every value has the same number of parts"
    if counts.total() < MIN_RECURRENCE * len(counts):
        return "its items seldom come again"
    if all(item.replace(".", "").isdigit() for item in counts):
        return "its items are digits of numbers"
    return None


def _listed(column: Column, lists: Sequence[Sequence[Any]]) -> Group | Refused | None:
    if sum(len(items) > 1 for items in lists) < MIN_ROWS:
        return None
    numbers = sum(isinstance(item, int) for items in lists for item in items)
    if numbers not in (0, sum(map(len, lists))):
        return Refused((column.name,), "some items are numbers, others are words")
    name = column.name.rstrip("_")
    kind: ColumnType = "integer" if numbers else "text"
    items = [[(item,) for item in found] for found in lists]
    return Group(name, (column.name,), {singular(name): kind}, items, f"{column.name}[{{position}}]")
