"""An environment folder opened for inspection: records, texts, and its rows in a scratch SQLite."""

from __future__ import annotations

import ast
import sqlite3
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.base import Record
from envforge.core.records.domain import Table
from envforge.core.records.environment import (
    EnvironmentBlueprint,
    EnvironmentManifest,
    ProvenanceEntry,
    ToolSpec,
)
from envforge.store.csvfile import read_csv
from envforge.store.files import read_json, read_json_list, read_jsonl, read_text
from envforge.store.hashing import refuse_links
from envforge.store.scratch import Scratch


@dataclass(frozen=True)
class Folder:
    """Lazy, read-only view of environments/<id>/. Every accessor raises StoreError naming the file."""

    path: Path

    @cached_property
    def manifest(self) -> EnvironmentManifest:
        """environment.json."""
        return _record(EnvironmentManifest, read_json(self.path / "environment.json"), self.path / "environment.json")

    @cached_property
    def knowledge(self) -> EnvironmentBlueprint:
        """blueprint.json."""
        return _record(EnvironmentBlueprint, read_json(self.path / "blueprint.json"), self.path / "blueprint.json")

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        """tools.json."""
        path = self.path / "tools.json"
        return tuple(_record(ToolSpec, value, path) for value in read_json_list(path))

    @cached_property
    def provenance(self) -> list[ProvenanceEntry]:
        """provenance.jsonl."""
        path = self.path / "provenance.jsonl"
        return [_record(ProvenanceEntry, value, path) for value in read_jsonl(path)]

    @cached_property
    def module(self) -> str:
        """Text of tools.py."""
        return read_text(self.path / "tools.py")

    @cached_property
    def tests(self) -> str:
        """Text of tests/test_tools.py, which is Python."""
        path = self.path / "tests" / "test_tools.py"
        text = read_text(path)
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            what = str(error) or "nested too deep"
            raise StoreError(f"is no Python: {what}", where=str(path), remedy="build the environment again") from error
        return text

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables of the blueprint."""
        return self.knowledge.blueprint.tables

    @cached_property
    def database(self) -> Scratch:
        """The rows in a scratch in-memory SQLite, read-only. Raises StoreError when they do not fit."""
        refuse_links(self.path)
        connection = Scratch()
        try:
            connection.executescript(read_text(self.path / "schema.sql"))
        except sqlite3.Error as error:
            raise StoreError(f"is no SQL that SQLite takes: {error}", where=str(self.path / "schema.sql")) from error
        for table in self.tables:
            path = self.path / "data" / f"{table.name}.csv"
            try:
                _load(connection, path, table)
            except sqlite3.Error as error:
                raise StoreError(f"the rows do not fit the schema: {error}", where=str(path)) from error
        connection.only_reads()
        return connection

    def column(self, sql: str) -> list[Any]:
        """First column of a query on the rows. Raises StoreError naming the query."""
        return [row[0] for row in self.rows(sql)]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query. Raises StoreError naming the query."""
        try:
            return self.database.execute(sql).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{error} in {sql!r}", where=str(self.path / "blueprint.json")) from error

    def pragma(self, name: str, table: str | None = None) -> list[tuple[Any, ...]]:
        """What SQLite says of the schema. Raises StoreError."""
        return self.rows(f"PRAGMA {name}" if table is None else f"PRAGMA {name}({quoted(table)})")


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _load(connection: sqlite3.Connection, path: Path, table: Table) -> None:
    columns, rows = read_csv(path, {column.name: column.type for column in table.columns})
    names = ", ".join(quoted(name) for name in columns)
    marks = ", ".join("?" for _ in columns)
    connection.executemany(f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({marks})", rows)  # noqa: S608


RecordT = TypeVar("RecordT", bound=Record)


def _record(kind: type[RecordT], value: Any, path: Path) -> RecordT:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(top)"
        raise StoreError(
            f"field {field}: {first['msg']}", where=str(path), remedy="build the environment again"
        ) from error
