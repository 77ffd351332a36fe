"""SQL dumps of PostgreSQL, MySQL and SQLite: tables with types, keys and rows. No statement is executed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.records.extraction import ColumnType, Extraction, Issue, MinedColumn, MinedTable, StatedReference
from envforge.core.records.source import Source
from envforge.mine.extract.archives import unpack_single
from envforge.mine.extract.parse import decode
from envforge.mine.extract.records import iso_timestamp, row_locator, table_name, typed_values
from envforge.mine.extract.sql_rows import RowReader
from envforge.mine.extract.sql_schema import Definition, Family, SchemaBook
from envforge.mine.extract.sql_statements import Name, Rows, Schema, Statements, dialect_of

MAX_VALUES = 10_000_000
"""Values read of one dump."""
MAX_TABLES = 2_000

_PATH = re.compile(r"\.sql(\.(zip|gz))?$", re.IGNORECASE)
_TRUE, _FALSE = frozenset({"t", "true", "1", "y", "yes", "on"}), frozenset({"f", "false", "0", "n", "no", "off"})


@dataclass
class _Table:
    definition: Definition
    columns: list[str]
    rows: list[list[Any]] = field(default_factory=lambda: list[list[Any]]())
    line: int = 0


class SqlDumpExtractor:
    """Reads CREATE TABLE, INSERT and COPY statements; all others are passed over."""

    name = "sql"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for SQL by name or MIME."""
        packed = head.startswith((b"PK\x03\x04", b"\x1f\x8b"))
        named = bool(_PATH.search(source.path)) or source.mime.split(";")[0] in ("application/sql", "text/x-sql")
        return named and (packed or b"\x00" not in head)

    def extract(self, fetched: Fetched) -> Extraction:
        """Read tables and rows. Raises ExtractError naming file, line and remedy when the dump is cut off."""
        source = fetched.source
        text = decode(unpack_single(fetched))
        reader = _Reader(Statements(text, dialect_of(text), source.path), source)
        return reader.read()


class _Reader:
    def __init__(self, statements: Statements, source: Source) -> None:
        self._statements, self._source = statements, source
        self._rows = RowReader(statements)
        self._book = SchemaBook(statements.dialect)
        self._tables: dict[Name, _Table] = {}
        self._issues: list[Issue] = []
        self._room = MAX_VALUES

    def read(self) -> Extraction:
        for statement in self._statements:
            if isinstance(statement, Schema):
                reason = self._book.add(statement)
                if reason is not None:
                    self._note(statement.line, reason)
                if len(self._book.tables) > MAX_TABLES:
                    raise self._statements.error(self._statements.resume, f"more than {MAX_TABLES} tables")
            else:
                self._take(statement)
        if self._rows.expressions:
            self._note(1, f"{self._rows.expressions} values are expressions that only a database computes; NULL")
        for definition in self._book.tables.values():
            if not any(table.definition is definition for table in self._tables.values()):
                self._note(definition.line, f"table {definition.name[-1]!r} has no rows")
        if not self._tables:
            self._note(1, "the file holds no rows: nothing but its statements could make them")
        tables = tuple(self._mined(name, table) for name, table in self._tables.items() if table.rows)
        return Extraction(self._source.id, SqlDumpExtractor.name, tables=tables, issues=tuple(self._issues))

    def _note(self, line: int, reason: str) -> None:
        self._issues.append(Issue(locator=f"{self._source.path}:{line}", reason=reason))

    def _take(self, rows: Rows) -> None:
        if rows.kind == "unread":
            self._note(self._statements.line(rows.start), f"rows of {rows.table[-1]!r} are left out: {rows.reason}")
            self._rows.skip(rows)
            return
        table = self._table(rows)
        places: list[int] | None = None
        in_order = False
        for row in self._rows.read(rows):
            if places is None:
                places = self._places(table, rows, len(row))
                in_order = places == list(range(len(table.columns)))
            if len(row) != len(places):
                raise self._statements.error(
                    rows.start, f"a row of {rows.table[-1]!r} has {len(row)} values, {len(places)} columns are named"
                )
            self._room -= len(row)
            if self._room < 0:
                raise self._statements.error(
                    rows.start, f"the dump holds more than {MAX_VALUES:,} values", "dump a part of the tables"
                )
            if in_order:
                table.rows.append(row)
                continue
            full: list[Any] = [None] * len(table.columns)
            for place, value in zip(places, row, strict=True):
                full[place] = value
            table.rows.append(full)

    def _table(self, rows: Rows) -> _Table:
        definition = self._book.find(rows.table)
        if definition is None:
            definition = Definition(rows.table)
            self._book.tables[tuple(part.lower() for part in rows.table)] = definition
            self._note(
                self._statements.line(rows.start), f"table {rows.table[-1]!r} is not defined; its types are inferred"
            )
        name = tuple(part.lower() for part in definition.name)
        if name not in self._tables:
            self._tables[name] = _Table(definition, list(definition.columns), line=self._statements.line(rows.start))
        return self._tables[name]

    def _places(self, table: _Table, rows: Rows, width: int) -> list[int]:
        """Where the values of a row belong; columns nobody defined are added."""
        if not rows.columns and len(table.columns) == width:
            return list(range(width))
        named = rows.columns or (
            tuple(table.columns) if table.columns else tuple(f"column_{n}" for n in range(1, width + 1))
        )
        known = {column.lower(): place for place, column in enumerate(table.columns)}
        for column in named:
            if column.lower() not in known:
                known[column.lower()] = len(table.columns)
                table.columns.append(column)
                self._room -= len(table.rows)
                for row in table.rows:
                    row.append(None)
        return [known[column.lower()] for column in named]

    def _mined(self, name: Name, table: _Table) -> MinedTable:
        definition = table.definition
        columns: list[MinedColumn] = []
        data: list[list[Any]] = []
        for place, column in enumerate(table.columns):
            values = [row[place] for row in table.rows]
            kind, typed = _typed(definition.columns.get(column, ""), values)
            columns.append(MinedColumn(name=column, type=kind, nullable=any(value is None for value in typed)))
            data.append(typed)
        return MinedTable(
            name=self._called(name),
            columns=tuple(columns),
            rows=tuple(zip(*data, strict=True)),
            locator=row_locator(self._source.path, f"#{definition.name[-1]}:{table.line}"),
            source_id=self._source.id,
            key=definition.key,
            references=tuple(self._reference(stated) for stated in definition.references),
        )

    def _called(self, name: Name) -> str:
        """The table's own name; with its schema's where two schemas have one of that name."""
        alike = sum(other[-1] == name[-1] for other in self._tables)
        return table_name("_".join(name[-2:] if alike > 1 else name[-1:]).replace(".", "_"))

    def _reference(self, stated: StatedReference) -> StatedReference:
        target = self._book.find(tuple(stated.table.split(".")))
        if target is None:
            return StatedReference(stated.columns, table_name(stated.table.split(".")[-1]), stated.target)
        name = tuple(part.lower() for part in target.name)
        return StatedReference(stated.columns, self._called(name), stated.target or target.key)


def _typed(family: Family, values: Sequence[Any]) -> tuple[ColumnType, list[Any]]:
    """The values as their column declares them; as they are where one of them does not fit."""
    try:
        if family == "integer":
            return "integer", [None if value is None else _integer(value) for value in values]
        if family == "real":
            return "real", [None if value is None else _real(value) for value in values]
        if family in ("boolean", "flag"):
            return "boolean", [None if value is None else _truth(value) for value in values]
        if family == "date":
            return "date", [_day(value) for value in values]
        if family == "timestamp":
            return "timestamp", [_moment(value) for value in values]
        if family == "json":
            return typed_values([json.loads(value) if isinstance(value, str) else value for value in values])
    except (ValueError, TypeError, OverflowError, RecursionError):
        pass
    return typed_values([str(value) if family == "text" and value is not None else value for value in values])


def _integer(value: Any) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(value)
    number = int(value)
    if abs(number) >= 2**63:
        raise ValueError(value)
    return number


def _real(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _truth(value: Any) -> bool:
    word = str(value).lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(value)
    return word in _TRUE


def _day(value: Any) -> str | None:
    if value is None or str(value).startswith("0000-00-00"):
        return None
    return date.fromisoformat(str(value)).isoformat()


def _moment(value: Any) -> str | None:
    if value is None or str(value).startswith("0000-00-00"):
        return None
    moment = iso_timestamp(_full_offset(str(value)))
    if moment is None:
        raise ValueError(value)
    return moment


def _full_offset(word: str) -> str:
    """PostgreSQL writes `+02` where ISO 8601 readers want `+02:00`."""
    return f"{word}:00" if re.search(r":\d\d(\.\d+)?[+-]\d\d$", word) else word
