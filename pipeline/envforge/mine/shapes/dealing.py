"""Choices and truth values are dealt, not drawn: their shares are as near to the weights under every seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from envforge.core.records.shape import RowShape
from envforge.mine.shapes.reading import ColumnPlan, words_of
from envforge.mine.shapes.states import state_weights


def deck(weights: Mapping[Any, float], count: int, draws: random.Random) -> list[Any]:
    """`count` values in shares as near to the weights as whole numbers allow, shuffled."""
    total = sum(weights.values())
    exact = {value: weight / total * count for value, weight in weights.items()}
    dealt = [value for value, share in exact.items() for _ in range(int(share))]
    rest = sorted(exact, key=lambda value: exact[value] - int(exact[value]), reverse=True)
    dealt += rest[: count - len(dealt)]
    draws.shuffle(dealt)
    return dealt


def weights_of(one: ColumnPlan, shape: RowShape) -> tuple[list[Any], list[float]]:
    """The values of a choice or a truth value, and how often each stands."""
    if one.column.type == "boolean":
        names = words_of(one.name)
        share = next((flag.share for flag in shape.flags if names & set(flag.words)), shape.flag)
        return [1, 0], [share, 1 - share]
    if one.way == "state":
        weights = state_weights(one.column.enum, shape)
        return list(weights), list(weights.values())
    rare = set(shape.signs.rare_words)
    return list(one.column.enum), [
        (0.2 if words_of(value) & rare else 1.0) / rank**0.9 for rank, value in enumerate(one.column.enum, start=1)
    ]
