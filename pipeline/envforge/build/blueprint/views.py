"""How rows are shown: compact views for lists (with the names of referenced rows), detailed ones for look-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.core.contracts import Row
from envforge.core.records.blueprint import Join, View
from envforge.core.records.domain import Column, Table

MAX_COMPACT = 12
MAX_JOINS = 3
LONG_TEXT = 200
"""Characters of a text from which on it is left to look-ups."""


@dataclass(frozen=True)
class Shown:
    """A view, the JSON Schema of what it yields, and what a select must bring along for it."""

    view: View
    schema: dict[str, Any]
    columns: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()


HANDLES = frozenset({"login", "slug", "number", "iid"})
"""What paths name records by, where they do not use keys."""


def alias_of(column: Column) -> str:
    """The name of the row a reference leads to: `created_by_id` → `created_by`."""
    for ending in ("_id", "_code", "_key"):
        if column.name.endswith(ending) and len(column.name) > len(ending):
            return column.name.removesuffix(ending)
    return column.name


def row_of(column: Column) -> str:
    """The same for a Python value: `class_id` → `class_row`."""
    plain = alias_of(column)
    return f"{plain}_row" if facts.unusable_name(plain) else plain


def details(table: Table, tables: Mapping[str, Table]) -> Shown:
    """Every column, the parent as one object."""
    fields: dict[str, str] = {}
    schema: dict[str, Any] = {}
    for column in table.columns:
        _show(table, column, tables, fields, schema)
    view = View(name=f"{table.entity}_details", table=table.name, fields=fields)
    return Shown(view, _object(schema))


def summary(table: Table, tables: Mapping[str, Table], rows: Sequence[Row]) -> Shown:
    """Key, label, state, dates and references, with the names of up to three referenced rows.

    Left out: who edited last, and flags that are the same for all that lists show (what is in the trash is not).
    """
    fields: dict[str, str] = {}
    schema: dict[str, Any] = {}
    dead = facts.trash_flags(table)
    filled = _filled(table, rows)
    listed = [column for column in filled if column.role != "editor" and column not in dead]
    listed = [column for column in listed if table.kind != "entity" or not _long(column, rows)]
    compact = sorted(listed, key=lambda column: _rank(table, column))[:MAX_COMPACT]
    shown = {column.name for column in compact}
    for column in table.columns:
        if column.name in shown:
            _show(table, column, tables, fields, schema)
    joins: list[Join] = []
    extra: list[str] = []
    for column, label in _named_references(table, tables, shown)[:MAX_JOINS]:
        alias, reference = alias_of(column), column.references
        assert reference is not None
        joins.append(Join(table=reference.table, alias=alias, on={reference.column: column.name}, left=True))
        extra.append(f"{alias}.{label} as {alias}_name")
        fields[f"{alias}_name"] = f"row.{alias}_name"
        schema[f"{alias}_name"] = {"type": ["string", "null"]}
    view = View(name=f"{table.entity}_summary", table=table.name, fields=fields)
    return Shown(view, _object(schema), (*(column.name for column in table.columns), *extra), tuple(joins))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _filled(table: Table, rows: Sequence[Row]) -> list[Column]:
    """Columns that hold something. Without rows everything counts as filled."""
    return [
        column
        for column in table.columns
        if not rows or column.name in table.primary_key or any(row.get(column.name) is not None for row in rows)
    ]


def _long(column: Column, rows: Sequence[Row]) -> bool:
    """Text that a look-up shows and a list cannot: a page of it would not fit what one reads at once."""
    if column.type != "text" or column.role == "title":
        return False
    return any(len(str(row.get(column.name) or "")) > LONG_TEXT for row in rows)


def _rank(table: Table, column: Column) -> tuple[int, int]:
    """Order of importance in a compact view; stable by position in the table."""
    position = table.columns.index(column)
    if column.name in table.primary_key:
        return (0, position)
    if column.role in {"title", "state", "type", "parent"} or column.name.startswith("parent_"):
        return (1, position)
    if column.references or column.enum or column.name.endswith("_number") or column.name in HANDLES:
        return (2, position)
    if column.role == "body":
        return (2 if facts.label_column(table) is None or table.kind == "child" else 6, position)
    if column.role in {"starts_at", "ends_at", "amount", "quantity", "email", "position"}:
        return (3, position)
    if column.name.endswith("_local"):
        return (3, position)
    if column.type in {"date", "timestamp"}:
        return (6 if column.nullable else 4, position)
    return (7 if column.type == "json" else 5, position)


def _named_references(table: Table, tables: Mapping[str, Table], shown: set[str]) -> list[tuple[Column, str]]:
    """References to rows with a name, parents left out (a list is usually asked for by parent)."""
    parents = {column.name for column, _ in facts.parent_columns(table)}
    found: list[tuple[Column, str]] = []
    for column, reference in facts.references_of(table):
        target = tables.get(reference.table)
        label = facts.label_column(target) if target else None
        clash = table.has(f"{alias_of(column)}_name")
        if label and label.name != reference.column and column.name in shown - parents and not clash:
            found.append((column, label.name))
    return found


def _show(
    table: Table, column: Column, tables: Mapping[str, Table], fields: dict[str, str], schema: dict[str, Any]
) -> None:
    """Adds one column to a view; the columns of a polymorphic parent become one `parent` object."""
    if facts.parent_type(table) and (column.name == "parent_type" or column in _parent_only(table)):
        if "parent" not in fields:
            fields["parent"] = parent_expression(table)
            schema["parent"] = parent_schema(table, tables)
        return
    fields[column.name] = f"row.{column.name}"
    shown = facts.column_schema(column, semantic=facts.semantic_of(dict(tables), table, column))
    schema[column.name] = nullable(shown) if column.nullable else shown


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, null allowed."""
    changed = dict(schema)
    if isinstance(changed.get("type"), str):
        changed["type"] = [changed["type"], "null"]
    if "enum" in changed:
        changed["enum"] = [*changed["enum"], None]
    return changed


def _parent_only(table: Table) -> list[Column]:
    return [column for column, _ in facts.parent_columns(table)]


def parent_expression(table: Table) -> str:
    """`{"page_id": …}` from whichever parent column is set; `{"workspace": True}` for a root."""
    pairs = [f'"{parent_key(column)}": row.{column.name}' for column in _parent_only(table)]
    pairs += [f'"{root}": True if row.parent_type == "{root}" else None' for root in parent_roots(table)]
    return "{key: value for key, value in {" + ", ".join(pairs) + "}.items() if value is not None}"


def parent_key(column: Column) -> str:
    """`parent_page_id` → `page_id`, as the parent object names it."""
    return column.name.removeprefix("parent_")


def parent_roots(table: Table) -> tuple[str, ...]:
    """Values of the discriminator that no parent column stands for: `workspace`."""
    column = facts.parent_type(table)
    taken = {discriminator for discriminator, _ in parent_variants(table)}
    return tuple(value for value in (column.enum if column else ()) if value not in taken)


def parent_variants(table: Table) -> tuple[tuple[str, Column], ...]:
    """Discriminator value and column of each kind of parent."""
    kind = facts.parent_type(table)
    values = kind.enum if kind else ()
    variants: list[tuple[str, Column]] = []
    for column in _parent_only(table):
        key = parent_key(column)
        named = [value for value in values if value in {key, key.removesuffix("_id")}]
        variants.append((named[0] if named else key, column))
    return tuple(variants)


def parent_schema(table: Table, tables: Mapping[str, Table]) -> dict[str, Any]:
    """The JSON Schema of a parent object: exactly one of its keys."""
    properties: dict[str, Any] = {}
    for column in _parent_only(table):
        semantic = facts.semantic_of(dict(tables), table, column)
        properties[parent_key(column)] = facts.column_schema(column, semantic=semantic)
    for root in parent_roots(table):
        properties[root] = {"type": "boolean"}
    return {"type": "object", "properties": properties}
