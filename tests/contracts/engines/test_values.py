"""Rows, values, counts, time and changes as every engine gives them."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest

from envforge.world.engine.changeset import NO_CHANGE, Change, read_changeset, write_changeset
from envforge.world.engine.contract import BindingsError, ConstraintError, SQLError, StateEngine

from .conftest import Start
from .steps import meaning, rows, sorted_rows

VALUES: dict[str, Any] = {
    "null": None,
    "smallest": -(2**63),
    "largest": 2**63 - 1,
    "zero": 0,
    "real zero": 0.0,
    "real": 1e-320,
    "infinity": math.inf,
    "empty text": "",
    "unicode": "Ünï\u0301 \U0001f98a \u202e",
    "a NUL inside": "a\0b",
    "empty blob": b"",
    "blob": bytes(range(256)),
    "long": "é" * 5000,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_values_come_back_whole(start: Start, value: Any) -> None:
    engine, other = start(), start()
    engine.execute("INSERT INTO notes VALUES ('v', NULL, ?)", (value,))
    _, found = engine.query("SELECT value, typeof(value) FROM notes WHERE id = 'v'")
    assert found[0][0] == value and type(found[0][0]) is type(value)
    assert list(read_changeset(engine.changeset())) == [Change("notes", b"\1\0\0", "INSERT", (), ("v", None, value))]
    other.apply(engine.changeset())
    assert sorted_rows(other) == sorted_rows(engine)


def test_a_type_alone_is_a_change(engine: StateEngine) -> None:
    engine.execute("UPDATE notes SET value = 1.0 WHERE id = 'n1'")
    (change,) = read_changeset(engine.changeset())
    assert [type(value) for value in (change.old[2], change.new[2])] == [int, float]


def test_what_is_undone_is_no_change(engine: StateEngine) -> None:
    for sql in ("INSERT INTO teams VALUES (50, 'x', NULL)", "DELETE FROM teams WHERE id = 50"):
        engine.execute(sql)
    engine.execute("UPDATE people SET name = 'Other'")
    engine.execute("UPDATE people SET name = CASE id WHEN 'ada' THEN 'Ada' WHEN 'bo' THEN 'Bo' ELSE 'Çy' END")
    assert engine.changeset() == b""


def test_a_changed_key_is_a_deletion_and_an_insertion(engine: StateEngine) -> None:
    engine.execute("UPDATE people SET id = 'BO' WHERE id = 'bo'")
    changes = list(read_changeset(engine.changeset()))
    assert sorted((change.table, change.operation, (change.old or change.new)[0]) for change in changes) == [
        ("members", "DELETE", 1),
        ("members", "INSERT", 1),
        ("notes", "UPDATE", "n2"),
        ("people", "DELETE", "bo"),
        ("people", "INSERT", "BO"),
    ]


def test_an_update_states_key_and_changed_columns(engine: StateEngine) -> None:
    engine.execute("UPDATE members SET role = 'lead' WHERE person = 'bo'")
    assert list(read_changeset(engine.changeset())) == [
        Change("members", b"\2\1\0", "UPDATE", (1, "bo", "member"), (NO_CHANGE, NO_CHANGE, "lead"))
    ]


def test_cascades_are_counted_apart_and_in_the_diff(start: Start) -> None:
    engine, other = start(), start()
    assert engine.execute("DELETE FROM people WHERE id = 'ada'") == 1
    assert len(meaning(engine.changeset())) == 4
    other.apply(engine.changeset())
    assert rows(other) == rows(engine)


def test_foreign_keys_hold(engine: StateEngine) -> None:
    with pytest.raises(ConstraintError):
        engine.execute("INSERT INTO members VALUES (99, 'ada', 'x')")
    with pytest.raises(ConstraintError):
        engine.execute("INSERT INTO teams VALUES (8, 'x', 'no day')")


COUNTS = {
    "INSERT INTO teams (title) VALUES ('a'), ('b')": 2,
    "INSERT OR REPLACE INTO teams VALUES (1, 'x', NULL)": 1,
    "INSERT OR IGNORE INTO teams VALUES (1, 'x', NULL)": 0,
    "UPDATE teams SET title = title": 3,
    "UPDATE teams SET title = 'x' WHERE id = 99": 0,
    "WITH old AS (SELECT 7 AS id) DELETE FROM teams WHERE id IN (SELECT id FROM old)": 1,
    "DELETE FROM teams RETURNING id": 3,
    "-- a remark": 0,
}


@pytest.mark.parametrize("sql", COUNTS)
def test_execute_counts_the_rows(engine: StateEngine, sql: str) -> None:
    engine.execute("UPDATE people SET score = 1")
    assert engine.execute(sql) == COUNTS[sql]


def test_commit_says_whether_rows_changed(engine: StateEngine) -> None:
    told: list[bool] = []
    for sql in ("SELECT 1", "UPDATE teams SET title = 'x' WHERE id = 99", "UPDATE teams SET title = 'x'"):
        engine.begin()
        engine.query(sql) if sql.startswith("SELECT") else engine.execute(sql)
        told.append(engine.commit())
    assert told == [False, False, True]


def test_names_and_rows(engine: StateEngine) -> None:
    assert engine.query("SELECT id, upper(name) AS big FROM people WHERE id = :id", {"id": "bo"}) == (
        ["id", "big"],
        [("bo", "BO")],
    )
    assert engine.query("-- nothing") == ([], [])


@pytest.mark.parametrize(
    ("sql", "params"),
    [("SELECT ? AS a", ()), ("SELECT ? AS a", (1, 2)), ("SELECT :a AS a", {}), ("SELECT :a AS a", {"b": 1})],
    ids=repr,
)
def test_parameters_must_fit(engine: StateEngine, sql: str, params: Any) -> None:
    with pytest.raises((BindingsError, KeyError)):
        engine.query(sql, params)


@pytest.mark.parametrize("value", [datetime.date(2024, 1, 1), {}, [1], 1j], ids=repr)
def test_other_values_are_refused(engine: StateEngine, value: Any) -> None:
    with pytest.raises(TypeError):
        engine.query("SELECT ? AS v", (value,))


def test_text_that_is_none_is_refused(engine: StateEngine) -> None:
    for run in (engine.query, engine.own):
        with pytest.raises(SQLError):
            run("SELECT CAST(x'ff' AS TEXT) AS t")


def test_a_number_of_more_than_64_bits_is_refused(engine: StateEngine) -> None:
    with pytest.raises(OverflowError):
        engine.query("SELECT ? AS v", (2**63,))


NOW = {
    "datetime('now')": "2024-03-01 09:01:00",
    "datetime()": "2024-03-01 09:01:00",
    "date('NOW', '+1 day')": "2024-03-02",
    "time('now')": "09:01:00",
    "strftime('%s', 'now')": "1709283660",
    "strftime('%H')": "09",
    "julianday('now')": 2460370.8756944444,
    "unixepoch('now')": 1709283660,
    "CURRENT_TIMESTAMP": "2024-03-01 09:01:00",
    "CURRENT_DATE": "2024-03-01",
    "CURRENT_TIME": "09:01:00",
    "date('2024-02-28', '+2 days')": "2024-03-01",
    "date('no day')": None,
    "date(NULL)": None,
}


@pytest.mark.parametrize("expression", NOW)
def test_now_is_the_worlds_time(engine: StateEngine, expression: str) -> None:
    engine.clock = lambda: 1709283660.0
    assert engine.query(f"SELECT {expression} AS t")[1] == [(pytest.approx(NOW[expression]),)]


def test_each_instance_has_its_own_time(start: Start) -> None:
    engines = (start(), start())
    for number, engine in enumerate(engines):
        engine.clock = lambda number=number: float(number)
    assert [engine.query("SELECT unixepoch('now')")[1] for engine in engines] == [[(0,)], [(1,)]]


NO_FIT = {
    "another table": Change("strangers", b"\1", "INSERT", (), (1,)),
    "another key": Change("teams", b"\0\1\0", "INSERT", (), (60, "x", None)),
    "fewer columns": Change("teams", b"\1\0", "INSERT", (), (60, "x")),
    "a row that is there": Change("teams", b"\1\0\0", "INSERT", (), (1, "x", None)),
    "a row that is not there": Change("teams", b"\1\0\0", "DELETE", (60, "x", None), ()),
    "a row that was another": Change("teams", b"\1\0\0", "DELETE", (1, "other", None), ()),
    "a value that was another": Change(
        "teams", b"\1\0\0", "UPDATE", (1, "other", NO_CHANGE), (NO_CHANGE, "x", NO_CHANGE)
    ),
    "a broken reference": Change("notes", b"\1\0\0", "INSERT", (), ("n9", "nobody", None)),
    "a wrong type": Change("teams", b"\1\0\0", "INSERT", (), (60, b"x", None)),
    "a refused value": Change("teams", b"\1\0\0", "INSERT", (), (60, "x", "no day")),
}


@pytest.mark.parametrize("change", NO_FIT.values(), ids=NO_FIT.keys())
def test_a_changeset_that_does_not_fit_is_refused(engine: StateEngine, change: Change) -> None:
    fits = Change("people", b"\1\0\0\0\0", "DELETE", ("cy", "Çy", 3, -0.25, b""), ())
    before = rows(engine)
    with pytest.raises(SQLError):
        engine.apply(write_changeset([fits, change] if change.table != "notes" else [change]))
    assert rows(engine) == before and engine.changeset() == b""
    assert not engine.in_transaction


@pytest.mark.parametrize("data", [b"x", b"T", b"T\1\1teams\0\x12", b"\x12\0\1"], ids=repr)
def test_broken_bytes_are_refused(engine: StateEngine, data: bytes) -> None:
    with pytest.raises(SQLError):
        engine.apply(data)


def test_memory_is_counted_and_given_back(engine: StateEngine) -> None:
    engine.query("SELECT * FROM notes")
    used = engine.memory_used()
    assert used > 0
    engine.execute("INSERT INTO notes VALUES ('big', NULL, zeroblob(200000))")
    assert engine.memory_used() >= used + 190_000
    engine.release_memory()
    assert engine.query("SELECT length(value) AS n FROM notes WHERE id = 'big'")[1] == [(200_000,)]


def test_reset_in_the_middle_of_a_call(engine: StateEngine) -> None:
    engine.begin()
    engine.execute("DELETE FROM notes")
    engine.reset()
    assert not engine.in_transaction and engine.changeset() == b""
    engine.begin()
    engine.commit()
