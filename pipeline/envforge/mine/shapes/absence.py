"""Where a column that may be empty stands empty: what only some rows come to say, and what another variant says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envforge.core.records.domain import Column
from envforge.core.records.shape import RowShape
from envforge.mine.shapes.plan import TablePlan
from envforge.mine.shapes.reading import words_of


def is_seldom(column: Column, shape: RowShape) -> bool:
    """True for a column that says why or how something came to nothing."""
    return column.nullable and bool(words_of(column.name) & set(shape.signs.seldom_words))


def seldom_share(phase: str) -> float:
    """How often such a column holds something, by the part of its life that a row is in."""
    return 0.85 if phase in {"failed", "gone"} else 0.0 if phase else 0.07


def is_of_another_variant(column: Column, plan: TablePlan, values: Mapping[str, Any]) -> bool:
    """True if the column is one of a variant (`card_last4` of type `card`) that the row is not."""
    for one in plan.of_way("enum"):
        held = values.get(one.name)
        if held is None or not column.source_name.count("."):
            continue
        mine = [value for value in one.column.enum if column.name.startswith(f"{value}_")]
        if mine and held not in mine:
            return True
    return False
