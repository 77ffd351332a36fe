"""The toy environment, its calls, and what each implementation must answer: equal rows and equal differences."""

from __future__ import annotations

import json
import pickle
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from envforge.world.environment import Environment

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"
BOOKS_PER_MEGABYTE = 6_250
TABLES = {"books": "id", "loans": "id", "members": "id"}
COLUMNS = ("id", "title", "author", "published", "copies", "note")
SELECT = "SELECT id, title, author, published, copies, note FROM books WHERE id = ?"
UPDATE = "UPDATE books SET copies = copies + 1 WHERE id = ?"
INSERT = "INSERT INTO books VALUES (?, ?, ?, ?, ?, ?)"
DELETE = "DELETE FROM books WHERE id = ?"
NEW_BOOK: dict[str, Any] = dict(zip(COLUMNS, (900_001, "A new book", "Someone", None, 1, "just arrived"), strict=True))

TOUCHED = (101, 1_002, 1_003)
DROPPED = 1_007

Row = dict[str, Any]
Changes = dict[str, dict[str, list[Any]]]
"""Table -> inserted rows, [before, after] pairs and deleted rows, each sorted by key."""

_TOOLS = '''

def touch_book(world: World, book_id: int) -> dict:
    """A book, and one copy more of it."""
    rows = world.query("SELECT id, title, author, published, copies, note FROM books WHERE id = ?", (book_id,))
    world.execute("UPDATE books SET copies = copies + 1 WHERE id = ?", (book_id,))
    return rows[0]


def add_book(world: World, book: dict) -> dict:
    """A new book."""
    world.execute("INSERT INTO books VALUES (:id, :title, :author, :published, :copies, :note)", book)
    return {}


def drop_book(world: World, book_id: int) -> dict:
    """One book less."""
    world.execute("DELETE FROM books WHERE id = ?", (book_id,))
    return {}
'''


class Instance(Protocol):
    """One live instance of an implementation."""

    def reset(self) -> None:
        """Back to the start."""
        ...

    def touch(self, key: int) -> Row:
        """One tool call: select a book, add one to its copies; the row as selected."""
        ...

    def add(self, row: Row) -> None:
        """A call that inserts a book."""
        ...

    def drop(self, key: int) -> None:
        """A call that deletes a book."""
        ...

    def changes(self) -> Changes | bool:
        """The exact difference to the start; of a scorer by hashes: whether a replay of the calls agrees."""
        ...

    def fork(self) -> Instance:
        """A second instance in the same state."""
        ...

    def rows(self, table: str) -> list[Row]:
        """All rows of a table, sorted by key."""
        ...

    def processes(self) -> list[int]:
        """Processes that hold the state, besides this one."""
        ...

    def close(self) -> None:
        """Free it."""
        ...


@dataclass(frozen=True)
class Implementation:
    """A way to hold state. `beside` is the one of ours that it is compared with."""

    name: str
    open: Callable[[Workload], AbstractContextManager[Callable[[], Instance]]]
    """Loads what all instances share; gives what makes one."""
    beside: str = "World, in process"
    exact: bool = True
    forks: bool = True
    calls_only: bool = False
    heavy: bool = False
    """A copy of the data per instance."""


@dataclass(frozen=True)
class Workload:
    """The environment at one size: as a folder, as a SQLite file and as a JSON file."""

    folder: Path

    @classmethod
    def build(cls, folder: Path, megabytes: int) -> Workload:
        """The library with more books and three more tools. Written once."""
        shutil.copytree(LIBRARY, folder / "library")
        with (folder / "library" / "data" / "books.csv").open("a", encoding="utf-8") as books:
            for number in range(1_000, 1_000 + megabytes * BOOKS_PER_MEGABYTE):
                title, author = f"Title {number} of shelf {number % 97}", f"Author {number % 1999}"
                books.write(f"{number},{title},{author},1999,3,{'n ' * 50}\n")
        _add_tools(folder / "library")
        workload = cls(folder)
        (folder / "environment.pickle").write_bytes(pickle.dumps(Environment.open(folder / "library")))
        workload.database.write_bytes(workload.environment.template.data)
        tables = {table: {str(row["id"]): row for row in rows_of(workload.database, table)} for table in TABLES}
        workload.json_file.write_text(json.dumps(tables), encoding="utf-8")
        return workload

    @property
    def database(self) -> Path:
        """All tables as a SQLite file."""
        return self.folder / "initial.sqlite"

    @property
    def json_file(self) -> Path:
        """All tables as JSON: table -> key -> row."""
        return self.folder / "initial.json"

    @property
    def csv(self) -> Path:
        """The folder with a CSV file per table."""
        return self.folder / "library" / "data"

    @property
    def schema(self) -> str:
        """CREATE TABLE statements."""
        return (self.folder / "library" / "schema.sql").read_text(encoding="utf-8")

    @cached_property
    def environment(self) -> Environment:
        """Opened as ours; from our own file, so that a second process need not read the CSV again."""
        return pickle.loads((self.folder / "environment.pickle").read_bytes())


def five_writes(instance: Instance) -> list[Row]:
    """Three updates, an insert and a delete; the rows that the three calls saw."""
    seen = [instance.touch(key) for key in TOUCHED]
    instance.add(NEW_BOOK)
    instance.drop(DROPPED)
    return seen


def expected_changes(initial: dict[int, Row]) -> Changes:
    """What `five_writes` changes, worked out by hand from the books at the start."""
    updated = [[initial[key], {**initial[key], "copies": initial[key]["copies"] + 1}] for key in TOUCHED]
    return {"books": {"inserted": [NEW_BOOK], "updated": updated, "deleted": [initial[DROPPED]]}}


def _add_tools(folder: Path) -> None:
    source = (folder / "tools.py").read_text(encoding="utf-8")
    (folder / "tools.py").write_text(source + _TOOLS, encoding="utf-8")
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    book_id = {"book_id": {"type": "integer"}}
    fields: dict[str, Any] = {name: {"type": ["string", "null"]} for name in COLUMNS}
    fields |= {name: {"type": ["integer", "null"]} for name in ("id", "published", "copies")}
    for name, properties in (
        ("touch_book", book_id),
        ("add_book", {"book": {"type": "object", "properties": fields, "required": list(COLUMNS)}}),
        ("drop_book", book_id),
    ):
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        changed = {"name": name, "parameters": {**parameters, "additionalProperties": False}, "writes": ["books"]}
        tools.append({**tools[0], **changed, "annotations": {**tools[0]["annotations"], "readOnlyHint": False}})
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")


def paired(table: str, only_before: list[Row], only_after: list[Row]) -> dict[str, list[Any]]:
    """Rows of the start that are gone and rows that are new, paired by key."""
    key = TABLES[table]
    before, after = ({row[key]: row for row in rows} for rows in (only_before, only_after))
    return {
        "inserted": [after[name] for name in sorted(after.keys() - before.keys())],
        "updated": [[before[name], after[name]] for name in sorted(before.keys() & after.keys())],
        "deleted": [before[name] for name in sorted(before.keys() - after.keys())],
    }


def without_empty(changes: Changes) -> Changes:
    """Only the tables in which something changed."""
    return {table: found for table, found in changes.items() if any(found.values())}


# SQLite, as the references use it


def rows_of(database: Path, table: str) -> list[Row]:
    """All rows of a table of a file."""
    connection = sqlite3.connect(database)
    try:
        return select_all(connection, table)
    finally:
        connection.close()


def select_all(connection: sqlite3.Connection, table: str) -> list[Row]:
    """All rows of a table, sorted by key."""
    return named(connection.execute(f"SELECT * FROM {table} ORDER BY {TABLES[table]}"))


def named(cursor: sqlite3.Cursor) -> list[Row]:
    """Rows with the names of their columns."""
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def compare_with(connection: sqlite3.Connection, initial: Path) -> Changes:
    """The whole of each table against the initial file, in SQL: what a verifier over two databases does."""
    connection.execute("ATTACH ? AS initial", (f"file:{initial}?mode=ro&immutable=1",))
    try:
        changes: Changes = {}
        for table in TABLES:
            gone = named(connection.execute(f"SELECT * FROM initial.{table} EXCEPT SELECT * FROM main.{table}"))
            come = named(connection.execute(f"SELECT * FROM main.{table} EXCEPT SELECT * FROM initial.{table}"))
            changes[table] = paired(table, gone, come)
        return without_empty(changes)
    finally:
        connection.execute("DETACH initial")
