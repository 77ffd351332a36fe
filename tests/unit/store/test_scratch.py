"""SQL of strangers: a schema and rows go in, answers come out, and nothing gets outside or goes on for ever."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from envforge.store.scratch import Scratch

SCHEMA = """
CREATE TABLE piers (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) > 0), extra TEXT
  CHECK (extra IS NULL OR json_valid(extra)),
  part_of INTEGER REFERENCES piers (id) DEFERRABLE INITIALLY DEFERRED) STRICT;
CREATE INDEX piers_part_of ON piers (part_of);
"""


@pytest.fixture
def scratch() -> Scratch:
    made = Scratch(seconds=0.5)
    made.executescript(SCHEMA)
    made.executemany("INSERT INTO piers VALUES (?, ?, ?, ?)", [(1, "West", "{}", 2), (2, "East", None, None)])
    made.only_reads()
    return made


def test_rows_go_in_and_answers_come_out(scratch: Scratch) -> None:
    assert scratch.execute("SELECT name FROM piers WHERE id = ?", (2,)).fetchall() == [("East",)]
    assert scratch.execute("PRAGMA foreign_key_check").fetchall() == []
    assert len(scratch.execute("PRAGMA foreign_key_list(piers)").fetchall()) == 1
    assert scratch.execute("PRAGMA table_info(piers)").fetchall()[0][1] == "id"


ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


@pytest.mark.parametrize(
    "schema",
    [
        "ATTACH DATABASE '{file}' AS x",
        "VACUUM INTO '{file}'",
        "PRAGMA journal_mode = off",
        "CREATE TRIGGER t AFTER INSERT ON piers BEGIN DELETE FROM piers; END",
        "CREATE VIRTUAL TABLE v USING fts5 (a)",
        f"CREATE TABLE c AS {ENDLESS}",
        "DROP TABLE piers",
        "SELECT load_extension('x')",
        "INSERT INTO piers VALUES (1, zeroblob(2000000000), NULL, NULL)",
    ],
)
def test_a_schema_makes_tables_and_indexes_only(schema: str, tmp_path: Path) -> None:
    file = tmp_path / "written.db"
    with pytest.raises(sqlite3.Error):
        Scratch().executescript(f"{SCHEMA}; {schema.replace('{file}', str(file))};")
    assert not file.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO piers VALUES (3, 'North', NULL, NULL)",
        "DELETE FROM piers",
        "CREATE TABLE t (a)",
        "SELECT 1; SELECT 2",
        "ATTACH DATABASE ':memory:' AS x",
        "SELECT load_extension('x')",
        "PRAGMA writable_schema = on",
        ENDLESS,
    ],
)
def test_a_query_only_reads_and_not_for_ever(scratch: Scratch, sql: str) -> None:
    with pytest.raises(sqlite3.Error):
        scratch.execute(sql).fetchall()
