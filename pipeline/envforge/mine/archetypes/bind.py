"""Binding: an archetype's parts become plain domain and Blueprint vocabulary over the matched schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from envforge.core.contracts import Database, Row
from envforge.core.errors import BuildError
from envforge.core.records.archetype import Archetype, Density, Process, RoleField
from envforge.core.records.base import Record
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import Column, Domain, RejectedOperation, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.archetypes.documents import check_plans
from envforge.mine.archetypes.fillable import fillable, served
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.archetypes.refs import Binding, UnboundError
from envforge.mine.archetypes.resolve import resolve_part
from envforge.mine.archetypes.sqlcheck import SqlChecker
from envforge.mine.archetypes.state_words import in_words
from envforge.mine.archetypes.trim import trimmed
from envforge.mine.scenario.rows import stored

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class BoundScenario:
    """The processes of an archetype with every reference resolved."""

    processes: tuple[Process, ...]
    densities: tuple[Density, ...]
    notes: tuple[str, ...]


def bind(database: Database, match: ArchetypeMatch) -> Database:
    """The database with its domain extended by the archetype, reference rows in, and operations, views,
    lifecycles, plants and intents resolved to real tables and columns.

    Raises BuildError when the match was not accepted or a query does not fit the extended schema.
    """
    archetype, binding = match.archetype, match.binding
    if not match.accepted:
        raise BuildError("the archetype does not fit", where=archetype.id, remedy="; ".join(match.reasons))
    domain, notes = _trimmed(_own_tools(_extended(database.domain, match), match), database, match)
    rows = {table.name: _copied(table, database) for table in domain.tables}
    provenance = [*database.provenance, *_reference_rows(domain, match, rows)]
    parts = _Parts(binding)
    views = parts.each(archetype.views, "view")
    fitting = parts.operations(archetype)
    able, unable = fillable(fitting, domain.tables)
    lifecycles = parts.each(archetype.lifecycles, "lifecycle")
    operations = tuple(
        operation.model_copy(update={"witnesses": at_clock(operation.witnesses, database.clock)})
        for operation in in_words(able, lifecycles, domain.tables)
    )
    plants = at_clock(parts.each(archetype.plants, "plant"), database.clock)
    intents = at_clock(served(parts.each(archetype.intents, "intent family"), fitting, able), database.clock)
    histories = parts.each(archetype.histories, "history")
    figures = parts.each(archetype.figures, "figure")
    documents = at_clock(parts.each(archetype.documents, "document"), database.clock)
    bound = replace(
        database,
        domain=domain.model_copy(update={"notes": (*domain.notes, *notes, *parts.notes, *unable)}),
        rows=rows,
        provenance=provenance,
        operations=(*database.operations, *operations),
        views=(*database.views, *views),
        lifecycles=(*database.lifecycles, *lifecycles),
        plants=(*database.plants, *plants),
        histories=(*database.histories, *histories),
        figures=(*database.figures, *figures),
        intents=(*database.intents, *intents),
        document_plans=(*database.document_plans, *documents),
    )
    checker = SqlChecker(bound.domain.tables, archetype.id)
    checker.check(operations=operations, plants=plants, intents=intents)
    check_plans(documents, checker, archetype.id)
    return bound


def bound_scenario(match: ArchetypeMatch) -> BoundScenario:
    """The archetype's processes over the matched schema; those that need what is not there are left out."""
    binding = match.binding
    kept: list[Process] = []
    notes: list[str] = []
    for process in match.archetype.scenario:
        missing = [need for need in process.needs if not binding.is_bound(*need.lstrip("@").split(".", 1))]
        if missing:
            notes.append(f"process {process.name} left out: no {', '.join(missing)}")
        else:
            kept.append(_resolved_process(process, binding))
    parts = _Parts(binding)
    names = {process.name for process in kept}
    densities = [d for d in parts.each(match.archetype.densities, "density") if d.process in names]
    return BoundScenario(tuple(kept), tuple(densities), (*notes, *parts.notes))


def _resolved_process(process: Process, binding: Binding) -> Process:
    try:
        return resolve_part(process, binding)
    except UnboundError as error:
        raise BuildError(
            f"process {process.name} uses {error.reference}, which nothing plays",
            where=f"archetype {binding.archetype}",
            remedy="list it under `needs`, or guard it with `when: bound('role.field')`",
        ) from error


def _extended(domain: Domain, match: ArchetypeMatch) -> Domain:
    archetype, binding = match.archetype, match.binding
    tables = [_role_table(table, match) for table in domain.tables]
    for role, spec in archetype.roles.items():
        if spec.add is not None and role not in match.roles:
            added = _synthetic(resolve_part(spec.add, binding))
            columns = (*added.columns, *_added_columns(spec.fields, added, match.fields[role], binding))
            tables.append(added.model_copy(update={"columns": columns, "archetype_role": role}))
    for table in archetype.tables:
        tables.append(_synthetic(resolve_part(table, binding)))
    kept = tuple(_checked_references(table, {t.name: t for t in tables}) for table in tables)
    return domain.model_copy(update={"tables": kept, "archetypes": (*domain.archetypes, archetype.id)})


def _own_tools(domain: Domain, match: ArchetypeMatch) -> Domain:
    """The domain without source operations on tables whose tools the archetype brings; each is rejected by name."""
    own = {table for role, table in match.roles.items() if match.archetype.roles[role].own_tools}
    left_out = tuple(
        RejectedOperation(
            id=operation.id,
            locator=operation.locator,
            reason="covered",
            detail=f"the archetype {match.archetype.id} brings the tools of {operation.table}",
        )
        for operation in domain.operations
        if operation.table in own
    )
    kept = tuple(operation for operation in domain.operations if operation.table not in own)
    return domain.model_copy(update={"operations": kept, "rejected": (*domain.rejected, *left_out)})


def _trimmed(domain: Domain, database: Database, match: ArchetypeMatch) -> tuple[Domain, list[str]]:
    roles = [table for role, table in match.roles.items() if match.archetype.roles[role].drop_unfilled]
    planted = [Process(name=plant.name, steps=plant.steps) for plant in match.archetype.plants]
    processes = [*bound_scenario(match).processes, *_Parts(match.binding).each(planted, "plant")]
    return trimmed(domain, database.rows, roles, processes)


def _role_table(table: Table, match: ArchetypeMatch) -> Table:
    """A mined table that plays a role: marked, with the columns the role adds."""
    role = next((role for role, name in match.roles.items() if name == table.name), None)
    if role is None:
        return table
    spec = match.archetype.roles[role]
    added = _added_columns(spec.fields, table, match.fields[role], match.binding)
    bound = match.fields[role]
    indexes = [tuple(bound[name] for name in fields if name in bound) for fields in spec.indexes]
    return table.model_copy(
        update={
            "columns": (*table.columns, *added),
            "archetype_role": role,
            "indexes": (*table.indexes, *(columns for columns in indexes if columns and columns not in table.indexes)),
            "id_style": table.id_style or spec.id_style,
        }
    )


def _added_columns(fields: dict[str, RoleField], table: Table, bound: dict[str, str], binding: Binding) -> list[Column]:
    """Columns the role adds because none of the table's own stands for the field."""
    added: list[Column] = []
    for name, field in fields.items():
        if field.add is None:
            continue
        called = bound.get(name, field.add.name)
        if not table.has(called):
            column = resolve_part(field.add, binding)
            added.append(column.model_copy(update={"name": called, "origin": "synthetic"}))
    return added


def _synthetic(table: Table) -> Table:
    columns = tuple(column.model_copy(update={"origin": "synthetic"}) for column in table.columns)
    return table.model_copy(update={"origin": "synthetic", "columns": columns})


def _checked_references(table: Table, tables: dict[str, Table]) -> Table:
    """The table with its added references checked; such a column has the type of the key it holds."""
    columns: list[Column] = []
    for column in table.columns:
        target = column.references
        if column.origin != "synthetic" or target is None:
            columns.append(column)
        elif target.table in tables and tables[target.table].has(target.column):
            columns.append(column.model_copy(update={"type": tables[target.table].column(target.column).type}))
        else:
            raise BuildError(f"{table.name}.{column.name} refers to {target.table}.{target.column}, which is not there")
    return table.model_copy(update={"columns": tuple(columns)})


def _copied(table: Table, database: Database) -> list[Row]:
    """The table's rows over the columns it has now; added columns hold their default until the scenario fills them."""
    return [
        {column.name: row.get(column.name, column.default) for column in table.columns}
        for row in database.rows.get(table.name, [])
    ]


def _reference_rows(domain: Domain, match: ArchetypeMatch, rows: dict[str, list[Row]]) -> list[ProvenanceEntry]:
    entries: list[ProvenanceEntry] = []
    for written, given in match.archetype.reference_rows.items():
        table = domain.table(match.binding.resolve(written))
        for values in given:
            unknown = set(values) - {column.name for column in table.columns}
            if unknown:
                raise BuildError(f"reference row of {table.name} has no column {sorted(unknown)[0]!r}")
            rows[table.name].append(
                {c.name: stored(values.get(c.name, c.default), c, table.name) for c in table.columns}
            )
        entries.append(
            ProvenanceEntry(
                table=table.name, source=match.source, locator="reference_rows", kind="synthetic", count=len(given)
            )
        )
    return entries


def at_clock(parts: Iterable[RecordT], clock: str) -> tuple[RecordT, ...]:
    """The parts with `:clock` in their queries written out, so that whoever runs them needs no parameter."""
    fixed: list[RecordT] = []
    for part in parts:
        text = json.dumps(part.model_dump(mode="json", by_alias=True, exclude_unset=True), ensure_ascii=False)
        fixed.append(type(part).model_validate_json(re.sub(r":clock\b", f"'{clock}'", text)))
    return tuple(fixed)


class _Parts:
    """Resolves the parts of an archetype; what needs an unbound role is left out and noted."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.notes: list[str] = []

    def each(self, parts: Iterable[RecordT], kind: str) -> tuple[RecordT, ...]:
        """The parts that the schema has everything for, resolved."""
        kept: list[RecordT] = []
        for part in parts:
            try:
                kept.append(resolve_part(part, self.binding))
            except UnboundError as error:
                name = getattr(part, "name", None) or getattr(part, "id", None) or getattr(part, "table", "")
                self.notes.append(f"{kind} {name} left out: nothing plays {error.reference}")
        return tuple(kept)

    def operations(self, archetype: Archetype) -> tuple[Operation, ...]:
        """The operations, each with its place in the archetype as locator."""
        located = [
            operation.model_copy(
                update={"origin": "synthetic", "locator": f"archetype:{archetype.id}#{operation.name}"}
            )
            for operation in archetype.operations
        ]
        return self.each(located, "operation")
