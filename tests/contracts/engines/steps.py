"""Sequences of calls for property tests, and what they leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from envforge.world.engine.changeset import read_changeset
from envforge.world.engine.contract import SQLError, StateEngine

Call = tuple[tuple[str, tuple[Any, ...]], ...]
"""Statements of one transaction."""

TABLES = ("people", "teams", "members", "notes", "envforge_documents")
_PEOPLE = st.sampled_from(["ada", "bo", "cy", "Ada", "dé", "е\u0301\U0001f600"])
_TEAMS = st.sampled_from([1, 2, 7, -3, 2**63 - 9])
_TEXT = st.text(max_size=6)
_VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1]),
    st.floats(allow_nan=False),
    _TEXT,
    st.binary(max_size=5),
)
_PLACES = st.one_of(st.none(), st.integers(1, 6))


def _statement(sql: str, *values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(sql), st.tuples(*values))


_STATEMENTS = st.one_of(
    _statement("INSERT INTO people VALUES (?, ?, ?, ?, ?)", _PEOPLE, _TEXT, _PLACES, st.floats(-9, 9), st.binary()),
    _statement("INSERT OR REPLACE INTO people VALUES (?, ?, ?, NULL, NULL)", _PEOPLE, _TEXT, _PLACES),
    _statement("INSERT OR IGNORE INTO people (id, name, place) VALUES (?, ?, ?)", _PEOPLE, _TEXT, _PLACES),
    _statement("INSERT OR ROLLBACK INTO people (id, name) VALUES (?, ?)", _PEOPLE, _TEXT),
    _statement("UPDATE people SET id = ? WHERE id = ?", _PEOPLE, _PEOPLE),
    _statement("UPDATE people SET place = -place WHERE place IN (?, ?)", _PLACES, _PLACES),
    _statement("UPDATE people SET place = 3 + place WHERE place < 0"),
    _statement("UPDATE people SET name = upper(name), score = score * 2 WHERE id > ?", _PEOPLE),
    _statement("DELETE FROM people WHERE id = ?", _PEOPLE),
    _statement("INSERT INTO teams (title) VALUES (?)", _TEXT),
    _statement("INSERT INTO teams VALUES (?, ?, '2024-01-01')", _TEAMS, _TEXT),
    _statement("UPDATE teams SET id = ? WHERE id = ?", _TEAMS, _TEAMS),
    _statement("DELETE FROM teams WHERE id = ?", _TEAMS),
    _statement("DELETE FROM teams"),
    _statement("INSERT INTO members VALUES (?, ?, ?)", _TEAMS, _PEOPLE, _TEXT),
    _statement("UPDATE members SET person = ? WHERE team = ?", _PEOPLE, _TEAMS),
    _statement("INSERT INTO notes VALUES (?, ?, ?)", _TEXT, st.one_of(st.none(), _PEOPLE), _VALUES),
    _statement("UPDATE notes SET value = ? WHERE id = ?", _VALUES, st.sampled_from(["n1", "n2", "n5"])),
    _statement("INSERT INTO notes SELECT id || '+', about, value FROM notes WHERE id < ?", _TEXT),
    _statement("SELECT * FROM notes"),
)
CALLS: st.SearchStrategy[list[Call]] = st.lists(st.lists(_STATEMENTS, min_size=1, max_size=4).map(tuple), max_size=8)


def play(engine: StateEngine, calls: Sequence[Call]) -> list[Any]:
    """Each call as one transaction; what it answered, or the type of what stopped it (and undid it)."""
    answers: list[Any] = []
    for call in calls:
        try:
            engine.begin()
            counts = [_told(engine, sql, params) for sql, params in call]
            answers.append((counts, engine.commit()))
        except (SQLError, RuntimeError, ValueError) as error:
            engine.rollback()
            answers.append(type(error).__name__)
    return answers


def _told(engine: StateEngine, sql: str, params: tuple[Any, ...]) -> Any:
    return engine.query(sql, params) if sql.startswith("SELECT") else engine.execute(sql, params)


def rows(engine: StateEngine) -> dict[str, list[tuple[Any, ...]]]:
    """Every row, in the order in which the database itself gives it, with its types."""
    return {table: [_typed(row) for row in engine.own(f"SELECT * FROM {table}")] for table in TABLES}


def sorted_rows(engine: StateEngine) -> dict[str, list[tuple[Any, ...]]]:
    """Every row, sorted: for comparing states that were reached on different ways."""
    return {table: sorted(found, key=repr) for table, found in rows(engine).items()}


def meaning(changeset: bytes) -> list[str]:
    """A changeset's changes, sorted: two engines order them differently."""
    changes = [change._replace(indirect=False) for change in read_changeset(changeset)]
    return sorted(repr(change) for change in changes)


def _typed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((type(value).__name__, value) for value in row)
