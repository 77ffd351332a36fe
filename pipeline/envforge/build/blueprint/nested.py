"""What belongs to a row and has no tool of its own to be looked up by: short lists in the details of the row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint.drawing import Drawing
from envforge.core.records.blueprint import Condition, Order, Select
from envforge.core.records.domain import Column, Table

MOST_LISTS = 8
MOST_LISTED = 16
"""Rows of one list: what is longer has a search with pages."""
HIDDEN_ROLES = frozenset({"position", "url", "body"})


@dataclass(frozen=True)
class Nested:
    """One list: the step that reads it, the expression that shows it, and its schema."""

    step: Select
    value: str
    schema: dict[str, Any]


def nested_lists(drawing: Drawing, table: Table, taken: set[str]) -> list[Nested]:
    """The lists of a row, those that lead to other rows first; nothing for tables whose rows nothing belongs to."""
    found: list[tuple[int, int, Table, Column]] = []
    for position, child in enumerate(drawing.tables.values()):
        owner = _owner(child, table)
        if owner is not None and _short(drawing, child, owner):
            leads = sum(column.name != owner.name for column, _ in facts.references_of(child))
            found.append((-leads, position, child, owner))
    lists: list[Nested] = []
    for _, _, child, owner in sorted(found, key=lambda one: one[:2]):
        name = _name(table, child)
        if name not in taken and len(lists) < MOST_LISTS and (made := _nested(drawing, child, owner, name, table)):
            taken.add(name)
            lists.append(made)
    return lists


def _owner(child: Table, table: Table) -> Column | None:
    """The part of the key of a child or link that says which row it belongs to: the first one."""
    if child.kind not in {"child", "link"} or len(child.primary_key) < 2:
        return None
    column = child.column(child.primary_key[0])
    refers = column.references is not None and column.references.table == table.name
    return column if refers and table.primary_key == (column.references.column,) else None  # type: ignore[union-attr]


def _short(drawing: Drawing, child: Table, owner: Column) -> bool:
    counts = Counter(row[owner.name] for row in drawing.database.rows.get(child.name, []))
    return bool(counts) and max(counts.values()) <= MOST_LISTED


def _name(table: Table, child: Table) -> str:
    return child.name.removeprefix(f"{table.entity}_").rstrip("_")


def _nested(drawing: Drawing, child: Table, owner: Column, name: str, table: Table) -> Nested | None:
    shown = drawing.summary(child)
    hidden = {owner.name, f"{facts.words(owner.name)}_name"}
    columns = [one for one in child.columns if one.name != owner.name and one.role not in HIDDEN_ROLES]
    names = [one.name for one in columns if one.name in shown.view.fields]
    joined = [one for one in _joined(shown.columns) if one.removesuffix("_name") not in owner.name]
    if not names or hidden >= {*names, *joined}:
        return None
    position = facts.by_role(child, "position")
    brought = [column for column in shown.columns if column.rpartition(" as ")[2] in joined]
    step = Select(
        name=name,
        table=child.name,
        columns=(*dict.fromkeys([*child.primary_key, *names]), *brought),
        joins=tuple(join for join in shown.joins if f"{join.alias}_name" in joined),
        where=(Condition(column=owner.name, value=f"{drawing.row(table)}.{table.primary_key[0]}"),),
        order=(Order(column=position.name),) if position else (),
    )
    schemas: dict[str, Any] = shown.schema["properties"]
    if len(names) == 1 and not joined:
        return Nested(step, f"[row.{names[0]} for row in {name}]", {"type": "array", "items": schemas[names[0]]})
    fields = {one: f"row.{one}" for one in (*names, *joined)}
    item = {one: schemas[one] for one in fields}
    value = ", ".join(f'"{key}": {expression}' for key, expression in fields.items())
    schema = {"type": "object", "properties": item, "required": list(item)}
    return Nested(step, f"[{{{value}}} for row in {name}]", {"type": "array", "items": schema})


def _joined(columns: tuple[str, ...]) -> Iterator[str]:
    """Names of the columns that a join brings: "b.name as border_name"."""
    return (column.rpartition(" as ")[2] for column in columns if " as " in column)
