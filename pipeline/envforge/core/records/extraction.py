"""What an extractor hands on: operations, shapes, tables and documents, each with a locator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field as PydanticField

from envforge.core.records.base import Record

TypeKind = Literal["string", "integer", "number", "boolean", "null", "object", "array", "map", "union", "ref", "any"]


class TypeExpr(Record):
    """A type as any specification language states it, in one normal form.

    Unions of string literals become kind `string` with `enum`; a single literal is `enum` of length one
    (a discriminator candidate); `T | null` becomes `nullable`. `ref` points to a Shape by `name`;
    recursion is cut there, so a TypeExpr is always a finite tree.
    """

    kind: TypeKind
    name: str | None = PydanticField(default=None, description="declared name; the target when kind is ref")
    format: str | None = None
    enum: tuple[str | int | float | bool, ...] = ()
    nullable: bool = False
    fields: tuple[ShapeField, ...] = ()
    items: TypeExpr | None = PydanticField(default=None, description="element of an array, value of a map")
    variants: tuple[TypeExpr, ...] = ()
    discriminator: str | None = None
    description: str = ""
    example: Any = None
    default: Any = None
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None


class ShapeField(Record):
    """One property of an object type."""

    name: str
    type: TypeExpr
    required: bool = False
    read_only: bool = False
    deprecated: bool = False
    description: str = ""


TypeExpr.model_rebuild()


class Shape(Record):
    """A named type of a source. Names are unique within an Extraction."""

    name: str
    type: TypeExpr
    locator: str
    description: str = ""


class ApiParameter(Record):
    """A parameter of an operation. Body properties of object bodies are listed as `body` parameters too."""

    name: str
    location: Literal["path", "query", "header", "body"]
    type: TypeExpr
    required: bool = False
    deprecated: bool = False
    description: str = ""


class ApiOperation(Record):
    """One operation of a specification, as stated there."""

    id: str = PydanticField(description="operationId or declared name, as the source spells it")
    method: str = PydanticField(description="lower-case HTTP method; empty when the source states none")
    path: str = PydanticField(description="path template with {parameters}; empty when the source states none")
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    parameters: tuple[ApiParameter, ...] = ()
    body: TypeExpr | None = None
    success: TypeExpr | None = PydanticField(default=None, description="type of the 2xx response, if stated")
    locator: str = PydanticField(description="JSON pointer or line range inside the source")
    source_id: str = ""


class Example(Record):
    """A typed example object found in a source (webhook payload, `example`, `examples`)."""

    shape: str
    value: Any
    locator: str


ColumnType = Literal["text", "integer", "real", "boolean", "date", "timestamp", "json"]


class MinedColumn(Record):
    """A column of a mined table; the type holds for every non-NULL value."""

    name: str
    type: ColumnType
    nullable: bool = False
    unit: str | None = None


@dataclass(frozen=True)
class StatedReference:
    """A foreign key as a source states it; whether the rows keep it is for the reader to measure."""

    columns: tuple[str, ...]
    table: str
    target: tuple[str, ...] = ()
    """Columns over there; empty: its primary key."""


@dataclass(frozen=True)
class TablePart:
    """A stretch of a table's rows that stands in a file of its own: the next `rows` rows, counted from 1 there."""

    rows: int
    locator: str
    source_id: str
    label: str = ""
    """What the rows themselves call the file, in a column `page`."""

    @property
    def path(self) -> str:
        """The source's path."""
        return _path(self.locator)


@dataclass(frozen=True)
class MinedTable:
    """Rows read from a file. Values are None, str, int, float or bool; dates and times are ISO 8601 text.

    `rows` keep the file's order; `locator` is a template with `{row}` (1-based data row number).
    Before its first `#` stands the path of the source, braces doubled.
    `key` and `references` are what the source states, by names of its own, not verified against the rows.
    A table that goes on over several files says in `parts` where its rows come from, in order.
    """

    name: str
    columns: tuple[MinedColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    locator: str
    source_id: str
    key: tuple[str, ...] = ()
    references: tuple[StatedReference, ...] = ()
    parts: tuple[TablePart, ...] = ()

    @property
    def path(self) -> str:
        """The source's path: messages name it and `Anchor.views` match it."""
        return _path(self.locator)


def _path(locator: str) -> str:
    return locator.split("#", 1)[0].replace("{{", "{").replace("}}", "}")


class MinedDocument(Record):
    """A text of a source that is kept as a document of the environment."""

    path: str
    title: str
    mime: str
    text: str
    source_id: str


class Issue(Record):
    """Something an extractor could not read; it says what was left out and why."""

    locator: str
    reason: str


@dataclass(frozen=True)
class Extraction:
    """All that one extractor read out of one source."""

    source_id: str
    extractor: str
    operations: tuple[ApiOperation, ...] = ()
    shapes: dict[str, Shape] = field(default_factory=lambda: dict[str, Shape]())
    tables: tuple[MinedTable, ...] = ()
    documents: tuple[MinedDocument, ...] = ()
    examples: tuple[Example, ...] = ()
    issues: tuple[Issue, ...] = ()
    title: str = ""
    """What the source calls itself; empty where it does not say."""
    about: str = ""
    """What the source says it is about."""
