"""Tables of Parquet and SQLite files."""

from __future__ import annotations

import base64
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import duckdb

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Issue, MinedColumn, MinedTable, StatedReference
from envforge.mine.extract.parse import mapping
from envforge.mine.extract.records import iso_timestamp, row_locator, table_name, typed_values


def read_parquet(fetched: Fetched) -> MinedTable:
    """The table of a Parquet file. Raises ExtractError when DuckDB cannot read it."""
    where = fetched.source.path
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "rows.parquet"
        file.write_bytes(fetched.body)
        try:
            cursor = connection.execute("SELECT * FROM read_parquet(?)", [str(file)])
            rows = cursor.fetchall()
            names = [str(column[0]) for column in cursor.description or []]
        except duckdb.Error as error:
            raise ExtractError(
                f"broken Parquet: {str(error).splitlines()[0]}", where=where, remedy="fetch the file again"
            ) from error
    return _table(table_name(where), names, rows, row_locator(where), fetched.source.id)


def read_sqlite(fetched: Fetched) -> tuple[list[MinedTable], list[Issue]]:
    """The tables of an SQLite file, opened immutable. Raises ExtractError when it is damaged."""
    where = fetched.source.path
    tables: list[MinedTable] = []
    issues: list[Issue] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.sqlite"
        file.write_bytes(fetched.body)
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
                listed = connection.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                    "ORDER BY name"
                ).fetchall()
                for (name,) in listed:
                    quoted = '"' + str(name).replace('"', '""') + '"'
                    cursor = connection.execute(f"SELECT * FROM {quoted}")  # noqa: S608  the name is quoted
                    names = [str(column[0]) for column in cursor.description]
                    locator = row_locator(where, f"/{name}")
                    table = _table(table_name(str(name)), names, cursor.fetchall(), locator, fetched.source.id)
                    tables.append(_with_keys(table, connection, quoted))
        except sqlite3.Error as error:
            raise ExtractError(f"broken SQLite file: {error}", where=where, remedy="fetch the file again") from error
    if not tables:
        issues.append(Issue(locator=where, reason="the database holds no table"))
    return tables, issues


def _with_keys(table: MinedTable, connection: sqlite3.Connection, quoted: str) -> MinedTable:
    """The table with the keys that its definition states."""
    parts = sorted((int(row[5]), str(row[1])) for row in connection.execute(f"PRAGMA table_info({quoted})") if row[5])
    found: dict[int, tuple[str, list[str], list[str]]] = {}
    for number, _, target, own, over_there, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted})"):
        _, columns, keys = found.setdefault(int(number), (str(target), [], []))
        columns.append(str(own))
        keys += [str(over_there)] if over_there is not None else []
    references = tuple(
        StatedReference(tuple(columns), table_name(target), tuple(keys)) for target, columns, keys in found.values()
    )
    return replace(table, key=tuple(name for _, name in parts), references=references)


def _table(name: str, names: list[str], rows: list[Any], locator: str, source_id: str) -> MinedTable:
    columns: list[MinedColumn] = []
    data: list[list[Any]] = []
    for index, column in enumerate(names):
        kind, values = typed_values([_plain(row[index]) for row in rows])
        columns.append(MinedColumn(name=column, type=kind, nullable=any(value is None for value in values)))
        data.append(values)
    return MinedTable(name, tuple(columns), tuple(zip(*data, strict=True)), locator, source_id)


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; bytes as base64."""
    if isinstance(value, datetime):
        return iso_timestamp(value.isoformat())
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None if value != value else str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in mapping(value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    return value
