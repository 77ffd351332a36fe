"""What the parameters of an operation are about: which columns they are compared with, found by or stored in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from envforge.build.unit_tests.reference import flat
from envforge.core.records.blueprint import (
    Adapter,
    Aggregate,
    Blueprint,
    Fetch,
    Insert,
    Operation,
    Parameter,
    Select,
    Sql,
    Update,
)
from envforge.core.records.domain import Table

_FROM = re.compile(r"\bFROM (\w+)")
_EQUAL = re.compile(r"\b(\w+) (?:=|IS) :(\w+)")


@dataclass(frozen=True)
class Use:
    """How a parameter meets a column: `key` finds rows by it, `stored` writes it, else the operator of a condition."""

    table: str
    column: str
    how: str


def uses_of(operation: Operation) -> dict[str, list[Use]]:
    """Parameter → its uses, in the order of the steps."""
    found: dict[str, list[Use]] = {parameter.name: [] for parameter in operation.parameters}
    for name, use in _uses(operation):
        if name in found and use not in found[name]:
            found[name].append(use)
    return found


def _uses(operation: Operation) -> Iterator[tuple[str, Use]]:
    for step in flat(operation.steps):
        if isinstance(step, Fetch):
            yield from ((text.strip(), Use(step.table, column, "key")) for column, text in step.where.items())
        elif isinstance(step, Select | Aggregate):
            conditions = (*step.where, *(step.any_of if isinstance(step, Select) else ()))
            aliases = {join.alias: join.table for join in step.joins} | {step.table: step.table}
            for one in conditions:
                alias, _, column = one.column.rpartition(".")
                yield (one.value or "").strip(), Use(aliases[alias or step.table], column, one.op)
        elif isinstance(step, Sql):
            yield from _compared(step)
        elif isinstance(step, Insert):
            yield from _stored(step.table, step.values)
        elif isinstance(step, Update):
            yield from _stored(step.table, {**step.set, **step.set_given})


def _compared(step: Sql) -> Iterator[tuple[str, Use]]:
    """What a plain query over one table compares with a column."""
    tables = _FROM.findall(step.query)
    if len(tables) == 1 and step.query.startswith("SELECT"):
        for column, name in _EQUAL.findall(step.query):
            yield step.parameters[name].strip(), Use(tables[0], column, "eq")


def _stored(table: str, values: Mapping[str, str]) -> Iterator[tuple[str, Use]]:
    for column, text in values.items():
        yield text.split(" if ")[0].strip(), Use(table, column, "stored")


def adapter_uses(operation: Operation) -> dict[str, tuple[str, str]]:
    """Parameter → (adapter, its argument) for parameters that are handed to an adapter as they are."""
    found: dict[str, tuple[str, str]] = {}
    for step in flat(operation.steps):
        if isinstance(step, Adapter):
            for argument, text in step.arguments.items():
                found.setdefault(text.strip(), (step.adapter, argument))
    return found


def target_of(blueprint: Blueprint, parameter: Parameter, uses: Sequence[Use]) -> tuple[Table, str] | None:
    """(table, column) whose values the parameter takes when it names rows: by semantic type, or by a look-up."""
    if parameter.semantic:
        entity, _, column = parameter.semantic.partition(".")
        for table in blueprint.tables:
            if table.entity == entity and table.has(column):
                return table, column
    for use in uses:
        table = blueprint.table(use.table)
        reference = table.column(use.column).references
        if use.how == "key" and (use.column,) == table.primary_key:
            return table, use.column
        if reference is not None:
            return blueprint.table(reference.table), reference.column
    return None
