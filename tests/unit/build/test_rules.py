"""What the tools of a source refuse where no archetype brings the rules of its domain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.lower import lower
from envforge.core.contracts import Database
from envforge.core.records.archetype import Lifecycle, Transition
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Domain, Limits
from envforge.world.api import ToolError

from .conftest import NOW, Call, TinyWorld, bound, column, given, loaded, running, table

STATES = ("ready", "running", "stopped", "scrapped")
HOSTS = table(
    "hosts",
    "host",
    (
        column("id", role="id"),
        column("name", role="title"),
        column("status", enum=STATES, role="state", default="ready"),
        column("cores", "integer", limits=Limits(minimum=1, maximum=16)),
        column("motto", null=True, limits=Limits(max_length=12)),
        column("changed_at", "timestamp", role="updated_at"),
    ),
    unique=(("name",),),
)
DISKS = table(
    "disks",
    "disk",
    (column("id", role="id"), column("host_id", to="hosts", role="parent"), column("name", role="title")),
    unique=(("host_id", "name"),),
)
NOTES = table(
    "notes",
    "note",
    (column("id", role="id"), column("text"), column("host_id", to="hosts", null=True)),
)
HOST = given("host_id", "key", column="id", semantic="host.id", required=True)
DISK = given("disk_id", "key", column="id", semantic="disk.id", required=True)
NAME = given("name", "column", column="name")
OPERATIONS = (
    bound("list", "list_hosts", "host", "hosts"),
    bound(
        *("create", "create_host", "host", "hosts"),
        given("name", "column", column="name", required=True),
        given("cores", "column", "integer", column="cores", required=True),
        given("motto", "column", column="motto"),
    ),
    bound("update", "update_host", "host", "hosts", HOST, NAME, given("motto", "column", column="motto")),
    bound("transition", "start_host", "host", "hosts", HOST, target_state={"status": "running"}),
    bound("delete", "delete_host", "host", "hosts", HOST),
    bound("list", "list_disks", "disk", "disks"),
    bound(
        *("create", "create_disk", "disk", "disks"),
        given("host_id", "parent", column="host_id", semantic="host.id", required=True),
        given("name", "column", column="name", required=True),
    ),
    bound(
        *("update", "update_disk", "disk", "disks"),
        DISK,
        given("host_id", "parent", column="host_id", semantic="host.id"),
        NAME,
    ),
    bound("update", "rename_disk", "disk", "disks", DISK, NAME),
)
STARTING = Transition(name="start_host", source=("ready", "stopped"), target="running")


def host(key: str, status: str) -> dict[str, Any]:
    return {
        "id": key,
        "name": f"{key}-name",
        "status": status,
        "cores": 2,
        "motto": None,
        "changed_at": "2026-01-01T00:00:00Z",
    }


@pytest.fixture
def yard() -> Database:
    life = Lifecycle(
        table="hosts", column="status", states={one: one for one in STATES}, initial="ready", transitions=(STARTING,)
    )
    rows = {
        "hosts": [
            host("h1", "running"),
            host("h2", "stopped"),
            host("h3", "scrapped"),
            host("h5", "ready"),
            host("h6", "ready"),
        ],
        "disks": [
            {"id": "d1", "host_id": "h1", "name": "data"},
            {"id": "d2", "host_id": "h1", "name": "logs"},
            {"id": "d3", "host_id": "h2", "name": "data"},
        ],
        "notes": [{"id": "n1", "text": "Old one", "host_id": "h3"}],
    }
    domain = Domain(theme="yard", tables=(HOSTS, DISKS, NOTES), operations=OPERATIONS)
    return Database(domain=domain, rows=rows, provenance=[], documents={}, clock=NOW, lifecycles=(life,))


@pytest.fixture
def blueprint(yard: Database) -> Blueprint:
    return draw_blueprint(yard, max_tools=24)[0]


@pytest.fixture
def world(yard: Database) -> TinyWorld:
    return TinyWorld(yard)


@pytest.fixture
def call(blueprint: Blueprint, world: TinyWorld) -> Call:
    return running(loaded(blueprint), world)


def refused(call: Call, tool: str, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(tool, **arguments)
    return caught.value


def test_a_name_that_is_taken_is_refused(call: Call, world: TinyWorld) -> None:
    error = refused(call, "create_host", name="h2-name", cores=1)
    assert (error.code, error.message) == ("conflict", "There is a host with the name 'h2-name' already.")
    assert call("create_host", name="h4-name", cores=1)["host"]["name"] == "h4-name"
    assert world.query("SELECT count(*) AS n FROM hosts") == [{"n": 6}]


def test_a_name_is_compared_within_what_contains_it(call: Call) -> None:
    error = refused(call, "create_disk", host_id="h1", name="data")
    assert error.message == "There is a disk with the name 'data' in this host already."
    assert call("create_disk", host_id="h2", name="logs")["disk"]["name"] == "logs"
    assert call("create_disk", host_id="h3", name="data")["disk"]["host_id"] == "h3"


def test_a_change_may_keep_its_own_name_but_take_no_other(call: Call, world: TinyWorld) -> None:
    assert refused(call, "update_host", host_id="h1", name="h2-name").code == "conflict"
    changed = call("update_host", host_id="h1", name="h1-name", motto="steady")["host"]
    assert (changed["motto"], changed["changed_at"]) == ("steady", NOW)
    call("update_host", host_id="h1", motto="calm")
    assert refused(call, "rename_disk", disk_id="d2", name="data").code == "conflict"
    assert call("rename_disk", disk_id="d2", name="spare")["disk"]["name"] == "spare"
    assert world.query("SELECT name FROM hosts WHERE id = 'h1'") == [{"name": "h1-name"}]


def test_a_row_is_not_moved_to_where_its_name_is_taken(call: Call) -> None:
    assert refused(call, "update_disk", disk_id="d1", host_id="h2").code == "conflict"
    assert refused(call, "update_disk", disk_id="d2", host_id="h2", name="data").code == "conflict"
    assert call("update_disk", disk_id="d2", host_id="h2")["disk"]["host_id"] == "h2"


def test_a_state_follows_only_those_that_lead_to_it(call: Call) -> None:
    error = refused(call, "start_host", host_id="h3")
    assert error.code == "not_allowed"
    assert error.message == "The host is 'scrapped'; from there it cannot become 'running'."
    assert error.hint == "It can only from 'ready' or 'stopped'. Use list_hosts to see which are."
    assert refused(call, "start_host", host_id="h1").message == "The host is in this state already."
    assert call("start_host", host_id="h2")["host"]["status"] == "running"


def test_a_row_in_use_stays_and_says_who_uses_it(call: Call) -> None:
    error = refused(call, "delete_host", host_id="h1")
    assert (error.code, error.message) == ("conflict", "The host is in use by disks (2, for example id d1).")
    assert error.hint == "Change or delete those disks first; list_disks finds them."
    assert call("delete_host", host_id="h3")["deleted"] is True


def test_what_can_be_without_a_deleted_row_stays(call: Call, world: TinyWorld, blueprint: Blueprint) -> None:
    call("delete_host", host_id="h3")
    assert world.query("SELECT text, host_id FROM notes") == [{"text": "Old one", "host_id": None}]
    delete = next(one for one in blueprint.operations if one.name == "delete_host")
    assert delete.description == "What refers to it stays and does so no more: notes."


def test_a_deletion_that_never_succeeds_is_no_tool(yard: Database) -> None:
    full = [*yard.rows["disks"], {"id": "d9", "host_id": "h5", "name": "data"}]
    blueprint, rejected = draw_blueprint(replace(yard, rows={**yard.rows, "disks": full}), max_tools=24)
    assert "delete_host" not in {one.name for one in blueprint.operations}
    assert ("delete_host", "always_in_use") in {(one["operation"], one["reason"]) for one in rejected}


@pytest.mark.parametrize("arguments", [{"cores": 0}, {"cores": 17}, {"cores": 2, "motto": "far too long a motto"}])
def test_values_keep_to_the_bounds_of_the_source(call: Call, arguments: dict[str, Any]) -> None:
    assert refused(call, "create_host", name="new", **arguments).code == "invalid_argument"


def test_bounds_stand_in_the_schemas(blueprint: Blueprint) -> None:
    specs = {one.name: one.to_json() for one in lower(blueprint)[1]}
    properties = str(specs["create_host"])
    assert "'minimum': 1" in properties
    assert "'maximum': 16" in properties
    assert "'maxLength': 12" in properties


def test_an_archetype_keeps_its_own_rules(yard: Database) -> None:
    known = tuple(one.model_copy(update={"archetype_role": "thing"}) for one in yard.domain.tables)
    blueprint, _ = draw_blueprint(replace(yard, domain=yard.domain.model_copy(update={"tables": known})), max_tools=24)
    call = running(loaded(blueprint), TinyWorld(yard))
    assert call("create_host", name="h2-name", cores=40)["host"]["cores"] == 40
    assert call("start_host", host_id="h3")["host"]["status"] == "running"


def test_tests_are_told_which_names_are_taken(
    yard: Database, blueprint: Blueprint, call: Call, world: TinyWorld
) -> None:
    for name in ("create_disk", "rename_disk"):
        (witness,) = next(one for one in blueprint.operations if one.name == name).witnesses
        assert witness.query is not None
        rows = world.query(witness.query)
        assert len(rows) == 2
        assert all(refused(call, name, **row).code == witness.outcome for row in rows)
