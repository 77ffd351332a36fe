"""Fills a database by a shape: plan, rows, lives and hard cases, with provenance."""

from __future__ import annotations

from dataclasses import replace

from envforge.core.contracts import Database
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.shape import RowShape
from envforge.mine.shapes.distinct import with_distinct
from envforge.mine.shapes.filling import Filler
from envforge.mine.shapes.hard_cases import hard_cases, lasting, lifecycles
from envforge.mine.shapes.limits import misfits
from envforge.mine.shapes.plan import make_plan, without_columns

_EXAMPLE_SEED = 7919
"""Rates are stated by what rows of this seed hold, never by the rows that they are demanded of."""


def managed_records(database: Database, shape: RowShape, *, seed: int) -> Outcome[Database]:
    """The database with rows by `shape` in the tables that have none; Rejected when too little can be managed.

    What is filled depends on the domain alone; the seed decides only what the rows say.
    """
    plan = make_plan(database.domain, database.rows, shape)
    if isinstance(plan, Rejected):
        return plan
    plan = with_distinct(without_columns(plan, {one.name: misfits(one, shape, database.clock) for one in plan.tables}))
    given = {table.name: database.rows.get(table.name, []) for table in plan.domain.tables}
    rows = Filler(plan, given, shape, database.clock, seed).fill()
    names = {table.name for table in plan.domain.tables}
    source = source_of(shape)
    entries = [
        ProvenanceEntry(table=name, source=source, locator="rows", kind="synthetic", count=len(found))
        for name, found in rows.items()
        if found
    ]
    domain = plan.domain.model_copy(update={"archetypes": (*plan.domain.archetypes, shape.id)})
    lives = lifecycles(plan, shape)
    filled = replace(
        database,
        domain=domain,
        rows={table.name: rows.get(table.name, given[table.name]) for table in domain.tables},
        provenance=[*(entry for entry in database.provenance if entry.table in names), *entries],
        lifecycles=(*database.lifecycles, *lives),
    )
    example = Filler(plan, given, shape, database.clock, _EXAMPLE_SEED).fill()
    stated = hard_cases(replace(filled, rows={**filled.rows, **example}), plan, shape)
    kept, notes = lasting(filled, stated)
    domain = filled.domain.model_copy(update={"notes": (*filled.domain.notes, *notes)})
    return Produced(replace(filled, domain=domain, plants=(*database.plants, *kept)))


def source_of(shape: RowShape) -> str:
    """The source that provenance names for rows of a shape."""
    return f"shape:{shape.id}@{shape.content_id('shape').removeprefix('shape-')[:12]}"
