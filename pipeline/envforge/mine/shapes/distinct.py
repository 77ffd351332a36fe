"""Columns in which no two rows of a table agree, so that tools can refuse what would be there twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envforge.mine.shapes.plan import Plan, TablePlan
from envforge.mine.shapes.reading import ColumnPlan


def with_distinct(plan: Plan) -> Plan:
    """The plan with what its rows keep apart as unique columns: identifiers, vocabularies, addresses of people.

    Titles of what people write may stand twice, as they do everywhere.
    """
    tables = tuple(_distinct(one) for one in plan.tables)
    changed = {one.name: one.table for one in tables}
    domain = plan.domain.model_copy(
        update={"tables": tuple(changed.get(table.name, table) for table in plan.domain.tables)}
    )
    return Plan(domain, tables)


def _distinct(plan: TablePlan) -> TablePlan:
    groups = tuple(dict.fromkeys(group for group in (*plan.table.unique, *_groups(plan)) if group))
    groups = tuple(group for group in groups if group != plan.table.primary_key)
    return replace(plan, table=plan.table.model_copy(update={"unique": groups}))


def _groups(plan: TablePlan) -> Iterator[tuple[str, ...]]:
    if plan.table.kind == "link":
        return
    for one in plan.of_way("rule"):
        rule = one.rule
        if rule is None or one.column.type != "text" or rule.when or one.column.limits is not None:
            continue
        if rule.unique or rule.make == "slug" or (rule.make == "mail" and plan.style.source == "person"):
            yield (one.name,)
        elif rule.make == "name" and (plan.style.identifier or plan.style.source == "ordered"):
            yield from _named(plan, one)


def _named(plan: TablePlan, one: ColumnPlan) -> Iterator[tuple[str, ...]]:
    """The name within what contains the row; none where rows are moved below each other after they were named."""
    parents = [other.column for other in plan.of_way("reference") if other.column.role == "parent"]
    moved = any(column.references is not None and column.references.table == plan.name for column in parents)
    if one.column.role == "title" and not moved:
        yield (*(column.name for column in parents), one.name)
