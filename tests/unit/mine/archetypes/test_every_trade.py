"""Every trade that ships, played out on a source of its archetype: rows, hard cases, and enough to ask."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest
from tests.unit.mine.archetypes.mining import SOURCES, mined_from, shipped

from envforge.core.records.source import Theme
from envforge.core.records.trade import NEUTRAL, Trade
from envforge.mine.archetypes.sayings import Saying
from envforge.mine.miner import Mined, populate
from envforge.mine.scenario.measures import opened

FIXTURES = {
    "customer-support": ("boiler-service.json", "2025-05-12T13:00:00Z"),
    "membership-billing": ("climbing-hall.json", "2025-03-17T09:00:00Z"),
    "orders-inventory": ("paper-shop.json", "2025-10-06T08:00:00Z"),
}
"""archetype with trades -> a source that it fits, and when that was read"""
EVERY = [(name, trade) for name in FIXTURES for trade in (None, *shipped(name).trades)]


@cache
def mined(name: str) -> Mined:
    fixture, at = FIXTURES[name]
    return mined_from(SOURCES / fixture, Theme(slug="any", title="Any", kind="domain"), shipped(name), at=at)


@pytest.mark.parametrize(("name", "trade"), EVERY, ids=lambda one: one if isinstance(one, str) else one and one.id)
def test_a_trade_fills_the_scenario_and_leaves_enough_to_ask(name: str, trade: Trade | None) -> None:
    words = " ".join(trade.words) if trade else ""
    known = (trade,) if trade else shipped(name).trades
    archetype = shipped(name).model_copy(update={"trades": known})
    told = dataclasses.replace(mined(name), archetypes=(archetype,), said=(Saying.of("a test", words, 3.0),))
    done = populate(told, rounds=0, seed=0, database_seed=0, progress=lambda label, count, total: None)
    assert done.domain.trade is not None
    assert done.domain.trade.trade == (trade.id if trade else NEUTRAL)
    assert len(done.intents) == len(archetype.intents)
    with opened(done) as connection:
        for family in done.intents:
            assert len(connection.execute(family.parameter_sets).fetchmany(5)) == 5, family.id


def test_every_archetype_with_trades_is_tried() -> None:
    folders = SOURCES.parents[2] / "themes" / "trades"
    assert {path.name for path in folders.iterdir()} == set(FIXTURES)
