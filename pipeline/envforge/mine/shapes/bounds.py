"""A value as its column holds it: of its type, and within what the source says of it."""

from __future__ import annotations

import math
import re
from typing import Any

from envforge.core.ids import canonical_json
from envforge.core.patterns import LONGEST, surely_fast
from envforge.core.records.domain import Column, Limits


def within(value: Any, column: Column) -> Any:
    """The value if it keeps to what the source says of the column's values, a number moved to its bounds; else None."""
    limits = column.limits
    if limits is None or value is None:
        return value
    if isinstance(value, int | float):
        return _bounded(value, limits)
    if limits.max_length is not None and len(value) > limits.max_length:
        return None
    fits = limits.pattern is None or (len(value) <= LONGEST and surely_fast(limits.pattern))
    return value if fits and (limits.pattern is None or re.search(limits.pattern, value)) else None


def _bounded(value: float, limits: Limits) -> float | None:
    low, high = limits.minimum, limits.maximum
    if low is not None and high is not None and high < low:
        return None
    kept = value if low is None else max(value, low)
    kept = kept if high is None else min(kept, high)
    return kept if isinstance(value, float) else math.ceil(kept) if kept == low else math.floor(kept)


def shortened(value: Any, column: Column) -> Any:
    """A text cut after a word to the longest that the column takes."""
    longest = column.limits.max_length if column.limits is not None else None
    if not isinstance(value, str) or longest is None or len(value) <= longest:
        return value
    head = value[:longest]
    return head.rsplit(" ", 1)[0] if " " in head else head


def typed(value: Any, column: Column) -> Any:
    """A value as the column's type holds it."""
    if value is None:
        return None
    match column.type:
        case "integer":
            return round(float(value))
        case "real":
            return float(value)
        case "json":
            return value if isinstance(value, str) else canonical_json(value)
        case _:
            return str(value)
