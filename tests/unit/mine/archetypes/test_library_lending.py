"""The library-lending archetype on tool sheds of a neighbourhood: tools, neighbours, loans, queues, from a file."""

from __future__ import annotations

import datetime
import itertools
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, at_work, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("library-lending")
SHED = SOURCES / "tool-shed.json"
THEME = Theme(slug="sheds", title="Tool sheds", kind="domain")
BOOKS = {"tool": "book", "Tool": "Book", "neighbour": "reader", "Neighbour": "Reader", "Drills, tents": "Novels"}


def read(body: bytes, theme: Theme = THEME) -> Mined:
    return mined_from(SHED, theme, ARCHETYPE, at="2025-03-17T09:00:00Z", body=body)


@cache
def mined() -> Mined:
    return read(SHED.read_bytes())


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def day(moment: str) -> datetime.date:
    return datetime.date.fromisoformat(moment[:10])


@pytest.mark.parametrize("column", ["interest_rate", "principal", "apr", "collateral_value"])
def test_who_lends_money_on_things_is_no_library(column: str) -> None:
    shed = json.loads(SHED.read_text(encoding="utf-8"))
    shed["components"]["schemas"]["Loan"]["properties"][column] = {"type": "integer"}
    match = matched(read(json.dumps(shed).encode()).domain)
    assert not match.accepted and "loan" not in match.roles


def test_sheds_that_lend_tools_match_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {
        "branch": "sheds",
        "title": "products",
        "item": "tools",
        "borrower": "neighbours",
        "loan": "loans",
        "hold": "reservations",
    }
    assert match.fields["loan"]["due"] == "due_at" and match.fields["item"]["title"] == "product_id"
    assert match.fields["loan"]["state"] == "loan_state", "added: loans of the source have no state"


@pytest.mark.parametrize("gone", ["tools", "neighbours", "loans"])
def test_nothing_is_lent_without_things_borrowers_and_loans(gone: str) -> None:
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
    assert not matched(Domain(theme="sheds", tables=tables)).accepted


def test_a_loan_needs_its_name_and_what_it_refers_to() -> None:
    """A task with a due day refers to a thing and a person as well; it is lent to nobody."""
    tables = tuple(
        table.model_copy(update={"name": "errands", "entity": "errand"}) if table.name == "loans" else table
        for table in mined().domain.tables
    )
    assert not matched(Domain(theme="sheds", tables=tables)).accepted


def test_the_tools_are_those_of_the_archetype_only() -> None:
    done = filled(0)
    assert not done.domain.operations, "a source's own would lend what is out"
    covered = {item.id for item in done.domain.rejected if item.reason == "covered"}
    assert covered >= {"createLoan", "updateLoan", "createReservation", "updateTool"}
    assert len(done.operations) == 26


def test_what_a_source_always_sends_and_nobody_knows_is_left_out() -> None:
    tables = {table.name: table for table in filled(0).domain.tables}
    assert not tables["tools"].has("paint_mark") and not tables["sheds"].has("keyholder")


@pytest.mark.parametrize("seed", [0, 5])
def test_nobody_has_asked_tomorrow(seed: int) -> None:
    """A thing that was lent today is due at the end of a day, and so was what waits for it."""
    done = filled(seed)
    assert max(row["placed_at"] for row in done.rows["reservations"]) <= done.clock


@pytest.mark.parametrize("seed", [0, 5])
def test_a_thing_is_in_one_place_at_a_time(seed: int) -> None:
    done = filled(seed)
    trips: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for loan in sorted(done.rows["loans"], key=lambda row: row["lent_at"]):
        trips[loan["tool_id"]].append(loan)
    for loans in trips.values():
        for earlier, later in itertools.pairwise(loans):
            assert earlier["returned_at"] is not None and earlier["returned_at"] <= later["lent_at"]
    ready = {row["set_aside_tool_id"] for row in done.rows["reservations"] if row["queue_state"] == "ready"}
    away = {row["tool_id"] for row in done.rows["repairs"] if row["back_at"] is None}
    for tool in done.rows["tools"]:
        last = trips[tool["id"]][-1]["loan_state"] if trips[tool["id"]] else "returned"
        assert (tool["state"] == "on_loan") == (last == "on_loan")
        assert (tool["state"] == "lost") == (last == "lost")
        assert (tool["state"] == "reserved") == (tool["id"] in ready)
        assert (tool["state"] == "in_repair") == (tool["id"] in away)


@pytest.mark.parametrize("seed", [0, 5])
def test_what_is_late_is_charged_by_the_day(seed: int) -> None:
    rows = filled(seed).rows
    titles = {row["id"]: row for row in rows["products"]}
    tools = {row["id"]: row for row in rows["tools"]}
    fees = {(row["for_loan_id"], row["charged_for"]): row for row in rows["lending_fees"]}
    assert len(fees) == len(rows["lending_fees"])
    for loan in rows["loans"]:
        tool = tools[loan["tool_id"]]
        late = max(0, (day(loan["returned_at"]) - day(loan["due_at"])).days) if loan["returned_at"] else 0
        cents = min(2000, late * titles[tool["product_id"]]["late_fee_cents"])
        charged = fees.get((loan["id"], "overdue"))
        assert (charged["charged_cents"] if charged else 0) == cents
        lost = fees.get((loan["id"], "lost"))
        assert (lost is not None) == (loan["loan_state"] == "lost")
        assert lost is None or lost["charged_cents"] == tool["replacement_cents"]
    assert all((row["fee_state"] == "owed") == (row["settled_at"] is None) for row in rows["lending_fees"])


@pytest.mark.parametrize("seed", [0, 5])
def test_nobody_waits_while_one_is_in_and_nobody_renews_what_others_wait_for(seed: int) -> None:
    rows = filled(seed).rows
    days = {row["id"]: row["loan_days"] for row in rows["products"]}
    tools = {row["id"]: row for row in rows["tools"]}
    free = {row["product_id"] for row in rows["tools"] if row["state"] == "available"}
    waiting = [row for row in rows["reservations"] if row["queue_state"] == "waiting"]
    assert waiting and not free & {row["product_id"] for row in waiting}
    first: dict[Any, str] = {}
    for wish in sorted(waiting, key=lambda row: row["placed_at"]):
        first.setdefault(wish["product_id"], wish["placed_at"])
    for loan in rows["loans"]:
        title = tools[loan["tool_id"]]["product_id"]
        span = (day(loan["due_at"]) - day(loan["lent_at"])).days
        assert span == days[title] * (1 + loan["times_renewed"])
        if loan["loan_state"] == "on_loan" and title in first:
            renewed = day(loan["due_at"]) - datetime.timedelta(days=days[title])
            assert first[title][:10] >= renewed.isoformat()


@pytest.mark.parametrize("seed", [0, 5])
def test_nobody_has_more_than_six_or_borrowed_without_a_card(seed: int) -> None:
    rows = filled(seed).rows
    held = Counter(row["neighbour_id"] for row in rows["loans"] if row["loan_state"] == "on_loan")
    assert 3 <= max(held.values()) <= 6
    people = {row["id"]: row for row in rows["neighbours"]}
    for loan in rows["loans"]:
        person = people[loan["neighbour_id"]]
        assert person["joined_at"] < loan["lent_at"] < person["card_valid_until"]


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


def test_whoever_lends_books_has_a_catalogue_of_books() -> None:
    """The same interface with other words: the stock follows the words, nothing else."""
    text = SHED.read_text(encoding="utf-8")
    for plain, book in BOOKS.items():
        text = text.replace(plain, book)
    done = filled_with(read(text.encode(), Theme(slug="reading", title="Reading rooms", kind="domain")), 0)
    sections = {row["section"] for row in done.rows["products"]}
    assert "Crime" in sections and "Power Tools" not in sections
    assert {row["section"] for row in filled(0).rows["products"]} >= {"Power Tools", "Cameras"}
    assert all(row["tag"].startswith("31962") for row in done.rows["books"])


def test_a_form_of_address_is_nobodys_name() -> None:
    """Where a source says title, surname and first name, the full name is a column of its own."""
    spec = json.loads(SHED.read_bytes())
    neighbour = spec["components"]["schemas"]["Neighbour"]
    neighbour["required"] = ["id"]
    del neighbour["properties"]["name"]
    neighbour["properties"] |= {name: {"type": "string"} for name in ("title", "surname", "first_name")}
    found = read(json.dumps(spec).encode())
    assert matched(found.domain).fields["borrower"].items() >= {"first": "first_name", "last": "surname"}.items()
    assert {"title", "full_name"} & set(matched(found.domain).fields["borrower"].values()) == {"full_name"}
    for row in filled_with(found, 0).rows["neighbours"]:
        assert row["full_name"] == f"{row['first_name']} {row['surname']}"


def test_somebody_joins_and_borrows_and_the_card_is_renewed_later(tmp_path: Path) -> None:
    done = filled(0)
    rows = done.rows
    shed = rows["sheds"][0]["id"]
    last = max(int(row["card_number"][1:]) for row in rows["neighbours"])
    owing = {row["owed_by_id"] for row in rows["lending_fees"] if row["fee_state"] == "owed"}
    fine = [row for row in rows["neighbours"] if row["id"] not in owing and not row["blocked"]]
    fine.sort(key=lambda row: row["card_valid_until"])
    with at_work(done, tmp_path / "draft") as call:
        somebody = {"name": "Delia Whitcombe", "email": "delia@lantern.example", "shed_id": shed}
        new = call("register_neighbour", **somebody)["neighbour"]
        assert (new["card_number"], new["card_valid_until"]) == (f"C{last + 13}", "2026-10-06T23:59:59Z")
        assert call("register_neighbour", **somebody | {"email": "DELIA@lantern.example"}) == "conflict"
        assert call("register_neighbour", **somebody | {"name": "Roy Whitcombe"})["neighbour"]["id"] != new["id"]
        tool = next(row["id"] for row in rows["tools"] if row["state"] == "available")
        assert call("lend_tool", tool_id=tool, neighbour_id=new["id"])["loan"]["loan_state"] == "on_loan"
        assert call("lend_tool", tool_id=tool, neighbour_id=new["id"]) == "conflict"
        assert call("renew_neighbour_card", neighbour_id=new["id"]) == "not_allowed", "good for a year"
        over = call("renew_neighbour_card", neighbour_id=fine[0]["id"])["neighbour"]
        assert fine[0]["card_valid_until"] < done.clock and over["card_valid_until"] == "2026-10-06T23:59:59Z"


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
