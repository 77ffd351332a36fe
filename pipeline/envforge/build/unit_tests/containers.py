"""Containers for the reference: what puts a row into the trash, and which containers a change shows in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envforge.build.adapters.tables import content_table, parents_of, people_of, trash_flags
from envforge.core.contracts import Row
from envforge.core.records.domain import Table

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference


def holders_of(reference: Reference, table: Table, row: Row) -> list[tuple[Table, Row]]:
    """The rows that a row is kept in, nearest first: in a chain, or in several where it has several parents."""
    found: list[tuple[Table, Row]] = []
    for column in parents_of(table):
        if column.references is None or row[column.name] is None:
            continue
        holder = reference.tables.tables[column.references.table]
        (held,) = reference.tables.find(holder.name, {column.references.column: row[column.name]})
        found += [(holder, held), *holders_of(reference, holder, held)]
    return found


def in_trash(reference: Reference, kind: str, key: Any, itself: bool) -> Row | None:
    """The name of what puts a row into the trash, or None."""
    table = next(one for one in reference.blueprint.tables if one.entity == kind)
    (row,) = reference.tables.find(table.name, {table.primary_key[0]: key})
    chain = [(table, row)] if itself else []
    for depth, (holder, held) in enumerate([*chain, *holders_of(reference, table, row)]):
        if any(held[flag.name] for flag in trash_flags(holder)):
            reference.features.add(("in the trash", holder.name, min(depth, 2)))
            title = next((column.name for column in holder.columns if column.role == "title"), holder.primary_key[0])
            return {"name": f"{holder.label} {held[title]!r:.80}", "hint": "-"}
    return None


def touch_container(reference: Reference, key: Any, actor: Any = None) -> None:
    """Mark the containers around a piece of content, other than content, as changed."""
    content = content_table(reference.blueprint)
    (row,) = reference.tables.find(content.name, {content.primary_key[0]: key})
    chain = holders_of(reference, content, row)
    outer = next((at for at, (holder, _) in enumerate(chain) if holder.name != content.name), None)
    if outer is None:
        return
    reference.features.add(("touched", outer))
    holder, held = chain[outer]
    times = {column.name: reference.live.now() for column in holder.columns if column.role == "updated_at"}
    people = {column.name: actor for column in people_of(holder) if column.role == "editor"}
    if times:
        where = {holder.primary_key[0]: held[holder.primary_key[0]]}
        reference.tables.update(holder.name, where, {**times, **(people if actor is not None else {})})
