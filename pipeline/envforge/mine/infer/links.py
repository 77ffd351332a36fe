"""Links: tables between entities, for lists of records that neither side refers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.domain import Column, Reference, Table
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.names import label, plural, safe_identifier, singular, snake


def link_tables(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> list[Table]:
    """One table per embedded list of entities, unless the members refer back to their holder."""
    del subjects
    taken = {draft.entity.table for draft in drafts.values()}
    made: list[Table] = []
    for draft in drafts.values():
        for field, target in draft.links:
            name = f"{draft.entity.name}_{plural(singular(snake(field)))}"
            if refers(drafts[target], draft) or name in taken:
                continue
            taken.add(name)
            made.append(_link(draft, drafts[target], name, field))
    return made


def refers(child: TableDraft, parent: TableDraft) -> bool:
    """True if `child` has a column that refers to `parent`."""
    table = parent.entity.table
    return any(column.references is not None and column.references.table == table for column in child.columns)


def _link(holder: TableDraft, member: TableDraft, name: str, field: str) -> Table:
    left = f"{holder.entity.name}_id"
    right = f"{member.entity.name}_id" if member is not holder else f"{singular(snake(field))}_id"
    columns = (_end(holder, left, field), _end(member, right if right != left else f"other_{right}", field))
    return Table(
        name=name,
        entity=singular(name),
        label=f"{label(singular(snake(field)))} of a {label(holder.entity.name)}",
        columns=columns,
        primary_key=tuple(column.name for column in columns),
        indexes=((columns[1].name,),),
        kind="link",
        source_ids=tuple(holder.entity.sources),
    )


def _end(draft: TableDraft, name: str, field: str) -> Column:
    key = safe_identifier(draft.entity.key)
    kind = next(column.type for column in draft.columns if column.name == key)
    evidence = f"embedded list {field}"
    reference = Reference(table=draft.entity.table, column=key, confidence=1.0, evidence=evidence)
    return Column(name=name, type=kind, nullable=False, references=reference, evidence=evidence)
