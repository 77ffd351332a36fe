"""Parameters: how a bound parameter looks, and the JSON Schema that goes with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from envforge.core.records.domain import BoundParameter, Column
from envforge.core.records.extraction import TypeExpr
from envforge.mine.infer.addressing import addressed_column
from envforge.mine.infer.bags import Bag
from envforge.mine.infer.calls import CallParameter
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.lexicon import RANGE_SUFFIXES
from envforge.mine.infer.names import label, safe_identifier, safe_parameter, snake
from envforge.mine.infer.typeviews import Typed

_JSON: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "real": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "timestamp": {"type": "string", "format": "date-time"},
    "json": {"type": "object"},
}
_KEPT_BY_WORLD = frozenset({"id", "parent", "created_at", "updated_at"})


def json_of(column: Column) -> dict[str, Any]:
    """JSON Schema of a value of `column`."""
    if column.type == "json" and column.format == "array":
        return {"type": "array"}
    schema = dict(_JSON[column.type])
    if column.enum:
        schema["enum"] = list(column.enum)
    if column.format:
        schema["format"] = column.format
    return schema


def column_parameter(column: Column) -> BoundParameter:
    """An optional value for `column`."""
    return BoundParameter(
        name=safe_parameter(column.name),
        source_name=column.source_name or column.name,
        meaning="column",
        json_type=json_of(column),
        description=column.description,
        column=column.name,
    )


def key_parameter(draft: TableDraft, name: str, text: str, typed: Typed | None) -> BoundParameter:
    """The key of the record that an operation is about, or the natural key that its path uses."""
    column = addressed_column(draft, name, typed)
    return BoundParameter(
        name=id_parameter_name(name, draft.entity.name),
        source_name=name,
        meaning="key",
        json_type=json_of(column),
        required=True,
        description=text or f"Id of the {label(draft.entity.name)}.",
        column=column.name,
        semantic=f"{draft.entity.name}.{column.name}",
    )


def id_parameter_name(name: str, entity: str) -> str:
    """A bare `id` says of what: `order_id`; other names are kept."""
    plain = snake(name)
    return f"{entity}_{plain}" if plain in {"id", "gid", "key", "uuid"} else safe_parameter(name)


def bag_parameter(parameter: CallParameter, bag: Bag, entity: str) -> BoundParameter:
    """Typed properties: definitions on the collection, values on its items."""
    defines = entity == bag.collection
    return BoundParameter(
        name=safe_parameter(parameter.name),
        source_name=parameter.name,
        meaning="bag",
        json_type={"type": "object"},
        required=parameter.required and defines,
        description="Property definitions by name." if defines else "Property values by name.",
        child=bag.record.definition_table if defines else bag.record.value_table,
    )


def children_parameter(parameter: CallParameter, draft: TableDraft) -> BoundParameter:
    """Nested records of another entity, with the columns that a caller may give."""
    item = parameter.typed.item()
    view = item.view() if item is not None else None
    kinds = tuple(view.variants) if view is not None else ()
    writable = [_narrowed(one, kinds) for one in draft.columns if _is_writable(one)]
    properties = {
        one.name: {**json_of(one), **({"description": one.description} if one.description else {})} for one in writable
    }
    items: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [one.name for one in writable if one.role == "type"],
    }
    return BoundParameter(
        name=safe_parameter(parameter.name),
        source_name=parameter.name,
        meaning="children",
        json_type={"type": "array", "items": items},
        required=parameter.required,
        description=parameter.description,
        child=draft.entity.name,
    )


def after_parameter(parameter: CallParameter, draft: TableDraft) -> BoundParameter:
    """The sibling to come after."""
    return BoundParameter(
        name="after",
        source_name=parameter.name,
        meaning="column",
        op="after",
        json_type={"type": "string"},
        description=parameter.description or f"Id of the {label(draft.entity.name)} to come after.",
        column="position",
        semantic=f"{draft.entity.name}.{safe_identifier(draft.entity.key)}",
    )


def range_parameters(parameter: CallParameter, column: Column) -> list[BoundParameter]:
    """One parameter per bound of a filter object `{gte, lt, …}`."""
    view = parameter.typed.view()
    return [
        BoundParameter(
            name=f"{safe_parameter(parameter.name)}_{bound}",
            source_name=f"{parameter.name}.{bound}",
            meaning="filter",
            op=RANGE_SUFFIXES[f"_{bound}"],
            json_type=json_of(column),
            description=parameter.description,
            column=column.name,
        )
        for bound in ("gt", "gte", "lt", "lte")
        if view is not None and bound in view.fields
    ]


def range_column(name: str, draft: TableDraft) -> tuple[Column | None, str]:
    """The column and operator of a filter whose name says both (`due_on_before`, `since`)."""
    for suffix, op in RANGE_SUFFIXES.items():
        if name.endswith(suffix):
            base = name.removesuffix(suffix)
            column = draft.find(base) or draft.find(f"{base}_at") or draft.find(f"{base}_on")
            if column is not None and column.type in {"date", "timestamp", "integer", "real"}:
                return column, op
    if name in {"since", "before"}:
        column = next((one for one in draft.columns if one.role == "updated_at"), None)
        return column, "ge" if name == "since" else "lt"
    return None, "eq"


def sort_schema(parameter: CallParameter) -> dict[str, Any]:
    """JSON Schema of a sort parameter, with the choices that its types state."""
    expr = parameter.typed.resolved()
    if expr.kind == "boolean":
        return {"type": "boolean"}
    if expr.kind == "string":
        return {"type": "string", "enum": [str(value) for value in expr.enum]} if expr.enum else {"type": "string"}
    item = parameter.typed.item() if expr.kind == "array" else parameter.typed
    view = item.view() if item is not None else None
    properties: dict[str, Any] = {}
    for name in view.fields if view is not None else ():
        inner: TypeExpr = view.typed(name).resolved() if view is not None else expr
        if inner.kind == "string":
            properties[name] = {"type": "string", **({"enum": [str(v) for v in inner.enum]} if inner.enum else {})}
    schema: dict[str, Any] = {"type": "object", "properties": properties} if properties else {"type": "object"}
    return {"type": "array", "items": schema} if expr.kind == "array" else schema


def entity_kinds(parameter: CallParameter, entities: Collection[str]) -> tuple[str, ...]:
    """The entities that a filter object lets one choose from (`{property: "object", value: "page"}`)."""
    for typed in parameter.alternatives:
        for member in typed.members():
            view = member.view()
            for name in view.fields if view is not None else ():
                values = [str(value) for value in (view.typed(name).resolved().enum if view is not None else ())]
                if len(values) > 1 and all(value in entities for value in values):
                    return tuple(values)
    return ()


def _narrowed(column: Column, kinds: Collection[str]) -> Column:
    """Requests may offer fewer kinds of record than answers hold."""
    offered = tuple(value for value in column.enum if value in kinds)
    return column.model_copy(update={"enum": offered}) if column.role == "type" and offered else column


def _is_writable(column: Column) -> bool:
    """True for what a nested record may carry: its kind, its text, its payload and per-variant values."""
    if column.references is not None or column.role in _KEPT_BY_WORLD or column.source_name.startswith("parent"):
        return False
    return column.role in {"type", "body"} or column.type == "json" or "." in column.source_name
