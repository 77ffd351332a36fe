"""The orders-inventory archetype on a paper shop: shoppers, articles, depots and orders, mined from a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.core.times import add_days, local_time, moment
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.mine.scenario.writing import is_workday
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("orders-inventory")
SHOP = SOURCES / "paper-shop.json"
THEME = Theme(slug="paper", title="Paper shop", kind="domain")


@cache
def mined() -> Mined:
    return mined_from(SHOP, THEME, ARCHETYPE, at="2025-10-06T08:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def test_a_shop_with_orders_matches_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {"customer": "shoppers", "product": "articles", "sale": "orders", "warehouse": "depots"}
    assert match.fields["sale"]["state"] == "fulfilment", "added: orders of the source have no state"


@pytest.mark.parametrize("gone", ["shoppers", "orders"])
def test_nothing_is_shipped_without_customers_and_orders(gone: str) -> None:
    tables = tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    c.model_copy(update={"references": None}) if c.references and c.references.table == gone else c
                    for c in table.columns
                )
            }
        )
        for table in mined().domain.tables
        if table.name != gone
    )
    assert not matched(Domain(theme="paper", tables=tables)).accepted


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would make orders without lines"
    assert len(done.operations) == 30
    assert {"create_shopper", "create_order", "record_order_payment", "announce_goods_return", "update_dispatch"} <= {
        operation.name for operation in done.operations
    }


@pytest.mark.parametrize("seed", [0, 5])
def test_stock_is_what_its_movements_add_up_to(seed: int) -> None:
    rows = filled(seed).rows
    moved: Counter[tuple[str, int]] = Counter()
    lowest: defaultdict[tuple[str, int], int] = defaultdict(int)
    for row in sorted(rows["stock_movements"], key=lambda row: row["moved_at"]):
        place = (row["depot_id"], row["product_variant_id"])
        moved[place] += row["change"]
        lowest[place] = min(lowest[place], moved[place])
    assert min(lowest.values()) == 0, "nothing left a shelf on which it did not lie"
    for row in rows["stock_balances"]:
        assert row["on_hand"] == moved[row["depot_id"], row["product_variant_id"]]


@pytest.mark.parametrize("seed", [0, 5])
def test_what_is_reserved_belongs_to_orders_under_way(seed: int) -> None:
    rows = filled(seed).rows
    orders = {row["id"]: row for row in rows["orders"]}
    reserved: Counter[tuple[str, int]] = Counter()
    for line in rows["order_lines"]:
        order = orders[line["of_order_id"]]
        assert 0 <= line["reserved"] <= line["quantity"] - line["shipped"]
        assert not line["reserved"] or order["fulfilment"] == "open"
        reserved[order["depot_id"], line["ordered_variant_id"]] += line["reserved"]
    for row in rows["stock_balances"]:
        assert row["reserved"] == reserved[row["depot_id"], row["product_variant_id"]] <= row["on_hand"]


@pytest.mark.parametrize("seed", [0, 5])
def test_people_buy_one_dear_thing_and_parcels_are_packed_at_work(seed: int) -> None:
    done = filled(seed)
    levels = {row["id"]: row["price_level"] for row in done.rows["shoppers"]}
    orders = {row["id"]: row for row in done.rows["orders"]}
    prices = {row["id"]: row["list_price_cents"] for row in done.rows["product_variants"]}
    for line in done.rows["order_lines"]:
        private = levels[orders[line["of_order_id"]]["shopper_id"]] == "retail"
        assert not private or prices[line["ordered_variant_id"]] <= 15000 or line["quantity"] == 1
    sent = [local_time(row["shipped_at"], "America/Chicago") for row in done.rows["dispatches"]]
    assert sum(7 <= int(at[11:13]) <= 19 and is_workday(moment(at).date()) for at in sent) > 0.95 * len(sent)
    waiting = [row["created_at"] for row in orders.values() if row["fulfilment"] == "part_shipped"]
    assert min(waiting) > add_days(done.clock, -41), "what was shipped in part half a year ago has been made whole"


@pytest.mark.parametrize("seed", [0, 5])
def test_money_adds_up(seed: int) -> None:
    rows = filled(seed).rows
    worth: Counter[str] = Counter()
    booked: Counter[tuple[str, str]] = Counter()
    for line in rows["order_lines"]:
        worth[line["of_order_id"]] += line["quantity"] * line["unit_cents"]
    for entry in rows["order_ledger"]:
        booked[entry["order_id"], entry["kind"]] += entry["cents"]
    for order in rows["orders"]:
        assert order["total_cents"] == worth[order["id"]] > 0
        assert order["paid_cents"] == booked[order["id"], "payment"] <= order["total_cents"]
        assert order["refunded_cents"] == booked[order["id"], "refund"] <= order["paid_cents"]


@pytest.mark.parametrize("seed", [0, 5])
def test_states_follow_from_what_went_out_and_came_in(seed: int) -> None:
    rows = filled(seed).rows
    lines: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    packed: Counter[int] = Counter()
    for row in rows["dispatch_lines"]:
        packed[row["order_line_id"]] += row["pieces"]
    for line in rows["order_lines"]:
        assert line["shipped"] == packed[line["id"]]
        lines[line["of_order_id"]].append((line["quantity"], line["shipped"]))
    for order in rows["orders"]:
        wanted, gone = (sum(column) for column in zip(*lines[order["id"]], strict=True))
        assert (order["fulfilment"] == "shipped") == (gone == wanted)
        assert (order["fulfilment"] == "part_shipped") == (0 < gone < wanted)
    missing: Counter[int] = Counter()
    for line in rows["supplier_order_lines"]:
        missing[line["supplier_order_id"]] += line["quantity"] - line["received"]
    for held in rows["supplier_orders"]:
        assert (held["state"] == "received") == (missing[held["supplier_order_id"]] == 0)
        assert (held["state"] in ("received", "cancelled")) == (held["closed_at"] is not None)


@pytest.mark.parametrize("seed", [0, 5])
def test_hard_cases_are_there(seed: int) -> None:
    done = filled(seed)
    with opened(done) as connection:
        measures = measure_plants(done, connection)
    assert len(measures) == len(ARCHETYPE.plants)
    assert [measure.name for measure in measures if not measure.within] == []


def test_every_family_has_goals_and_words() -> None:
    done = filled(0)
    families = done.intents
    assert len(families) == len(ARCHETYPE.intents) >= 12
    assert [problem for family in families for problem in family_problems(family)] == []
    with opened(done) as connection:
        counts = {family.id: len(connection.execute(family.parameter_sets).fetchall()) for family in families}
    assert {name: count for name, count in counts.items() if count < 25} == {}


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
