"""The template: schema.sql, data/*.csv and documents/** as one serialized database. Built once per process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.errors import StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.extraction import ColumnType
from envforge.store.csvfile import read_csv
from envforge.world.changes import TableInfo
from envforge.world.engine import chosen_engine
from envforge.world.engine.building import Builder, new_builder
from envforge.world.engine.contract import MAX_VALUE_BYTES, SQLError
from envforge.world.engine.guard import DOCUMENTS_TABLE

_REMEDY = "the file is written by envforge; build the environment again or restore it"
_DOCUMENTS = (
    f"CREATE TABLE {DOCUMENTS_TABLE} (path TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID"
)
_TYPES: dict[str, ColumnType] = {"INTEGER": "integer", "INT": "integer", "REAL": "real"}


@dataclass(frozen=True)
class Template:
    """A serialized database with 4 KiB pages, its tables and its hash."""

    data: bytes
    tables: dict[str, TableInfo]
    digest: str


_built: dict[tuple[str, str], tuple[Any, Template]] = {}


def template_of(folder: Path) -> Template:
    """The template of an environment folder, built again only when a file has changed.

    Raises StoreError naming file, row and column.
    """
    key = (str(folder.resolve()), chosen_engine())
    state = _fingerprint(folder)
    held = _built.get(key)
    if held is None or held[0] != state:
        held = (state, build_template(folder))
        _built[key] = held
    return held[1]


def build_template(folder: Path) -> Template:
    """Load schema, rows and documents. Raises StoreError naming file, row and column."""
    builder = new_builder()
    try:
        _create(builder, folder / "schema.sql")
        tables = _tables(builder, folder / "schema.sql")
        builder.rows(_DOCUMENTS)
        builder.rows("BEGIN")
        for table in tables.values():
            _fill(builder, table, folder / "data" / f"{table.name}.csv")
        _fill_documents(builder, folder / "documents")
        builder.rows("COMMIT")
        _check_references(builder, folder)
        builder.rows("ANALYZE")
        data = builder.serialize()
    finally:
        builder.close()
    tables[DOCUMENTS_TABLE] = TableInfo(DOCUMENTS_TABLE, ("path", "text"), ("TEXT", "TEXT"), ("path",))
    return Template(data, tables, sha256_bytes(data))


def _fingerprint(folder: Path) -> list[tuple[str, int, int]]:
    files = [folder / "schema.sql", *(folder / "data").glob("*.csv"), *(folder / "documents").rglob("*")]
    found: list[tuple[str, int, int]] = []
    for path in files:
        if path.is_file():
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return sorted(found)


def _create(builder: Builder, path: Path) -> None:
    try:
        schema = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot be read: {error}", where=str(path), remedy=_REMEDY) from error
    try:
        builder.script(schema)
    except SQLError as error:
        raise StoreError(f"is not accepted by SQLite: {error}", where=str(path), remedy=_REMEDY) from error


def _tables(builder: Builder, path: Path) -> dict[str, TableInfo]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    tables: dict[str, TableInfo] = {}
    for (name,) in builder.rows(sql):
        quoted = str(name).replace('"', '""')
        columns = builder.rows(f'PRAGMA table_info("{quoted}")')
        key = tuple(str(row[1]) for row in sorted(columns, key=lambda row: int(row[5])) if row[5])
        if not key:
            remedy = "give every table a PRIMARY KEY: changes of other tables cannot be tracked"
            raise StoreError(f"table {name} has no primary key", where=str(path), remedy=remedy)
        info = TableInfo(name, tuple(row[1] for row in columns), tuple(str(row[2]).upper() for row in columns), key)
        tables[name] = info
    if not tables:
        raise StoreError("creates no table", where=str(path), remedy=_REMEDY)
    return tables


def _fill(builder: Builder, table: TableInfo, path: Path) -> None:
    types: dict[str, ColumnType] = {
        name: _TYPES.get(kind, "text") for name, kind in zip(table.columns, table.types, strict=True)
    }
    columns, rows = read_csv(path, types)
    if columns != list(table.columns):
        message = f"has the columns {', '.join(columns)}; schema.sql has {', '.join(table.columns)}"
        raise StoreError(message, where=str(path), remedy=_REMEDY)
    marks = ", ".join("?" * len(columns))
    sql = f'INSERT INTO "{table.name}" VALUES ({marks})'  # noqa: S608
    done = builder.filled()
    try:
        builder.fill(sql, rows)
    except SQLError as error:
        number = builder.filled() - done + 1
        raise StoreError(f"data row {number} is refused: {error}", where=str(path), remedy=_REMEDY) from error


def _fill_documents(builder: Builder, folder: Path) -> None:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.stat().st_size > MAX_VALUE_BYTES:
            raise StoreError(f"is larger than {MAX_VALUE_BYTES} bytes", where=str(path), remedy="split the document")
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"is not readable as UTF-8: {error}", where=str(path), remedy=_REMEDY) from error
        name = path.relative_to(folder).as_posix()
        if not name.isprintable():
            raise StoreError("its name holds a character that cannot be printed", where=repr(str(path)))
        builder.rows(f"INSERT INTO {DOCUMENTS_TABLE} VALUES (?, ?)", (name, text))  # noqa: S608


def _check_references(builder: Builder, folder: Path) -> None:
    broken = builder.rows("PRAGMA foreign_key_check")
    if broken:
        table, rowid, parent, _ = broken[0]
        message = f"{len(broken)} rows refer to nothing; first: a row of {table} (rowid {rowid}) to {parent}"
        raise StoreError(message, where=str(folder / "data" / f"{table}.csv"), remedy=_REMEDY)
