"""Operations that make rows which the schema at hand would refuse: a source may want columns that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envforge.core.records.blueprint import Each, Insert, Operation, Step, When
from envforge.core.records.domain import Table
from envforge.core.records.intent import IntentFamily


def fillable(operations: Iterable[Operation], tables: Iterable[Table]) -> tuple[tuple[Operation, ...], list[str]]:
    """The operations whose new rows have all that they must have, and a note per operation that is left out."""
    known = {table.name: table for table in tables}
    kept: list[Operation] = []
    notes: list[str] = []
    for operation in operations:
        missing = next(_missing(operation.steps, known), None)
        if missing is None:
            kept.append(operation)
        else:
            notes.append(f"operation {operation.name} left out: nothing fills {missing}")
    return tuple(kept), notes


def served(
    families: Iterable[IntentFamily], operations: Iterable[Operation], kept: Iterable[Operation]
) -> tuple[IntentFamily, ...]:
    """The families whose gold calls none of the operations that were left out."""
    gone = {one.name for one in operations} - {one.name for one in kept}
    return tuple(family for family in families if not any(f'"{name}"' in family.gold for name in gone))


def _missing(steps: Iterable[Step], tables: Mapping[str, Table]) -> Iterator[str]:
    """Columns that must have a value, and that an insert gives none."""
    for step in steps:
        if isinstance(step, Each):
            yield from _missing(step.steps, tables)
        elif isinstance(step, When):
            yield from _missing((*step.then, *step.otherwise), tables)
        elif isinstance(step, Insert) and step.table in tables:
            table = tables[step.table]
            for column in table.columns:
                given = column.name in step.values or column.name in table.primary_key
                if not given and not column.nullable and column.default is None:
                    yield f"{table.name}.{column.name}"
