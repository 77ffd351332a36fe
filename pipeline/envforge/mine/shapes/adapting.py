"""A mined table as its rows need it: columns that nothing fills are gone, and the source's tools can make new rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from envforge.core.records.domain import Column, Table
from envforge.core.records.shape import RowShape
from envforge.mine.shapes.reading import ColumnPlan, Uses, words_of
from envforge.mine.shapes.states import initial_state, states_of

_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,), "integer": (int,), "real": (int, float), "boolean": (bool,),
    "json": (), "date": (), "timestamp": (),
}  # fmt: skip
_MANAGED = frozenset({"created_at", "updated_at", "author", "editor", "position"})


def adapted_table(
    table: Table, kept: Sequence[ColumnPlan], uses: Uses, shape: RowShape
) -> tuple[Table, tuple[ColumnPlan, ...]]:
    """The table with the columns that are filled, and their plans over the columns as they are then."""
    columns: list[ColumnPlan] = []
    kept = [_unnamed(plan) for plan in kept]
    given_roles = {plan.column.role for plan in kept}
    for plan in kept:
        column = _with_role(plan, given_roles, shape)
        given_roles.add(column.role)
        columns.append(replace(plan, column=_fillable(replace(plan, column=column), table, uses, shape)))
    return with_columns(table, [plan.column for plan in columns]), tuple(columns)


def with_columns(table: Table, columns: Sequence[Column]) -> Table:
    """The table with these columns, and of its rules those that speak of no other column."""
    names = {column.name for column in columns}
    before = {column.name for column in table.columns}
    return table.model_copy(
        update={
            "columns": tuple(columns),
            "unique": tuple(group for group in table.unique if set(group) <= names),
            "indexes": tuple(group for group in table.indexes if set(group) <= names),
            "checks": tuple(check for check in table.checks if set(_NAME.findall(check)) & before <= names),
        }
    )


def _unnamed(plan: ColumnPlan) -> ColumnPlan:
    """A column that its name alone made the title, and that holds something else: a person's position."""
    misled = plan.column.role == "title" and plan.rule is not None and plan.rule.make == "choice"
    return replace(plan, column=plan.column.model_copy(update={"role": None})) if misled else plan


def _with_role(plan: ColumnPlan, given: set[str | None], shape: RowShape) -> Column:
    """The column with the role that its rule tells, where the mining gave none and no other column has it."""
    column, rule = plan.column, plan.rule
    if column.role is not None or rule is None:
        return column
    role: str | None = None
    names = words_of(column.name)
    if rule.make == "moment" and names & set(shape.signs.created_words):
        role = "created_at"
    elif rule.make == "moment" and names & set(shape.signs.updated_words):
        role = "updated_at"
    elif rule.make == "name" or (rule.make == "person" and rule.bank == "name"):
        role = "title"
    stamped = column.type in {"timestamp", "date"} or role == "title"
    return column.model_copy(update={"role": role}) if role and stamped and role not in given else column


def _with_default(column: Column) -> Column:
    """The column with its default as its type holds it; without one that is of another type."""
    default: Any = column.default
    if column.type == "boolean" and isinstance(default, str) and default.lower() in {"true", "false"}:
        default = default.lower() == "true"
    fits = isinstance(default, _TYPES[column.type]) and not (isinstance(default, bool) and column.type != "boolean")
    fits = fits and not (column.enum and default not in column.enum)
    return column.model_copy(update={"default": default if fits else None}) if default is not None else column


def _fillable(plan: ColumnPlan, table: Table, uses: Uses, shape: RowShape) -> Column:
    """A required column that no caller can state gets what a new row has, or may be empty in one."""
    column = _with_default(plan.column)
    if plan.way == "state":
        states = states_of(column, uses, shape)
        changes: dict[str, Any] = {"enum": states}
        if column.name not in uses.given or not column.nullable:
            changes["default"] = column.default if column.default in states else initial_state(states, shape)
        return column.model_copy(update=changes)
    waits = column.name in table.primary_key or column.type == "boolean" or column.role in _MANAGED
    if column.nullable or waits or column.default is not None or column.name in uses.given or table.kind == "link":
        return column
    return column.model_copy(update={"nullable": plan.way != "parent_type"})
