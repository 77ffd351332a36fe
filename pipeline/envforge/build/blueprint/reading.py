"""Source operations that read: get, list, filter, query of a property bag, search over one or several tables."""
# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from typing import Any

from envforge.build.adapters.bag_query import SPANS, TRASHED
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.containers import container_of
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.inside import (
    also_inside,
    collections_inside,
    contained_rows,
    named_schema,
    names_inside,
    nesting,
)
from envforge.core.articles import with_article
from envforge.core.records.blueprint import (
    Adapter,
    Condition,
    Operation,
    Order,
    Parameter,
    Return,
    Select,
    Sql,
    Step,
)
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table


def finish(
    operation: BoundOperation,
    *,
    summary: str,
    parameters: list[Parameter],
    steps: list[Step],
    returns: dict[str, Any],
    description: str = "",
) -> Operation:
    """The Operation record: required parameters first, provenance kept."""
    steps = _without_repeats(steps)
    ordered = [one for one in parameters if one.required] + [one for one in parameters if not one.required]
    names = [one.name for one in ordered]
    if len(set(names)) != len(names):
        raise CannotDraw("parameter_clash", f"{operation.name} has two parameters of one name: {', '.join(names)}")
    return Operation(
        name=operation.name,
        verb=operation.verb,
        entity=operation.entity,
        summary=summary,
        description=description,
        parameters=tuple(ordered),
        steps=tuple(steps),
        returns=returns,
        source_id=operation.source_id,
        locator=operation.locator,
    )


def _without_repeats(steps: list[Step]) -> list[Step]:
    """The steps without a second search for the acting user."""
    kept: list[Step] = []
    for step in steps:
        if not (isinstance(step, Sql) and step.always and step in kept):
            kept.append(step)
    return kept


def draw_get(drawing: Drawing, operation: BoundOperation) -> Operation:
    """One row in detail, with its typed properties and the names of the rows it refers to."""
    table = drawing.table(operation.table)
    if not parts.given_meaning(operation, "key"):
        return _draw_self(drawing, operation, table)
    if any(table.name == bag.value_table for bag in drawing.database.domain.bags):
        raise CannotDraw("covered", "the look-up of an item shows all its properties")
    keys = parts.key_parameters(drawing, table, operation)
    steps: list[Step] = [parts.fetch(drawing, table, {name: key.name for name, key in keys.items()})]
    more, value, schema = detailed(drawing, table, drawing.row(table))
    return finish(
        operation,
        summary=f"Retrieve {with_article(table.label)}.",
        parameters=list(keys.values()),
        steps=[*steps, *more, Return(value=value)],
        returns=parts.returns(**schema),
    )


def detailed(drawing: Drawing, table: Table, row: str) -> tuple[list[Step], dict[str, str], dict[str, Any]]:
    """Steps, values and schemas that show `row` in detail under the entity's name."""
    shown = drawing.details(table)
    steps, item, item_schema = nesting(table, row, f"{shown.view.name}({row})", shown.schema, f"[{row}.{{key}}]")
    value = {table.entity: item}
    schema: dict[str, Any] = {table.entity: item_schema}
    items, collection = drawing.bag_of_items(table), drawing.bag_of_collection(table)
    bag = items or collection
    if bag:
        adapter = "read_properties" if items else "describe_properties"
        argument = "item_id" if items else "collection_id"
        key = parts.key_of(table).name
        name = "property_values" if items else "definitions"
        steps.append(Adapter(name=name, adapter=adapter, arguments={argument: f"{row}.{key}"}))
        value["properties"] = name
        schema["properties"] = {"type": "object"}
    inside = collections_inside(drawing, table)
    if inside:
        collection, holder = inside
        steps.append(names_inside(collection, holder, f"{row}.{parts.key_of(table).name}"))
        value[collection.name] = collection.name
        schema[collection.name] = {"type": "array", "items": named_schema(drawing, collection)}
    return steps, value, schema


def _draw_self(drawing: Drawing, operation: BoundOperation, table: Table) -> Operation:
    """Who acts. The World has no login, so it is one fixed row of the table."""
    shown = drawing.details(table)
    return finish(
        operation,
        summary=f"Retrieve the {table.label} that these tools act as.",
        description="What the other tools create or change is recorded under this name.",
        parameters=[],
        steps=[
            parts.acting_step(drawing, table),
            Return(value={table.entity: f"{shown.view.name}(actor)"}),
        ],
        returns=parts.returns(**{table.entity: shown.schema}),
    )


def draw_list(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Rows of a table or of a container, filtered, in a stated order, paged."""
    table = drawing.table(operation.table)
    if parts.given_meaning(operation, "bag_filter"):
        return _draw_query(drawing, operation, table)
    page = parts.page_of(operation)
    parameters: list[Parameter] = []
    steps: list[Step] = []
    where: list[Condition] = []
    if parts.given_meaning(operation, "parent"):
        container = container_of(
            drawing, table, operation, trashed="not_found", purpose=f"whose {facts.words(table.name)} are listed"
        )
        parameters += container.parameters
        steps += container.steps
        where += container.conditions
    where += _filters(drawing, operation, table, parameters)
    trashed = trash_parameter(table, asked=_asks_for_trash(operation, table))
    parameters += trashed
    where += [
        Condition(column=flag.name, value=trashed[0].name if trashed else "0") for flag in facts.trash_flags(table)
    ]
    shown = drawing.summary(table)
    steps.append(
        Select(
            name="found",
            table=table.name,
            columns=shown.columns,
            joins=shown.joins,
            where=tuple(where),
            order=_order(table, operation),
            page=page,
        )
    )
    nested, item, schema = nesting(
        table, "row", f"{shown.view.name}(row)", shown.schema, "[row.{key} for row in found.items]"
    )
    inside, names, schemas = contained_rows(drawing, operation, table)
    steps += [*nested, *inside, Return(value=page_value(f"[{item} for row in found.items]") | names)]
    plural = facts.words(table.name)
    return finish(
        operation,
        summary=f"List {plural}{_of_parent(operation, table)}.",
        description=also_inside(names),
        parameters=[*parameters, *parts.page_parameters(page)],
        steps=steps,
        returns=parts.page_returns(schema, **schemas),
    )


def _asks_for_trash(operation: BoundOperation, table: Table) -> bool:
    flags = {flag.name for flag in facts.trash_flags(table)}
    return any(given.column in flags for given in parts.given_meaning(operation, "filter"))


def trash_parameter(*tables: Table, asked: bool = True) -> list[Parameter]:
    """A parameter to see what is in the trash instead; none when rows of these tables cannot be there."""
    flags = [flag for table in tables for flag in facts.trash_flags(table)[:1]]
    if not asked or len(flags) < len(tables):
        return []
    kinds = " and ".join(facts.words(table.name) for table in tables)
    return [
        Parameter(
            name=flags[0].name,
            json_schema={"type": "boolean"},
            required=False,
            default=False,
            description=f"True lists the {kinds} that are in the trash instead of the others.",
        )
    ]


def page_value(items: str) -> dict[str, str]:
    """The result of a paged tool: the page bound as `found`, with `items` as an expression over it."""
    return {"items": items, "next_cursor": "found.next_cursor", "has_more": "found.has_more"}


def _of_parent(operation: BoundOperation, table: Table) -> str:
    labels = [facts.words(given.name.removesuffix("_id")) for given in parts.given_meaning(operation, "parent")]
    if not labels:
        return ""
    order = ", in order" if facts.by_role(table, "position") else ""
    return " of " + " or ".join(with_article(label) for label in labels) + order


def _order(table: Table, operation: BoundOperation) -> tuple[Order, ...]:
    position = facts.by_role(table, "position")
    if position:
        return (Order(column=position.name),)
    if operation.verb in {"search", "filter"} and facts.updated_column(table):
        changed = facts.updated_column(table)
        assert changed is not None
        return (Order(column=changed.name, descending=True),)
    by = facts.by_role(table, "starts_at", "created_at") or facts.label_column(table)
    return (Order(column=by.name),) if by else ()


def _filters(drawing: Drawing, operation: BoundOperation, table: Table, parameters: list[Parameter]) -> list[Condition]:
    """Optional conditions; a filter that fits no column is dropped, not the tool."""
    conditions: list[Condition] = []
    for given in parts.given_meaning(operation, "filter"):
        trash = {flag.name for flag in facts.trash_flags(table)}
        if given.column is None or not table.has(given.column) or given.column in trash:
            continue
        column = table.column(given.column)
        parameters.append(
            parts.column_parameter(
                drawing, table, column, name=given.name, required=False, description=given.description
            )
        )
        conditions.append(_condition(column, given))
    return conditions


def _condition(column: Column, given: BoundParameter) -> Condition:
    known = {"eq", "ne", "lt", "le", "gt", "ge", "contains", "starts_with", "on_date"}
    op: Any = given.op if given.op in known else "eq"
    return Condition(column=column.name, op=op, value=given.name, optional=True)


def _draw_query(drawing: Drawing, operation: BoundOperation, table: Table) -> Operation:
    """Items of a collection by conditions on their typed properties."""
    bag = drawing.bag_of_items(table)
    parent = next(iter(parts.given_meaning(operation, "parent", "key")), None)
    if bag is None or parent is None:
        raise CannotDraw("no_property_bag", f"{operation.name} filters properties that {table.name} does not carry")
    collection = drawing.table(bag.collection_table)
    page = parts.page_of(operation)
    key = parts.column_parameter(
        drawing, collection, parts.key_of(collection), name=parent.name, required=True
    ).model_copy(update={"semantic": f"{collection.entity}.{parts.key_of(collection).name}"})
    by, sort = _language_parameters(operation, table)
    arguments = {"collection_id": key.name, "condition": by.name, "order": sort.name if sort else "None"}
    arguments |= {"start_cursor": page.cursor, "page_size": page.size}
    trashed = trash_parameter(table)
    arguments |= {TRASHED: trashed[0].name} if trashed else {}
    shown = drawing.summary(table)
    return finish(
        operation,
        summary=f"Query the {facts.words(table.name)} of {with_article(collection.label)}, filtered and sorted.",
        description="Each item carries its property values by name.",
        parameters=[key, by, *([sort] if sort else []), *trashed, *parts.page_parameters(page)],
        steps=[
            parts.fetch(drawing, collection, {parts.key_of(collection).name: key.name}),
            *parts.alive(drawing, collection, drawing.row(collection), code="not_found"),
            Adapter(name="found", adapter="query_items", arguments=arguments),
            Return(value=page_value("found.items")),
        ],
        returns=parts.page_returns(_item_schema(table, shown.schema)),
    )


def _item_schema(table: Table, shown: dict[str, Any]) -> dict[str, Any]:
    """An item of a query: key, label, dates and its properties (see the adapter `query_items`)."""
    kept = {name: shown["properties"][name] for name in table.primary_key if name in shown["properties"]}
    label = facts.label_column(table)
    names = [
        column.name for column in (label, facts.by_role(table, "created_at"), facts.updated_column(table)) if column
    ]
    for name in names:
        kept[name] = shown["properties"].get(name, {"type": ["string", "null"]})
    for flag in facts.dead_flags(table):
        if flag not in facts.trash_flags(table):
            kept[flag.name] = {"type": "boolean"}
    kept["properties"] = {"type": "object"}
    return {"type": "object", "properties": kept, "required": list(kept)}


def _language_parameters(operation: BoundOperation, table: Table) -> tuple[Parameter, Parameter | None]:
    by = parts.given_meaning(operation, "bag_filter")[0]
    sort = next(iter(parts.given_meaning(operation, "bag_sort")), None)
    times = " or ".join(column.name for column in table.columns if column.type == "timestamp")
    condition = (
        'A condition {"property": NAME, OPERATOR: VALUE}, or {"and": [...]} / {"or": [...]} of such. Operators: '
        "equals, does_not_equal, contains, does_not_contain, starts_with, ends_with, greater_than, less_than, "
        "greater_than_or_equal_to, less_than_or_equal_to, before, after, on_or_before, on_or_after; for dates also "
        f"{', '.join(SPANS)}, counted from today; is_empty, is_not_empty (these take true). People and relations "
        "are compared by id. "
        f'{{"timestamp": COLUMN, ...}} compares a time of the item; COLUMN: {times}.'
    )
    order = (
        'Sort keys, first one strongest: {"property": NAME, "direction": "ascending" or "descending"}, or '
        f'{{"timestamp": COLUMN, ...}} with COLUMN {times}.'
    )
    sorts = None
    if sort:
        known: dict[str, Any] = {"property": {"type": "string"}, "timestamp": {"type": "string"}}
        known["direction"] = {"type": "string", "enum": ["ascending", "descending"]}
        items = {"type": "object", "properties": known, "additionalProperties": False}
        schema = {"type": "array", "items": items, "maxItems": 5}
        sorts = Parameter(name=sort.name, json_schema=schema, required=False, description=order)
    return Parameter(name=by.name, json_schema={"type": "object"}, required=False, description=condition), sorts
