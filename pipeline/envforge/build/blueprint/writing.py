"""Source operations that make and change rows: create, update, append to a container."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import container_of, thread_parameter
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import detailed, finish
from envforge.core.records.blueprint import (
    Adapter,
    Insert,
    Let,
    Operation,
    Parameter,
    Require,
    Return,
    Sql,
    Step,
    Update,
    When,
)
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, PropertyBag, Table


def draw_create(drawing: Drawing, operation: BoundOperation) -> Operation:
    """A new row in its container, with typed properties and children when the source takes them."""
    table = drawing.table(operation.table)
    if any(given.child == table.entity for given in parts.given_meaning(operation, "children")):
        return _draw_append(drawing, operation, table)
    parameters: list[Parameter] = []
    steps: list[Step] = []
    values: dict[str, str] = {}
    touches: list[Step] = []
    if parts.given_meaning(operation, "parent"):
        container = container_of(drawing, table, operation, roots=True)
        parameters += container.parameters
        steps += container.steps
        values |= container.values
        touches = container.touches
    _given_columns(drawing, operation, table, parameters, steps, values, creating=True)
    bag = next(iter(parts.given_meaning(operation, "bag")), None)
    before, after = _bag_steps(drawing, table, bag, values, parameters)
    actor, people = parts.acting_steps(drawing, (*facts.author_columns(table), *facts.updater_columns(table)))
    _managed_columns(drawing, table, values, people)
    _require_filled(operation, table, values)
    children_parameters, children = _children_steps(drawing, operation, table, acting=bool(actor))
    more, value, schema = detailed(drawing, table, table.entity)
    return finish(
        operation,
        summary=f"Create {facts.article(table.label)}.",
        description="The author is the acting user." if people else "",
        parameters=[*parameters, *children_parameters],
        steps=[
            *steps,
            *before,
            *actor,
            *_position_steps(table, values),
            Insert(name=table.entity, table=table.name, values=values),
            *after,
            *children,
            *touches,
            *_reload(drawing, table, table.entity),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )


def _reload(drawing: Drawing, table: Table, row: str) -> list[Step]:
    """The stored row, so that the result shows what later reads show."""
    where = {name: f"{row}.{name}" for name in table.primary_key}
    return [parts.fetch(drawing, table, where, name=row).model_copy(update={"hint": ""})]


def _given_columns(
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
        if column.type == "json":
            parameter = parameter.model_copy(update={"json_schema": _json_schema(given)})
        if column in facts.dead_flags(table):
            place = "to the trash" if "archived" not in column.name else "out of use"
            text = f"True moves the {table.label} {place}, false restores it."
            parameter = parameter.model_copy(update={"description": text})
        if thread:
            text = f"Answer in this thread: the {facts.words(column.name)} of an earlier {table.label}."
            parameter = parameter.model_copy(update={"description": text})
        parameters.append(parameter)
        if column.references:
            steps += parts.check_reference(drawing, column, parameter, name=f"given_{column.name}")
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


def _managed_columns(drawing: Drawing, table: Table, values: dict[str, str], people: dict[str, str]) -> None:
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


NEW_KEY = "new_key"


def _position_steps(table: Table, values: dict[str, str]) -> list[Step]:
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


def _require_filled(operation: BoundOperation, table: Table, values: dict[str, str]) -> None:
    position = facts.by_role(table, "position")
    for column in table.columns:
        if column.name in values or column.nullable or column is position:
            continue
        raise CannotDraw("unfillable_column", f"{operation.name} cannot fill {table.name}.{column.name}")


def _bag_steps(
    drawing: Drawing,
    table: Table,
    given: BoundParameter | None,
    values: dict[str, str],
    parameters: list[Parameter],
) -> tuple[list[Step], list[Step]]:
    """Typed properties of a new item (after the insert), or the definitions of a new collection."""
    items, collection = drawing.bag_of_items(table), drawing.bag_of_collection(table)
    bag = items or collection
    if given is None or bag is None:
        return [], []
    parameters.append(_bag_parameter(given, bag, items is not None))
    key = f"{table.entity}.{parts.key_of(table).name}"
    if items is None:
        call = Adapter(adapter="define_properties", arguments={"collection_id": key, "properties": given.name})
        return [], [When(that=f"{given.name} is not None", then=(call,))]
    label = facts.label_column(table)
    if label and label.name not in values:
        values[label.name] = f'({given.name} or {{}}).get("{label.name}")'
    holder = values.get(bag.item_parent_column, "None")
    call = Adapter(
        adapter="write_properties",
        arguments={"item_id": key, "collection_id": holder, "properties": given.name},
    )
    return [], [When(that=f"{given.name} is not None", then=(call,))]


def _bag_parameter(given: BoundParameter, bag: PropertyBag, items: bool) -> Parameter:
    if items:
        text = (
            "Property values by name: text, number, true/false, option name (a list of names for multi-select), "
            'date "YYYY-MM-DD" or {"start": ..., "end": ...}, list of ids for people and relations; null clears.'
        )
    else:
        text = (
            'Property definitions by name: {"type": TYPE, "options": [names, for select types]}; '
            '{"name": NEW_NAME} renames, null removes. Types: ' + ", ".join(bag.types) + "."
        )
    return Parameter(name=given.name, json_schema={"type": "object"}, required=False, description=text)


def _children_steps(
    drawing: Drawing, operation: BoundOperation, table: Table, *, acting: bool
) -> tuple[list[Parameter], list[Step]]:
    """Initial children of a new container. With `acting`, the acting user has been found already."""
    given = next(iter(parts.given_meaning(operation, "children")), None)
    content = content_table(drawing)
    if given is None or content is None:
        return [], []
    column = next((c for c, reference in facts.parent_columns(content) if reference.table == table.name), None)
    if column is None:
        return [], []
    key = parts.key_of(table).name
    arguments = {c.name: "None" for c, _ in facts.parent_columns(content)}
    actor, argument = parts.actor_argument(drawing, content)
    arguments |= {column.name: f"{table.entity}.{key}", **argument, "children": given.name, "after": "None"}
    call = Adapter(adapter="append_children", arguments=arguments)
    steps = When(that=f"{given.name} is not None", then=(call,) if acting else (*actor, call))
    return [children_parameter(given, content, required=False)], [steps]


def content_table(drawing: Drawing) -> Table | None:
    """The table of typed, ordered pieces of content: has a type, a position and a container."""
    for table in drawing.database.domain.tables:
        if facts.by_role(table, "position") and facts.by_role(table, "type") and facts.parent_columns(table):
            return table
    return None


def children_parameter(given: BoundParameter, content: Table, *, required: bool) -> Parameter:
    """A list of typed children, nested one level."""
    kind, body = facts.by_role(content, "type"), facts.body_column(content)
    assert kind is not None
    properties: dict[str, object] = {"type": facts.column_schema(kind)}
    if body:
        properties[body.name] = {"type": "string"}
    for column in extra_columns(content):
        properties[column.name] = facts.column_schema(column)
    names = ", ".join(f"`{name}`" for name in properties)
    items = {"type": "object", "properties": {**properties, "children": {"type": "array"}}, "required": ["type"]}
    return Parameter(
        name=given.name,
        json_schema={"type": "array", "items": items, "minItems": 1, "maxItems": 100},
        required=required,
        description=f"Pieces of content in order: objects with {names}; `children` nests one level.",
    )


def extra_columns(content: Table) -> tuple[Column, ...]:
    """Plain nullable columns of a piece of content that a caller may set: `checked`, `language`, `url`."""
    body = facts.body_column(content)
    return tuple(
        column
        for column in content.columns
        if column.name not in content.primary_key
        and column is not body
        and column.role not in {"type", "position", "created_at", "updated_at", "author", "parent", "state"}
        and not column.references
        and column.type != "json"
        and column not in facts.dead_flags(content)
        and not column.name.startswith(("parent_", "has_"))
    )


def _draw_append(drawing: Drawing, operation: BoundOperation, table: Table) -> Operation:
    """Typed children at the end of a container, or after one of its children."""
    if content_table(drawing) is not table:
        raise CannotDraw("no_content_table", f"{operation.name} appends to {table.name}, which has no type and order")
    children = parts.given_meaning(operation, "children")[0]
    if not parts.given_meaning(operation, "parent"):
        raise CannotDraw("no_parent", f"{operation.name} does not say where the children go")
    container = container_of(drawing, table, operation)
    last = _after_parameter(operation, table)
    actor, acting = parts.actor_argument(drawing, table)
    arguments = {column.name: "None" for column, _ in facts.parent_columns(table)}
    arguments |= {name: value for name, value in container.values.items() if name in arguments}
    arguments |= {**acting, "children": children.name, "after": last.name if last else "None"}
    shown = drawing.details(table)
    return finish(
        operation,
        summary=f"Append {facts.words(table.name)} to a container.",
        parameters=[
            *container.parameters,
            children_parameter(children, table, required=True),
            *([last] if last else []),
        ],
        steps=[
            *container.steps,
            *actor,
            Adapter(name="added", adapter="append_children", arguments=arguments),
            *container.touches,
            Return(value={"items": f"[{shown.view.name}(row) for row in added]"}),
        ],
        returns=parts.returns(items={"type": "array", "items": shown.schema}),
    )


def _after_parameter(operation: BoundOperation, table: Table) -> Parameter | None:
    """The sibling behind which the children go, when the source has such a parameter."""
    key = f"{table.entity}.{parts.key_of(table).name}"
    given = next((one for one in operation.parameters if one.meaning == "column" and one.semantic == key), None)
    if given is None:
        return None
    return Parameter(
        name=given.name,
        json_schema={"type": "string"},
        required=False,
        description=f"Insert after this {table.label} of the container; leave out to append at the end.",
        semantic=key,
    )


def draw_update(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Change the given fields of a row; nothing else moves but its time of change."""
    table = drawing.table(operation.table)
    keys = parts.key_parameters(drawing, table, operation)
    parameters = list(keys.values())
    where = {name: key.name for name, key in keys.items()}
    checks: list[Step] = []
    values: dict[str, str] = {}
    _given_columns(drawing, operation, table, parameters, checks, values, creating=False)
    for name in [name for name in values if name in table.primary_key]:
        del values[name]
    bag = next(iter(parts.given_meaning(operation, "bag")), None)
    _, bag_steps = _bag_steps(drawing, table, bag, dict(values), parameters)
    bag_steps = _for_existing(drawing, table, bag_steps)
    given = [one.name for one in parameters if one.name not in where.values()]
    if not given:
        raise CannotDraw("nothing_to_update", f"{operation.name} takes no field of {table.name}")
    if len(given) == 1 and bag is None:
        parameters = [one.model_copy(update={"required": True}) for one in parameters]
    restoring = {flag.name: values[flag.name] for flag in facts.dead_flags(table) if flag.name in values}
    more, value, schema = detailed(drawing, table, table.entity)
    return finish(
        operation,
        summary=f"Update {facts.article(table.label)}; only what is given changes.",
        parameters=parameters,
        steps=[
            parts.fetch(drawing, table, where),
            *parts.alive(table, table.entity, given=restoring),
            *_something_given(given if len(given) > 1 or bag else []),
            *checks,
            *bag_steps,
            *changed_row(drawing, table, where, set_given=values),
            *_reload(drawing, table, table.entity),
            *more,
            Return(value=value),
        ],
        returns=parts.returns(**schema),
    )


def _something_given(names: list[str]) -> list[Step]:
    """An update that changes nothing is a mistake of the caller."""
    if not names:
        return []
    return [
        Require(
            that=" or ".join(f"{name} is not None" for name in names),
            code="invalid_argument",
            message="There is nothing to change.",
            hint=f"Give at least one of {', '.join(names)}.",
        )
    ]


def _for_existing(drawing: Drawing, table: Table, steps: list[Step]) -> list[Step]:
    """Typed properties of an item that exists: its collection is the one it is in."""
    bag = drawing.bag_of_items(table)
    if bag is None:
        return steps
    changed: list[Step] = []
    for step in steps:
        if isinstance(step, When):
            inside: list[Step] = []
            for inner in step.then:
                if isinstance(inner, Adapter):
                    arguments = inner.arguments | {"collection_id": f"{table.entity}.{bag.item_parent_column}"}
                    inner = inner.model_copy(update={"arguments": arguments})
                inside.append(inner)
            step = step.model_copy(update={"then": tuple(inside)})
        changed.append(step)
    return changed


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
    return [*actor, Update(table=table.name, where=where, set=assigned, set_given=set_given or {})]
