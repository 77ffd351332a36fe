"""What SQL of a tool may not do, on every engine; nothing of it leaves a trace."""

from __future__ import annotations

import time

import pytest

from envforge.world.engine.contract import AuthError, ConstraintError, InterruptError, SQLError, StateEngine

from .conftest import Start
from .steps import rows

REFUSED = {
    "COMMIT": "COMMIT",
    "ROLLBACK": "ROLLBACK",
    "BEGIN": "BEGIN",
    "SAVEPOINT": "SAVEPOINT one",
    "RELEASE": "RELEASE one",
    "PRAGMA": "PRAGMA foreign_keys = off",
    "PRAGMA that reads": "PRAGMA database_list",
    "PRAGMA writable_schema": "PRAGMA writable_schema = on",
    "PRAGMA function": "SELECT * FROM pragma_database_list",
    "ATTACH": "ATTACH ':memory:' AS other",
    "ATTACH a file": "ATTACH 'other.db' AS other",
    "DETACH": "DETACH main",
    "VACUUM": "VACUUM",
    "VACUUM INTO": "VACUUM INTO 'other.db'",
    "ANALYZE": "ANALYZE",
    "REINDEX": "REINDEX",
    "CREATE TABLE": "CREATE TABLE other (id INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE": "CREATE TEMP TABLE other (id INTEGER PRIMARY KEY)",
    "CREATE TRIGGER": "CREATE TRIGGER t AFTER INSERT ON teams BEGIN DELETE FROM people; END",
    "CREATE VIEW": "CREATE VIEW v AS SELECT 1",
    "CREATE INDEX": "CREATE INDEX i ON teams (title)",
    "CREATE VIRTUAL TABLE": "CREATE VIRTUAL TABLE v USING fts5(text)",
    "ALTER TABLE": "ALTER TABLE teams RENAME TO clubs",
    "DROP TABLE": "DROP TABLE notes",
    "schema writes": "UPDATE sqlite_schema SET sql = ''",
    "schema deletes": "DELETE FROM sqlite_master",
    "documents read": "SELECT * FROM envforge_documents",
    "documents joined": "SELECT text FROM teams, envforge_documents",
    "documents counted": "SELECT count(*) FROM (SELECT 1 FROM envforge_documents)",
    "documents written": "INSERT INTO envforge_documents VALUES ('x', 'y')",
    "documents deleted": "DELETE FROM envforge_documents",
    "random": "SELECT random() AS r",
    "randomblob": "SELECT RandomBlob(4) AS r",
    "random order": "SELECT id FROM teams ORDER BY random()",
    "total_changes": "SELECT total_changes() AS n",
    "changes": "SELECT changes() AS n",
    "last_insert_rowid": "SELECT last_insert_rowid() AS n",
    "sqlite_version": "SELECT sqlite_version() AS v",
    "load_extension": "SELECT load_extension('x')",
}


_REASONS = "not authorized|authorization denied|prohibited|no such|may not be modified|from within a transaction"


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("inside", [True, False], ids=["in a call", "outside"])
def test_refused(engine: StateEngine, sql: str, inside: bool) -> None:
    before = rows(engine)
    for run in (engine.query, engine.execute):
        if inside:
            engine.begin()
        with pytest.raises(SQLError, match=_REASONS):
            run(sql)
        assert engine.in_transaction is inside
        engine.rollback()
    assert rows(engine) == before and engine.changeset() == b""
    assert engine.execute("UPDATE teams SET title = 'x' WHERE id = 1") == 1


def test_our_own_statements_do_not_open_the_door(engine: StateEngine) -> None:
    """A statement of ours must not stay prepared for a tool that sends the same text."""
    for sql in ("SELECT * FROM envforge_documents", "PRAGMA database_list"):
        for _ in range(3):
            assert engine.own(sql)
            with pytest.raises(AuthError):
                engine.query(sql)


SECOND = ["SELECT 1; SELECT 2", "DELETE FROM notes; DELETE FROM members", "SELECT ';'; COMMIT", ";; SELECT 1; SELECT 2"]


@pytest.mark.parametrize("sql", SECOND)
def test_one_statement_at_a_time(engine: StateEngine, sql: str) -> None:
    for run in (engine.query, engine.execute):
        with pytest.raises((ValueError, SQLError)):
            run(sql)
    assert engine.changeset() == b""


def test_one_statement_may_end_in_a_semicolon(engine: StateEngine) -> None:
    assert engine.query("SELECT ';' AS one, 'a;b' AS two ; ") == (["one", "two"], [(";", "a;b")])


def test_read_only(start: Start) -> None:
    engine = start(read_only=True)
    with pytest.raises(AuthError):
        engine.execute("DELETE FROM teams")
    assert engine.query("SELECT id FROM teams")[1] == [(1,), (2,), (7,)]


def test_query_reads_and_execute_writes(engine: StateEngine) -> None:
    with pytest.raises(ValueError, match="reads only"):
        engine.query("DELETE FROM notes RETURNING id")
    with pytest.raises(ValueError, match="use query"):
        engine.execute("SELECT 1")


ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM t) "


@pytest.mark.parametrize(
    "sql", [f"{ENDLESS}SELECT max(n) FROM t", f"{ENDLESS}INSERT INTO teams SELECT n, '', NULL FROM t"]
)
def test_the_deadline_stops_a_statement(engine: StateEngine, sql: str) -> None:
    engine.begin()
    engine.execute("UPDATE teams SET title = 'x'")
    engine.deadline = time.monotonic()
    with pytest.raises(InterruptError):
        engine.query(sql) if "INSERT" not in sql else engine.execute(sql)
    engine.deadline = 0.0
    engine.rollback()
    assert engine.changeset() == b""
    assert engine.execute("UPDATE teams SET title = 'x' WHERE id = 2") == 1


def test_a_rolled_back_call_is_noticed(engine: StateEngine) -> None:
    """INSERT OR ROLLBACK ends the transaction: whatever comes after it in the call must not stay."""
    engine.begin()
    engine.execute("DELETE FROM notes")
    with pytest.raises(ConstraintError):
        engine.execute("INSERT OR ROLLBACK INTO teams VALUES (1, '', NULL)")
    assert not engine.in_transaction
    for run in (engine.query, engine.execute, engine.own):
        with pytest.raises(RuntimeError, match="ROLLBACK"):
            run("DELETE FROM notes")
    with pytest.raises(RuntimeError, match="ROLLBACK"):
        engine.commit()
    engine.rollback()
    assert engine.changeset() == b"" and engine.execute("DELETE FROM notes") == 5


def test_a_giant_value_is_refused(engine: StateEngine) -> None:
    with pytest.raises(SQLError):
        engine.query("SELECT length(zeroblob(100000000)) AS n")
    with pytest.raises(SQLError):
        engine.query("SELECT replace(hex(zeroblob(9000)), '00', hex(zeroblob(9000))) AS n")
