"""Databases of a chosen size."""

from __future__ import annotations

import sqlite3

from envforge.world.engine.contract import StateEngine

SCHEMA = """
PRAGMA page_size=4096;
CREATE TABLE books (
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, copies INTEGER NOT NULL, note TEXT
) STRICT;
CREATE TABLE loans (id TEXT NOT NULL PRIMARY KEY, book INTEGER NOT NULL REFERENCES books (id), day TEXT) STRICT;
CREATE TABLE envforge_documents (path TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""


def template_of_rows(count: int) -> bytes:
    """A serialized database with `count` books, some 350 bytes each."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    rows = (
        (key, f"Title {key} of shelf {key % 97}", f"Author {key % 1999}", 3, "n " * 150) for key in range(1, count + 1)
    )
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO books VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute("COMMIT")
    data = connection.serialize()
    connection.close()
    return data


def touch(engine: StateEngine, key: int) -> None:
    """A first call: one select, one update, one insert."""
    engine.begin()
    engine.query("SELECT * FROM books WHERE id = ?", (key,))
    engine.execute("UPDATE books SET copies = copies + 1 WHERE id = ?", (key,))
    engine.execute("INSERT INTO loans VALUES (?, ?, '2024-01-01')", (f"L{key}", key))
    engine.commit()
