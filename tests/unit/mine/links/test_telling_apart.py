"""What two themes call alike gets the prefix of its side, before anything is made of it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.unit.mine.links.joints import archetypes, articles, ferries, own_link, shop

from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.records.domain import IdStyle
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import match_archetypes
from envforge.mine.links.epochs import at_epoch
from envforge.mine.links.joining import joined
from envforge.mine.links.renaming import told_apart
from envforge.mine.links.roles import renamed_roles
from envforge.mine.miner import Mined, matched

LINK = own_link()


def bound(mined: Mined) -> Database:
    base, match = matched(mined, rounds=0, seed=0, progress=lambda label, done, total: None)
    assert match is not None
    return bind(base, match)


def names(database: Database) -> set[str]:
    return {table.name for table in database.domain.tables}


def test_themes_without_a_common_name_stay_as_they_are() -> None:
    host, tracked = shop(), ferries()
    assert told_apart(host, tracked, bound(host), bound(tracked), LINK) == (host, tracked)


def test_the_side_that_can_gives_way_to_a_table_that_an_archetype_names_itself() -> None:
    host, tracked = shop("customers"), ferries()
    assert "customers" in names(bound(host)) & names(bound(tracked)), "mined here, brought by the archetype there"
    ours, theirs = told_apart(host, tracked, bound(host), bound(tracked), LINK)
    assert theirs == tracked
    after = bound(ours)
    assert "shop_customers" in names(after) and "customers" not in names(after)
    assert after.domain.table("shop_customers").entity == "shop_customer"
    tools = {one.name for one in after.operations}
    assert {"search_shop_customers", "get_shop_customer"} <= tools and "search_customers" not in tools
    references = {c.references.table for table in after.domain.tables for c in table.columns if c.references}
    assert "shop_customers" in references and "customers" not in references
    assert any("customers is called shop_customers here" in note for note in ours.domain.notes)
    assert joined(after, bound(theirs), LINK, theme="both", title="Both").sides[0].theme == "shop"


def test_the_tracked_side_gives_way_where_both_could_and_so_do_tools_of_its_source() -> None:
    host, tracked = articles(), shop()
    people = next(table for table in host.domain.tables if table.name == "people")
    clash = people.model_copy(update={"name": "depots", "entity": "depot"})
    tables = tuple(clash if table.name == "people" else table for table in host.domain.tables)
    text = (
        host.domain.model_copy(update={"tables": tables})
        .model_dump_json()
        .replace('"table":"people"', '"table":"depots"')
    )
    changed = replace(host, domain=type(host.domain).model_validate_json(text))
    link = LINK.model_copy(update={"host": LINK.host.model_copy(update={"archetype": "collaborative-workspace"})})
    link = link.model_copy(
        update={"tracked": link.tracked.model_copy(update={"archetype": "orders-inventory", "prefix": "shop"})}
    )
    ours, theirs = told_apart(changed, tracked, bound(changed), bound(tracked), link)
    assert ours == changed
    tables_there = {table.name for table in theirs.domain.tables}
    assert "shop_depots" in tables_there and "depots" not in tables_there
    assert {one.table for one in theirs.domain.operations} <= tables_there
    semantics = {p.semantic for one in theirs.domain.operations for p in one.parameters if p.semantic}
    assert not [one for one in semantics if one.startswith("depot.")]


def test_two_tables_that_archetypes_name_themselves_are_an_error() -> None:
    host, tracked = shop(), ferries()
    there = bound(tracked)
    orders = archetypes()["orders-inventory"]
    table = orders.tables[0].model_copy(update={"name": "bookings", "entity": "booking", "id_style": IdStyle()})
    here = bound(host)
    domain = here.domain.model_copy(update={"tables": (*here.domain.tables, table)})
    clash = Database(domain, here.rows, here.provenance, {}, here.clock)
    with pytest.raises(BuildError, match="both archetypes bring a table bookings"):
        told_apart(host, tracked, clash, there, LINK)


def test_joining_refuses_what_still_has_one_name() -> None:
    one = bound(ferries())
    with pytest.raises(BuildError, match="both themes bring the table"):
        joined(one, one, LINK, theme="both", title="Both")


def test_a_role_that_both_have_is_the_hosts() -> None:
    called = renamed_roles(archetypes()["orders-inventory"], archetypes()["reservations"], LINK.tracked)
    assert called["departure"] == "departure" and called["customer"] == "travel_customer"


def test_days_of_an_archetype_are_as_far_from_the_clock_as_from_its_own() -> None:
    domain, orders = shop().domain, archetypes()["orders-inventory"]
    match = match_archetypes(domain, {}, [orders])[0]
    assert at_epoch(match, "2025-10-06T18:00:00Z") is match, "the same day: nothing moves"
    moved = at_epoch(match, "2025-10-13T18:00:00Z")
    assert orders.constants["since"] == "2025-03-10"
    assert moved.archetype.constants["since"] == moved.binding.constants["since"] == "2025-03-17"
    days = re.findall(r"20\d\d-\d\d-\d\d", str(list(moved.archetype.scenario)))
    assert days and "2025-03-08" not in days and "2025-03-15" in days
    assert [one.model_dump() for one in moved.archetype.operations] == [one.model_dump() for one in orders.operations]
