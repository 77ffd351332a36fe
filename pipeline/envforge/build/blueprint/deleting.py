"""Source operations that delete rows: into the trash where there is one, with what only the row holds where not."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.changing import keyed, literal
from envforge.build.blueprint.drawing import Drawing
from envforge.build.blueprint.filling import changed_row
from envforge.build.blueprint.reading import finish
from envforge.build.blueprint.rules import holds, knows_itself, let_go, require_free_rows, still_used
from envforge.core.articles import with_article
from envforge.core.records.blueprint import Delete, Operation, Require, Return, Sql, Step, Update
from envforge.core.records.domain import BoundOperation, Column, Table


def draw_delete(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Moves a row to the trash when the table has one, else deletes it with what only it holds."""
    table = drawing.table(operation.table)
    flags = {name: 1 for name in operation.target_state if table.has(name)}
    flags = flags or {flag.name: 1 for flag in facts.dead_flags(table)}
    parameters, where, found = keyed(drawing, operation, table)
    key_values = {key.name: f"{drawing.row(table)}.{name}" for name, key in zip(where, parameters, strict=True)}
    result = Return(value={**key_values, "deleted": "True"})
    schema = {key.name: key.json_schema for key in parameters}
    if flags:
        steps: list[Step] = [
            found,
            # What is in the trash, or inside of what is, is there already.
            *parts.alive(drawing, table, drawing.row(table), code="conflict"),
            *parts.only_author(drawing, table, drawing.row(table)),
            *changed_row(drawing, table, where, set_={name: literal(True) for name in sorted(flags)}),
        ]
        description = f"The {table.label} goes to the trash: lists leave it out, and what it contains cannot be listed."
    else:
        checks = [
            *parts.alive(drawing, table, drawing.row(table)),
            *parts.only_author(drawing, table, drawing.row(table)),
        ]
        if knows_itself(drawing):
            require_free_rows(drawing, table)
        steps = [found, *checks, *_delete_steps(drawing, table, where)]
        description = let_go(drawing, table)
    return finish(
        operation,
        summary=f"Delete {with_article(table.label)}.",
        description=description,
        parameters=parameters,
        steps=[*steps, result],
        returns=parts.returns(**schema, deleted={"type": "boolean"}),
    )


def _delete_steps(drawing: Drawing, table: Table, where: dict[str, str]) -> list[Step]:
    """Links and children go with their row; anything else that refers to it stops the deletion.

    Where no archetype says so, only what cannot be without it does; the rest refers to nothing from then on.
    """
    steps: list[Step] = []
    deletes: list[Step] = []
    for other in sorted(drawing.tables.values(), key=lambda one: one.name):
        for column, reference in facts.references_of(other):
            if reference.table != table.name:
                continue
            value = f"{drawing.row(table)}.{reference.column}"
            if other.kind in {"link", "child"} and other.name != table.name:
                deletes.append(Delete(table=other.name, where={column.name: value}))
            elif knows_itself(drawing) and not holds(column):
                deletes.append(Update(table=other.name, where={column.name: value}, set={column.name: "None"}))
            elif knows_itself(drawing):
                steps += still_used(drawing, other, column, value, table)
            else:
                steps += _unused(other, column, value, table)
    return [*steps, *deletes, Delete(table=table.name, where=where)]


def _unused(other: Table, column: Column, value: str, table: Table) -> list[Step]:
    name = f"used_{other.entity}_{column.name}"
    query = f"SELECT count(*) AS n FROM {facts.sql_name(other.name)} WHERE {facts.sql_name(column.name)} = :key"
    return [
        Sql(name=name, query=query, parameters={"key": value}, one=True),
        Require(
            that=f"{name}.n == 0",
            code="conflict",
            message=f"The {table.label} is still used by {{{name}.n}} {facts.words(other.name)}.",
            hint=f"Change or delete those {facts.words(other.name)} first.",
        ),
    ]
