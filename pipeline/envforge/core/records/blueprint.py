"""The blueprint: what the tools of a family do, in a small typed language that lowers to Python.

Expressions are strings in a subset of Python (see `core.expressions`): names are parameters, `let` names
or fetched rows; `row.column` reads a column of a row; calls are limited to a fixed list. Steps run in order;
the World makes a whole call one transaction, so a ToolError leaves no trace.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from envforge.core.records.added_tool import AddedTool
from envforge.core.records.base import Record
from envforge.core.records.derived import Figure, History
from envforge.core.records.domain import Origin, PropertyBag, Table, Verb

ErrorCode = Literal["invalid_argument", "not_found", "conflict", "not_allowed", "limit_exceeded"]
ConditionOp = Literal[
    "eq", "ne", "lt", "le", "gt", "ge", "contains", "starts_with", "in", "is_null", "not_null", "on_date"
]


class Condition(Record):
    """A WHERE condition `column op value`; skipped when `optional` and the value is None."""

    column: str = Field(description="column of the step's table, or alias.column of a join")
    op: ConditionOp = "eq"
    value: str | None = Field(default=None, description="expression")
    optional: bool = False


class Join(Record):
    """An inner or left join to `table` as `alias` on equal columns."""

    table: str
    alias: str
    on: dict[str, str] = Field(description="column of `table` -> column of the base table (or alias.column)")
    left: bool = False


class Order(Record):
    """ORDER BY one column. Every select ends with the primary key, so that pages are stable."""

    column: str
    descending: bool = False


class Page(Record):
    """Cursor pagination; the result is {items, next_cursor, has_more} with names from the operation."""

    cursor: str = "start_cursor"
    size: str = "page_size"
    default: int = 20
    maximum: int = 50


class StepRecord(Record):
    """A step; `do` is always written, even though it has a default, because it tells the steps apart."""

    @model_serializer(mode="wrap")
    def _with_tag(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"do": getattr(self, "do", None), **handler(self)}


class Fetch(StepRecord):
    """One row by equality, or ToolError(not_found); with `optional`, None instead."""

    do: Literal["fetch"] = "fetch"
    name: str
    table: str
    where: dict[str, str] = Field(description="column -> expression")
    optional: bool = False
    message: str = ""
    hint: str = ""


class Require(StepRecord):
    """`that` must be true, else ToolError(code, message, hint). Messages may hold {expression}."""

    do: Literal["require"] = "require"
    that: str
    code: ErrorCode
    message: str
    hint: str = ""


class Let(StepRecord):
    """A local name for the value of an expression."""

    do: Literal["let"] = "let"
    name: str
    value: str


class Select(StepRecord):
    """Many rows of one table (with joins), filtered, ordered, optionally paged."""

    do: Literal["select"] = "select"
    name: str
    table: str
    columns: tuple[str, ...] = Field(default=(), description="columns, alias.column or 'alias.column as name'")
    joins: tuple[Join, ...] = ()
    where: tuple[Condition, ...] = ()
    any_of: tuple[Condition, ...] = Field(default=(), description="OR-ed together, AND-ed to `where`")
    order: tuple[Order, ...] = ()
    page: Page | None = None
    limit: int | None = None


class Measure(Record):
    """One aggregate: fn(column) as name."""

    name: str
    fn: Literal["count", "count_distinct", "sum", "avg", "min", "max"]
    column: str | None = None


class Aggregate(StepRecord):
    """Measures over filtered rows; with `group_by` a list of groups, else one row."""

    do: Literal["aggregate"] = "aggregate"
    name: str
    table: str
    joins: tuple[Join, ...] = ()
    where: tuple[Condition, ...] = ()
    measures: tuple[Measure, ...]
    group_by: tuple[str, ...] = ()


class Insert(StepRecord):
    """One new row; `name` is bound to it (as a dict of the values)."""

    do: Literal["insert"] = "insert"
    name: str
    table: str
    values: dict[str, str]


class Update(StepRecord):
    """Change the rows that match; `set_given` columns are set only if their expression is not None."""

    do: Literal["update"] = "update"
    table: str
    where: dict[str, str]
    set: dict[str, str] = Field(default_factory=dict)
    set_given: dict[str, str] = Field(default_factory=dict)


class Delete(StepRecord):
    """Delete the rows that match."""

    do: Literal["delete"] = "delete"
    table: str
    where: dict[str, str]


class Sql(StepRecord):
    """A read that the structured steps cannot say: one SELECT with named :parameters."""

    do: Literal["sql"] = "sql"
    name: str
    query: str
    parameters: dict[str, str] = Field(default_factory=dict)
    one: bool = Field(default=False, description="bind the first row or None instead of the list")
    always: bool = Field(default=False, description="with `one`: there is such a row whatever happens")


class Each(StepRecord):
    """Run `steps` for each item of a list."""

    do: Literal["each"] = "each"
    item: str
    over: str
    steps: tuple[Step, ...]


class When(StepRecord):
    """Run `then` if `that` is true, else `otherwise`."""

    do: Literal["when"] = "when"
    that: str
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


class Append(StepRecord):
    """Append the value of an expression to a list that a Let bound."""

    do: Literal["append"] = "append"
    to: str
    value: str


class Adapter(StepRecord):
    """Call an adapter: a helper that `build.adapters` emits once into tools.py (property bags, filters …)."""

    do: Literal["adapter"] = "adapter"
    name: str | None = None
    adapter: str
    arguments: dict[str, str] = Field(default_factory=dict)


class Return(StepRecord):
    """The result: a dict of expressions, which may call views: `page_details(page)`,
    `[page_summary(row) for row in pages.items]`.
    """

    do: Literal["return"] = "return"
    value: dict[str, str]


Step = Annotated[
    Fetch
    | Require
    | Let
    | Select
    | Aggregate
    | Insert
    | Update
    | Delete
    | Sql
    | Each
    | When
    | Append
    | Adapter
    | Return,
    Field(discriminator="do"),
]
Each.model_rebuild()
When.model_rebuild()


class Parameter(Record):
    """A tool parameter. `json_schema` is what the agent sees; `semantic` says which id or value it takes."""

    name: str
    json_schema: dict[str, Any]
    required: bool = True
    default: Any = None
    description: str
    semantic: str | None = Field(default=None, description="e.g. page.id, airport.code")


class View(Record):
    """How a row is shown: emitted as a private function `_<name>(row)`, called as `<name>(row)`.

    Boolean columns are shown as JSON booleans. Lists use compact views, look-ups detailed ones.
    """

    name: str = Field(description="e.g. page_summary, page_details")
    table: str
    fields: dict[str, str] = Field(description="result key -> expression over `row`")


class Witness(Record):
    """Arguments known to lead to an outcome, found in the rows: used before probing when tests are written.

    `query` is a SELECT whose first row gives arguments by column name; `arguments` adds literals.
    """

    outcome: Literal["success"] | ErrorCode
    query: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    about: str = ""


class Ensure(Record):
    """A postcondition the unit tests check with SQL that the tool does not use.

    `query` is one SELECT that yields one value, with :name parameters taken from the call's arguments
    (`:flight_id`) and its result (`:result_booking_id` = result["booking_id"]); `equals` is an expression
    over the same names and `before` (the query's value before the call).
    """

    query: str
    equals: str


class Operation(Record):
    """One tool: parameters, steps, results, and what it reads and writes."""

    name: str
    verb: Verb
    entity: str
    summary: str = Field(description="first line of the docstring, an imperative sentence")
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    steps: tuple[Step, ...]
    returns: dict[str, Any] = Field(description="JSON Schema of the result; x-semantic marks ids")
    ensures: tuple[Ensure, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    origin: Origin = "mined"
    source_id: str = ""
    locator: str = Field(default="", description="place in the source, or archetype:<id>#<operation>")


class Blueprint(Record):
    """All that defines a family: tables, relations (in the tables) and operations."""

    theme: str
    title: str
    tables: tuple[Table, ...]
    bags: tuple[PropertyBag, ...] = ()
    views: tuple[View, ...] = ()
    histories: tuple[History, ...] = Field(default=(), description="kept by every tool that changes such a state")
    figures: tuple[Figure, ...] = Field(default=(), description="kept by every tool that writes what is counted")
    operations: tuple[Operation, ...]
    writable: tuple[str, ...] = Field(
        default=(), description="chosen entities that the source lets one write: each must have a writing tool"
    )
    added: tuple[AddedTool, ...] = Field(default=(), description="tools that another author wrote")
    document_formats: tuple[str, ...] = Field(
        default=(), description="formats in which tools write documents; none: documents are only read"
    )

    def table(self, name: str) -> Table:
        """The table called `name`. Raises KeyError."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)
