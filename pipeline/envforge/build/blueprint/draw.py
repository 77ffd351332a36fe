"""From a database to a blueprint: every operation that can be drawn is, then the tools that ship are chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from envforge.build.blueprint.candidate import FIND, Candidate, rejection
from envforge.build.blueprint.columns import dead_flags
from envforge.build.blueprint.data_first import data_first
from envforge.build.blueprint.document_writing import formats_of, writing_tools
from envforge.build.blueprint.documents import document_tools
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.from_operation import from_operation
from envforge.build.blueprint.opening import to_open, with_open_lists
from envforge.build.blueprint.reachability import produced, self_sufficient
from envforge.build.blueprint.sharing import shared_out
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Blueprint, Operation
from envforge.core.records.domain import Table


def draw_blueprint(database: Database, *, max_tools: int | None) -> tuple[Blueprint, list[dict[str, Any]]]:
    """The blueprint of a database with at most `max_tools` operations, and what was left out with a reason.

    What the mining had rejected before stands in the Domain and is not repeated here.

    Drawn twice: hints name the tools that find ids, and which tools ship is known only after the choice.
    """
    opened: set[str] = set()
    while True:
        drawing = Drawing(database)
        candidates, rejected = _candidates(drawing)
        chosen, left_out = shared_out(candidates, database, max_tools=max_tools)
        more = to_open(chosen) - opened
        if not more:
            break
        opened |= more  # another list may ship in the place of one that was opened
        database = with_open_lists(database, more)
    names = {operation.name for operation in chosen}
    final = Drawing(database, finders=_finders(drawing, chosen), restorers=_restorers(drawing, names))
    redrawn, _ = _candidates(final)
    by_name: dict[str, Operation] = {}
    for candidate in redrawn:
        by_name.setdefault(candidate.operation.name, candidate.operation)
    blueprint = Blueprint(
        theme=database.domain.theme,
        title=database.domain.title or database.domain.theme,
        tables=database.domain.tables,
        bags=database.domain.bags,
        views=final.views(),
        histories=database.histories,
        figures=database.figures,
        document_formats=formats_of(drawing),
        operations=tuple(by_name[operation.name] for operation in chosen if operation.name in names),
    )
    return blueprint, [*rejected, *left_out]


def _candidates(drawing: Drawing) -> tuple[list[Candidate], list[dict[str, Any]]]:
    """All operations that can be drawn, archetypes' first, and the source's operations that cannot be."""
    database = drawing.database
    found = [Candidate(operation, "archetype") for operation in database.operations]
    rejected: list[dict[str, Any]] = []
    for bound in database.domain.operations:
        try:
            found.append(Candidate(from_operation(drawing, bound), "source"))
        except CannotDraw as problem:
            rejected.append(rejection(bound.name, bound.locator, problem.reason, problem.message))
    domain = database.domain
    bags = {name for bag in domain.bags for name in (bag.definition_table, bag.option_table, bag.value_table)}
    served = {bound.table for bound in database.domain.operations}
    for table in drawing.tables.values():
        if table.name not in served and table.name not in bags and _mined(table, database):
            found += [Candidate(operation, "data") for operation in data_first(drawing, table)]
    of_documents = [*document_tools(drawing), *writing_tools(drawing)]
    found += [Candidate(operation, "document") for operation in of_documents]
    found += [Candidate(operation, "history") for operation in database.listings]
    return found, rejected


def _mined(table: Table, database: Database) -> bool:
    """True for a table of the sources, also one put together of several of them.

    What archetypes add or take for a part of theirs has the tools that they bring, and no others.
    """
    gathered = table.origin == "derived" and not table.archetype_role
    return table.origin == "mined" or gathered or not database.operations


def _finders(drawing: Drawing, chosen: Sequence[Operation]) -> Mapping[str, str]:
    """Entity → the tool to find its ids with: a search before a list, one that needs no id before one that does."""
    finders: dict[str, str] = {}
    entities = {table.entity: table for table in drawing.tables.values()}
    ranked = sorted(
        (one for one in chosen if one.verb in FIND),
        key=lambda one: (not self_sufficient(one), one.verb != "search", one.name),
    )
    for operation in ranked:
        for semantic in sorted(produced(operation)):
            entity, _, column = semantic.partition(".")
            table = entities.get(entity)
            own = operation.entity == entity or _is_union(operation, semantic)
            if table and own and (column,) == table.primary_key:
                finders.setdefault(entity, operation.name)
    for operation in sorted(chosen, key=lambda one: (not self_sufficient(one), one.verb not in FIND, one.name)):
        for semantic in sorted(produced(operation)):
            entity, _, column = semantic.partition(".")
            if entity in entities and (column,) == entities[entity].primary_key and operation.entity != entity:
                finders.setdefault(entity, operation.name)  # in passing: where a row is kept, who made it
    return finders


def _restorers(drawing: Drawing, names: Collection[str]) -> Mapping[str, str]:
    """Entity → the shipped update that can clear the flag of its trash."""
    found: dict[str, str] = {}
    for bound in drawing.database.domain.operations:
        table = drawing.tables.get(bound.table)
        flags = {flag.name for flag in dead_flags(table)} if table else set[str]()
        if bound.verb == "update" and bound.name in names and any(one.column in flags for one in bound.parameters):
            found.setdefault(bound.entity, bound.name)
    return found


def _is_union(operation: Operation, semantic: str) -> bool:
    """True if the items of the result may be of this kind: a search over several tables."""
    items = operation.returns.get("properties", {}).get("items", {}).get("items", {})
    marks: Any = items.get("properties", {}).get("id", {}).get("x-semantic")
    return isinstance(marks, list) and semantic in marks
