"""Histories where no archetype declares them: of tables whose states a source's operations change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envforge.core.contracts import Database
from envforge.core.records.archetype import Lifecycle
from envforge.core.records.derived import Elsewhere, History
from envforge.core.records.domain import BoundOperation, Column, Table
from envforge.mine.derived.declared import subject_of
from envforge.mine.derived.parts import Subject, history_table, history_tool

_WRITES = ("create", "update", "transition", "delete")


def with_histories(database: Database, *, most: int) -> Database:
    """The database with up to `most` histories declared, of the tables whose states most operations change."""
    found = sorted(_candidates(database), key=lambda one: (-one[0], one[1].table))[:most]
    taken = {table.name for table in database.domain.tables}
    for _, life in found:
        table = database.domain.table(life.table)
        name = f"{table.entity}_history"
        if name not in taken:
            taken.add(name)
            database = _with_history(database, table, life, name)
    return database


def _candidates(database: Database) -> Iterator[tuple[int, Lifecycle]]:
    """Lifecycles whose past can be told and whose future is kept, with how many operations move them."""
    bags = {name for bag in database.domain.bags for name in (bag.item_table, bag.collection_table, bag.value_table)}
    mined = {entry.table for entry in database.provenance if entry.kind != "synthetic"}
    for life in database.lifecycles:
        table = database.domain.table(life.table)
        born = _created(table)
        moves = sum(_moves(one, table, life.column) for one in database.domain.operations)
        plain = table.kind == "entity" and len(table.primary_key) == 1 and table.name not in bags | mined
        if not plain or not moves or born is None or table.column(life.column).type != "text":
            continue
        if all(row[born.name] is not None for row in database.rows.get(table.name, ())):
            yield moves, life


def _moves(operation: BoundOperation, table: Table, column: str) -> bool:
    if operation.table != table.name or operation.verb not in _WRITES:
        return False
    return column in operation.target_state or any(one.column == column for one in operation.parameters)


def _created(table: Table) -> Column | None:
    return next((one for one in table.columns if one.role == "created_at" and one.type == "timestamp"), None)


def _with_history(database: Database, table: Table, life: Lifecycle, name: str) -> Database:
    subject, born = subject_of(table), _created(table)
    assert born is not None
    editor = next((one for one in table.columns if one.role == "editor" and one.references is not None), None)
    actor = _actor(database, editor)
    history = History(
        table=name,
        of=table.name,
        state=life.column,
        created=born.name,
        key=subject.key,
        owner=subject.column,
        actor=editor.name if editor is not None and actor is not None else "",
        milestones=_milestones(table, life),
        latest=next((one.name for one in table.columns if one.role == "updated_at" and one.type == "timestamp"), ""),
    )
    states = tuple(life.states)
    domain = database.domain.model_copy(
        update={"tables": (*database.domain.tables, history_table(history, subject, actor, states))}
    )
    return replace(
        database,
        domain=domain,
        rows={**database.rows, name: []},
        histories=(*database.histories, history),
        listings=(*database.listings, history_tool(history, subject, actor, states)),
    )


def _actor(database: Database, editor: Column | None) -> Subject | None:
    if editor is None or editor.references is None:
        return None
    table = database.domain.table(editor.references.table)
    return subject_of(table) if len(table.primary_key) == 1 else None


def _milestones(table: Table, life: Lifecycle) -> dict[str, str | Elsewhere]:
    """State -> the column called like it that says when: `archived` -> `archived_at`."""
    times = {one.name for one in table.columns if one.type == "timestamp"}
    return {state: f"{state}_at" for state in life.states if f"{state}_at" in times}
