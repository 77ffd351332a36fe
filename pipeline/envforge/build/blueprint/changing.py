"""Source operations on the state and place of rows: transition, link, unlink, transfer."""
# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import container_of, parent_column
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.filling import changed_row
from envforge.build.blueprint.reading import detailed, finish
from envforge.build.blueprint.rules import from_allowed_state
from envforge.build.blueprint.views import row_of
from envforge.core.articles import with_article
from envforge.core.records.blueprint import (
    Adapter,
    Delete,
    Fetch,
    Insert,
    Operation,
    Parameter,
    Require,
    Return,
    Sql,
    Step,
)
from envforge.core.records.domain import BoundOperation, Column, Table


def keyed(drawing: Drawing, operation: BoundOperation, table: Table) -> tuple[list[Parameter], dict[str, str], Fetch]:
    """The parameters that name a row, their condition by column, and the look-up of the row."""
    keys = parts.key_parameters(drawing, table, operation)
    where = {name: key.name for name, key in keys.items()}
    return list(keys.values()), where, parts.fetch(drawing, table, where)


def draw_transition(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Sets the state that the operation stands for; a row already in it is a conflict."""
    table = drawing.table(operation.table)
    target = {name: value for name, value in operation.target_state.items() if table.has(name)}
    if not target:
        raise CannotDraw("no_target_state", f"{operation.name} does not say which state it leads to")
    parameters, where, found = keyed(drawing, operation, table)
    row = drawing.row(table)
    reached = " and ".join(f"{row}.{name} == {literal(value)}" for name, value in sorted(target.items()))
    values = {name: literal(value) for name, value in sorted(target.items())}
    changes_flags = any(table.column(name) in facts.dead_flags(table) for name in target)
    more, value, schema = detailed(drawing, table, row)
    return finish(
        operation,
        summary=_sentence(operation),
        parameters=parameters,
        steps=[
            found,
            *([] if changes_flags else parts.alive(drawing, table, row)),
            *parts.only_author(drawing, table, row),
            Require(
                that=f"not ({reached})",
                code="conflict",
                message=f"The {table.label} is in this state already.",
                hint="Nothing needs to be done.",
            ),
            *from_allowed_state(drawing, table, operation),
            *changed_row(drawing, table, where, set_=values),
            parts.fetch(drawing, table, where),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )


def literal(value: object) -> str:
    """A value as an expression; truth values are numbers in rows."""
    return repr(int(value) if isinstance(value, bool) else value)


def _sentence(operation: BoundOperation) -> str:
    words = facts.words(operation.name)
    return f"{words[:1].upper()}{words[1:]}."


def _link_columns(operation: BoundOperation, table: Table) -> tuple[Column, ...]:
    """The two references of a link table. Raises CannotDraw when there are not two."""
    columns = tuple(column for column in table.columns if column.references)
    keyed = tuple(column for column in columns if column.name in table.primary_key) or columns
    if len(keyed) != 2:
        raise CannotDraw("no_link_table", f"{operation.name} needs a table of pairs, {table.name} is none")
    return keyed


def _link_parameters(
    drawing: Drawing, operation: BoundOperation, table: Table
) -> tuple[list[Parameter], dict[str, str], list[Step]]:
    parameters: list[Parameter] = []
    where: dict[str, str] = {}
    steps: list[Step] = []
    stated = [given for given in operation.parameters if given.meaning in {"key", "parent", "column"}]
    for column in _link_columns(operation, table):
        given = next((one for one in stated if one.column == column.name), None)
        parameter = parts.column_parameter(
            drawing, table, column, name=given.name if given else column.name, required=True
        )
        parameters.append(parameter)
        where[column.name] = parameter.name
        steps += parts.check_reference(drawing, table, column, parameter, name=row_of(column))
    return parameters, where, steps


def draw_link(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Joins two rows; joining them twice is a conflict."""
    table = drawing.table(operation.table)
    parameters, where, steps = _link_parameters(drawing, operation, table)
    values: dict[str, str] = dict(where)
    for name in table.primary_key:
        values.setdefault(name, f'new_id("{table.name}")')
    for column in table.columns:
        if column.role in {"created_at", "updated_at"}:
            values[column.name] = "now()"
        elif column.name not in values and not column.nullable:
            raise CannotDraw("unfillable_column", f"{operation.name} cannot fill {table.name}.{column.name}")
    return finish(
        operation,
        summary=_sentence(operation),
        parameters=parameters,
        steps=[
            *steps,
            Fetch(name="link", table=table.name, where=where, optional=True),
            Require(
                that="link is None",
                code="conflict",
                message="The two are linked already.",
                hint="Nothing needs to be done.",
            ),
            Insert(name="link", table=table.name, values=values),
            Return(value={**{name: name for name in where.values()}, "linked": "True"}),
        ],
        returns=_linked_schema(parameters),
    )


def draw_unlink(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Separates two rows; they must be linked."""
    table = drawing.table(operation.table)
    parameters, where, steps = _link_parameters(drawing, operation, table)
    return finish(
        operation,
        summary=_sentence(operation),
        parameters=parameters,
        steps=[
            *steps,
            Fetch(name="link", table=table.name, where=where, message="The two are not linked."),
            Delete(table=table.name, where=where),
            Return(value={**{name: name for name in where.values()}, "linked": "False"}),
        ],
        returns=_linked_schema(parameters),
    )


def _linked_schema(parameters: list[Parameter]) -> dict[str, object]:
    fields = {one.name: {**one.json_schema, "x-semantic": one.semantic} for one in parameters}
    return parts.returns(**fields, linked={"type": "boolean"})


def draw_transfer(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Moves a row into another container; a container cannot end up inside itself."""
    table = drawing.table(operation.table)
    if not parts.given_meaning(operation, "parent"):
        raise CannotDraw("no_parent", f"{operation.name} does not say where the {table.label} goes")
    container = container_of(drawing, table, operation, purpose="to move it into")
    parameters, where, found = keyed(drawing, operation, table)
    more, value, schema = detailed(drawing, table, drawing.row(table))
    return finish(
        operation,
        summary=f"Move {with_article(table.label)} {_under(drawing, table, operation)}.",
        description=_carried(drawing, table),
        parameters=[*parameters, *container.parameters],
        steps=[
            found,
            *parts.alive(drawing, table, drawing.row(table)),
            *container.steps,
            *_no_cycle(drawing, table, container.values),
            *_carry(drawing, table, container.values),
            *changed_row(drawing, table, where, set_=container.values),
            parts.fetch(drawing, table, where),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )


def _under(drawing: Drawing, table: Table, operation: BoundOperation) -> str:
    """`under another page or into a data source`: where a row can go."""
    places: list[str] = []
    for given in parts.given_meaning(operation, "parent"):
        column = parent_column(table, given)
        assert column.references is not None
        target = drawing.table(column.references.table)
        same = target.name == table.name
        places.append(f"under another {target.label}" if same else f"into {with_article(target.label)}")
    return " or ".join(sorted(places, key=lambda place: not place.startswith("under")))


def _carried(drawing: Drawing, table: Table) -> str:
    bag = drawing.bag_of_items(table)
    if bag is None:
        return ""
    collection = drawing.table(bag.collection_table).label
    return (
        f"It keeps the property values for which the new {collection} has a property of the same name and type "
        "(and an option of the same name); the others are deleted."
    )


def _carry(drawing: Drawing, table: Table, values: dict[str, str]) -> list[Step]:
    """Property values follow an item only where its new collection defines such properties."""
    bag = drawing.bag_of_items(table)
    if bag is None or bag.item_parent_column not in values:
        return []
    arguments = {"item_id": f"{drawing.row(table)}.{parts.key_of(table).name}"}
    return [
        Adapter(
            adapter="carry_properties",
            arguments={**arguments, "collection_id": values[bag.item_parent_column]},
        )
    ]


def _no_cycle(drawing: Drawing, table: Table, values: dict[str, str]) -> list[Step]:
    """Walks up from the new parent through every kind of container; the moved row must not be met."""
    key = parts.key_of(table).name
    seeds: list[str] = []
    parameters = {"moved": f"{drawing.row(table)}.{key}"}
    for column, reference in facts.parent_columns(table):
        if column.name in values and values[column.name] != "None" and reference.table in drawing.tables:
            seeds.append(f"SELECT '{reference.table}', :{column.name} WHERE :{column.name} IS NOT NULL")
            parameters[column.name] = values[column.name]
    steps = list(_upward_steps(drawing, {reference.table for _, reference in facts.parent_columns(table)}))
    if not any(text.startswith(f"SELECT '{table.name}'") for text in [*seeds, *steps]):
        return []
    query = (
        "WITH RECURSIVE up(kind, id) AS (\n  "
        + "\nUNION\n".join([*seeds, *steps]).replace("\n", "\n  ")
        + f"\n)\nSELECT 1 AS found FROM up WHERE kind = '{table.name}' AND id = :moved LIMIT 1"
    )
    return [
        Sql(name="cycle", query=query, parameters=parameters, one=True),
        Require(
            that="cycle is None",
            code="not_allowed",
            message=f"{with_article(table.label).capitalize()} cannot be moved into itself or into what it contains.",
            hint="Choose a place outside of it.",
        ),
    ]


def _upward_steps(drawing: Drawing, start: set[str]) -> list[str]:
    """One recursive SELECT for each parent column of each container that can be met on the way up."""
    found: list[str] = []
    seen: set[str] = set()
    waiting = sorted(start)
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in drawing.tables:
            continue
        seen.add(name)
        table = drawing.tables[name]
        for column, reference in facts.parent_columns(table):
            found.append(
                f"SELECT '{reference.table}', c.{facts.sql_name(column.name)}\n"
                f"FROM up JOIN {facts.sql_name(name)} AS c\n"
                f"  ON up.kind = '{name}' AND c.{facts.sql_name(parts.key_of(table).name)} = up.id\n"
                f"WHERE c.{facts.sql_name(column.name)} IS NOT NULL"
            )
            waiting.append(reference.table)
    return found
