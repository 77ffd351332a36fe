"""Containers: what a row is kept in. A tool takes one id, or exactly one of several when there are several kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.views import parent_roots, parent_variants
from envforge.core.records.blueprint import Adapter, Condition, ErrorCode, Parameter, Require, Sql, Step, Update, When
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table


def _none() -> Any:
    return []


@dataclass
class Container:
    """How a tool takes a container: parameters, look-ups, and what they mean for the rows inside."""

    parameters: list[Parameter]
    steps: list[Step]
    values: dict[str, str]
    """Column of the contained table → expression, for inserts and moves."""
    conditions: list[Condition] = field(default_factory=_none)
    """WHERE conditions that select the rows inside, for lists."""
    touches: list[Step] = field(default_factory=_none)
    """Updates that mark the container as changed."""


def container_of(
    drawing: Drawing,
    table: Table,
    operation: BoundOperation,
    *,
    roots: bool = False,
    trashed: ErrorCode = "not_allowed",
    purpose: str = "that contains it",
) -> Container:
    """The container that an operation names; with `roots`, none at all puts the row at the top level if there is one.

    `trashed` is the error code for a container in the trash; `purpose` says in the parameters what it is for.

    Raises CannotDraw when a column for it is missing.
    """
    given = [one for one in operation.parameters if one.meaning == "parent"]
    columns = {one.name: parent_column(table, one) for one in given}
    roots = roots and bool(parent_roots(table))
    if len(given) == 1 and not roots:
        found = _single(drawing, table, given[0], columns[given[0].name], trashed)
    else:
        found = _choice(drawing, table, [(one, columns[one.name]) for one in given], operation, roots, trashed)
    found.parameters = [
        one.model_copy(update={"description": one.description.replace("that contains it", purpose)})
        for one in found.parameters
    ]
    return found


def parent_column(table: Table, given: BoundParameter) -> Column:
    """The column that holds the container which a parameter names. Raises CannotDraw when there is none."""
    if given.column and table.has(given.column) and table.column(given.column).references:
        return table.column(given.column)
    parents = [column for column, _ in facts.parent_columns(table)]
    if len(parents) == 1:
        return parents[0]
    raise CannotDraw("no_parent_column", f"no column of {table.name} holds what {given.name} names")


def _single(drawing: Drawing, table: Table, given: BoundParameter, column: Column, trashed: ErrorCode) -> Container:
    assert column.references is not None
    target = drawing.table(column.references.table)
    row = f"parent_{target.entity}" if target.name == table.name else drawing.row(target)
    held = f"{row}.{column.references.column}"
    values = {column.name: held}
    kind = facts.parent_type(table)
    if kind:
        values[kind.name] = f'"{_variant(table, column)}"'
    found = parts.fetch(drawing, target, {column.references.column: given.name}, name=row)
    return Container(
        parameters=[_parameter(drawing, table, given, column, required=True)],
        steps=[found, *parts.alive(drawing, target, row, code=trashed)],
        values=values,
        conditions=[Condition(column=column.name, value=held)],
        touches=_touch(drawing, table, target, given.name),
    )


def _parameter(drawing: Drawing, table: Table, given: BoundParameter, column: Column, *, required: bool) -> Parameter:
    assert column.references is not None
    target = drawing.table(column.references.table)
    return Parameter(
        name=given.name,
        json_schema=facts.column_schema(column),
        required=required,
        description=f"The {facts.words(column.references.column)} of the {target.label} that contains it.",
        semantic=facts.semantic_of(drawing.tables, table, column),
    )


def _variant(table: Table, column: Column) -> str:
    return next(value for value, found in parent_variants(table) if found.name == column.name)


def _choice(
    drawing: Drawing,
    table: Table,
    given: list[tuple[BoundParameter, Column]],
    operation: BoundOperation,
    roots: bool,
    trashed: ErrorCode,
) -> Container:
    """Exactly one of several optional parameters (or none, for the top level)."""
    thread = thread_parameter(operation, table)
    names = [one.name for one, _ in given] + ([thread.name] if thread else [])
    steps: list[Step] = [_exactly_one(names, roots)] if len(names) > 1 else []
    touches: list[Step] = []
    values: dict[str, str] = {column.name: "None" for column, _ in facts.parent_columns(table)}
    for one, column in given:
        assert column.references is not None
        target = drawing.table(column.references.table)
        row = f"parent_{target.entity}"
        found = parts.fetch(drawing, target, {column.references.column: one.name}, name=row)
        steps.append(
            When(that=f"{one.name} is not None", then=(found, *parts.alive(drawing, target, row, code=trashed)))
        )
        marks = _touch(drawing, table, target, one.name)
        if marks:
            touches.append(When(that=f"{one.name} is not None", then=tuple(marks)))
        values[column.name] = one.name
    kind = facts.parent_type(table)
    if kind:
        root = parent_roots(table)[0] if roots else None
        values[kind.name] = _kind_expression(table, given, root)
    if thread:
        steps += _thread_steps(drawing, table, thread)
        values = {name: f"thread.{name} if thread is not None else {_inner(text)}" for name, text in values.items()}
    conditions = [Condition(column=column.name, value=one.name, optional=True) for one, column in given]
    parameters = [_parameter(drawing, table, one, column, required=False) for one, column in given]
    return Container(parameters, steps, values, conditions, touches)


def _inner(text: str) -> str:
    return f"({text})" if " if " in text else text


def _exactly_one(names: list[str], roots: bool) -> Require:
    listed = f"[{', '.join(names)}]"
    count = f"len([given for given in {listed} if given is not None])"
    words = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return Require(
        that=f"{count} <= 1" if roots else f"{count} == 1",
        code="invalid_argument",
        message=f"Give {'at most' if roots else 'exactly'} one of {words}.",
        hint="Leave all of them out for the top level." if roots else f"Leave out all but one of {words}.",
    )


def _kind_expression(table: Table, given: list[tuple[BoundParameter, Column]], root: str | None) -> str:
    """The discriminator: the kind whose parameter was given, the root when none was."""
    known = [(one.name, _variant(table, column)) for one, column in given]
    text = f'"{root}"' if root else f'"{known.pop()[1]}"'
    for name, value in reversed(known):
        text = f'"{value}" if {name} is not None else {text}'
    return text


def _touch(drawing: Drawing, table: Table, target: Table, key: str) -> list[Step]:
    """A container counts as changed when ordered content goes into it; `actor` is bound by the operation."""
    changed = facts.updated_column(target)
    if changed is None or facts.by_role(table, "position") is None:
        return []
    values = {changed.name: "now()"}
    people = parts.acting_steps(drawing, facts.author_columns(table))[1]
    if people:
        values |= dict.fromkeys((column.name for column in facts.updater_columns(target)), next(iter(people.values())))
    steps: list[Step] = [Update(table=target.name, where={parts.key_of(target).name: key}, set=values)]
    if target.name == table.name and parts.shows_in_container(drawing, table):
        arguments = {"key": key} | ({"actor": next(iter(people.values()))} if people else {})
        steps.append(Adapter(adapter="touch_container", arguments=arguments))
    return steps


def thread_parameter(operation: BoundOperation, table: Table) -> BoundParameter | None:
    """A parameter that joins a new row to a thread of rows: an id that is shared, not a key and no reference."""
    for given in operation.parameters:
        if given.meaning != "column" or given.required or not given.column or not table.has(given.column):
            continue
        column = table.column(given.column)
        shared = column.name.endswith("_id") and column.type == "text" and not column.references
        if shared and not column.nullable and column.name not in table.primary_key:
            return given
    return None


def _thread_steps(drawing: Drawing, table: Table, thread: BoundParameter) -> list[Step]:
    """The first row of the thread, which must exist when a thread was given."""
    started = facts.by_role(table, "created_at")
    order = ", ".join(map(facts.sql_name, [*([started.name] if started else []), *table.primary_key]))
    where = f"{facts.sql_name(thread.column or thread.name)} = :thread"
    # Names come from a checked blueprint; the value is bound.
    query = f"SELECT * FROM {facts.sql_name(table.name)} WHERE {where} ORDER BY {order} LIMIT 1"  # noqa: S608
    finder = drawing.finders.get(table.entity)
    return [
        Sql(name="thread", query=query, parameters={"thread": thread.name}, one=True),
        Require(
            that=f"{thread.name} is None or thread is not None",
            code="not_found",
            message=f"There is no {facts.words(thread.name).removesuffix(' id')} with id {{{thread.name}}}.",
            hint=f"Use {finder} to see {facts.words(thread.name)}s." if finder else "",
        ),
        *_thread_alive(drawing, table),
    ]


def _thread_alive(drawing: Drawing, table: Table) -> list[Step]:
    """A thread is where its first row is: nothing of that may be in the trash."""
    steps = parts.alive(drawing, table, "thread")
    return [When(that="thread is not None", then=tuple(steps))] if steps else []
