"""Which columns keep the rows of a table apart, and which states lead to another."""

from __future__ import annotations

import pytest
from tests.unit.mine.shapes.conftest import database_of, devices, table, teams, users

from envforge.core.contracts import Database
from envforge.core.outcome import Produced
from envforge.core.records.domain import Column
from envforge.core.records.shape import RowShape
from envforge.mine.shapes import managed_records
from envforge.mine.shapes.states import sources_of

STATES = ("draft", "active", "paused", "done", "cancelled", "odd_one")


def filled(database: Database, shape: RowShape, seed: int = 0) -> Database:
    outcome = managed_records(database, shape, seed=seed)
    assert isinstance(outcome, Produced)
    return outcome.value


def test_rows_keep_apart_what_is_unique_under_every_seed(yard: Database, shape: RowShape) -> None:
    for seed in range(3):
        database = filled(yard, shape, seed)
        groups = [(one.name, group) for one in database.domain.tables for group in one.unique]
        assert ("users", ("email",)) in groups
        for name, group in groups:
            held = [tuple(row[column] for column in group) for row in database.rows[name]]
            held = [values for values in held if None not in values]
            assert len(held) == len(set(held)), (name, group)


def test_what_people_write_may_stand_twice(shape: RowShape) -> None:
    articles = table(
        "articles",
        "article",
        Column(name="title", type="text", nullable=False, role="title"),
        Column(name="slug", type="text", nullable=False),
        Column(name="views", type="integer", nullable=False),
    )
    database = filled(database_of(users(), teams(), devices(), articles), shape)
    assert database.domain.table("articles").unique == (("slug",),)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("active", ("draft", "paused", "cancelled", "odd_one")),
        ("paused", ("active", "odd_one")),
        ("done", ("draft", "active", "paused", "odd_one")),
        ("cancelled", ("draft", "active", "paused", "done", "odd_one")),
        ("odd_one", ("draft", "active", "paused", "done", "cancelled")),
    ],
)
def test_a_state_follows_those_of_earlier_phases(shape: RowShape, target: str, expected: tuple[str, ...]) -> None:
    assert sources_of(target, STATES, shape) == expected
