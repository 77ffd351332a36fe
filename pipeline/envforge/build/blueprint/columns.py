"""What the columns of a table are for: keys, titles, flags, parents, authors, and which of them people see."""

from __future__ import annotations

import keyword
from typing import Any

from envforge.build.adapters.tables import DEAD
from envforge.build.adapters.tables import trash_flags as trash_flags
from envforge.build.lower.source import identifier
from envforge.core.records.domain import Column, Domain, Reference, Table
from envforge.gates.tool_rules import FORBIDDEN_NAMES

DEAD_FLAGS = frozenset(DEAD)
GENERIC_KEYS = frozenset({"code", "gid", "id", "key", "name", "number", "slug", "uid", "uuid"})
ACTING_TYPES = ("bot", "integration", "app", "service")
ACTING_FLAGS = ("is_me", "is_self", "is_current", "is_acting")
_JSON_TYPES = {
    "text": "string",
    "date": "string",
    "timestamp": "string",
    "integer": "integer",
    "real": "number",
    "boolean": "boolean",
    "json": "object",
}
_FORMATS = {"email": "email", "url": "uri", "uri": "uri"}


def unusable_name(name: str) -> bool:
    """True for keywords, for `world`, and for built-ins that generated code may not name."""
    return keyword.iskeyword(name) or name == "world" or name in FORBIDDEN_NAMES


def by_role(table: Table, *roles: str) -> Column | None:
    """The first column that plays one of `roles`, in the order of `roles`."""
    for role in roles:
        for column in table.columns:
            if column.role == role:
                return column
    return None


def label_column(table: Table) -> Column | None:
    """The column a person would call a row by: its title, else a plain `title` or `name`, else its e-mail."""
    found = by_role(table, "title")
    if found:
        return found
    for name in ("title", "name", "full_name", "display_name", "subject"):
        if table.has(name) and table.column(name).type == "text":
            return table.column(name)
    return by_role(table, "email")


def body_column(table: Table) -> Column | None:
    """The column with the main free text."""
    return by_role(table, "body")


def dead_flags(table: Table) -> tuple[Column, ...]:
    """Boolean columns that say a row is archived or in the trash."""
    return tuple(column for column in table.columns if column.type == "boolean" and column.name in DEAD_FLAGS)


def references_of(table: Table) -> tuple[tuple[Column, Reference], ...]:
    """Columns that refer to another row, with their reference."""
    return tuple((column, column.references) for column in table.columns if column.references)


def parent_columns(table: Table) -> tuple[tuple[Column, Reference], ...]:
    """References that say where a row is kept: marked `parent`, or named so."""
    return tuple(
        (column, reference)
        for column, reference in references_of(table)
        if column.role == "parent" or column.name.startswith("parent_")
    )


def parent_type(table: Table) -> Column | None:
    """The discriminator of a polymorphic parent, if there is one."""
    return table.column("parent_type") if table.has("parent_type") else None


def updated_column(table: Table) -> Column | None:
    """When a row changed last."""
    return by_role(table, "updated_at")


def updater_columns(table: Table) -> tuple[Column, ...]:
    """Columns that name who changed a row last: references to people called `…edited_by`, `updated_by`."""
    return tuple(
        column
        for column, _ in references_of(table)
        if column.role == "editor" or column.name.endswith(("edited_by", "updated_by"))
    )


def author_columns(table: Table) -> tuple[Column, ...]:
    """Columns that name who made a row."""
    return tuple(
        column
        for column, _ in references_of(table)
        if column.role == "author" and not column.name.endswith(("edited_by", "updated_by"))
    )


def is_remark(table: Table) -> bool:
    """True for what one person says to the others, like a comment: text with an author, without title or order.

    Pages and their content are documents that are shared: whoever may see them may edit them.
    """
    said = body_column(table) is not None and by_role(table, "title", "position") is None
    return table.kind == "entity" and said and bool(author_columns(table)) and bool(parent_columns(table))


def managed(column: Column) -> bool:
    """True for what tools set by themselves: times of creation and change, authors, order."""
    return column.role in {"created_at", "updated_at", "author", "editor", "position"}


def semantic_of(domain_tables: dict[str, Table], table: Table, column: Column) -> str | None:
    """The semantic type of an id column: of the key it refers to, or of its own table's key."""
    if column.references and column.references.table in domain_tables:
        return f"{domain_tables[column.references.table].entity}.{column.references.column}"
    return f"{table.entity}.{column.name}" if column.name in table.primary_key else None


def key_parameter(table: Table, column: str) -> str:
    """The name of the parameter that takes a key: `page_id`; a telling key keeps its own name (`tail_number`)."""
    return f"{table.entity}_{column}" if column in GENERIC_KEYS else column


def column_schema(column: Column, *, semantic: str | None = None) -> dict[str, Any]:
    """The JSON Schema of a column's value, as an agent sees it."""
    schema: dict[str, Any] = {"type": _JSON_TYPES[column.type]}
    if column.type == "date":
        schema["format"] = "date"
    elif column.type == "timestamp":
        schema["format"] = "date-time"
    elif column.type == "text" and column.format in _FORMATS:
        schema["format"] = _FORMATS[column.format]
    if column.enum:
        schema["enum"] = list(column.enum)
    if column.unit:
        schema["x-unit"] = column.unit
    if semantic:
        schema["x-semantic"] = semantic
    return schema


def tables_by_name(domain: Domain) -> dict[str, Table]:
    """The tables of a domain by name."""
    return {table.name: table for table in domain.tables}


def sql_name(name: str) -> str:
    """A table or column in SQL: quoted only if it is a reserved word."""
    return identifier(name, "blueprint")


def words(name: str) -> str:
    """`data_source` → `data source`."""
    return name.replace("_", " ")
