"""Tools for links, transitions and deletions that cannot go to a trash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.domain import BoundOperation
from envforge.world.api import ToolError

from .conftest import Call, TinyWorld, bound, column, given, loaded, running, table

FOLLOWERS = table(
    "followers",
    "follower",
    (
        column("doc_id", to="docs"),
        column("person_id", to="people"),
        column("followed_at", "timestamp", role="created_at"),
    ),
    key=("doc_id", "person_id"),
    kind="link",
)
PAIR = (
    given("doc_id", "key", column="doc_id", semantic="doc.id", required=True),
    given("person_id", "key", column="person_id", semantic="person.id", required=True),
)
PERSON = given("person_id", "key", column="id", semantic="person.id", required=True)
OPERATIONS: tuple[BoundOperation, ...] = (
    bound("search", "search", "doc", "docs", given("query", "query")),
    bound("list", "list_people", "person", "people"),
    bound("link", "follow_doc", "follower", "followers", *PAIR),
    bound("unlink", "unfollow_doc", "follower", "followers", *PAIR),
    bound(
        *("transition", "trash_doc", "doc", "docs"),
        given("doc_id", "key", column="id", semantic="doc.id", required=True),
        target_state={"in_trash": True},
    ),
    bound("delete", "delete_person", "person", "people", PERSON),
)


@pytest.fixture
def database(workspace: Database) -> Database:
    domain = workspace.domain.model_copy(
        update={"tables": (*workspace.domain.tables, FOLLOWERS), "operations": OPERATIONS}
    )
    people = [*workspace.rows["people"], {"id": "eve", "name": "Eve Quist", "type": "person"}]
    follows = [{"doc_id": "home", "person_id": "eve", "followed_at": "2026-01-01T00:00:00Z"}]
    return replace(workspace, domain=domain, rows={**workspace.rows, "people": people, "followers": follows})


@pytest.fixture
def world(database: Database) -> TinyWorld:
    return TinyWorld(database)


@pytest.fixture
def call(database: Database, world: TinyWorld) -> Call:
    return running(loaded(draw_blueprint(database, max_tools=24)[0]), world)


def code(call: Call, tool: str, **arguments: str) -> str:
    with pytest.raises(ToolError) as caught:
        call(tool, **arguments)
    return caught.value.code


def test_linking_twice_is_a_conflict_and_unknown_ends_are_not_found(call: Call, world: TinyWorld) -> None:
    call("follow_doc", doc_id="q1", person_id="bob")
    assert world.query("SELECT * FROM followers WHERE doc_id = 'q1'") == [
        {"doc_id": "q1", "person_id": "bob", "followed_at": world.now()}
    ]
    assert code(call, "follow_doc", doc_id="q1", person_id="bob") == "conflict"
    assert code(call, "follow_doc", doc_id="nope", person_id="bob") == "not_found"


def test_unlinking_takes_away_one_link_that_must_be_there(call: Call, world: TinyWorld) -> None:
    assert code(call, "unfollow_doc", doc_id="home", person_id="bob") == "not_found"
    assert call("unfollow_doc", doc_id="home", person_id="eve")["linked"] is False
    assert world.query("SELECT * FROM followers") == []


def test_a_transition_sets_its_state_once(call: Call, world: TinyWorld) -> None:
    changed = call("trash_doc", doc_id="q1")["doc"]
    assert (changed["in_trash"], changed["last_edited_by"]) == (True, "helper")
    assert code(call, "trash_doc", doc_id="q1") == "conflict"
    assert world.query("SELECT count(*) AS n FROM docs WHERE in_trash") == [{"n": 2}]


def test_a_row_that_others_use_stays_and_links_go_with_their_row(call: Call, world: TinyWorld) -> None:
    assert code(call, "delete_person", person_id="ada") == "conflict"
    call("delete_person", person_id="eve")
    assert world.query("SELECT * FROM followers") == []
    assert world.query("SELECT * FROM people WHERE id = 'eve'") == []
