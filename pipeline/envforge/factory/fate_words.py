"""The fates of a specification's operations as a person reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_ORDER = ("stated", "distinct", "with_effect", "shape_only", "rejected", "shipped")
_MOST = 6


def fates_in_words(operations: Mapping[str, int]) -> str:
    """The fates of operations in one line."""
    return ", ".join(f"{name.replace('_', ' ')} {operations[name]}" for name in _ORDER if name in operations)


def reasons_in_words(rejected: Sequence[Mapping[str, Any]]) -> str:
    """Why operations were rejected or left out, most frequent first."""
    counted = Counter(str(item.get("reason", "")) for item in rejected)
    shown = [f"{reason} {count}" for reason, count in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
    return ", ".join([*shown[:_MOST], *(["…"] if len(shown) > _MOST else [])])
