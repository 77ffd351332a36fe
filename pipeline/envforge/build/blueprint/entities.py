"""Which entities ship: those that tools do most with, each connected to the ones before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envforge.build.blueprint.candidate import Candidate
from envforge.build.blueprint.columns import references_of
from envforge.core.records.domain import Domain, Table

MAX_ENTITIES = 8
TOOLS_EACH = 3
"""Where more tools than usual are wanted: of how many tools an entity more is let in."""


def scored(candidates: Sequence[Candidate], domain: Domain, *, max_tools: int) -> list[str]:
    """Up to eight entities, more for many tools, best first, each connected to one before it if there is such."""
    scores: Counter[str] = Counter()
    for one in candidates:
        scores[one.operation.entity] += (4 if one.writes else 2) + (3 if one.kind == "archetype" else 0)
    near = neighbours(domain)
    told = {table.entity: says(table) for table in domain.tables}

    def worth(name: str) -> tuple[int, int, str]:
        return -scores[name] - len(near.get(name, ())), -told.get(name, 0), name

    waiting = sorted(scores, key=worth)
    found: list[str] = []
    while waiting and len(found) < max(MAX_ENTITIES, max_tools // TOOLS_EACH):
        linked = [name for name in waiting if not found or near.get(name, set()) & set(found)]
        name = (linked or waiting)[0]
        found.append(name)
        waiting.remove(name)
    return found


def says(table: Table) -> int:
    """How much its rows say beyond what they belong to: columns that people read, those that lead on twice."""
    told = [c for c in table.columns if c.role not in {"position", "url"}]
    return len(told) + len(references_of(table))


def neighbours(domain: Domain) -> dict[str, set[str]]:
    """Entities that refer to each other, through link and child tables as well."""
    tables = {table.name: table for table in domain.tables}
    near: dict[str, set[str]] = {}
    for table in domain.tables:
        group = {table.entity}
        group |= {tables[ref.table].entity for _, ref in references_of(table) if ref.table in tables}
        for name in group:
            near.setdefault(name, set()).update(group - {name})
    return near
