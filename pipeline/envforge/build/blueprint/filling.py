"""What goes into the columns of a row: what the caller gives, defaults, and what tools set by themselves."""

# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import thread_parameter
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.rules import bounded
from envforge.core.records.blueprint import Adapter, Let, Parameter, Sql, Step, Update
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table

NEW_KEY = "new_key"
"""The local name of a key that is minted before the row, because another column is made from it."""


def given_columns(
    drawing: Drawing,
    operation: BoundOperation,
    table: Table,
    parameters: list[Parameter],
    steps: list[Step],
    values: dict[str, str],
    *,
    creating: bool,
) -> None:
    """Parameters for plain columns, with the checks of their references; an update may state the one parent too."""
    movable = ("parent",) if not creating and facts.parent_type(table) is None else ()
    for given in parts.given_meaning(operation, "column", *movable):
        if given.column is None or not table.has(given.column) or given.column in values:
            continue
        column = table.column(given.column)
        fixed = column.role == "type" if not creating else column in facts.dead_flags(table)
        if fixed or facts.managed(column):
            continue
        thread = creating and given is thread_parameter(operation, table)
        required = creating and not thread and (given.required or (not column.nullable and column.default is None))
        if column.type == "boolean":
            required = required and given.required
        parameter = parts.column_parameter(
            drawing, table, column, name=given.name, required=required, description=given.description
        )
        parameter = parameter.model_copy(update={"json_schema": bounded(drawing, column, parameter.json_schema)})
        if column.type == "json":
            parameter = parameter.model_copy(update={"json_schema": _json_schema(given)})
        if column in facts.dead_flags(table):
            place = "to the trash" if "archived" not in column.name else "out of use"
            text = f"True moves the {table.label} {place}, false restores it."
            parameter = parameter.model_copy(update={"description": text})
        if thread:
            text = f"Answer in this thread: the {facts.words(column.name)} of an earlier {table.label}."
            parameter = parameter.model_copy(update={"description": text})
        if given.meaning == "parent" and column.references:
            held = drawing.table(column.references.table)
            text = f"The {facts.words(column.references.column)} of the {held.label} to move it into."
            parameter = parameter.model_copy(update={"description": text})
        parameters.append(parameter)
        if column.references:
            steps += parts.check_reference(drawing, table, column, parameter, name=f"given_{column.name}")
        if thread:
            values[column.name] = f'{given.name} if {given.name} is not None else new_id("{table.name}")'
        else:
            values[column.name] = _or_default(column, parameter) if creating else given.name


def _json_schema(given: BoundParameter) -> dict[str, object]:
    kind = given.json_type.get("type")
    return {"type": kind if kind in {"array", "object"} else "object"}


def _or_default(column: Column, parameter: Parameter) -> str:
    """The value, or the column's default when it was left out."""
    if parameter.required or (column.nullable and column.default is None):
        return parameter.name
    return f"{parameter.name} if {parameter.name} is not None else {_default_of(column)}"


def _default_of(column: Column) -> str:
    """What a new row holds in a column that nobody states. Raises CannotDraw when that cannot be known."""
    if column.default is not None:
        return repr(int(column.default) if isinstance(column.default, bool) else column.default)
    if column.nullable:
        return "None"
    if column.type == "boolean":
        return "0"
    raise CannotDraw("unfillable_column", f"nothing fills the required column {column.name}")


def managed_columns(drawing: Drawing, table: Table, values: dict[str, str], people: dict[str, str]) -> None:
    """Keys, times of creation and change, authors, and addresses that follow from the key."""
    key = parts.key_of(table)
    if key.name not in values:
        values[key.name] = f'new_id("{table.name}")'
    for role in ("created_at", "updated_at"):
        column = facts.by_role(table, role)
        if column:
            values[column.name] = "date_of(now())" if column.type == "date" else "now()"
    for name, value in people.items():
        values.setdefault(name, value)
    template = _url_template(drawing, table, key)
    if template and template[0] not in values:
        values |= _keyed_url(values, key, template)
    for flag in facts.dead_flags(table):
        values.setdefault(flag.name, "0")
    for column in table.columns:
        fixed = column.default is not None or (column.type == "boolean" and not column.nullable)
        if column.name not in values and fixed:
            values[column.name] = _default_of(column)


def _url_template(drawing: Drawing, table: Table, key: Column) -> tuple[str, str, bool] | None:
    """(column, text before the key, key without hyphens) when every row's address ends with its key.

    A slug between the common beginning and the key is left out: it would have to be made from the title.
    """
    column = facts.by_role(table, "url")
    rows = [row for row in drawing.database.rows.get(table.name, []) if column and row.get(column.name)]
    if column is None or not rows:
        return None
    addresses = [str(row[column.name]) for row in rows]
    for bare in (False, True):
        keys = [str(row[key.name]).replace("-", "") if bare else str(row[key.name]) for row in rows]
        if all(address.endswith(one) for address, one in zip(addresses, keys, strict=True)):
            heads = [address.removesuffix(one) for address, one in zip(addresses, keys, strict=True)]
            common = _common_beginning(heads)
            return column.name, common[: common.rfind("/") + 1] if len(set(heads)) > 1 else common, bare
    return None


def _common_beginning(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((place for place, char in enumerate(first) if last[place : place + 1] != char), len(first))
    return first[:length]


def _keyed_url(values: dict[str, str], key: Column, template: tuple[str, str, bool]) -> dict[str, str]:
    """The address of a new row, from the id that it gets (bound first, as `new_key`)."""
    column, before, bare = template
    held = f'{NEW_KEY}.replace("-", "")' if bare else f"str({NEW_KEY})"
    return {NEW_KEY: values[key.name], key.name: NEW_KEY, column: f"{before!r} + {held}"}


def position_steps(table: Table, values: dict[str, str]) -> list[Step]:
    """Binds the new key when an address needs it, and the next position in the container."""
    steps: list[Step] = []
    if NEW_KEY in values:
        steps.append(Let(name=NEW_KEY, value=values.pop(NEW_KEY)))
    position = facts.by_role(table, "position")
    if position is None or position.name in values:
        return steps
    parents = [column.name for column, _ in facts.parent_columns(table) if column.name in values]
    where = " AND ".join(f"{facts.sql_name(name)} IS :{name}" for name in parents) or "1"
    place = facts.sql_name(position.name)
    query = f"SELECT coalesce(max({place}), -1) + 1 AS next FROM {facts.sql_name(table.name)} WHERE {where}"
    steps.append(Sql(name="last", query=query, parameters={name: values[name] for name in parents}, one=True))
    values[position.name] = "last.next"
    return steps


def require_filled(operation: BoundOperation, table: Table, values: dict[str, str]) -> None:
    """Raises CannotDraw when a required column of a new row has no value."""
    position = facts.by_role(table, "position")
    for column in table.columns:
        if column.name in values or column.nullable or column is position:
            continue
        raise CannotDraw("unfillable_column", f"{operation.name} cannot fill {table.name}.{column.name}")


def changed_row(
    drawing: Drawing,
    table: Table,
    where: dict[str, str],
    *,
    set_: dict[str, str] | None = None,
    set_given: dict[str, str] | None = None,
) -> list[Step]:
    """An update that also records when and by whom."""
    assigned = dict(set_ or {})
    changed = facts.updated_column(table)
    actor, people = parts.acting_steps(drawing, facts.updater_columns(table))
    if changed:
        assigned[changed.name] = "date_of(now())" if changed.type == "date" else "now()"
    assigned |= people
    if not assigned and not set_given:
        return []
    update = Update(table=table.name, where=where, set=assigned, set_given=set_given or {})
    return [*actor, update, *_touched(drawing, table, people)]


def _touched(drawing: Drawing, table: Table, people: dict[str, str]) -> list[Step]:
    """A change of content is one of the container that shows it as well."""
    if not parts.shows_in_container(drawing, table):
        return []
    arguments = {"key": f"{table.entity}.{parts.key_of(table).name}"}
    if people:
        arguments["actor"] = next(iter(people.values()))
    return [Adapter(adapter="touch_container", arguments=arguments)]
