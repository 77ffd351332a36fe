"""Typed, ordered pieces of content: as the first children of a new container, or appended to one that is there."""

from __future__ import annotations

from envforge.build.adapters.children import WITH_URL, WITHOUT_TEXT, child_types, url_field
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import container_of, parent_column
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import finish
from envforge.core.articles import with_article
from envforge.core.records.blueprint import Adapter, Operation, Parameter, Require, Return, Step, When
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table


def children_steps(
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
    arguments |= {column.name: f"{drawing.row(table)}.{key}", **argument, "children": given.name, "after": "None"}
    call = Adapter(adapter="append_children", arguments=arguments)
    steps = When(that=f"{given.name} is not None", then=(call,) if acting else (*actor, call))
    return [children_parameter(drawing, given, content, required=False)], [steps]


def content_table(drawing: Drawing) -> Table | None:
    """The table of typed, ordered pieces of content: has a type, a position and a container."""
    for table in drawing.database.domain.tables:
        if facts.by_role(table, "position") and facts.by_role(table, "type") and facts.parent_columns(table):
            return table
    return None


def children_parameter(drawing: Drawing, given: BoundParameter, content: Table, *, required: bool) -> Parameter:
    """A list of typed children, nested one level."""
    kind, body = facts.by_role(content, "type"), facts.body_column(content)
    assert kind is not None
    types = child_types(drawing.database.domain.tables, content)
    properties: dict[str, object] = {"type": {**facts.column_schema(kind), "enum": list(types)}}
    if body:
        properties[body.name] = {"type": "string", "minLength": 0}
    for column in extra_columns(content):
        properties[column.name] = facts.column_schema(column)
    plural = facts.words(content.name).capitalize()
    names = ", ".join(f"`{name}`" for name in properties)
    items = {"type": "object", "properties": {**properties, "children": {"type": "array"}}, "required": ["type"]}
    return Parameter(
        name=given.name,
        json_schema={"type": "array", "items": items, "minItems": 1, "maxItems": 100},
        required=required,
        description=f"{plural} in order: objects with {names}; `children` nests one level."
        + _elsewhere(drawing, content),
    )


def _elsewhere(drawing: Drawing, content: Table) -> str:
    """Which tools make the rows that some types of content only stand for, and which types need an address."""
    address = url_field(content)
    kind = facts.by_role(content, "type")
    types = child_types(drawing.database.domain.tables, content)
    needing = [one for one in types if one in WITH_URL] if address else []
    text = f" Types that need `{address}`: {', '.join(needing)}." if needing else ""
    left = [value for value in (kind.enum if kind else ()) if value not in types]
    makers: list[str] = []
    for operation in drawing.database.domain.operations:
        named = any(f"_{operation.entity}_" in f"_{value}_" for value in left)
        if operation.verb == "create" and named:
            makers.append(f"{facts.words(drawing.table(operation.table).name)} with {operation.name}")
    return text + (f" Make {' and '.join(makers)}." if makers else "")


def type_rules(drawing: Drawing, table: Table, parameters: list[Parameter], values: dict[str, str]) -> list[Step]:
    """A piece of content keeps to its type: text and addresses are only given to types that have them."""
    kind, body, address = facts.by_role(table, "type"), facts.body_column(table), url_field(table)
    if content_table(drawing) is not table or kind is None:
        return []
    steps: list[Step] = []
    for name, types, has in ((body.name if body else None, WITHOUT_TEXT, False), (address, WITH_URL, True)):
        known = [one for one in kind.enum if one in types]
        if name is None or name not in values or not known:
            continue
        given, row = values[name], f"{drawing.row(table)}.{kind.name}"
        steps.append(
            Require(
                that=f"{given} is None or {row} {'in' if has else 'not in'} {tuple(known)!r}",
                code="invalid_argument",
                message=f"A {{{row}}} has no {name}.",
                hint=f"Types with a {name}: {', '.join(known)}." if has else f"Leave {given} out.",
            )
        )
        if has:
            for at, parameter in enumerate(parameters):
                if parameter.name == given:
                    parameters[at] = parameter.model_copy(update={"json_schema": {"type": "string", "format": "uri"}})
    return steps


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


def draw_append(drawing: Drawing, operation: BoundOperation, table: Table) -> Operation:
    """Typed children at the end of a container, or after one of its children."""
    if content_table(drawing) is not table:
        raise CannotDraw("no_content_table", f"{operation.name} appends to {table.name}, which has no type and order")
    children = parts.given_meaning(operation, "children")[0]
    if not parts.given_meaning(operation, "parent"):
        raise CannotDraw("no_parent", f"{operation.name} does not say where the children go")
    container = container_of(drawing, table, operation, purpose="to append to")
    last = _after_parameter(operation, table)
    actor, acting = parts.actor_argument(drawing, table)
    arguments = {column.name: "None" for column, _ in facts.parent_columns(table)}
    arguments |= {name: value for name, value in container.values.items() if name in arguments}
    arguments |= {**acting, "children": children.name, "after": last.name if last else "None"}
    shown = drawing.details(table)
    return finish(
        operation,
        summary=f"Append {facts.words(table.name)} to {_places(drawing, table, operation)}.",
        parameters=[
            *container.parameters,
            children_parameter(drawing, children, table, required=True),
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


def _places(drawing: Drawing, table: Table, operation: BoundOperation) -> str:
    columns = [parent_column(table, given) for given in parts.given_meaning(operation, "parent")]
    labels = [drawing.table(column.references.table).label for column in columns if column.references]
    return " or ".join(with_article(label) for label in labels)


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
