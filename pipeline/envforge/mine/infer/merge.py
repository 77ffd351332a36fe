"""Facts about one thing from two files: outer join of two tables whose keys agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envforge.mine.infer.drafts import Draft

MIN_OVERLAP = 0.5


@dataclass(frozen=True)
class Merged:
    """What a merge did. `lost` rows had no value for the key of the table they should have joined."""

    by: str
    matched: int
    added: int
    lost: int


def merge_columns(base: Draft, other: Draft) -> Merged | None:
    """Merge `other` into `base` (in place); None, and nothing done, when their keys do not agree.

    The key of `other` must share half of its values with a column of `base` that is unique where it is filled.
    What `base` states is kept; `other` fills its gaps, brings columns that `base` lacks, and its further rows
    where the matching column is `base`'s own key. A column of the same name but another type is left out.
    """
    if len(other.key) != 1 or other.surrogate:
        return None
    matching = _matching_column(base, other)
    if matching is None:
        return None
    places = {value: row for row, value in enumerate(base.values[matching]) if value is not None}
    keys = other.values[other.key[0]]
    targets = [places.get(value) for value in keys]
    own_key = base.key == (matching,)
    fresh = [row for row, target in enumerate(targets) if target is None] if own_key else []
    height = len(next(iter(base.values.values())))
    for name, values in other.values.items():
        if name == other.key[0]:
            continue
        if name not in base.types:
            base.types[name], base.values[name] = other.types[name], [None] * height
        elif base.types[name] != other.types[name] or name in base.key:
            continue
        _fill(base.values[name], values, targets)
    _append(base, other, matching, fresh)
    matched = sum(1 for target in targets if target is not None)
    return Merged(f"{matching} = {other.key[0]}", matched, len(fresh), len(keys) - matched - len(fresh))


def _matching_column(base: Draft, other: Draft) -> str | None:
    keys = set(other.values[other.key[0]])
    kind = other.types[other.key[0]]
    best: tuple[float, str] | None = None
    for name in sorted(base.types, key=lambda name: name not in base.key):
        filled = [value for value in base.values[name] if value is not None]
        if base.types[name] != kind or len(set(filled)) != len(filled) or not filled:
            continue
        overlap = len(keys & set(filled)) / min(len(keys), len(filled))
        if overlap >= MIN_OVERLAP and (best is None or overlap > best[0]):
            best = (overlap, name)
    return best[1] if best else None


def _fill(into: list[Any], values: list[Any], targets: list[int | None]) -> None:
    for value, target in zip(values, targets, strict=True):
        if target is not None and into[target] is None:
            into[target] = value


def _append(base: Draft, other: Draft, matching: str, rows: list[int]) -> None:
    for name, values in base.values.items():
        source = other.key[0] if name == matching else name
        known = source in other.types and other.types[source] == base.types[name]
        values.extend(other.values[source][row] if known else None for row in rows)
