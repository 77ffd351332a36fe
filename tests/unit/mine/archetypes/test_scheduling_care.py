"""The scheduling-care archetype on a foot clinic: patients, therapists, treatments and visits, mined from a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, at_work, missed, opened_draft
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.core.times import moment
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.mine.scenario.writing import is_workday
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("scheduling-care")
CLINIC = SOURCES / "foot-clinic.json"
THEME = Theme(slug="clinic", title="Foot clinic", kind="domain")
LIVE = ("booked", "confirmed", "arrived")


@cache
def mined() -> Mined:
    return mined_from(CLINIC, THEME, ARCHETYPE, at="2025-02-10T09:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def test_a_clinic_with_visits_matches_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {
        "appointment": "visits",
        "client": "patients",
        "practitioner": "therapists",
        "service": "treatments",
    }
    assert match.fields["appointment"]["state"] == "status"
    assert match.fields["appointment"]["in_room"] == "room_id", "added: visits of the source have no room"


def test_nothing_is_scheduled_without_appointments() -> None:
    tables = tuple(table for table in mined().domain.tables if table.name != "visits")
    assert not matched(Domain(theme="clinic", tables=tables)).accepted


def test_what_nobody_fills_is_left_out() -> None:
    tables = {table.name: table for table in filled(0).domain.tables}
    assert not tables["patients"].has("shoe_width") and not tables["visits"].has("referral_code")


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would book past the rules"
    assert {"createVisit", "createPatient"} <= {one.id for one in done.domain.rejected if one.reason == "covered"}
    assert len(done.operations) == 28
    made = {one.name for one in done.operations if one.verb == "create"}
    assert {"register_patient", "open_treatment_plan", "book_visit", "add_waiting_entry"} <= made


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("who", ["therapist_id", "patient_id", "room_id"])
def test_nobody_and_no_room_is_booked_twice(seed: int, who: str) -> None:
    held: defaultdict[Any, list[tuple[str, str]]] = defaultdict(list)
    for row in filled(seed).rows["visits"]:
        if row["status"] != "cancelled":
            held[row[who]].append((row["start_time"], row["end_time"]))
    for times in held.values():
        times.sort()
        assert all(first[1] <= second[0] for first, second in pairwise(times))


@pytest.mark.parametrize("seed", [0, 5])
def test_visits_lie_within_hours_and_on_days_when_somebody_is_there(seed: int) -> None:
    rows = filled(seed).rows
    shut = {row["day"] for row in rows["closing_days"]}
    offers = {(row["therapist_id"], row["treatment_id"]) for row in rows["offered_services"]}
    hours = {(row["therapist_id"], row["room_id"]) for row in rows["working_hours"]}
    for row in rows["visits"]:
        day = row["start_time"][:10]
        assert day not in shut
        assert (row["therapist_id"], row["treatment_id"]) in offers
        assert (row["therapist_id"], row["room_id"]) in hours
        assert "08:30" <= row["start_time"][11:16] < row["end_time"][11:16] <= "17:30"
    for away in rows["staff_absences"]:
        days = [row["start_time"][:10] for row in rows["visits"] if row["therapist_id"] == away["therapist_id"]]
        assert not [day for day in days if away["first_day"] <= day <= away["last_day"]]


@pytest.mark.parametrize("seed", [0, 5])
def test_states_and_charges_follow_from_what_happened(seed: int) -> None:
    done = filled(seed)
    charges = {row["visit_id"]: row for row in done.rows["visit_charges"]}
    prices = {row["id"]: row["price_cents"] for row in done.rows["treatments"]}
    for row in done.rows["visits"]:
        assert row["created_at"] < row["start_time"]
        if row["status"] in ("completed", "arrived", "no_show"):
            assert row["start_time"] < done.clock
        assert (row["status"] == "cancelled") == (row["cancelled_at"] is not None)
        if row["cancelled_at"] is not None:
            assert row["created_at"] <= row["cancelled_at"] <= min(done.clock, row["start_time"])
        charge = charges.get(row["id"])
        if row["status"] in ("completed", "no_show"):
            whole = row["status"] == "completed"
            assert charge is not None and charge["cents"] == prices[row["treatment_id"]] // (1 if whole else 2)
        elif charge is not None:
            assert charge["charge_kind"] == "late_cancellation" and row["called_off_by"] == "client"


@pytest.mark.parametrize("seed", [0, 5])
def test_charges_that_are_not_open_were_settled(seed: int) -> None:
    done = filled(seed)
    for row in done.rows["visit_charges"]:
        assert (row["settled_at"] is None) == (row["charge_state"] == "open")
        assert (row["paid_with"] is None) == (row["charge_state"] != "paid")
        assert row["settled_at"] is None or row["charged_at"] <= row["settled_at"] <= done.clock


def test_somebody_new_is_taken_on_seen_and_pays(tmp_path: Path) -> None:
    """From the first call to the paid charge, with what the trade refuses on the way."""
    done = filled(0)
    with at_work(done, tmp_path / "draft") as call:
        somebody = {"name": "Maeve Tierney", "email": "maeve.tierney@example.net", "phone": "+353-1-555-0182"}
        patient = call("register_patient", **somebody)["patient"]["id"]
        again = somebody | {"name": "maeve TIERNEY", "phone": "+353-1-555-0199"}
        assert call("register_patient", **again) == "conflict", "the same name at the same address"
        assert call("register_patient", **somebody | {"name": "Cormac Tierney"})["patient"]["id"] != patient
        therapist = next(row["therapist_id"] for row in done.rows["offered_services"] if row["treatment_id"] == 2)
        plan = {"patient_id": patient, "therapist_id": therapist, "sessions": 6, "referral_until": "2025-06-30"}
        made = call("open_treatment_plan", **plan, treatment_id=2)["plan"]
        assert (made["plan_state"], made["every_days"]) == ("active", 7)
        assert call("open_treatment_plan", **plan, treatment_id=2) == "conflict"
        assert call("open_treatment_plan", **plan, treatment_id=1) == "not_allowed", "a first visit"
        first = {"therapist_id": therapist, "treatment_id": 1}
        free = call("find_free_times", **first, from_day="2025-02-20", days=7)["items"]
        visit = {"patient_id": patient, "plan_id": made["plan_id"], "starts_at": free[0]["starts_at"]}
        assert call("book_visit", **first, **visit)["visit"]["status"] == "booked"
        owed = next(row for row in done.rows["visit_charges"] if row["charge_state"] == "open")
        paid = call("record_charge_payment", charge_id=owed["charge_id"], paid_with="cash")["charge"]
        assert (paid["charge_state"], paid["paid_with"]) == ("paid", "cash") and paid["settled_at"] >= done.clock
        assert call("record_charge_payment", charge_id=owed["charge_id"], paid_with="cash") == "conflict"


@pytest.mark.parametrize("seed", [0, 5])
def test_visits_are_entered_at_the_desk_not_at_the_time_of_the_visit(seed: int) -> None:
    visits = filled(seed).rows["visits"]
    made = [row["created_at"] for row in visits]
    assert sum(row["created_at"][11:16] == row["start_time"][11:16] for row in visits) < len(visits) / 50
    assert sum(is_workday(moment(at).date()) for at in made) > 0.98 * len(made)


def test_only_times_within_working_hours_are_offered(tmp_path: Path) -> None:
    """A visit that would end after midnight ends before closing time, read as hours and minutes."""
    done = filled(0)
    reference = opened_draft(done, tmp_path / "draft")
    try:
        find = next(one for one in reference.blueprint.operations if one.name == "find_free_times")
        offers = {row["therapist_id"]: row["treatment_id"] for row in done.rows["offered_services"]}
        for therapist, treatment in offers.items():
            asked = {"therapist_id": therapist, "treatment_id": treatment, "from_day": "2025-02-20", "days": 7}
            told = reference.run(find, asked)
            assert told.ok and told.result is not None
            free: list[dict[str, str]] = told.result["items"]
            assert all("08:30" <= item["starts_at"][11:16] <= "17:00" for item in free)
    finally:
        reference.close()


def test_no_plan_is_overdrawn() -> None:
    rows = filled(0).rows
    counted = Counter(row["plan_id"] for row in rows["visits"] if row["status"] != "cancelled" and row["plan_id"])
    assert all(counted[plan["plan_id"]] <= plan["sessions_agreed"] for plan in rows["treatment_plans"])
    live = {row["plan_id"] for row in rows["visits"] if row["status"] in LIVE and row["start_time"] > filled(0).clock}
    assert not [plan for plan in rows["treatment_plans"] if plan["plan_state"] != "active" and plan["plan_id"] in live]


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in (0, 5):
        with opened(filled(seed)) as connection:
            assert all(plant.within for plant in measure_plants(filled(seed), connection))


def test_each_family_has_enough_to_ask() -> None:
    done = filled(0)
    with opened(done) as connection:
        found = {family.id: len(connection.execute(family.parameter_sets).fetchall()) for family in done.intents}
    assert len(found) >= 15 and min(found.values()) >= 30, found


def test_families_are_said_with_what_they_hold() -> None:
    domain = mined().domain
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in domain.tables}
    bound = bind(Database(domain, rows, [], {}, ARCHETYPE.clock or ""), matched(domain))
    assert [(family.id, problem) for family in bound.intents for problem in family_problems(family)] == []


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    """Two witnesses ask for rows that there are none of: every therapist has a holiday ahead of the clock."""
    found = met(filled(0))
    assert missed(found) == [
        ("book_visit", "success: a single visit"),
        ("move_visit", "success: seven weeks later"),
    ]
    assert accepted(found) == {operation.name for operation in filled(0).operations} - {"book_visit"}
