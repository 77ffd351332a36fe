"""The template: schema.sql, data/*.csv and documents/** as one serialized database. Built once per process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from envforge.core.errors import StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.extraction import ColumnType
from envforge.store.csvfile import read_csv
from envforge.world.changes import TableInfo
from envforge.world.engine.contract import MAX_VALUE_BYTES, PAGE_SIZE
from envforge.world.engine.guard import DOCUMENTS_TABLE

_REMEDY = "the file is written by envforge; build the environment again or restore it"
_MOST_SECONDS = 300.0
_MOST_PAGES = 1 << 19
"""Two GiB."""
_TYPES: dict[str, ColumnType] = {"INTEGER": "integer", "INT": "integer", "REAL": "real"}
_SCHEMA_ACTIONS = frozenset(
    {
        apsw.SQLITE_CREATE_TABLE,
        apsw.SQLITE_CREATE_INDEX,
        apsw.SQLITE_CREATE_VIEW,
        apsw.SQLITE_REINDEX,
        apsw.SQLITE_INSERT,
        apsw.SQLITE_UPDATE,
        apsw.SQLITE_DELETE,
        apsw.SQLITE_READ,
        apsw.SQLITE_FUNCTION,
        apsw.SQLITE_TRANSACTION,
    }
)


@dataclass(frozen=True)
class Template:
    """A serialized database with 4 KiB pages, its tables and its hash."""

    data: bytes
    tables: dict[str, TableInfo]
    digest: str


_built: dict[str, tuple[Any, Template]] = {}


def template_of(folder: Path) -> Template:
    """The template of an environment folder, built again only when a file has changed.

    Raises StoreError naming file, row and column.
    """
    key = str(folder.resolve())
    state = _fingerprint(folder)
    held = _built.get(key)
    if held is None or held[0] != state:
        held = (state, build_template(folder))
        _built[key] = held
    return held[1]


def build_template(folder: Path) -> Template:
    """Load schema, rows and documents. Raises StoreError naming file, row and column."""
    connection = apsw.Connection(":memory:")
    connection.execute(f"PRAGMA page_size={PAGE_SIZE}; PRAGMA max_page_count={_MOST_PAGES}")
    _bound(connection)
    _create(connection, folder / "schema.sql")
    tables = _tables(connection, folder / "schema.sql")
    sql = f"CREATE TABLE {DOCUMENTS_TABLE} (path TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID"
    connection.execute(sql)
    with connection:
        for table in tables.values():
            _fill(connection, table, folder / "data" / f"{table.name}.csv")
        _fill_documents(connection, folder / "documents")
    _check_references(connection, folder)
    connection.execute("ANALYZE")
    tables[DOCUMENTS_TABLE] = TableInfo(DOCUMENTS_TABLE, ("path", "text"), ("TEXT", "TEXT"), ("path",))
    data = connection.serialize("main")
    connection.close()
    return Template(data, tables, sha256_bytes(data))


def _bound(connection: apsw.Connection) -> None:
    """The schema may be a stranger's: nothing in it may run on for ever or fill the memory."""
    deadline = time.monotonic() + _MOST_SECONDS
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)


def _fingerprint(folder: Path) -> list[tuple[str, int, int]]:
    files = [folder / "schema.sql", *(folder / "data").glob("*.csv"), *(folder / "documents").rglob("*")]
    found: list[tuple[str, int, int]] = []
    for path in files:
        if path.is_file():
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return sorted(found)


def _create(connection: apsw.Connection, path: Path) -> None:
    try:
        schema = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot be read: {error}", where=str(path), remedy=_REMEDY) from error

    def authorize(action: int, *_: Any) -> int:
        return apsw.SQLITE_OK if action in _SCHEMA_ACTIONS else apsw.SQLITE_DENY

    connection.authorizer = authorize
    try:
        connection.execute(schema)
    except apsw.Error as error:
        raise StoreError(f"is not accepted by SQLite: {error}", where=str(path), remedy=_REMEDY) from error
    finally:
        connection.authorizer = None


def _tables(connection: apsw.Connection, path: Path) -> dict[str, TableInfo]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    tables: dict[str, TableInfo] = {}
    for (name,) in _fetch(connection, sql):
        quoted = str(name).replace('"', '""')
        columns = _fetch(connection, f'PRAGMA table_info("{quoted}")')
        key = tuple(str(row[1]) for row in sorted(columns, key=lambda row: int(row[5])) if row[5])
        if not key:
            remedy = "give every table a PRIMARY KEY: changes of other tables cannot be tracked"
            raise StoreError(f"table {name} has no primary key", where=str(path), remedy=remedy)
        info = TableInfo(name, tuple(row[1] for row in columns), tuple(str(row[2]).upper() for row in columns), key)
        tables[name] = info
    if not tables:
        raise StoreError("creates no table", where=str(path), remedy=_REMEDY)
    return tables


def _fill(connection: apsw.Connection, table: TableInfo, path: Path) -> None:
    types: dict[str, ColumnType] = {
        name: _TYPES.get(kind, "text") for name, kind in zip(table.columns, table.types, strict=True)
    }
    columns, rows = read_csv(path, types)
    if columns != list(table.columns):
        message = f"has the columns {', '.join(columns)}; schema.sql has {', '.join(table.columns)}"
        raise StoreError(message, where=str(path), remedy=_REMEDY)
    marks = ", ".join("?" * len(columns))
    sql = f'INSERT INTO "{table.name}" VALUES ({marks})'  # noqa: S608
    done = connection.total_changes()
    try:
        connection.executemany(sql, rows)
    except apsw.Error as error:
        number = connection.total_changes() - done + 1
        raise StoreError(f"data row {number} is refused: {error}", where=str(path), remedy=_REMEDY) from error


def _fill_documents(connection: apsw.Connection, folder: Path) -> None:
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
        connection.execute(f"INSERT INTO {DOCUMENTS_TABLE} VALUES (?, ?)", (name, text))  # noqa: S608


def _check_references(connection: apsw.Connection, folder: Path) -> None:
    broken = _fetch(connection, "PRAGMA foreign_key_check")
    if broken:
        table, rowid, parent, _ = broken[0]
        message = f"{len(broken)} rows refer to nothing; first: a row of {table} (rowid {rowid}) to {parent}"
        raise StoreError(message, where=str(folder / "data" / f"{table}.csv"), remedy=_REMEDY)


def _fetch(connection: apsw.Connection, sql: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(sql))
