"""Lists of what is in one holder: read from what a tool must be told, and believed for what it shows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import ToolSpec
from envforge.synth.keys import Foreign, Keys
from envforge.synth.programs.asked import counted
from envforge.synth.programs.body import Body, Selection, phrase
from envforge.synth.programs.conditions import conditions_of
from envforge.synth.programs.ground import Ground, Listing
from envforge.synth.programs.places import place_of
from envforge.synth.programs.scoped import Pages, Scope, Shown, rows_of_holders, scopes_of
from envforge.synth.programs.subject import Subject

ROWS = """
CREATE TABLE keepers (id INTEGER PRIMARY KEY, login TEXT);
CREATE TABLE depots (id INTEGER PRIMARY KEY, name TEXT, keeper_id INTEGER);
CREATE TABLE crates (id INTEGER PRIMARY KEY, title TEXT, depot_id INTEGER, sealed INTEGER, lost INTEGER);
INSERT INTO keepers VALUES (1, 'ann'), (2, 'ben');
INSERT INTO depots VALUES (11, 'north', 1), (12, 'north', 2), (13, 'quay', 2);
INSERT INTO crates VALUES (1, 'Lamps', 11, 0, 0), (2, 'Rugs', 11, 1, 0), (3, 'Kettles', 11, 1, 1),
  (4, 'Lamps', 12, 0, 0), (5, 'Bolts', 12, 1, 0), (6, 'Ropes', 13, 0, 0), (7, 'Nets', 13, 1, 0), (8, 'Buoys', 13, 1, 0);
"""
FOREIGN = (Foreign("depots", "keeper_id", "keepers", "id"), Foreign("crates", "depot_id", "depots", "id"))


def table(name: str, *columns: tuple[str, str, str | None]) -> Table:
    made = tuple(Column(name=n, type=cast("Any", kind), role=cast("Any", role)) for n, kind, role in columns)
    return Table(name=name, entity=name[:-1], label=name[:-1], kind="entity", primary_key=("id",), columns=made)


TABLES = {
    "keepers": table("keepers", ("id", "integer", "id"), ("login", "text", "title")),
    "depots": table("depots", ("id", "integer", "id"), ("name", "text", "title"), ("keeper_id", "integer", "owner")),
    "crates": table(
        *("crates", ("id", "integer", "id"), ("title", "text", "title"), ("depot_id", "integer", "parent")),
        *(("sealed", "boolean", None), ("lost", "boolean", "state")),
    ),
}


@pytest.fixture
def keys() -> Keys:
    database = sqlite3.connect(":memory:")
    database.executescript(ROWS)

    def rows(sql: str, given: Mapping[str, Any] | Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return database.execute(sql, given).fetchall()

    def values(name: str, column: str) -> frozenset[Any]:
        return frozenset(row[0] for row in rows(f'SELECT "{column}" FROM "{name}"'))

    def texts(name: str, column: str) -> list[Any]:
        return sorted(values(name, column))

    return cast("Keys", SimpleNamespace(rows=rows, values=values, foreign=FOREIGN, texts=texts))


def tool(**consumes: str) -> ToolSpec:
    properties = {name: {"type": "string"} for name in consumes}
    told = {"properties": properties, "required": list(consumes)}
    return cast("ToolSpec", SimpleNamespace(parameters=told, consumes=consumes, reads=("crates", "depots", "keepers")))


@pytest.fixture
def scope(keys: Keys) -> Scope:
    ((name, found),) = scopes_of(keys, tool(keeper="keeper.login", depot="depot.name"), TABLES)
    assert name == "crates"
    return found


def test_what_a_tool_must_be_told_names_a_holder_step_by_step(keys: Keys, scope: Scope) -> None:
    assert (scope.column, scope.holder, scope.by_key) == ("depot_id", "depots", False)
    assert [keys.rows(scope.value(at, "12")) for at in (0, 1)] == [[("ben",)], [("north",)]]
    by_key = dict(scopes_of(keys, tool(depot="depot.id"), TABLES))
    assert by_key["crates"].by_key
    assert list(scopes_of(keys, tool(depot="depot.colour"), TABLES)) == []


def answering(keys: Keys, test: str, refused: str = "") -> Pages:
    """A tool over crates of one depot that shows those which meet a test."""

    def pages(given: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
        if given["keeper"] == refused:
            return None
        sql = (
            "SELECT c.id, c.title FROM crates c "
            "JOIN depots d ON d.id = c.depot_id JOIN keepers k ON k.id = d.keeper_id "
            f"WHERE k.login = :keeper AND d.name = :depot AND {test}"
        )
        return [{"id": row[0], "title": row[1]} for row in keys.rows(sql, given)]

    return pages


def shown(keys: Keys, scope: Scope, test: str, refused: str = "") -> Shown | None:
    return rows_of_holders(keys, TABLES["crates"], scope, answering(keys, test, refused))


def test_a_tool_is_believed_when_it_shows_what_each_holder_has(keys: Keys, scope: Scope) -> None:
    every = shown(keys, scope, "1")
    assert every is not None and (len(every.records), every.hidden, every.closed) == (8, "", frozenset())
    kept = shown(keys, scope, "c.lost = 0")
    assert kept is not None and (len(kept.records), kept.hidden) == (7, "lost")


@pytest.mark.parametrize("test", ["c.id < 7", "c.title <> 'Rugs'", "0"])
def test_a_tool_that_leaves_rows_out_is_no_list(keys: Keys, scope: Scope, test: str) -> None:
    assert shown(keys, scope, test) is None


def test_holders_that_a_tool_refuses_are_closed_and_one_alone_is_too_few(keys: Keys, scope: Scope) -> None:
    found = shown(keys, scope, "1", refused="ann")
    assert found is not None and found.closed == {11}
    assert shown(keys, scope, "1", refused="ben") is None


@pytest.fixture
def crates(keys: Keys, scope: Scope) -> Subject:
    fields = {name: (name,) for name in ("id", "title", "depot_id", "sealed")}
    listing = Listing("list_crates", "crates", ("items",), fields, (), 8, replace(scope, closed=frozenset([12])))

    def lookup(_: str) -> None:
        """No tool shows one crate."""

    ground = SimpleNamespace(keys=keys, tables=TABLES, bonds=(), scoped=(listing,), lookup=lookup)
    return Subject(cast("Ground", ground), "crates", listing, "title")


def test_a_holder_is_said_by_what_the_tool_is_told(crates: Subject) -> None:
    assert crates.listing.scope is not None
    place = place_of(crates.ground, crates.listing.scope, "depot")
    assert place is not None
    assert place.words == "of the depot {depot_1} of the keeper {depot_0}"
    assert place.arguments == ("keeper=depot_0", "depot=depot_1")
    assert {one.say for one in place.mentions.values()} == {"code"}


def test_a_holder_that_only_a_uuid_names_is_not_asked_about(keys: Keys, crates: Subject) -> None:
    keys.rows("UPDATE keepers SET login = '6f1c2a52-9f7e-4d83-8b7c-0d4f9e0a1b2c' WHERE id = 1")
    assert crates.listing.scope is not None
    assert place_of(crates.ground, crates.listing.scope, "depot") is None
    assert [one for one in conditions_of(crates, [crates]) if one.column == "depot_id"] == []


def test_a_program_tells_the_tool_which_holder_and_tests_the_rest(crates: Subject) -> None:
    inside = next(one for one in conditions_of(crates, [crates]) if one.column == "depot_id")
    assert list(inside.values(crates.ground, "crates")) == [11, 13], "the closed one is not asked about"
    selection = Selection(crates, (inside,))
    assert phrase(selection, [inside]) == "crates of the depot {depot_1} of the keeper {depot_0}"
    for plain in (False, True):
        assert Body(selection, (), plain=plain).lines == [
            'rows = [x for x in pages("list_crates", keeper=depot_0, depot=depot_1)]'
        ]
    assert crates.ground.keys.rows(counted(selection).answer["count"].sql, {"depot": 13}) == [(3,)]


def test_rows_that_a_tool_hides_do_not_count(crates: Subject) -> None:
    assert crates.listing.scope is not None
    hiding = replace(crates, listing=replace(crates.listing, scope=replace(crates.listing.scope, hidden="lost")))
    inside = next(one for one in conditions_of(hiding, [hiding]) if one.column == "depot_id")
    sql = counted(Selection(hiding, (inside,))).answer["count"].sql
    assert hiding.ground.keys.rows(sql, {"depot": 11}) == [(2,)]
