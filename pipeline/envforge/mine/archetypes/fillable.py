"""Operations that make rows which the schema at hand would refuse: a source may want columns that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from envforge.core.programs import tools_of
from envforge.core.records.blueprint import Insert, Operation, Step
from envforge.core.records.domain import Table
from envforge.core.records.intent import IntentFamily
from envforge.core.steps import all_steps


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
    """The families whose gold calls none of the operations that were left out, without other bodies that do."""
    gone = {one.name for one in operations} - {one.name for one in kept}
    if not gone:
        return tuple(families)
    return tuple(_without(gone, family) for family in families if not gone & tools_of(family.gold))


def _without(gone: Set[str], family: IntentFamily) -> IntentFamily:
    bodies = tuple(body for body in family.alternatives if not gone & tools_of(body))
    return family if bodies == family.alternatives else family.model_copy(update={"alternatives": bodies})


def _missing(steps: Sequence[Step], tables: Mapping[str, Table]) -> Iterator[str]:
    """Columns that must have a value, and that an insert gives none."""
    for step in all_steps(steps):
        if not isinstance(step, Insert) or step.table not in tables:
            continue
        table = tables[step.table]
        for column in table.columns:
            given = column.name in step.values or column.name in table.primary_key
            if not given and not column.nullable and column.default is None:
                yield f"{table.name}.{column.name}"
