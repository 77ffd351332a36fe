"""The membership-billing archetype on a climbing hall: climbers, plans, memberships and bills, mined from a file."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("membership-billing")
HALL = SOURCES / "climbing-hall.json"
THEME = Theme(slug="climbing", title="Climbing hall", kind="domain")


@cache
def mined() -> Mined:
    return mined_from(HALL, THEME, ARCHETYPE, at="2025-03-17T09:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def total(rows: list[dict[str, Any]], by: str, amount: str) -> dict[str, int]:
    sums: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        sums[row[by]] += row[amount]
    return sums


def test_a_hall_with_memberships_and_bills_matches_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {
        "customer": "climbers",
        "price": "plans",
        "subscription": "memberships",
        "invoice": "bills",
        "payment": "payments",
    }
    assert match.fields["subscription"]["state"] == "status"
    assert match.fields["invoice"]["state"] == "billing_status", "added: bills of the source have no state"


@pytest.mark.parametrize("gone", ["climbers", "memberships", "bills"])
def test_nothing_is_billed_without_customers_memberships_and_bills(gone: str) -> None:
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
    assert not matched(Domain(theme="climbing", tables=tables)).accepted


def test_what_a_source_always_sends_and_nobody_knows_is_left_out() -> None:
    tables = {table.name: table for table in filled(0).domain.tables}
    assert not tables["climbers"].has("shoe_size") and not tables["memberships"].has("locker")
    assert tables["bills"].column("membership_id").nullable, "a single sale has no membership"
    assert not tables["memberships"].column("climber_id").nullable


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would make bills without lines"
    covered = [item for item in done.domain.rejected if item.reason == "covered"]
    assert {item.id for item in covered} >= {"createBill", "createPayment", "createMembership"}
    assert len(done.operations) == 27
    assert {"create_climber", "create_membership", "begin_membership", "create_bill"} <= {
        operation.name for operation in done.operations
    }


@pytest.mark.parametrize("seed", [0, 5])
def test_money_adds_up(seed: int) -> None:
    rows = filled(seed).rows
    bills = {row["id"]: row for row in rows["bills"]}
    lines = total(rows["invoice_lines"], "on_bill_id", "amount_cents")
    came = total([row for row in rows["payments"] if row["outcome"] == "succeeded"], "bill_id", "amount")
    taken = total(rows["credit_notes"], "credited_bill_id", "amount_cents")
    for key, bill in bills.items():
        assert bill["total"] == lines[key]
        assert bill["paid_cents"] == came[key] and bill["credited_cents"] == taken[key]
        left = 0 if bill["billing_status"] in ("paid", "void") else bill["total"] - came[key] - taken[key]
        assert bill["remaining_cents"] == left >= 0
    back = total(rows["refunds"], "refunded_payment_id", "amount_cents")
    assert all(row["refunded_cents"] == back[row["id"]] <= row["amount"] for row in rows["payments"])


@pytest.mark.parametrize("seed", [0, 5])
def test_states_follow_from_what_happened(seed: int) -> None:
    done = filled(seed)
    late = {
        r["membership_id"] for r in done.rows["bills"] if r["billing_status"] == "open" and r["due_at"] < done.clock
    }
    for row in done.rows["memberships"]:
        assert (row["status"] == "canceled") == (row["ended_at"] is not None)
        if row["status"] in ("active", "past_due"):
            assert (row["status"] == "past_due") == (row["id"] in late)
            assert row["period_start"] <= done.clock < row["period_end"]
    for bill in done.rows["bills"]:
        assert (bill["billing_status"] == "draft") == (bill["due_at"] is None)
        assert bill["created_at"] <= done.clock
    sent = Counter(row["bill_id"] for row in done.rows["payment_reminders"])
    assert max(sent.values()) == 3


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in (0, 5):
        with opened(filled(seed)) as connection:
            assert all(plant.within for plant in measure_plants(filled(seed), connection))


def test_each_family_has_enough_to_ask() -> None:
    done = filled(0)
    with opened(done) as connection:
        found = {family.id: len(connection.execute(family.parameter_sets).fetchall()) for family in done.intents}
    assert len(found) >= 16 and min(found.values()) >= 30, found


def test_families_are_said_with_what_they_hold() -> None:
    domain = mined().domain
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in domain.tables}
    bound = bind(Database(domain, rows, [], {}, ARCHETYPE.clock or ""), matched(domain))
    assert [(family.id, problem) for family in bound.intents for problem in family_problems(family)] == []


def test_a_period_is_a_calendar_month_or_a_year() -> None:
    rows = filled(0).rows
    every = {row["id"]: row["billed_every"] for row in rows["plans"]}
    for row in rows["memberships"]:
        if row["status"] == "active":
            begins, ends = (datetime.date.fromisoformat(row[name][:10]) for name in ("period_start", "period_end"))
            assert (ends - begins).days in ((28, 29, 30, 31) if every[row["plan_id"]] == "month" else (365, 366))


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
