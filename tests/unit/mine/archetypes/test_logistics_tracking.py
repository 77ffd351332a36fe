"""The logistics-tracking archetype on door freight: hubs, runners, vans, outings and consignments of a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, at_work, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Column, Domain, Reference, Table
from envforge.core.records.source import Theme
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("logistics-tracking")
FREIGHT = SOURCES / "door-freight.json"
THEME = Theme(slug="freight", title="Door freight", kind="domain")
SEEDS = (0, 5)


@cache
def mined() -> Mined:
    return mined_from(FREIGHT, THEME, ARCHETYPE, at="2025-03-18T09:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def by_consignment(rows: list[dict[str, Any]], moment: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each consignment, the oldest first."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row[moment], row["id"])):
        found[row["of_consignment_id"]].append(row)
    return found


def failures(done: Database) -> dict[str, list[str]]:
    """How the attempts at each consignment ended that did not end with a delivery."""
    tried = by_consignment(done.rows["delivery_attempts"], "tried_at")
    return {key: [row["outcome"] for row in rows if row["outcome"] != "delivered"] for key, rows in tried.items()}


def test_freight_with_vans_and_outings_matches_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {
        "sender": "shippers",
        "depot": "hubs",
        "driver": "runners",
        "vehicle": "vans",
        "route": "outings",
        "shipment": "consignments",
    }
    assert match.fields["shipment"]["number"] == "consignment_number"
    assert match.fields["shipment"]["state"] == "delivery_state", "added: freight of the source has no state"


def table(name: str, entity: str, *columns: Column) -> Table:
    key = Column(name="id", type="text", nullable=False, role="id")
    return Table(name=name, entity=entity, label=entity, primary_key=("id",), columns=(key, *columns))


def refers(name: str, other: str) -> Column:
    target = Reference(table=other, column="id", confidence=1, evidence="test")
    return Column(name=name, type="text", references=target)


def text(name: str) -> Column:
    return Column(name=name, type="text")


def test_parcels_and_those_who_carry_them_are_enough() -> None:
    parcels = table("parcels", "parcel", refers("courier_id", "couriers"), text("barcode"))
    match = matched(Domain(theme="post", tables=(table("couriers", "courier", text("name"), text("code")), parcels)))
    assert match.accepted and match.roles == {"carrier": "couriers", "shipment": "parcels"}
    alone = matched(Domain(theme="post", tables=(table("parcels", "parcel", text("barcode")),)))
    assert not alone.accepted, "a word and a number make no network"


@pytest.mark.parametrize("column", ["area_in_hectares", "boundary"])
def test_parcels_of_land_are_not_carried(column: str) -> None:
    parcels = table("parcels", "parcel", refers("courier_id", "couriers"), text("barcode"), text(column))
    match = matched(Domain(theme="land", tables=(table("couriers", "courier", text("name"), text("code")), parcels)))
    assert not match.accepted and "shipment" not in match.roles


def test_a_role_that_falls_away_does_not_carry_another() -> None:
    """Shipments of projects: nobody would call a project a carrier, so nothing speaks for the shipments either."""
    tables = (
        table("projects", "project", text("name")),
        table("shipments", "shipment", refers("project_id", "projects"), text("quantity")),
    )
    match = matched(Domain(theme="print", tables=tables))
    assert not match.accepted and not match.roles


def test_nothing_is_carried_without_consignments() -> None:
    tables = tuple(one for one in mined().domain.tables if one.name != "consignments")
    assert not matched(Domain(theme="freight", tables=tables)).accepted


def test_what_a_source_always_sends_and_nobody_knows_is_left_out() -> None:
    tables = {one.name: one for one in filled(0).domain.tables}
    assert not tables["runners"].has("shoe_size") and not tables["consignments"].has("gift_wrap")


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would deliver without an attempt"
    covered = [item for item in done.domain.rejected if item.reason == "covered"]
    assert {item.id for item in covered} >= {"createConsignment", "createOuting", "listRunners"}
    assert len(done.operations) == 24


@pytest.mark.parametrize("seed", SEEDS)
def test_states_follow_from_what_was_tracked(seed: int) -> None:
    rows = filled(seed).rows
    trail = by_consignment(rows["tracking_events"], "happened_at")
    state = {
        "booked": "booked",
        "collected": "in_transit",
        "arrived": "at_depot",
        "out_for_delivery": "out_for_delivery",
        "attempt_failed": "at_depot",
        "delivered": "delivered",
        "return_sent": "returned",
        "lost": "lost",
    }
    for row in rows["consignments"]:
        events = trail[row["id"]]
        assert events[0]["what"] == "booked" and events[0]["happened_at"] == row["created_at"]
        assert row["delivery_state"] == state[events[-1]["what"]]
        assert (row["delivered_at"] is not None) == (row["delivery_state"] == "delivered")
    assert {row["delivery_state"] for row in rows["consignments"]} == set(state.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_happens_after_the_clock_or_before_the_booking(seed: int) -> None:
    done = filled(seed)
    booked = {row["id"]: row["created_at"] for row in done.rows["consignments"]}
    for row in done.rows["tracking_events"]:
        assert booked[row["of_consignment_id"]] <= row["happened_at"] <= done.clock
    for row in done.rows["consignments"]:
        assert row["promised_day"] > row["created_at"][:10]


@pytest.mark.parametrize("seed", SEEDS)
def test_attempts_are_made_on_rounds_of_the_same_day_and_depot(seed: int) -> None:
    done = filled(seed)
    home = {row["id"]: row["hub_id"] for row in done.rows["consignments"]}
    rounds = {row["id"]: row for row in done.rows["outings"]}
    for row in done.rows["delivery_attempts"]:
        tour = rounds[row["on_outing_id"]]
        assert tour["date"] == row["tried_at"][:10] and tour["hub_id"] == home[row["of_consignment_id"]]
        assert tour["round_state"] in ("out", "finished") and tour["left_at"] <= row["tried_at"]
        assert tour["back_at"] is None or row["tried_at"] <= tour["back_at"]
        assert (row["signed_by"] is not None) == (row["outcome"] == "delivered")


@pytest.mark.parametrize("seed", SEEDS)
def test_three_attempts_are_the_most_and_a_refusal_is_the_last(seed: int) -> None:
    done = filled(seed)
    failed = failures(done)
    assert max(len(ends) for ends in failed.values()) == 3
    for ends in failed.values():
        assert set(ends[:-1]) <= {"nobody_home"}
    for row in done.rows["consignments"]:
        ends = failed.get(row["id"], [])
        if row["delivery_state"] == "returned":
            assert len(ends) == 3 or ends[-1] != "nobody_home"
        if row["delivery_state"] == "at_depot" and row["outing_id"] is not None:
            assert len(ends) < 3 and row["held_until"] is None


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_drives_twice_a_day_and_no_vehicle_is_overloaded(seed: int) -> None:
    rows = filled(seed).rows
    vans = {row["id"]: row for row in rows["vans"]}
    for who in ("runner_id", "van_id"):
        days = Counter((row[who], row["date"]) for row in rows["outings"] if row["round_state"] != "called_off")
        assert max(days.values()) == 1
    loads: Counter[str] = Counter()
    for row in rows["consignments"]:
        loads[row["outing_id"]] += row["weight_grams"] if row["delivery_state"] == "at_depot" else 0
    for row in rows["outings"]:
        van = vans[row["van_id"]]
        assert van["hub_id"] == row["hub_id"] and van["vehicle_state"] == "in_service"
        assert loads[row["id"]] <= van["capacity"] * 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_claims_ask_for_what_may_be_asked_for(seed: int) -> None:
    rows = filled(seed).rows
    consignments = {row["id"]: row for row in rows["consignments"]}
    cover = {row["id"]: row["cover_cents"] for row in rows["shippers"]}
    assert len({row["for_consignment_id"] for row in rows["claims"]}) == len(rows["claims"])
    for row in rows["claims"]:
        goods = consignments[row["for_consignment_id"]]
        most = goods["postage_cents"] if row["claim_kind"] == "late" else goods["declared_cents"]
        assert 0 < row["asked_cents"] <= most
        assert (row["claim_kind"] == "lost") == (goods["delivery_state"] == "lost")
        assert (row["granted_cents"] is not None) == (row["claim_state"] == "approved")
        assert (row["decided_at"] is None) == (row["claim_state"] == "open")
        if row["claim_state"] == "approved":
            assert row["granted_cents"] <= min(row["asked_cents"], cover[goods["shipper_id"]])
        if row["claim_kind"] == "late":
            assert goods["service_level"] == "express" and goods["delivered_at"][:10] > goods["promised_day"]


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in SEEDS:
        with opened(filled(seed)) as connection:
            assert all(plant.within for plant in measure_plants(filled(seed), connection))


def test_each_family_has_enough_to_ask() -> None:
    done = filled(0)
    found: dict[str, int] = {}
    with opened(done) as connection:
        for family in done.intents:
            given = {"clock": done.clock} if ":clock" in family.parameter_sets else {}
            found[family.id] = len(connection.execute(family.parameter_sets, given).fetchall())
    assert len(found) == 21 and min(found.values()) >= 30, found


def test_families_are_said_with_what_they_hold() -> None:
    domain = mined().domain
    rows: dict[str, list[dict[str, Any]]] = {one.name: [] for one in domain.tables}
    bound = bind(Database(domain, rows, [], {}, ARCHETYPE.clock or ""), matched(domain))
    assert [(family.id, problem) for family in bound.intents for problem in family_problems(family)] == []


def test_an_address_has_to_fit_the_hub_that_delivers_there(tmp_path: Path) -> None:
    done = filled(0)
    rows = done.rows
    homes = {row["zip"]: row["hub_id"] for row in rows["delivery_areas"]}
    assert all(homes[row["recipient_zip"]] == row["hub_id"] for row in rows["consignments"])
    sample = rows["consignments"][0]
    booking = {
        "shipper_id": sample["shipper_id"],
        "hub_id": sample["hub_id"],
        "carrier_id": sample["brought_by_id"],
        "service_level": "express",
        "recipient_name": "Ida Lund",
        "delivery_address": "12 Mill Street",
        "weight_grams": 2400,
        "declared_cents": 4000,
    }
    elsewhere = next(code for code, hub in homes.items() if hub != sample["hub_id"])
    with at_work(done, tmp_path / "draft") as call:
        shown = {hub["id"]: hub["zips"] for hub in call("list_hubs")["items"]}
        assert sample["recipient_zip"] in shown[sample["hub_id"]]
        assert call("create_consignment", **booking, recipient_zip="99999") == "not_allowed"
        assert call("create_consignment", **booking, recipient_zip=elsewhere) == "not_allowed"
        made = call("create_consignment", **booking, recipient_zip=f" {sample['recipient_zip']} ")["consignment"]
        assert made["recipient_zip"] == sample["recipient_zip"]


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
