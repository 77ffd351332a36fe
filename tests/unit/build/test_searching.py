"""A search over records that hang on one another: the parent's bare id does not take the place of the record's."""

from __future__ import annotations

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Sql
from envforge.core.records.domain import Domain

from .conftest import bound, column, given, table


@pytest.fixture
def tasks() -> Database:
    columns = (
        column("id", role="id"),
        column("title", role="title"),
        column("parent_id", to="tasks", null=True, role="parent"),
        column("changed_at", "timestamp", role="updated_at"),
    )
    search = bound("search", "search_tasks", "task", "tasks", given("query", "query"))
    domain = Domain(theme="chores", tables=(table("tasks", "task", columns),), operations=(search,))
    rows = {"tasks": [{"id": "t1", "title": "Mop", "parent_id": None, "changed_at": "2026-01-01T00:00:00Z"}]}
    return Database(domain=domain, rows=rows, provenance=[], documents={}, clock="2026-01-02T00:00:00Z")


def test_a_parent_of_the_same_kind_has_a_column_of_its_own(tasks: Database) -> None:
    search = next(one for one in draw_blueprint(tasks, max_tools=4)[0].operations if one.name == "search_tasks")
    sql = next(step.query for step in search.steps if isinstance(step, Sql))
    names = [part.split(" AS ")[-1].strip() for part in sql.partition("FROM")[0].removeprefix("SELECT").split(",")]
    assert names == ["object", "id", "title", "parent_id", "last_changed"]
