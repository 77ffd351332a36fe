"""Tools for records that are named by what they are in and their own name or number there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Let, Operation, Require
from envforge.core.records.domain import BoundParameter
from envforge.world.api import ToolError

from .conftest import TinyWorld, bound, column, given, loaded, running, table

KEEPER = given("keeper", "scope", column="keeper_id", semantic="user.login", required=True)
DEPOT = given("depot", "scope", column="depot_id", semantic="depot.name", required=True)
REPAIR = given("number", "key", column="number", semantic="repair.number", required=True)


def text(name: str, *, required: bool = False) -> BoundParameter:
    return given(name, "column", column=name, required=required)


@pytest.fixture
def yard(workspace: Database) -> Database:
    """Two keepers with a depot of the same name each; repairs are numbered in their depot."""
    users = table("users", "user", (column("id", role="id"), column("login", role="title")))
    depots = table(
        *("depots", "depot"),
        (column("id", role="id"), column("name", role="title"), column("keeper_id", to="users", role="owner")),
    )
    repairs = table(
        *("repairs", "repair"),
        (
            column("id", role="id"),
            column("number", "integer", null=True),
            column("title", role="title"),
            column("depot_id", to="depots", role="parent"),
        ),
    )
    operations = (
        bound("list", "list_users", "user", "users"),
        bound("list", "list_depots", "depot", "depots"),
        bound(
            "get", "get_depot", "depot", "depots", KEEPER, given("depot", "key", column="name", semantic="depot.name")
        ),
        bound("list", "list_repairs", "repair", "repairs", KEEPER, DEPOT),
        bound("get", "get_repair", "repair", "repairs", KEEPER, DEPOT, REPAIR),
        bound("create", "create_repair", "repair", "repairs", KEEPER, DEPOT, text("title", required=True)),
        bound("update", "update_repair", "repair", "repairs", KEEPER, DEPOT, REPAIR, text("title")),
        bound("delete", "delete_repair", "repair", "repairs", KEEPER, DEPOT, REPAIR),
    )
    domain = workspace.domain.model_copy(
        update={"tables": (users, depots, repairs), "operations": operations, "bags": ()}
    )
    rows = {
        "users": [{"id": "u1", "login": "ann"}, {"id": "u2", "login": "ben"}],
        "depots": [
            {"id": "d1", "name": "north", "keeper_id": "u1"},
            {"id": "d2", "name": "north", "keeper_id": "u2"},
        ],
        "repairs": [
            {"id": "r1", "number": 1, "title": "Door", "depot_id": "d1"},
            {"id": "r2", "number": 2, "title": "Roof", "depot_id": "d1"},
            {"id": "r3", "number": 1, "title": "Lamp", "depot_id": "d2"},
        ],
    }
    return replace(workspace, domain=domain, rows=rows)


def test_each_part_narrows_what_the_next_one_names(yard: Database) -> None:
    call = running(loaded(draw_blueprint(yard, max_tools=20)[0]), TinyWorld(yard))
    assert call("get_depot", keeper="ben", depot="north")["depot"]["id"] == "d2"
    assert call("get_repair", keeper="ann", depot="north", number=1)["repair"]["title"] == "Door"
    assert call("get_repair", keeper="ben", depot="north", number=1)["repair"]["title"] == "Lamp"
    listed = call("list_repairs", keeper="ann", depot="north")["items"]
    assert [one["title"] for one in listed] == ["Door", "Roof"]


@pytest.mark.parametrize(
    ("keeper", "depot", "number", "said"),
    [
        ("eve", "north", 1, "There is no user eve."),
        ("ben", "south", 1, "There is no depot ben/south."),
        ("ben", "north", 2, "There is no repair ben/north/2."),
    ],
)
def test_the_first_part_that_names_nothing_is_told(
    yard: Database, keeper: str, depot: str, number: int, said: str
) -> None:
    call = running(loaded(draw_blueprint(yard, max_tools=20)[0]), TinyWorld(yard))
    with pytest.raises(ToolError) as caught:
        call("get_repair", keeper=keeper, depot=depot, number=number)
    assert (caught.value.code, caught.value.message) == ("not_found", said)


def test_writes_reach_only_the_named_record_and_new_ones_get_the_next_number(yard: Database) -> None:
    world = TinyWorld(yard)
    call = running(loaded(draw_blueprint(yard, max_tools=20)[0]), world)
    call("update_repair", keeper="ben", depot="north", number=1, title="Lantern")
    call("create_repair", keeper="ann", depot="north", title="Gate")
    assert call("get_repair", keeper="ann", depot="north", number=3)["repair"]["title"] == "Gate"
    call("delete_repair", keeper="ann", depot="north", number=1)
    left = world.query("SELECT title FROM repairs ORDER BY depot_id, number")
    assert [row["title"] for row in left] == ["Roof", "Gate", "Lantern"]


def test_tests_are_told_names_that_belong_together(yard: Database) -> None:
    blueprint = draw_blueprint(yard, max_tools=20)[0]
    getting = next(one for one in blueprint.operations if one.name == "get_repair")
    world = TinyWorld(yard)
    rows = [row for one in getting.witnesses for row in world.query(str(one.query))]
    assert {(row["keeper"], row["depot"], row["number"]) for row in rows} == {
        ("ann", "north", 1), ("ann", "north", 2), ("ben", "north", 1)
    }  # fmt: skip


UNKNOWN_KEEPER = given("keeper", "scope", column="owner_id", semantic="user.login", required=True)
SAME_NAME = given("keeper", "scope", column="depot_id", semantic="depot.name", required=True)
KEY_AS_WELL = given("depot_id", "parent", column="depot_id", semantic="depot.id", required=True)


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ((UNKNOWN_KEEPER, DEPOT), "no depot says which user it is in"),
        ((KEEPER, SAME_NAME), "list_repairs has two parts of one name"),
        ((KEEPER, DEPOT, KEY_AS_WELL), "list_repairs names what it is in in two ways"),
    ],
)
def test_a_way_with_a_gap_gives_no_tool(yard: Database, way: tuple[BoundParameter, ...], why: str) -> None:
    gap = bound("list", "list_repairs", "repair", "repairs", *way)
    domain = yard.domain.model_copy(update={"operations": (*yard.domain.operations[:3], gap)})
    blueprint, refused = draw_blueprint(replace(yard, domain=domain), max_tools=20)
    assert "list_repairs" not in {one.name for one in blueprint.operations}
    assert [one["detail"] for one in refused if one["reason"] == "name_of_parts"] == [why]


def test_only_a_key_that_is_needed_later_is_kept(yard: Database) -> None:
    steps = {one.name: one.steps for one in draw_blueprint(yard, max_tools=20)[0].operations}
    kept = {name for name, held in steps.items() if any(isinstance(step, Let) for step in held)}
    assert kept & {"get_depot", "get_repair", "update_repair"} == {"update_repair"}


def test_what_is_found_in_something_alive_is_not_looked_at_again(yard: Database) -> None:
    """A depot in the trash stops the way: that a repair is in the trash is no error of its own, unless it can be."""

    def declared(database: Database) -> set[str]:
        blueprint = draw_blueprint(database, max_tools=20)[0]
        return {code for one in blueprint.operations if one.name == "delete_repair" for code in _codes(one)}

    in_depots = _with_flag(yard, "depots")
    assert declared(in_depots) == {"not_found"}
    with pytest.raises(ToolError) as caught:
        world = TinyWorld(in_depots)
        world.execute("UPDATE depots SET archived = 1 WHERE id = 'd1'")
        running(loaded(draw_blueprint(in_depots, max_tools=20)[0]), world)(
            "delete_repair", keeper="ann", depot="north", number=1
        )
    assert caught.value.code == "not_found"
    assert "conflict" in declared(_with_flag(in_depots, "repairs"))


def _with_flag(database: Database, name: str) -> Database:
    """The database with a trash in a table."""
    flag = column("archived", "boolean", role="state")
    tables = tuple(
        one.model_copy(update={"columns": (*one.columns, flag)}) if one.name == name else one
        for one in database.domain.tables
    )
    rows = {**database.rows, name: [{**row, "archived": 0} for row in database.rows[name]]}
    return replace(database, domain=database.domain.model_copy(update={"tables": tables}), rows=rows)


def _codes(operation: Operation) -> set[str]:
    return {one.code for one in operation.steps if isinstance(one, Require)} | {"not_found"}
