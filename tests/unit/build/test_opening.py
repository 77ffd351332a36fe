"""Lists that open a World where every list wants an id that only such lists show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.blueprint.opening import to_open
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import BoundOperation

from .conftest import TinyWorld, bound, column, given, loaded, running, table

FIRM = given("firm_id", "parent", column="firm_id", semantic="firm.id", required=True)
SITE = given("site_id", "parent", column="site_id", semantic="site.id", required=True)
NAME = given("name", "column", column="name", required=True)


@pytest.fixture
def chain(workspace: Database) -> Database:
    """Firms have sites, and sites have doors; nothing lists firms."""
    firms = table("firms", "firm", (column("id", role="id"), column("name", role="title")))
    sites = table(
        *("sites", "site"),
        (column("id", role="id"), column("name", role="title"), column("firm_id", to="firms", role="parent")),
    )
    doors = table(
        *("doors", "door"),
        (column("id", role="id"), column("name", role="title"), column("site_id", to="sites", role="parent")),
    )
    operations = (
        bound("list", "list_sites", "site", "sites", FIRM),
        bound("create", "create_firm", "firm", "firms", NAME),
        bound("list", "list_doors", "door", "doors", SITE),
    )
    domain = workspace.domain.model_copy(update={"tables": (firms, sites, doors), "operations": operations, "bags": ()})
    rows = {
        "firms": [{"id": "f1", "name": "North"}, {"id": "f2", "name": "Quay"}],
        "sites": [{"id": "s1", "name": "Hall", "firm_id": "f1"}, {"id": "s2", "name": "Shed", "firm_id": "f2"}],
        "doors": [{"id": "d1", "name": "Gate", "site_id": "s1"}, {"id": "d2", "name": "Hatch", "site_id": "s2"}],
    }
    return replace(workspace, domain=domain, rows=rows)


def with_lists(database: Database, *operations: BoundOperation) -> Database:
    every = (*database.domain.operations, *operations)
    return replace(database, domain=database.domain.model_copy(update={"operations": every}))


def drawn(database: Database) -> dict[str, Operation]:
    return {one.name: one for one in draw_blueprint(database, max_tools=20)[0].operations}


def wanted(operation: Operation) -> dict[str, bool]:
    return {one.name: one.required for one in operation.parameters if one.name.endswith("_id")}


def test_a_list_that_nothing_leads_to_shows_everything_and_filters(chain: Database) -> None:
    tools = drawn(chain)
    assert wanted(tools["list_sites"]) == {"firm_id": False}, "that a call makes a firm shows none of those there are"
    assert wanted(tools["list_doors"]) == {"site_id": True}, "the first list leads to sites"
    call = running(loaded(draw_blueprint(chain, max_tools=20)[0]), TinyWorld(chain))
    assert [one["name"] for one in call("list_sites")["items"]] == ["Hall", "Shed"]
    assert [one["name"] for one in call("list_sites", firm_id="f2")["items"]] == ["Shed"]


def test_what_a_list_leads_to_is_asked_for_as_the_interface_does(chain: Database) -> None:
    tools = drawn(with_lists(chain, bound("list", "list_firms", "firm", "firms")))
    assert wanted(tools["list_sites"]) == {"firm_id": True}


def test_what_is_judged_is_the_choice_and_the_list_that_leads_furthest_is_opened(chain: Database) -> None:
    """Doors come first, and show the sites that they are in; firms would stay out of reach."""
    one = given("door_id", "key", column="id", semantic="door.id", required=True)
    more = (bound("list", "list_firms", "firm", "firms"), bound("get", "get_door", "door", "doors", one))
    database = with_lists(chain, *more)
    every = sorted(draw_blueprint(database, max_tools=20)[0].operations, key=lambda one: one.name)
    assert to_open(every) == set()
    assert to_open([one for one in every if one.name != "list_firms"]) == {"list_sites"}
