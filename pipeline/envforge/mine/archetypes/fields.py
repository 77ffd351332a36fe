"""Binding of role fields to columns: by role mark, name, synonym, reference and type, in that order of worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from envforge.core.records.archetype import Role, RoleField
from envforge.core.records.domain import Column, Table

_MARK, _NAME, _SYNONYM, _WORDS, _REFERENCE = 5.0, 4.0, 3.0, 2.0, 1.5
_WORD = re.compile(r"[a-z0-9]+")
_COMPATIBLE: dict[str, frozenset[str]] = {
    "real": frozenset({"real", "integer"}),
    "text": frozenset({"text"}),
    "timestamp": frozenset({"timestamp"}),
}


@lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """The words of a snake_case name."""
    return frozenset(_WORD.findall(name.lower()))


def bind_fields(role: Role, table: Table, assigned: Mapping[str, str | None]) -> dict[str, str]:
    """field -> column of `table`. `assigned` says which table plays which role, for fields that refer to one.

    Best pairs first; a column stands for one field only.
    """
    pairs: list[tuple[float, int, str, int, str]] = []
    for place, (name, field) in enumerate(role.fields.items()):
        for position, column in enumerate(table.columns):
            score = _fit(name, field, column, table, assigned)
            if score > 0:
                pairs.append((-score, place, name, position, column.name))
    bound: dict[str, str] = {}
    for _, _, name, _, column in sorted(pairs):
        if name not in bound and column not in bound.values():
            bound[name] = column
    return {name: bound[name] for name in role.fields if name in bound}


def _fit(name: str, field: RoleField, column: Column, table: Table, assigned: Mapping[str, str | None]) -> float:
    if field.types and not any(column.type in _COMPATIBLE.get(kind, frozenset({kind})) for kind in field.types):
        return 0.0
    if not set(field.values) <= set(column.enum):
        return 0.0
    parts = words(column.name)
    if parts & set(field.avoid):
        return 0.0
    score = _by_name(name, field, column.name, parts)
    if column.role is not None and column.role in field.roles:
        score += _MARK
    if field.references is not None:
        target = assigned.get(field.references)
        if column.references is None or target is None or column.references.table != target:
            return 0.0
        rivals = [other for other in table.columns if other.references and other.references.table == target]
        if score == 0 and len(rivals) > 1:
            return 0.0
        score += _REFERENCE
    return score - 0.01 * len(parts) if score else 0.0


def _by_name(name: str, field: RoleField, column: str, parts: frozenset[str]) -> float:
    if column == name:
        return _NAME
    for rank, synonym in enumerate(field.synonyms):
        if column == synonym:
            return _SYNONYM - 0.02 * rank
    for rank, synonym in enumerate((name, *field.synonyms)):
        if words(synonym) <= parts:
            return _WORDS - 0.02 * rank
    return 0.0
