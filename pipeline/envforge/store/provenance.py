"""Where rows come from: provenance entries expand to exactly one source per row."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from envforge.core.errors import StoreError
from envforge.core.records.environment import ProvenanceEntry

Key = tuple[Any, ...]
_PLACE = re.compile(r"\{(\w+)\}")
_SHOWN = 10


def expand(
    entries: Iterable[ProvenanceEntry], table: str, key: Key, row: Mapping[str, Any] | None = None
) -> ProvenanceEntry:
    """The provenance of one row: the entry that covers it, narrowed to the row, its locator filled in.

    `{key}` is the key, its parts joined by `/`; `{column}` needs the `row`, and stays as it is without.
    Raises StoreError when no entry or more than one covers the row.
    """
    covering = [entry for entry in entries if entry.table == table and _covers(entry, key)]
    if len(covering) != 1:
        message = f"{len(covering)} provenance entries cover the row {_shown(key)}; exactly one must"
        raise StoreError(message, where=f"provenance.jsonl: {table}", remedy="build the environment again")
    values = {"key": _shown(key), **(row or {})}
    locator = _PLACE.sub(lambda m: str(values[m[1]]) if m[1] in values else m[0], covering[0].locator)
    return covering[0].model_copy(update={"keys": (key, key), "count": 1, "locator": locator})


def coverage_problems(entries: Iterable[ProvenanceEntry], keys: Mapping[str, Sequence[Key]]) -> list[str]:
    """Rows that no entry or several cover, and entries whose count is wrong; empty when provenance is exact.

    `keys` holds the primary keys of every table, in any order. At most ten problems are named.
    """
    by_table: dict[str, list[ProvenanceEntry]] = {}
    for entry in entries:
        by_table.setdefault(entry.table, []).append(entry)
    problems = [f"{table}: provenance of a table that is not there" for table in sorted(by_table.keys() - keys.keys())]
    for table, rows in keys.items():
        problems.extend(_table_problems(table, by_table.get(table, []), rows))
    return problems[:_SHOWN]


def _table_problems(table: str, entries: Sequence[ProvenanceEntry], rows: Sequence[Key]) -> list[str]:
    ordered = sorted(tuple(row) for row in rows)
    steps = [0] * (len(ordered) + 1)
    problems: list[str] = []
    for entry in entries:
        try:
            first, end = _span(entry, ordered)
        except TypeError:
            problems.append(f"{table}: keys {entry.keys} are not of the types of the table's key")
            continue
        if end - first != entry.count:
            problems.append(f"{table}: an entry of {entry.source} states {entry.count} rows and covers {end - first}")
        steps[first] += 1
        steps[end] -= 1
    for key, count in zip(ordered, accumulate(steps), strict=False):
        if count != 1:
            problems.append(f"{table}: {count} entries cover the row {_shown(key)}")
            break
    return problems


def _span(entry: ProvenanceEntry, ordered: Sequence[Key]) -> tuple[int, int]:
    if entry.keys == "all":
        return 0, len(ordered)
    first, last = entry.keys
    start = bisect_left(ordered, tuple(first))
    return start, max(start, bisect_right(ordered, tuple(last)))


def _covers(entry: ProvenanceEntry, key: Key) -> bool:
    if entry.keys == "all":
        return True
    first, last = entry.keys
    try:
        return tuple(first) <= tuple(key) <= tuple(last)
    except TypeError:
        return False


def _shown(key: Key) -> str:
    return "/".join(str(part) for part in key)
