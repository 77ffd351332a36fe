"""Themes, their anchors, and the sources that were fetched for them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.finding import Finding

LicenceStatus = Literal["stated-open", "stated-other", "unstated"]


class Licence(Record):
    """What a source says about its licence, and where it says so."""

    status: LicenceStatus = "unstated"
    spdx: str | None = None
    evidence: str = ""


class Source(Record):
    """One fetched file: where it came from, when, its hash and its licence."""

    id: str = Field(description="content-hash id: src-<16 hex of the body's sha256>")
    url: str = Field(description="where the same bytes are published, or a purl for package files")
    url_status: str = Field(description="how sure the URL is: fetched, declared by package, inferred, none")
    retrieved_at: str = Field(description="UTC ISO 8601; from the WARC when replayed")
    sha256: str
    mime: str
    bytes: int
    title: str = ""
    package: str | None = Field(default=None, description="package URL with version, e.g. pkg:npm/name@1.2.3")
    path: str = Field(description="path inside the package or the workspace; names the file in messages")
    transform: str = "none"
    licence: Licence = Licence()
    hidden: tuple[Finding, ...] = Field(default=(), description="secrets and persons that the bytes no longer hold")


class TableShape(Record):
    """A table of the catalogue entry: what to make of the files that were fetched, in DuckDB SQL.

    `sql` sees every extracted file as a view named by its stem (`flights`, `airports_2`), plus
    `:clock` (the World's epoch). Its result is the table. `key` and `references` state what inference
    would otherwise have to guess; both are verified against the rows.
    """

    name: str
    sql: str
    key: tuple[str, ...] = ()
    references: dict[str, str] = Field(default_factory=dict, description="column -> table.column")
    description: str = ""
    columns: dict[str, str] = Field(default_factory=dict, description="column -> one-line description")
    units: dict[str, str] = Field(default_factory=dict, description="column -> unit (UCUM or plain word)")
    enums: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    entity: str = Field(default="", description="singular name; inferred from `name` when empty")
    roles: dict[str, str] = Field(default_factory=dict, description="column -> role mark (see Column.role)")
    partial_references: dict[str, str] = Field(
        default_factory=dict,
        description="column -> table.column that holds for most rows only; the share is kept as confidence",
    )
    rows_from: str = Field(default="", description="view whose rows these are; the first one the SQL reads when empty")
    locator: str = Field(
        default="", description="where a row stands in that file, with {column}s; its key columns when empty"
    )
    kind: Literal["entity", "link", "reference", "child"] = Field(
        default="entity", description="child and link rows are listed with the row that their key begins with"
    )
    optional: bool = Field(default=False, description="left out, with a note, when a file that the SQL reads is absent")


class Anchor(Record):
    """One place where a theme's facts are to be had."""

    spec: str = Field(description="npm:NAME[@V], pypi:NAME[==V], file:PATH, mcp:COMMAND or a URL")
    include: tuple[str, ...] = Field(default=(), description="globs of paths inside the package; empty = all")
    views: dict[str, str] = Field(
        default_factory=dict, description="glob of a path -> name under which SQL sees that file"
    )
    rows: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="glob of a path -> column: value that its rows must have to be kept"
    )
    licence: Licence | None = Field(
        default=None, description="states the licence of the data where it differs from the package's"
    )
    note: str = ""


class Theme(Record):
    """A theme of the catalogue: a name and where its facts are to be had."""

    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    kind: Literal["product", "domain"]
    aliases: tuple[str, ...] = ()
    summary: str = ""
    taxonomy: tuple[str, ...] = Field(default=(), description="labels, widest first")
    anchors: tuple[Anchor, ...] = ()
    clock: str | None = Field(default=None, description="World epoch (UTC ISO 8601) when the data fixes it")
    tables: tuple[TableShape, ...] = ()
    drop_entities: tuple[str, ...] = Field(
        default=(), description="entities of the sources that are outside the theme (auth, webhooks …)"
    )
    keep_entities: tuple[str, ...] = Field(
        default=(), description="the entities that the theme is about; all others are left out. Empty: no such limit"
    )
