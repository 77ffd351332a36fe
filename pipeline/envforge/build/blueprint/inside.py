"""What a row holds besides its own columns: collections, content in content, and what else is kept in it."""
# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import Drawing
from envforge.core.records.blueprint import Aggregate, Condition, Let, Measure, Order, Select, Sql, Step
from envforge.core.records.domain import BoundOperation, Column, Table


def collections_inside(drawing: Drawing, table: Table) -> tuple[Table, Column] | None:
    """The table of collections that rows of `table` hold and nothing else holds, with the column that says so."""
    for bag in drawing.database.domain.bags:
        collection = drawing.table(bag.collection_table)
        holders = facts.parent_columns(collection)
        if len(holders) == 1 and holders[0][1].table == table.name and facts.label_column(collection):
            return collection, holders[0][0]
    return None


def names_inside(collection: Table, holder: Column, key: str) -> Select:
    """Keys and names of the collections inside."""
    label = facts.label_column(collection)
    assert label is not None
    alive = tuple(Condition(column=flag.name, value="0") for flag in facts.trash_flags(collection))
    return Select(
        name=collection.name,
        table=collection.name,
        columns=(*collection.primary_key, label.name),
        where=(Condition(column=holder.name, value=key), *alive),
        order=(Order(column=label.name),),
    )


def named_schema(drawing: Drawing, table: Table) -> dict[str, Any]:
    """The schema of a row shown by key and title."""
    shown = drawing.details(table).schema["properties"]
    label = facts.label_column(table)
    names = [*table.primary_key, *([label.name] if label else [])]
    return {"type": "object", "properties": {name: shown[name] for name in names}, "required": names}


def also_inside(names: dict[str, str]) -> str:
    """A sentence about the keys of a list that show what else is inside; empty without such."""
    if not names:
        return ""
    listed = " and ".join(f"`{name}`" for name in names)
    kinds = " and ".join(facts.words(name.removeprefix("child_")) for name in names)
    return f"The {kinds} that are kept right inside of it stand in {listed}."


def contained_rows(
    drawing: Drawing, operation: BoundOperation, table: Table
) -> tuple[list[Step], dict[str, str], dict[str, Any]]:
    """For a list of content: what else its container holds, like the pages inside of a page, by key and title."""
    steps: list[Step] = []
    values: dict[str, str] = {}
    schemas: dict[str, Any] = {}
    if not (facts.by_role(table, "position") and facts.by_role(table, "type")):
        return steps, values, schemas
    for given in parts.given_meaning(operation, "parent"):
        column = table.column(given.column) if given.column and table.has(given.column) else None
        if column is None or column.references is None or column.references.table == table.name:
            continue
        for other, holder in _kept_in(drawing, column.references.table):
            name = f"child_{other.name}"
            steps.append(Sql(name=name, query=_contained_query(other, holder), parameters={"container": given.name}))
            values[name] = name
            schemas[name] = {"type": "array", "items": named_schema(drawing, other)}
    return steps, values, schemas


def _kept_in(drawing: Drawing, container: str) -> list[tuple[Table, Column]]:
    """Tables of things with a title that are kept in rows of `container`."""
    return [
        (other, column)
        for other in sorted(drawing.tables.values(), key=lambda one: one.name)
        for column, reference in facts.parent_columns(other)
        if reference.table == container and other.kind == "entity" and facts.by_role(other, "title")
    ]


def _contained_query(other: Table, holder: Column) -> str:
    label = facts.by_role(other, "title")
    assert label is not None
    key, title = facts.sql_name(parts.key_of(other).name), facts.sql_name(label.name)
    alive = "".join(f"\n  AND NOT {facts.sql_name(flag.name)}" for flag in facts.trash_flags(other))
    return (
        f"SELECT {key}, {title}\nFROM {facts.sql_name(other.name)}\n"
        f"WHERE {facts.sql_name(holder.name)} = :container{alive}\nORDER BY {title}, {key}"
    )


def nesting(
    table: Table, row: str, item: str, schema: dict[str, Any], keys: str
) -> tuple[list[Step], str, dict[str, Any]]:
    """For pieces of content that may hold others: says which do, so that nobody lists in vain."""
    column = next((c for c, reference in facts.parent_columns(table) if reference.table == table.name), None)
    if column is None or not facts.by_role(table, "position") or table.has("has_children"):
        return [], item, schema
    key = parts.key_of(table).name
    conditions = [Condition(column=column.name, op="in", value=keys.format(key=key))]
    conditions += [Condition(column=flag.name, value="0") for flag in facts.trash_flags(table)]
    steps: list[Step] = [
        Aggregate(
            name="nested",
            table=table.name,
            where=tuple(conditions),
            measures=(Measure(name="count", fn="count"),),
            group_by=(column.name,),
        ),
        Let(name="holders", value=f"{{row.{column.name} for row in nested}}"),
    ]
    shown = dict(schema)
    shown["properties"] = {**schema["properties"], "has_children": {"type": "boolean"}}
    return steps, f"dict({item}, has_children={row}.{key} in holders)", shown
