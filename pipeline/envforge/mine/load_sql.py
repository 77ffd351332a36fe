"""schema.sql: STRICT tables with explicit keys, references, checks and indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envforge.core.errors import BuildError
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.names import SQL_RESERVED

_SQL_TYPES: dict[ColumnType, str] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "real": "REAL",
    "boolean": "INTEGER",
    "date": "TEXT",
    "timestamp": "TEXT",
    "json": "TEXT",
}


def create_sql(domain: Domain) -> str:
    """The schema of a domain: tables after the ones they refer to, each followed by its indexes.

    References of confidence 1.0 to a key are enforced (deferred where tables refer to each other in a ring);
    the others are named in a comment. Raises BuildError for a table without columns or key.
    """
    order = tables_in_order(domain)
    made: set[str] = set()
    parts: list[str] = []
    for table in order:
        made.add(table.name)
        parts.append(_create_table(domain, table, made))
    return "\n".join(parts)


def tables_in_order(domain: Domain) -> list[Table]:
    """Tables, each after those it refers to; in the domain's order where references leave it open or form a ring."""
    waiting = list(domain.tables)
    done: list[Table] = []
    while waiting:
        names = {table.name for table in waiting}
        ready = next((table for table in waiting if not (enforced_parents(domain, table) & names) - {table.name}), None)
        chosen = ready or waiting[0]
        waiting.remove(chosen)
        done.append(chosen)
    return done


def enforced_parents(domain: Domain, table: Table) -> set[str]:
    """The tables that enforced references of `table` point to."""
    return {c.references.table for c in table.columns if c.references is not None and is_enforced(domain, c)}


def is_enforced(domain: Domain, column: Column) -> bool:
    """True if SQL enforces the column's reference: its confidence is 1.0 and it points to a key."""
    reference = column.references
    if reference is None or reference.confidence < 1.0:
        return False
    target = next((table for table in domain.tables if table.name == reference.table), None)
    if target is None:
        return False
    return (reference.column,) in {target.primary_key, *target.unique}


def _create_table(domain: Domain, table: Table, made: set[str]) -> str:
    if not table.primary_key or not table.columns:
        raise BuildError("the table has no columns or no primary key", where=table.name, remedy="give it a key")
    lines = [_column(table, column) for column in table.columns]
    lines.append(f"PRIMARY KEY ({_names(table.primary_key)})")
    lines.extend(f"UNIQUE ({_names(columns)})" for columns in table.unique if columns != table.primary_key)
    lines.extend(_foreign_key(column, made) for column in table.columns if is_enforced(domain, column))
    lines.extend(f"CHECK ({check})" for check in table.checks)
    head = "".join(f"-- {line}\n" for line in _comments(domain, table))
    body = ",\n".join(f"  {line}" for line in lines)
    return f"{head}CREATE TABLE {_name(table.name)} (\n{body}\n) STRICT;\n" + _indexes(table)


def _column(table: Table, column: Column) -> str:
    name = _name(column.name)
    parts = [name, _SQL_TYPES[column.type]]
    if not column.nullable or column.name in table.primary_key:
        parts.append("NOT NULL")
    if column.default is not None:
        parts.append(f"DEFAULT {_literal(column.default)}")
    if column.type == "boolean":
        parts.append(f"CHECK ({name} IN (0, 1))")
    elif column.enum:
        values: list[Any] = [int(value) if column.type == "integer" else value for value in column.enum]
        parts.append(f"CHECK ({name} IN ({', '.join(_literal(value) for value in values)}))")
    elif column.type == "json":
        parts.append(f"CHECK ({name} IS NULL OR json_valid({name}))")
    return " ".join(parts)


def _foreign_key(column: Column, made: set[str]) -> str:
    reference = column.references
    assert reference is not None
    text = f"FOREIGN KEY ({_name(column.name)}) REFERENCES {_name(reference.table)} ({_name(reference.column)})"
    # A table that comes later is part of a ring: rows can only be checked when a transaction ends.
    return text if reference.table in made else f"{text} DEFERRABLE INITIALLY DEFERRED"


def _comments(domain: Domain, table: Table) -> list[str]:
    loose = [c for c in table.columns if c.references is not None and not is_enforced(domain, c)]
    comments = [" ".join(table.description.split())] if table.description else []
    for column in loose:
        reference = column.references
        assert reference is not None
        share = f"{reference.confidence:.1%} of values" if reference.confidence < 1 else "no key there"
        comments.append(f"{column.name} refers to {reference.table}.{reference.column}, not enforced: {share}")
    return comments


def _indexes(table: Table) -> str:
    wanted = [*((c.name,) for c in table.columns if c.references is not None), *table.indexes]
    found: list[tuple[str, ...]] = []
    for columns in wanted:
        # The primary key's own index already serves its leading columns.
        if columns not in found and table.primary_key[: len(columns)] != columns and columns not in table.unique:
            found.append(columns)
    return "".join(_create_index(table.name, columns) for columns in found)


def _create_index(table: str, columns: tuple[str, ...]) -> str:
    name = "_".join((table, *columns))
    return f"CREATE INDEX {_name(name)} ON {_name(table)} ({_names(columns)});\n"


def _names(names: Sequence[str]) -> str:
    return ", ".join(_name(name) for name in names)


def _name(name: str) -> str:
    plain = name.isidentifier() and name.isascii() and name not in SQL_RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
