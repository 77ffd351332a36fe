"""What source operations refuse where no archetype says more: names given twice, wrong states, values out of bounds."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.core.articles import with_article
from envforge.core.records.blueprint import Fetch, Parameter, Require, Sql, Step, When, Witness
from envforge.core.records.domain import BoundOperation, Column, Table

LEAST_FREE = 3
"""How many rows nothing may hold, for a deletion to be a tool."""


def knows_itself(drawing: Drawing) -> bool:
    """True where no archetype brings the rules of the domain, so that those of its schema are all there are."""
    return not drawing.database.operations and not any(table.archetype_role for table in drawing.tables.values())


def no_namesakes(
    drawing: Drawing, table: Table, parameters: Sequence[Parameter], values: Mapping[str, str], *, row: str = ""
) -> list[Step]:
    """Refuses values that another row of the table has already where they must differ; `row` is the one that changes.

    `values` are expressions by column; what a change does not state keeps what the row holds.
    """
    if not knows_itself(drawing):
        return []
    steps: list[Step] = []
    for group in table.unique:
        given = [one for one in parameters if one.name in _names(values, group)]
        if not given or (not row and not set(group) <= values.keys()):
            continue
        where = {name: _held(table, name, values, parameters, row) for name in group}
        found = f"same_{group[-1]}"
        found = f"{found}_row" if found in {one.name for one in parameters} else found
        check = [
            Fetch(name=found, table=table.name, where=where, optional=True),
            Require(
                that=f"{found} is None" + _or_itself(table, found, row),
                code="conflict",
                message=_taken(drawing, table, group, where),
                hint=f"Choose another {facts.words(group[-1])}, or use the {table.label} that has it.",
            ),
        ]
        named = [one for one in given if row or one.name in _names(values, group[-1:])]
        steps += _where_given(named, check)
    return steps


def namesakes(
    drawing: Drawing,
    table: Table,
    parameters: Sequence[Parameter],
    values: Mapping[str, str],
    keys: Mapping[str, str] | None = None,
) -> tuple[Witness, ...]:
    """Arguments that name a row like another one in the same place; `keys` are the parameters that name the row.

    Values that stand in the rows do not tell which of them are together in one place, so that tests ask for them.
    """
    found: list[Witness] = []
    for group in table.unique if knows_itself(drawing) else ():
        if len(group) < 2 or not values.get(group[-1], "").isidentifier():
            continue
        key = [facts.sql_name(name) for name in table.primary_key]
        same = " AND ".join(f"other.{facts.sql_name(name)} = one.{facts.sql_name(name)}" for name in group[:-1])
        asked = [f"other.{facts.sql_name(group[-1])} AS {facts.sql_name(values[group[-1]])}"]
        asked += [f"one.{facts.sql_name(name)} AS {facts.sql_name(given)}" for name, given in (keys or {}).items()]
        asked += [
            f"one.{facts.sql_name(name)} AS {given}" for name, given in _places(drawing, table, group, parameters)
        ]
        query = (
            f"SELECT {', '.join(asked)} FROM {facts.sql_name(table.name)} AS one "
            f"JOIN {facts.sql_name(table.name)} AS other ON {same} AND other.{key[0]} <> one.{key[0]} "
            f"ORDER BY one.{key[0]}, other.{key[0]}"
        )
        found.append(Witness(outcome="conflict", query=query, about=f"a {facts.words(group[-1])} that is taken"))
    return tuple(found)


def _places(
    drawing: Drawing, table: Table, group: Sequence[str], parameters: Sequence[Parameter]
) -> Iterator[tuple[str, str]]:
    """Columns that say where a row is kept, with the parameters that take their ids."""
    for name in group[:-1]:
        semantic = facts.semantic_of(drawing.tables, table, table.column(name))
        given = next((one for one in parameters if one.semantic and one.semantic == semantic), None)
        if given is not None:
            yield name, facts.sql_name(given.name)


def _names(values: Mapping[str, str], group: Sequence[str]) -> set[str]:
    texts = [values[name] for name in group if name in values]
    return {node.id for text in texts for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def _held(table: Table, name: str, values: Mapping[str, str], parameters: Sequence[Parameter], row: str) -> str:
    """The value that a column is going to hold."""
    if name not in values:
        return f"{row}.{name}"
    optional = {one.name for one in parameters if not one.required}
    if row and values[name] in optional and len(_group_of(table, name)) > 1:
        return f"{values[name]} if {values[name]} is not None else {row}.{name}"
    return values[name]


def _group_of(table: Table, name: str) -> tuple[str, ...]:
    return next(group for group in table.unique if name in group)


def _or_itself(table: Table, found: str, row: str) -> str:
    same = " and ".join(f"{found}.{name} == {row}.{name}" for name in table.primary_key)
    return f" or ({same})" if row else ""


def _taken(drawing: Drawing, table: Table, group: Sequence[str], where: Mapping[str, str]) -> str:
    """`There is a server with the name {name!r} already.`, and within what."""
    inside = ""
    for name in group[:-1]:
        reference = table.column(name).references
        if reference is not None and reference.table in drawing.tables:
            inside = f" in this {drawing.tables[reference.table].label}"
    shown = f"the {facts.words(group[-1])} {{{where[group[-1]]!s}!r}}"
    return f"There is {with_article(table.label)} with {shown}{inside} already."


def _where_given(given: Sequence[Parameter], check: Sequence[Step]) -> list[Step]:
    """The check, if one of the parameters that it is about was given."""
    if any(one.required for one in given):
        return list(check)
    return [When(that=" or ".join(f"{one.name} is not None" for one in given), then=tuple(check))]


def from_allowed_state(drawing: Drawing, table: Table, operation: BoundOperation) -> list[Step]:
    """Refuses to bring a row into a state that cannot follow the one that it is in."""
    steps: list[Step] = []
    for life in drawing.database.lifecycles if knows_itself(drawing) else ():
        target = operation.target_state.get(life.column)
        if life.table != table.name or target is None:
            continue
        step = next((one for one in life.transitions if (one.name, one.target) == (operation.name, target)), None)
        allowed = [state for state in life.states if step is not None and state in step.source]
        if not allowed or len(allowed) + 1 >= len(life.states):
            continue
        column = f"{drawing.row(table)}.{life.column}"
        finder = drawing.finders.get(table.entity)
        steps.append(
            Require(
                that=" or ".join(f"{column} == {state!r}" for state in allowed),
                code="not_allowed",
                message=f"The {table.label} is {{{column}!r}}; from there it cannot become {target!r}.",
                hint=f"It can only from {_or(allowed)}." + (f" Use {finder} to see which are." if finder else ""),
            )
        )
    return steps


def _or(states: Sequence[str]) -> str:
    named = [repr(state) for state in states]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"


def bounded(drawing: Drawing, column: Column, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a value with what the source says of its size."""
    limits, found = column.limits, dict(schema)
    if limits is None or column.enum or not knows_itself(drawing):
        return found
    low, high = limits.minimum, limits.maximum
    if column.type in {"integer", "real"} and not (low is not None and high is not None and high < low):
        whole = column.type == "integer"
        if low is not None:
            found["minimum"] = math.ceil(low) if whole else low
        if high is not None:
            found["maximum"] = math.floor(high) if whole else high
    if column.type == "text" and limits.max_length and "format" not in found:
        found["maxLength"] = limits.max_length
    return found


def holds(column: Column) -> bool:
    """True for a reference whose row cannot be without what it refers to: it is kept there, or must say where."""
    return column.role == "parent" or column.name.startswith("parent_") or not column.nullable


def _referring(drawing: Drawing, table: Table) -> list[tuple[Table, Column, str]]:
    """Tables that refer to this one without going with its rows: table, column, and the column it refers to."""
    return [
        (other, column, reference.column)
        for other in sorted(drawing.tables.values(), key=lambda one: one.name)
        for column, reference in facts.references_of(other)
        if reference.table == table.name and (other.kind not in {"link", "child"} or other.name == table.name)
    ]


def let_go(drawing: Drawing, table: Table) -> str:
    """What a deletion does to rows that refer to the deleted one and stay."""
    free = [facts.words(other.name) for other, column, _ in _referring(drawing, table) if not holds(column)]
    names = list(dict.fromkeys(free))
    if not names or not knows_itself(drawing):
        return ""
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"What refers to it stays and does so no more: {listed}."


def require_free_rows(drawing: Drawing, table: Table) -> None:
    """Raises CannotDraw where nearly every row is held by others, so that a deletion would never succeed."""
    rows = drawing.database.rows.get(table.name, [])
    free = list(rows)
    for other, column, key in _referring(drawing, table):
        if holds(column):
            used = {row.get(column.name) for row in drawing.database.rows.get(other.name, [])}
            free = [row for row in free if row.get(key) not in used]
    if len(free) < min(LEAST_FREE, len(rows)):
        raise CannotDraw("always_in_use", f"nearly every {table.label} is in use by other rows, none could be deleted")


def still_used(drawing: Drawing, other: Table, column: Column, value: str, table: Table) -> list[Step]:
    """Refuses to delete what rows of another table refer to, naming one of them and the tool that finds them."""
    name = f"used_{other.entity}_{column.name}"
    key = parts.key_of(other).name if len(other.primary_key) == 1 else ""
    first = f", min({facts.sql_name(key)}) AS first" if key else ""
    what = f"{facts.sql_name(other.name)} WHERE {facts.sql_name(column.name)} = :key"
    finder = drawing.finders.get(other.entity)
    some = f", for example {facts.words(key)} {{{name}.first}}" if key else ""
    hint = f"Change or delete those {facts.words(other.name)} first"
    return [
        Sql(
            name=name,
            query=f"SELECT count(*) AS n{first} FROM {what}",
            parameters={"key": value},
            one=True,
            always=True,
        ),
        Require(
            that=f"{name}.n == 0",
            code="conflict",
            message=f"The {table.label} is in use by {facts.words(other.name)} ({{{name}.n}}{some}).",
            hint=f"{hint}; {finder} finds them." if finder else f"{hint}.",
        ),
    ]
