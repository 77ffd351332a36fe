"""References between tables: stated ones are measured, missing ones are inferred from values and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.records.domain import Reference
from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.keys import NamedColumn
from envforge.mine.infer.names import singular, words

MIN_COVERAGE = 0.95
_MIN_DISTINCT = 3
_FAMILIES: Mapping[ColumnType, str] = {"text": "text", "integer": "number", "date": "date", "timestamp": "timestamp"}
_GENERIC = frozenset({"id", "ids", "code", "codes", "key", "number", "no", "name", "type", "uuid"})
_UPWARD = frozenset({"parent", "manager", "supervisor", "predecessor", "replaces", "next", "previous", "root"})
_NEVER = frozenset({"url", "uri", "link", "href", "external", "node", "count", "total", "amount", "price", "email"})


@dataclass(frozen=True)
class Target:
    """A column that may be referred to: a single-column primary key, or another unique code."""

    table: str
    entity: str
    key: NamedColumn
    surrogate: bool
    primary: bool = True


@dataclass(frozen=True)
class Coverage:
    """How far the values of a column are keys of a target."""

    share: float
    checked: int
    missing: tuple[tuple[Any, int], ...]
    """Values without a row there, with how often they stand, most frequent first."""


def coverage(values: Iterable[Any], keys: Iterable[Any]) -> Coverage:
    """The share of non-NULL values that are keys; 1.0 only when all are."""
    known = set(keys)
    counts = Counter(value for value in values if value is not None)
    total = sum(counts.values())
    missing = [(value, count) for value, count in counts.items() if value not in known]
    lost = sum(count for _, count in missing)
    missing.sort(key=lambda item: (-item[1], str(item[0])))
    return Coverage((total - lost) / total if total else 1.0, total, tuple(missing))


def find_reference(
    column: NamedColumn, *, table: str, own_key: Sequence[str], own_surrogate: bool, targets: Sequence[Target]
) -> Reference | None:
    """The table that `column` of `table` refers to, or None.

    Needs the same type family, 95 % of the values among the target's keys and, for numbers and short value
    sets, a name that says so. The table's own surrogate or numeric key refers to nothing.
    """
    if _FAMILIES.get(column.type) is None or any(word in _NEVER for word in words(column.name)):
        return None
    alone = tuple(own_key) == (column.name,)
    if alone and (own_surrogate or column.type == "integer"):
        return None
    found: list[tuple[tuple[bool, float, bool, int, str, str], Reference]] = []
    for target in targets:
        # Within one table codes of one thing look alike; only a name makes a column point to another row.
        if target.table == table and (alone or not _points_up(column.name, target)):
            continue
        reference = _judge(column, target)
        if reference is not None:
            doubts = (not _named(column.name, target), -reference.confidence, not target.primary)
            found.append(((*doubts, len(target.key.values), target.table, target.key.name), reference))
    return min(found, key=lambda item: item[0])[1] if found else None


def _points_up(name: str, target: Target) -> bool:
    parts = set(words(name))
    return name != target.key.name and bool(parts & _UPWARD or (_named(name, target) and len(parts) > 1))


def _judge(column: NamedColumn, target: Target) -> Reference | None:
    if _FAMILIES.get(column.type) != _FAMILIES.get(target.key.type):
        return None
    named = _named(column.name, target) or bool(set(words(column.name)) & _UPWARD)
    if not named and (column.type != "text" or target.surrogate):
        return None
    measured = coverage(column.values, target.key.values)
    if measured.checked == 0 or measured.share < MIN_COVERAGE:
        return None
    distinct = {value for value in column.values if value is not None}
    if not named and (len(distinct) < _MIN_DISTINCT or any(len(str(value)) < 2 for value in distinct)):
        return None
    evidence = f"{measured.share:.2%} of {measured.checked} values are keys of {target.table}"
    if named:
        evidence += ", and the name says so"
    return Reference(table=target.table, column=target.key.name, confidence=round(measured.share, 6), evidence=evidence)


def _named(name: str, target: Target) -> bool:
    """Does the column's name point to the target? Its entity's words, or a telling key name."""
    parts = {singular(word) for word in words(name)} - _GENERIC
    entity = {singular(word) for word in words(target.entity)}
    if entity <= parts or name == target.entity:
        return True
    key = {singular(word) for word in words(target.key.name)} - _GENERIC
    return bool(key) and key == parts
