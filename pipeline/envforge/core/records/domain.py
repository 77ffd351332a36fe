"""The mined domain: tables with typed columns, keys and references, and the operations bound to them.

`mine.infer` writes a Domain, archetypes extend it, `mine.load` fills it with rows, `build` reads it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.extraction import ColumnType
from envforge.core.records.trade import TradeChoice

Origin = Literal["mined", "derived", "synthetic"]

Verb = Literal[
    "list",
    "get",
    "search",
    "filter",
    "aggregate",
    "create",
    "update",
    "transition",
    "delete",
    "link",
    "unlink",
    "transfer",
]
READ_VERBS: frozenset[str] = frozenset({"list", "get", "search", "filter", "aggregate"})
SIBLING_NUMBERS = ("number", "iid", "index")
"""What the number of a record among its siblings is called."""


class Reference(Record):
    """A foreign key: this column holds `table.column`. Enforced in SQL only when confidence is 1.0."""

    table: str
    column: str = "id"
    confidence: float = Field(ge=0, le=1)
    evidence: str


class Limits(Record):
    """What a source says of a value beyond its type."""

    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None


class Column(Record):
    """A column of a domain table.

    `role` marks what the column is for, so that later floors need not guess from names:
    id, title, body (main free text), state (lifecycle or flag), type (variant discriminator), parent,
    owner, author, created_at, updated_at, starts_at, ends_at, amount, quantity, email, url, position.
    """

    name: str
    type: ColumnType
    nullable: bool = True
    enum: tuple[str, ...] = ()
    unit: str | None = None
    format: str | None = None
    role: str | None = None
    references: Reference | None = None
    default: Any = None
    description: str = ""
    origin: Origin = Field(default="mined", description="where the column's existence comes from")
    source_name: str = Field(default="", description="the name in the source, when it differs")
    evidence: str = ""
    limits: Limits | None = Field(
        default=None, exclude=True, description="rows that are made heed them; no file carries them"
    )


class Table(Record):
    """A table of the environment's database: one entity, or a link between entities."""

    name: str = Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=120, description="plural snake_case")
    entity: str = Field(description="singular snake_case; semantic types are `<entity>.<column>`")
    label: str = Field(description="how a person names one of it, e.g. 'data source'")
    description: str = ""
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = Field(default=(), description="SQL CHECK expressions")
    indexes: tuple[tuple[str, ...], ...] = ()
    kind: Literal["entity", "link", "reference", "child"] = "entity"
    origin: Origin = Field(default="mined", description="mined: a source states this table")
    source_ids: tuple[str, ...] = ()
    archetype_role: str | None = None
    id_style: IdStyle | None = None

    def column(self, name: str) -> Column:
        """The column called `name`. Raises KeyError."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name}.{name}")

    def has(self, name: str) -> bool:
        """True if there is a column called `name`."""
        return any(column.name == name for column in self.columns)


class IdStyle(Record):
    """How the World mints ids for a table, in the style of the ids that are there."""

    kind: Literal["uuid", "integer", "code"] = "integer"
    prefix: str = ""
    alphabet: str = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    length: int = 6
    start: int = Field(default=1, description="integer kind: first id to mint is max(existing, start - 1) + 1")


Table.model_rebuild()


class PropertyBag(Record):
    """A typed property bag: items of a collection carry values for properties that the collection defines.

    Example shape: a collection states `properties: map of {type, …}`; its items carry
    `properties: map of {type, <type>: value}`. Stored as three tables.
    """

    collection_table: str
    item_table: str
    item_parent_column: str = Field(description="column of the item table that refers to the collection")
    definition_table: str = Field(description="id, <collection>_id, name, type, position")
    option_table: str = Field(description="id, property_id, name, color?, position: choices of select-like types")
    value_table: str = Field(
        description="<item>_id, property_id, text_value, number_value, date_value, date_end, boolean_value, "
        "option_id, user_id …; primary key (item, property, position)"
    )
    types: tuple[str, ...]


class BoundParameter(Record):
    """A parameter of a source operation and what it means in the domain.

    `meaning`: key (primary key of the operation's entity; behind scopes what it is called there) · parent (key of
    the containing entity) · scope (a record on the way to the operation's, found in the one before it by the column
    that `semantic` names; `column` of the next record refers to it) ·
    column (value for `column`) · filter (condition on `column` with `op`) · order · cursor · page_size ·
    children (nested rows of `child`) · bag (typed properties) · bag_filter · bag_sort · query (free-text
    search) · ignored (presentation only; dropped) .
    """

    name: str
    source_name: str
    meaning: str
    json_type: dict[str, Any]
    required: bool = False
    description: str = ""
    column: str | None = None
    op: str | None = None
    child: str | None = None
    semantic: str | None = Field(default=None, description="e.g. page.id")


class BoundOperation(Record):
    """A source operation that means something in the domain: candidates for tools."""

    id: str
    name: str = Field(description="tool name in snake_case, as the API names it")
    verb: Verb
    entity: str
    table: str
    parent_entity: str | None = None
    also: tuple[str, ...] = Field(default=(), description="further tables a union-returning search covers")
    target_state: dict[str, Any] = Field(
        default_factory=dict, description="column -> value that a transition or soft delete sets"
    )
    parameters: tuple[BoundParameter, ...] = ()
    description: str = ""
    source_id: str = ""
    locator: str = ""
    evidence: str = ""

    @property
    def addressed_by_parts(self) -> bool:
        """True if a record is named by what it is in and its own name there (`{owner}/{repo}`)."""
        return any(parameter.meaning == "scope" for parameter in self.parameters)


class RejectedOperation(Record):
    """A source operation that does not become a tool, and why."""

    id: str
    locator: str
    reason: str = Field(description="a code: unlisted_entity, untyped, statistic, download, redirect, auth …")
    detail: str = ""


class Domain(Record):
    """What was inferred from all extractions of a theme."""

    theme: str
    title: str = Field(default="", description="how a person names the theme")
    tables: tuple[Table, ...]
    operations: tuple[BoundOperation, ...] = ()
    rejected: tuple[RejectedOperation, ...] = ()
    bags: tuple[PropertyBag, ...] = ()
    archetypes: tuple[str, ...] = Field(default=(), description="ids of the archetypes matched into this domain")
    trade: TradeChoice | None = Field(default=None, description="whose words the archetype's rows use")
    notes: tuple[str, ...] = ()

    def table(self, name: str) -> Table:
        """The table called `name`. Raises KeyError."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def by_entity(self, entity: str) -> Table:
        """The table of `entity`. Raises KeyError."""
        for table in self.tables:
            if table.entity == entity:
                return table
        raise KeyError(entity)
