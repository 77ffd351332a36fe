"""What the lowering knows about a value: enough to check columns and to show booleans and JSON as such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from envforge.core.records.blueprint import Parameter
from envforge.core.records.domain import Table


@dataclass(frozen=True)
class Scalar:
    """One value. `stored` values come from a column: booleans are 0/1 there, JSON is text."""

    type: str = "text"
    nullable: bool = False
    stored: bool = False

    @property
    def converts(self) -> bool:
        """True if the value looks different in a result than in the database."""
        return self.stored and self.type in ("boolean", "json")


@dataclass(frozen=True)
class RowOf:
    """A row as a dict. An open row may have columns that are not listed."""

    columns: Mapping[str, Scalar] = field(hash=False)
    label: str = "row"
    optional: bool = False
    open: bool = False


@dataclass(frozen=True)
class ListOf:
    """A list of equal things."""

    element: Shape


@dataclass(frozen=True)
class PageOf:
    """A page: {items, next_cursor, has_more}."""

    element: Shape


@dataclass(frozen=True)
class Anything:
    """Nothing is known."""


Shape: TypeAlias = "Scalar | RowOf | ListOf | PageOf | Anything"
ANYTHING = Anything()
_FORMATS = {"date": "date", "date-time": "timestamp"}
_JSON_TYPES = {"string": "text", "integer": "integer", "number": "real", "boolean": "boolean"}


def row_of(table: Table, *, optional: bool = False) -> RowOf:
    """The shape of `SELECT *` from a table."""
    columns = {
        column.name: Scalar(column.type, column.nullable and column.name not in table.primary_key, stored=True)
        for column in table.columns
    }
    return RowOf(columns, label=table.name, optional=optional)


def parameter_shape(parameter: Parameter) -> Shape:
    """The shape of a parameter inside of its function."""
    shape = schema_shape(parameter.json_schema)
    nullable = (not parameter.required and parameter_default(parameter) is None) or is_nullable(parameter.json_schema)
    if isinstance(shape, Scalar):
        return Scalar(shape.type, nullable)
    if isinstance(shape, ListOf) and nullable:
        return ANYTHING
    return shape


def parameter_default(parameter: Parameter) -> Any:
    """The default of an optional parameter, wherever it is stated."""
    return parameter.default if parameter.default is not None else parameter.json_schema.get("default")


def schema_shape(schema: Mapping[str, Any]) -> Shape:
    """The shape of a value that fits a JSON Schema."""
    kind = schema_type(schema)
    if kind in _JSON_TYPES:
        stated = _FORMATS.get(str(schema.get("format", ""))) if kind == "string" else None
        return Scalar(stated or _JSON_TYPES[kind], is_nullable(schema))
    if kind == "array":
        items = schema.get("items")
        return ListOf(schema_shape(cast("dict[str, Any]", items)) if isinstance(items, dict) else ANYTHING)
    return ANYTHING


def schema_type(schema: Mapping[str, Any]) -> str:
    """The one JSON type of a schema besides null; empty if it states none or several."""
    stated: Any = schema.get("type")
    if isinstance(stated, list):
        kinds = [str(kind) for kind in cast("list[Any]", stated) if kind != "null"]
        return kinds[0] if len(kinds) == 1 else ""
    if stated is None and schema.get("enum") and all(isinstance(value, str) for value in schema["enum"]):
        return "string"
    return str(stated or "")


def is_nullable(schema: Mapping[str, Any]) -> bool:
    """True if the schema admits null."""
    stated: Any = schema.get("type")
    return isinstance(stated, list) and "null" in stated


def may_be_none(shape: Shape) -> bool:
    """True unless the value is known to be there."""
    if isinstance(shape, Scalar):
        return shape.nullable
    return isinstance(shape, Anything) or (isinstance(shape, RowOf) and shape.optional)


def merged(first: Shape, second: Shape) -> Shape:
    """What is known of a value that has one of two shapes."""
    if first == second:
        return first
    if isinstance(first, Scalar) and isinstance(second, Scalar):
        if first.type == second.type and first.stored == second.stored:
            return Scalar(first.type, first.nullable or second.nullable, first.stored)
        return Scalar("any", first.nullable or second.nullable)
    if isinstance(first, RowOf) and isinstance(second, RowOf) and first.columns == second.columns:
        return replace(first, optional=first.optional or second.optional, open=first.open or second.open)
    return ANYTHING
