"""What a column that an archetype adds is called here: by the word that the schema has for what it refers to.

An archetype says `collect_branch_id`; where its branches are sheds, the column is `collect_shed_id`. One thing keeps
one name that way, whoever brings the column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from envforge.core.records.archetype import Archetype, RoleField
from envforge.core.records.domain import Table
from envforge.mine.archetypes.refs import BoundRole

Bound = Mapping[str, BoundRole | None]


def called_locally(archetype: Archetype, bound: Bound, tables: Mapping[str, Table]) -> dict[str, BoundRole | None]:
    """The bound roles, their added references called by the entities that they lead to."""
    named: dict[str, BoundRole | None] = {}
    for role, found in bound.items():
        if found is None:
            named[role] = None
            continue
        spec = archetype.roles[role]
        table = tables.get(found.table) or spec.add
        taken = {*found.fields.values(), *(column.name for column in table.columns)} if table else set[str]()
        fields = dict(found.fields)
        for name in sorted(found.added):
            target = bound.get(spec.fields[name].references or "")
            if target is not None:
                fields[name] = _local(fields[name], spec.fields[name], target, taken)
                taken.add(fields[name])
        named[role] = replace(found, fields=fields)
    return named


def _local(column: str, field: RoleField, target: BoundRole, taken: Collection[str]) -> str:
    """`column` with the archetype's word for its target replaced; as it is where that would be no better."""
    parts = column.split("_")
    for word in (field.references or "", *field.synonyms):
        if word in parts and word not in target.entity.split("_"):
            parts[parts.index(word)] = target.entity
            renamed = "_".join(parts)
            return column if renamed in taken else renamed
    return column
