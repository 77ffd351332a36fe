"""Documents that an environment keeps beside its tables: what stands in them, from which rows, in which format."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record

DocumentFormat = Literal["csv", "html", "json", "md", "sql", "tex", "yaml"]


class DocumentPart(Record):
    """A part of a document of text or statements: one of heading, text, list, table, statement.

    `{column}` stands for a value of the document's first row; in `list` and `table` for those of each of its rows.
    """

    heading: str = ""
    level: int = Field(default=2, ge=1, le=3)
    text: str = ""
    list: str = Field(default="", description="an item per row")
    table: dict[str, str] = Field(default_factory=dict, description="title of the column -> column; a line per row")
    insert: str = Field(default="", description="sql: name of a table; `table` says its columns; a statement per row")


class DocumentPlan(Record):
    """Documents of one kind, written from rows once they are complete. Goals know the rows as the relation `$name`.

    `rows` is a SELECT with a column `path`: rows of one path make one document, in their order. What fills it:
    `columns` (csv: title of the column -> column), `content` (json, yaml: a tree whose texts hold `{column}`; a mapping
    `{each: tree}` is a list with an item per row, `{by: "{column}", each: tree}` a mapping with an entry per row), or
    `parts` (html, md, tex, sql).
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    format: DocumentFormat
    about: str
    rows: str
    columns: dict[str, str] = Field(default_factory=dict)
    content: Any = None
    parts: tuple[DocumentPart, ...] = ()
