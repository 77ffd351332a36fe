"""Two themes and a link become one database: each side as it would be alone, and rows that relate them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.unit.mine.links.joints import articles, ferries, filled, joint, own_link, shop

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.errors import BuildError, ConfigError
from envforge.mine.links.populating import LinkedMined, populate_any, populate_linked
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.mine.verify import verify_rows
from envforge.store.provenance import coverage_problems


@cache
def parcels(seed: int = 0) -> Database:
    return filled(shop(), ferries(), seed)


@cache
def noted() -> Database:
    return filled(articles(), ferries())


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def late(database: Database) -> list[str]:
    """Timestamps of made rows that lie after the clock, of columns that tell of the past."""
    past = {"created_at", "updated_at"}
    return [
        f"{table.name}.{column.name}"
        for table in database.domain.tables
        for column in table.columns
        if column.role in past and column.type == "timestamp"
        for row in database.rows[table.name]
        if row[column.name] is not None and row[column.name] > database.clock
    ]


def test_rows_of_both_sides_and_of_the_link_hold_together_with_a_source_each() -> None:
    database = parcels()
    verify_rows(database)
    keys = {
        table.name: sorted(tuple(row[name] for name in table.primary_key) for row in database.rows[table.name])
        for table in database.domain.tables
    }
    assert coverage_problems([one for one in database.provenance if keys[one.table] or one.count], keys) == []
    sources = {one.source.partition("@")[0] for one in database.provenance}
    assert {"archetype:orders-inventory", "archetype:reservations", "archetype:shop-sailings", "src-1"} <= sources
    kinds = {one.kind for one in database.provenance if one.table == "sailings"}
    assert "mined" in kinds and database.rows["carried_orders"]


def test_the_clock_of_mined_rows_rules_and_the_days_of_the_other_side_move_along() -> None:
    database = parcels()
    assert database.clock == ferries().clock
    assert late(database) == []
    placed = sorted(str(row["created_at"])[:4] for row in database.rows["orders"])
    assert placed[-1] == database.clock[:4], "the shop's own year is another one"


def test_a_side_is_as_it_would_be_alone() -> None:
    alone = populate_any(ferries(), rounds=2, seed=0, database_seed=0, progress=silent)
    for table in ("customers", "bookings", "tickets", "sailings"):
        assert parcels().rows[table] == alone.rows[table]


def test_the_same_seed_gives_the_same_and_another_one_other_rows() -> None:
    again = filled(shop(), ferries())
    assert again.rows == parcels().rows and again.provenance == parcels().provenance
    other = filled(shop(), ferries(), 1)
    assert other.rows["carried_orders"] != again.rows["carried_orders"]
    assert other.rows["ports"] == again.rows["ports"]
    assert other.domain.tables == again.domain.tables, "one family, one schema"


def test_hard_cases_of_both_sides_and_of_the_link_are_within_their_rates() -> None:
    database = parcels()
    with opened(database) as connection:
        measures = {one.name: one for one in measure_plants(database, connection)}
    assert "open and on nothing" in measures and len(measures) > 10
    assert [name for name, one in measures.items() if not one.within] == []


def test_goals_tools_and_lives_of_both_come_with_those_of_the_link() -> None:
    database = parcels()
    assert {one.theme for one in database.sides} == {"shop", "ferries"}
    families = [family.id for family in database.intents]
    assert "stopped-orders-of-a-departure" in families and len(set(families)) == len(families) > 30
    assert [one.table for one in database.histories] == ["order_history"]
    assert {one.table for one in database.lifecycles} >= {"orders", "bookings", "sailings"}
    assert database.rows["order_history"]


def test_a_desk_keeps_a_log_of_a_schedule_in_anybodys_workspace() -> None:
    database = noted()
    verify_rows(database)
    assert late(database) == []
    log = next(row for row in database.rows["shelves"] if row["title"] == "Service log")
    entries = {row["id"]: row for row in database.rows["articles"] if row["shelf_id"] == log["id"]}
    tracked = database.rows["tracked_departures"]
    assert len(entries) >= 8 and {row["article_id"] for row in tracked} == entries.keys()
    assert len({row["title"] for row in entries.values()}) == len(entries)
    sailings = {row["id"]: row for row in database.rows["sailings"]}
    for row in tracked:
        title, sailing = entries[row["article_id"]]["title"], sailings[row["sailing_id"]]
        if title.startswith("Called off"):
            assert sailing["service_status"] == "cancelled" and sailing["departs_at"][11:16] in title


def test_no_customer_of_the_one_side_is_a_person_of_the_other() -> None:
    database = noted()
    people = {row["mail"] for row in database.rows["people"]}
    assert not people & {row["email"] for row in database.rows["customers"]}


def test_an_order_desk_watches_the_orders_of_a_shop() -> None:
    database = filled(articles(), shop())
    verify_rows(database)
    assert late(database) == []
    watched = database.rows["watched_orders"]
    orders = {row["id"]: row for row in database.rows["orders"]}
    titles = {row["id"]: row["title"] for row in database.rows["articles"]}
    overdue = [row for row in watched if titles[row["article_id"]].startswith("Overdue")]
    assert overdue and all(orders[row["order_id"]]["promised_on"] < database.clock[:10] for row in overdue)


@pytest.mark.parametrize("most", [20, 31, 40])
def test_both_sides_share_the_tools_and_those_of_the_link_come_on_top(most: int) -> None:
    database = parcels()
    blueprint, _ = draw_blueprint(database, max_tools=most)
    entities = {table.entity: table.name for table in database.domain.tables}
    told = {f"list_{history.table}" for history in database.histories}
    link = {"put_order_on_sailing", "take_order_off", "list_sailing_orders"}
    names = {one.name for one in blueprint.operations}
    assert link <= names and len(names) == most + len(link) + len(told)
    counts = [
        sum(entities[one.entity] in side.tables and one.name not in link | told for one in blueprint.operations)
        for side in database.sides
    ]
    assert abs(counts[0] - counts[1]) <= 1


def test_a_pair_without_a_link_is_refused_with_the_pairs_that_there_are() -> None:
    with pytest.raises(ConfigError) as caught:
        filled(ferries(), shop())
    assert "reservations" in caught.value.message and caught.value.where == "--link"
    assert "collaborative-workspace with reservations" in caught.value.remedy


def test_two_clocks_are_refused() -> None:
    with pytest.raises(BuildError) as caught:
        filled(articles("2025-01-07T10:00:00Z"), ferries())
    assert "2025-01-07T10:00:00Z" in caught.value.message and caught.value.remedy


def test_a_theme_that_no_archetype_knows_is_refused() -> None:
    tables = tuple(one for one in ferries().domain.tables if one.name != "sailings")
    bare = ferries()
    stranger = replace(bare, domain=bare.domain.model_copy(update={"tables": tables}), rows={})
    with pytest.raises(BuildError, match="no archetype knows it"):
        filled(shop(), stranger)


def test_a_table_of_the_link_that_a_side_has_is_refused() -> None:
    link = own_link()
    table = link.tables[0].model_copy(update={"name": "bookings"})
    clash = link.model_copy(update={"tables": (table,)})
    pair = joint(shop(), ferries())
    with pytest.raises(BuildError, match="the table bookings is there already"):
        populate_linked(LinkedMined(pair.theme, pair.host, pair.tracked, (clash,)), rounds=0, seed=0, progress=silent)
