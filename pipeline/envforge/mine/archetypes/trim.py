"""Drops mined columns of role tables that nothing would ever fill, so that no table carries dead columns.

The decision looks at the archetype and the source operations, never at generated rows: all database seeds of a
family keep the same schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from envforge.core.contracts import Row
from envforge.core.records.archetype import EachStep, InsertStep, Process, ScenarioStep, UpdateStep, WhenStep
from envforge.core.records.domain import Column, Domain, Table

_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_MAYBE = re.compile(r"\bNone\b")


def trimmed(
    domain: Domain, rows: Mapping[str, Sequence[Row]], roles: Iterable[str], processes: Sequence[Process]
) -> tuple[Domain, list[str]]:
    """The domain without dead columns of the tables `roles`, and a note per column that went."""
    filled = {name for process in processes for name in _written(process.steps)}
    notes: list[str] = []
    tables: list[Table] = []
    names = set(roles)
    for table in domain.tables:
        if table.name in names:
            inserts = [columns for process in processes for columns in _inserts(process.steps, table.name)]
            if inserts and not rows.get(table.name):
                table = _asked_for(table, set[str].intersection(*inserts))
            kept_by_name = filled | _wanted(domain, table)
            dead = {c.name for c in table.columns if _is_dead(c, table, rows.get(table.name, ()), kept_by_name)}
            notes.extend(f"column {table.name}.{name} dropped: nothing fills it" for name in sorted(dead))
            kept = tuple(column for column in table.columns if column.name not in dead)
            table = table.model_copy(update={"columns": kept})
        tables.append(table)
    return domain.model_copy(update={"tables": tuple(tables)}), notes


def _asked_for(table: Table, given: set[str]) -> Table:
    """The table with NULL allowed where not every insert gives a value: what a source always sends may not be known."""
    columns = tuple(
        column
        if column.nullable or column.default is not None or column.name in given or column.name in table.primary_key
        else column.model_copy(update={"nullable": True})
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns})


def _is_dead(column: Column, table: Table, rows: Sequence[Row], kept: set[str]) -> bool:
    if column.origin == "synthetic" or not column.nullable or column.name in kept or column.name in table.primary_key:
        return False
    return all(row.get(column.name) is None for row in rows)


def _wanted(domain: Domain, table: Table) -> set[str]:
    """Columns that source operations, constraints, property bags or references of others need."""
    wanted: set[str] = set()
    for operation in (one for one in domain.operations if not one.addressed_by_parts):
        if operation.table == table.name or table.name in operation.also:
            wanted |= {p.column for p in operation.parameters if p.column and p.meaning != "ignored"}
            wanted |= set(operation.target_state)
    for other in domain.tables:
        wanted |= {c.references.column for c in other.columns if c.references and c.references.table == table.name}
    for group in (*table.unique, *table.indexes):
        wanted |= set(group)
    for check in table.checks:
        wanted |= set(_NAME.findall(check))
    for bag in domain.bags:
        parts = (bag.definition_table, bag.option_table, bag.value_table)
        wanted |= {column.name for column in table.columns} if table.name in parts else set()
        wanted |= {bag.item_parent_column} if table.name == bag.item_table else set()
    return wanted


def _inserts(steps: Sequence[ScenarioStep], table: str) -> Iterable[set[str]]:
    """For each insert into `table` the columns that get a value in any case."""
    for step in steps:
        match step:
            case InsertStep() if step.insert == table:
                yield {column for column, value in step.values.items() if _MAYBE.search(value) is None}
            case EachStep():
                yield from _inserts(step.steps, table)
            case WhenStep():
                yield from _inserts((*step.then, *step.otherwise), table)
            case _:
                continue


def _written(steps: Sequence[ScenarioStep]) -> Iterable[str]:
    for step in steps:
        match step:
            case InsertStep():
                yield from step.values
            case UpdateStep():
                yield from step.set
            case EachStep():
                yield from _written(step.steps)
            case WhenStep():
                yield from _written((*step.then, *step.otherwise))
            case _:
                continue
