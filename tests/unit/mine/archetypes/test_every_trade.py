"""Every trade that ships fits the scenario of its archetype, and some of each are played out on a source.

What a scenario asks of its banks beyond their shape (a fault for each kind of goods, a room for each practitioner) is
asked of every trade; the simulation of all of them would take minutes.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.unit.mine.archetypes.mining import SOURCES, mined_from, shipped

from envforge.core.records.archetype import Archetype
from envforge.core.records.source import Theme
from envforge.core.records.trade import NEUTRAL
from envforge.mine.archetypes.sayings import Saying
from envforge.mine.archetypes.trades import in_trade
from envforge.mine.miner import Mined, populate
from envforge.mine.scenario.measures import opened
from envforge.mine.scenario.text import SLOT

FIXTURES = {
    "customer-support": ("boiler-service.json", "2025-05-12T13:00:00Z"),
    "library-lending": ("tool-shed.json", "2025-10-06T14:00:00Z"),
    "membership-billing": ("climbing-hall.json", "2025-03-17T09:00:00Z"),
    "messaging": ("harbor-talk.json", "2025-09-22T14:00:00Z"),
    "orders-inventory": ("paper-shop.json", "2025-10-06T08:00:00Z"),
    "scheduling-care": ("foot-clinic.json", "2025-02-10T11:30:00Z"),
}
"""archetype with trades -> a source that it fits, and when that was read"""
PLAYED = [
    ("customer-support", "software"),
    ("library-lending", NEUTRAL),
    ("library-lending", "instruments"),
    ("membership-billing", NEUTRAL),
    ("membership-billing", "media"),
    ("messaging", "clinic"),
    ("orders-inventory", NEUTRAL),
    ("orders-inventory", "clothing"),
    ("scheduling-care", NEUTRAL),
]
LONGEST_VISIT = 45
"""Visits of a practitioner begin every 45 minutes."""
archetype_of = cache(shipped)
EVERY = [(name, trade.id) for name in FIXTURES for trade in (*archetype_of(name).trades,)] + [
    (name, NEUTRAL) for name in FIXTURES
]


@cache
def mined(name: str) -> Mined:
    fixture, at = FIXTURES[name]
    return mined_from(SOURCES / fixture, Theme(slug="any", title="Any", kind="domain"), archetype_of(name), at=at)


@cache
def dressed(name: str, trade: str) -> Archetype:
    archetype = archetype_of(name)
    return in_trade(archetype, next((one for one in archetype.trades if one.id == trade), None))


def bills(archetype: Archetype) -> None:
    known = archetype.constants
    plans, products = {p["name"]: p for p in known["plans"]}, [p["k"] for p in known["products"]]
    assert len(plans) == len(known["plans"]) and len({p["name"] for p in known["products"]}) == len(products)
    assert {p["p"] for p in plans.values()} == set(products) and len(set(products)) == len(products)
    assert all(any(plan[use] > 0 for plan in plans.values()) for use in ("share", "firm", "extra"))
    assert [plan["share"] + plan["firm"] + plan["extra"] for plan in plans.values() if plan.get("old")] == [0]
    moved_up = [plan for plan in plans.values() if plan.get("upgrade_of")]
    assert moved_up and all(plans[plan["upgrade_of"]]["cents"] < plan["cents"] for plan in moved_up)
    assert all(one["say"] in archetype.text and one["low"] < one["high"] for one in known["extras"])
    assert {c["code"] for c in known["coupons"]} == {c["code"] for c in archetype_of(archetype.id).constants["coupons"]}


def stock(archetype: Archetype) -> None:
    products, suppliers = archetype.constants["products"], archetype.constants["suppliers"]
    assert {p["by"] for p in products} == set(range(len(suppliers)))
    assert len({p["k"] for p in products}) == len({p["n"] for p in products}) == len(products) >= 28
    for product in products:
        assert len(product["o"]) == len(set(product["o"])) == len(product["cents"]), product["n"]
        assert min(product["cents"]) >= 100 and max(product["cents"]) <= 20 * min(product["cents"]), product["n"]


def desk(archetype: Archetype) -> None:
    goods, model = archetype.constants["goods"], archetype_of(archetype.id)
    assert len({one["n"] for one in goods}) == len(goods)
    assert all(f"fault_{one['t']}" in archetype.text for one in goods)
    answers, models = (list(one.reference_rows["canned_answers"]) for one in (archetype, model))
    skeleton = ("answer_id", "for_kind", "then_status", "in_use")
    assert [[one[part] for part in skeleton] for one in answers] == [[one[part] for part in skeleton] for one in models]


def lending(archetype: Archetype) -> None:
    known = archetype.constants
    sections = {section["s"]: section for section in known["sections"]}
    assert len(sections) == len(known["sections"])
    assert all(section["fault"] in archetype.text for section in sections.values())
    assert {one["s"] for one in known["things"] or known["invented"]} == set(sections)
    assert all(one["say"] in archetype.text and one["low"] < one["high"] for one in known["invented"])
    assert len({one["n"] for one in known["things"]}) == len(known["things"])
    assert known["invented"] or len(known["things"]) >= 50


def practice(archetype: Archetype) -> None:
    known = archetype.constants
    kinds = {(s["d"], s["kind"]) for s in known["services"]}
    assert all({(member["d"], "first"), (member["d"], "usual")} <= kinds for member in known["team"])
    assert all(s["note"] in archetype.text and s["minutes"] <= LONGEST_VISIT for s in known["services"])
    assert len({s["name"] for s in known["services"]}) == len(known["services"])
    rooms = [room for site in known["sites"] for room in site["rooms"]]
    assert len(rooms) == len(set(rooms))
    places = [(member["site"], member["room"]) for member in known["team"]]
    assert len(places) == len(set(places))
    assert all(room < len(known["sites"][site]["rooms"]) for site, room in places)


def channels(archetype: Archetype) -> None:
    known, model = archetype.constants, archetype_of(archetype.id).constants
    skeleton = ("kind", "post", "share")
    rooms, rest = known["channels"], model["channels"]
    assert [[one[part] for part in skeleton] for one in rooms] == [[one[part] for part in skeleton] for one in rest]
    names = [one["n"] for one in rooms]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert set(known["closed"]) < set(names) and {one["of"] for one in rooms} - {""} == set(known["teams"])
    assert min(len(known[part]) for part in ("jobs", "things", "clients", "whens")) >= 6


CHECKS: dict[str, Callable[[Archetype], None]] = {
    "customer-support": desk,
    "library-lending": lending,
    "membership-billing": bills,
    "messaging": channels,
    "orders-inventory": stock,
    "scheduling-care": practice,
}


@pytest.mark.parametrize(("name", "trade"), EVERY)
def test_a_trade_gives_the_scenario_all_that_it_asks_for(name: str, trade: str) -> None:
    CHECKS[name](dressed(name, trade))


@pytest.mark.parametrize(("name", "trade"), EVERY)
def test_nothing_of_a_trade_is_never_said(name: str, trade: str) -> None:
    """A bank that is new must be led to by another one, or be named by a constant: a typing error is not."""
    archetype = dressed(name, trade)
    led_to = {
        slot for templates in archetype.text.values() for template in templates for slot in SLOT.findall(template)
    }
    named = set(_texts(archetype.constants))
    fresh = archetype.text.keys() - archetype_of(name).text.keys()
    assert [bank for bank in fresh if bank not in led_to | named] == []


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]  # pyright: ignore[reportUnknownVariableType]
    return [str(value)]


@pytest.mark.parametrize(("name", "trade"), PLAYED)
def test_a_trade_played_out_leaves_enough_to_ask(name: str, trade: str) -> None:
    archetype = archetype_of(name)
    known = [one for one in archetype.trades if one.id == trade]
    words = " ".join(word for one in known for word in one.words)
    only = archetype.model_copy(update={"trades": tuple(known) or archetype.trades})
    told = dataclasses.replace(mined(name), archetypes=(only,), said=(Saying.of("a test", words, 3.0),))
    done = populate(told, rounds=2, seed=0, database_seed=0, progress=lambda label, count, total: None)
    assert done.domain.trade is not None and done.domain.trade.trade == trade
    with opened(done) as connection:
        for family in done.intents:
            assert len(connection.execute(family.parameter_sets).fetchmany(5)) == 5, family.id


def test_every_archetype_with_trades_is_tried() -> None:
    folders = SOURCES.parents[2] / "themes" / "trades"
    assert {path.name for path in folders.iterdir()} == set(FIXTURES) == set(CHECKS)
