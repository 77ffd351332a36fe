"""Which tables an environment keeps, and what goes with the ones it does not keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from envforge.core.contracts import Row
from envforge.core.records.domain import BoundOperation, Domain, RejectedOperation, Table


def limit_tables(domain: Domain, rows: Mapping[str, Sequence[Row]], most: int) -> tuple[Domain, set[str]]:
    """The domain with at most `most` tables, the most connected first; and the names that were dropped.

    A property bag counts as one: its tables stay or go with the item table.
    """
    if len(domain.tables) <= most:
        return domain, set()
    weight = _connectedness(domain, rows)
    ranked = sorted(domain.tables, key=lambda table: (-weight[table.name], table.name))
    kept = {table.name for table in ranked[:most]}
    dropped = {table.name for table in domain.tables} - kept
    smaller, lost = without_tables(domain, dropped)
    rejected = tuple(
        RejectedOperation(id=operation.id, locator=operation.locator, reason="table_limit", detail=operation.table)
        for operation in lost
    )
    note = f"{len(dropped)} tables left out by --max-tables {most}: {', '.join(sorted(dropped))}"
    return smaller.model_copy(
        update={"rejected": (*smaller.rejected, *rejected), "notes": (*smaller.notes, note)}
    ), dropped


def _connectedness(domain: Domain, rows: Mapping[str, Sequence[Row]]) -> Counter[str]:
    weight: Counter[str] = Counter()
    for operation in domain.operations:
        weight[operation.table] += 3
    for table in domain.tables:
        weight[table.name] += 4 if rows.get(table.name) else 0
        for column in table.columns:
            if column.references is not None and column.references.table != table.name:
                weight[table.name] += 1
                weight[column.references.table] += 2
    for bag in domain.bags:
        for name in (bag.definition_table, bag.option_table, bag.value_table):
            weight[name] = weight[bag.item_table]
    return weight


def without_tables(domain: Domain, names: Collection[str]) -> tuple[Domain, list[BoundOperation]]:
    """The domain without these tables, references to them and operations on them; and those operations."""
    gone = set(names)
    tables = tuple(_without_references(table, gone) for table in domain.tables if table.name not in gone)
    lost = [operation for operation in domain.operations if operation.table in gone]
    kept = tuple(
        operation.model_copy(update={"also": tuple(name for name in operation.also if name not in gone)})
        for operation in domain.operations
        if operation.table not in gone
    )
    bags = tuple(
        bag
        for bag in domain.bags
        if not {bag.collection_table, bag.item_table, bag.definition_table, bag.option_table, bag.value_table} & gone
    )
    return domain.model_copy(update={"tables": tables, "operations": kept, "bags": bags}), lost


def _without_references(table: Table, gone: set[str]) -> Table:
    columns = tuple(
        column.model_copy(update={"references": None})
        if column.references is not None and column.references.table in gone
        else column
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns})
