"""Rows are what their tables say: types, NULLs, enums, keys, references, checks. The first fault is an error."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.errors import BuildError
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.extraction import ColumnType
from envforge.mine.load_sql import create_sql, is_enforced, tables_in_order
from envforge.store.scratch import Scratch

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ")


def verify_rows(database: Database) -> None:
    """Check every row against its table. Raises BuildError naming table, column and key of the first fault."""
    domain = database.domain
    unknown = sorted(database.rows.keys() - {table.name for table in domain.tables})
    if unknown:
        raise BuildError("rows of a table that the domain does not have", where=", ".join(unknown))
    for table in domain.tables:
        _verify_table(table, database.rows.get(table.name, []))
    for table in domain.tables:
        _verify_references(domain, table, database.rows)
    _verify_in_sqlite(domain, database.rows)


def _verify_table(table: Table, rows: Sequence[Row]) -> None:
    names = {column.name for column in table.columns}
    for row in rows:
        if not row.keys() <= names:
            raise _fault(table, row, ", ".join(sorted(row.keys() - names)), "the table has no such column")
    for column in table.columns:
        _verify_column(table, column, rows)
    for columns in (table.primary_key, *table.unique):
        _verify_unique(table, columns, rows)


def _verify_column(table: Table, column: Column, rows: Sequence[Row]) -> None:
    valid = _VALID[column.type]
    required = not column.nullable or column.name in table.primary_key
    allowed = set(column.enum)
    values = [row.get(column.name) for row in rows]
    # Different values are far fewer than rows; rows are walked only to name the first that is wrong.
    wrong = [value for value in _different(values) if _wrong(value, column, valid, required, allowed)]
    for row, value in zip(rows, values, strict=True) if wrong else ():
        message = _wrong(value, column, valid, required, allowed)
        if message:
            raise _fault(table, row, column.name, message)


def _different(values: list[Any]) -> Collection[Any]:
    try:
        # 1, 1.0 and True are equal but not of one type, so the type belongs to the value.
        kinds: dict[tuple[str, Any], Any] = {(type(value).__name__, value): value for value in values}
        return kinds.values()
    except TypeError:
        return values


def _wrong(value: Any, column: Column, valid: Callable[[Any], bool], required: bool, allowed: set[str]) -> str:
    if value is None:
        return "is NULL" if required else ""
    if not valid(value):
        return f"{value!r} is not {column.type}"
    return f"{value!r} is none of {', '.join(column.enum)}" if allowed and str(value) not in allowed else ""


def _verify_unique(table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        value = tuple(row.get(name) for name in columns)
        if None in value:
            continue
        if value in seen:
            raise _fault(table, row, ", ".join(columns), f"{'/'.join(map(str, value))} stands there twice")
        seen.add(value)


def _verify_references(domain: Domain, table: Table, rows: Mapping[str, Sequence[Row]]) -> None:
    for column in table.columns:
        reference = column.references
        if reference is None or not is_enforced(domain, column):
            continue
        known = {row.get(reference.column) for row in rows.get(reference.table, ())}
        for row in rows.get(table.name, ()):
            value = row.get(column.name)
            if value is not None and value not in known:
                raise _fault(table, row, column.name, f"{value!r} is not in {reference.table}.{reference.column}")


def _verify_in_sqlite(domain: Domain, rows: Mapping[str, Sequence[Row]]) -> None:
    """The database's own judgement, CHECK expressions included."""
    connection = Scratch()
    try:
        connection.executescript(create_sql(domain))
        for table in tables_in_order(domain):
            _insert(connection, table, rows.get(table.name, ()))
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise BuildError(f"row {broken[1]} refers to a missing row of {broken[2]}", where=str(broken[0]))
    except sqlite3.Error as error:
        raise BuildError(f"SQLite refuses the schema: {error}", where=domain.theme) from error
    finally:
        connection.close()


def _insert(connection: sqlite3.Connection, table: Table, rows: Sequence[Row]) -> None:
    names = [column.name for column in table.columns]
    marks = ", ".join("?" for _ in names)
    listed = ", ".join(f'"{name}"' for name in names)
    sql = f'INSERT INTO "{table.name}" ({listed}) VALUES ({marks})'  # noqa: S608
    try:
        connection.executemany(sql, [[row.get(name) for name in names] for row in rows])
        return
    except sqlite3.Error:
        connection.rollback()
    for row in rows:
        try:
            connection.execute(sql, [row.get(name) for name in names])
        except sqlite3.Error as error:
            raise _fault(table, row, "", str(error)) from error


def _fault(table: Table, row: Row, column: str, message: str) -> BuildError:
    key = "/".join(str(row.get(name)) for name in table.primary_key)
    return BuildError(message, where=f"{table.name}{f'.{column}' if column else ''}, row {key}")


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_timestamp(value: Any) -> bool:
    return isinstance(value, str) and bool(_TIMESTAMP.fullmatch(value)) and _is_date(value[:10])


def _is_json(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except json.JSONDecodeError:
        return False
    return True


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_VALID: dict[ColumnType, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "real": _is_real,
    "boolean": lambda value: isinstance(value, int) and 0 <= value <= 1,
    "date": _is_date,
    "timestamp": _is_timestamp,
    "json": _is_json,
}
