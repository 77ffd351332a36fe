"""The customer-support archetype on a boiler service: clients, technicians, tickets and replies, mined from a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.core.times import add_minutes
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("customer-support")
SERVICE = SOURCES / "boiler-service.json"
THEME = Theme(slug="boilers", title="Boiler service", kind="domain")


@cache
def mined() -> Mined:
    return mined_from(SERVICE, THEME, ARCHETYPE, at="2025-05-12T13:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def without(domain: Domain, gone: str) -> Domain:
    """The domain as if a table had never been stated."""
    tables = tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    c.model_copy(update={"references": None}) if c.references and c.references.table == gone else c
                    for c in table.columns
                )
            }
        )
        for table in domain.tables
        if table.name != gone
    )
    return Domain(theme=domain.theme, tables=tables)


def test_a_service_with_tickets_and_replies_matches_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {
        "ticket": "tickets",
        "comment": "replies",
        "customer": "clients",
        "agent": "technicians",
        "organisation": "companies",
    }
    assert match.fields["ticket"]["agent"] == "technician_id"
    assert match.fields["ticket"]["priority"] == "priority"
    assert match.fields["ticket"]["state"] == "ticket_status", "added: waiting and done are not enough"


@pytest.mark.parametrize("gone", ["companies", "technicians", "replies", "clients"])
def test_what_a_source_lacks_is_added(gone: str) -> None:
    assert matched(without(mined().domain, gone)).accepted


def test_nobody_writes_in_without_tickets() -> None:
    assert not matched(without(mined().domain, "tickets")).accepted


def test_a_ticket_without_a_subject_is_for_the_theatre() -> None:
    tables = tuple(
        table
        if table.name != "tickets"
        else table.model_copy(update={"columns": tuple(c for c in table.columns if c.name != "subject")})
        for table in mined().domain.tables
    )
    assert not matched(Domain(theme="boilers", tables=tables)).accepted


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would answer tickets without a trace"
    covered = {item.id for item in done.domain.rejected if item.reason == "covered"}
    assert covered >= {"createTicket", "createClient", "updateTicket", "createReply"}
    assert len(done.operations) == 30, "one of them lists the history of tickets"
    assert {"create_ticket", "create_client", "record_client_message", "close_ticket"} <= {
        operation.name for operation in done.operations
    }


@pytest.mark.parametrize("seed", [0, 5])
def test_tickets_are_answered_by_those_who_work_in_their_group(seed: int) -> None:
    done = filled(seed)
    seats = {(row["group_id"], row["technician_id"]) for row in done.rows["group_agents"]}
    for row in done.rows["tickets"]:
        if row["technician_id"] is not None:
            assert (row["support_group_id"], row["technician_id"]) in seats
        assert (row["first_replied_at"] is None) == (
            row["ticket_status"] == "new" or row["merged_into_ticket_id"] is not None
        )
        assert (row["solved_at"] is not None) <= (row["ticket_status"] in ("solved", "closed"))


@pytest.mark.parametrize("seed", [0, 5])
def test_due_times_follow_from_the_priority(seed: int) -> None:
    hours = {"urgent": (2, 24), "high": (8, 72), "normal": (24, 120), "low": (48, 240)}
    tiers = {row["id"]: row["service_tier"] for row in filled(seed).rows["companies"]}
    firms = {row["id"]: tiers.get(row["company_id"]) for row in filled(seed).rows["clients"]}
    for row in filled(seed).rows["tickets"]:
        reply, solve = hours[row["priority"]]
        assert row["reply_due_at"] == add_minutes(row["created_at"], 60 * reply)
        assert row["solve_due_at"] == add_minutes(row["created_at"], 60 * solve)
        assert row["priority"] != "low" or firms[row["client_id"]] != "priority"


@pytest.mark.parametrize("seed", [0, 5])
def test_what_was_said_lies_between_a_tickets_first_and_last_moment(seed: int) -> None:
    done = filled(seed)
    said: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in done.rows["replies"]:
        said[row["ticket_id"]].append(row)
    for ticket in done.rows["tickets"]:
        talk = sorted(said[ticket["id"]], key=lambda row: row["created_at"])
        assert talk[0]["created_at"] == ticket["created_at"] and talk[0]["written_by"] == "customer"
        assert talk[-1]["created_at"] == ticket["updated_at"] <= done.clock
        answers = [row["created_at"] for row in talk if row["written_by"] == "desk" and row["is_public"]]
        assert (answers[0] if answers else None) == ticket["first_replied_at"]


@pytest.mark.parametrize("seed", [0, 5])
def test_nobody_gets_back_more_than_was_paid(seed: int) -> None:
    done = filled(seed)
    orders = {row["order_no"]: row for row in done.rows["customer_orders"]}
    tickets = {row["id"]: row for row in done.rows["tickets"]}
    per_order = Counter(row["order_no"] for row in done.rows["return_requests"])
    assert max(per_order.values()) == 1
    for row in done.rows["return_requests"]:
        order = orders[row["order_no"]]
        assert order["client_id"] == tickets[row["ticket_id"]]["client_id"]
        assert order["delivered_at"] < row["requested_at"] <= done.clock
        assert 0 < row["refund_cents"] <= order["paid_cents"]
        assert (row["return_status"] == "requested") == (row["decided_at"] is None)
        times = [row[name] for name in ("requested_at", "decided_at", "received_at", "refunded_at") if row[name]]
        assert times == sorted(times)


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in (0, 5):
        with opened(filled(seed)) as connection:
            measured = measure_plants(filled(seed), connection)
        assert all(plant.within for plant in measured), measured


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


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}


def test_a_tool_of_the_source_takes_no_place_beside_those_of_the_archetype() -> None:
    done = filled(0)
    blueprint, _ = draw_blueprint(done, max_tools=None)
    assert {operation.name for operation in blueprint.operations} == {operation.name for operation in done.operations}
