"""The reservation archetype on a small ferry timetable: nothing of it is about airlines."""

from __future__ import annotations

import sqlite3
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.records.domain import Column, Domain, Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.times import add_days, add_minutes
from envforge.mine.archetypes import load_archetype
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.complexify import complexify
from envforge.mine.scenario import simulate
from envforge.mine.scenario.measures import measure_plants, opened

SEEDS = [0, pytest.param(1, marks=pytest.mark.whole)]
CLOCK = "2024-06-12T10:00:00Z"
FILE = Path(__file__).parents[4] / "themes" / "archetypes" / "reservations.yaml"


def ferry() -> Database:
    """Three ports, four vessels, and a month of sailings there and back."""
    ports = [
        {"id": n, "name": f"{city} Quay", "city": city} for n, city in enumerate(("Norholm", "Saltvik", "Ostby"), 1)
    ]
    vessels = [{"id": n, "name": f"MS Petrel {n}", "capacity": 90 + 30 * n} for n in range(1, 5)]
    sailings: list[dict[str, Any]] = []
    for day in range(-16, 15):
        for hour in (6, 9, 12, 15, 18, 21):
            for start, end in ((1, 2), (2, 1), (2, 3), (3, 2)):
                departs = add_minutes(add_days("2024-06-12T00:00:00Z", day), hour * 60 + 10 * start)
                sailings.append(
                    {
                        "id": len(sailings) + 1,
                        "vessel_id": 1 + (start + hour) % 4,
                        "from_port_id": start,
                        "to_port_id": end,
                        "departs_at": departs,
                        "arrives_at": add_minutes(departs, 95),
                    }
                )
    tables = (
        table("ports", "port", ("id", "integer"), ("name", "text"), ("city", "text")),
        table("vessels", "vessel", ("id", "integer"), ("name", "text"), ("capacity", "integer")),
        table(
            "sailings",
            "sailing",
            ("id", "integer"),
            ("vessel_id", "integer", "vessels"),
            ("from_port_id", "integer", "ports"),
            ("to_port_id", "integer", "ports"),
            ("departs_at", "timestamp"),
            ("arrives_at", "timestamp"),
        ),
    )
    rows = {"ports": ports, "vessels": vessels, "sailings": sailings}
    entries = [
        ProvenanceEntry(table=name, source="src-1", kind="mined", count=len(found)) for name, found in rows.items()
    ]
    return Database(Domain(theme="ferries", tables=tables), rows, entries, {}, CLOCK)


def table(name: str, entity: str, *columns: tuple[str, ...]) -> Table:
    return Table(
        name=name,
        entity=entity,
        label=entity,
        primary_key=("id",),
        columns=tuple(
            Column.model_validate(
                {
                    "name": column[0],
                    "type": column[1],
                    "nullable": column[0] != "id",
                    "references": Reference(table=column[2], column="id", confidence=1, evidence="test")
                    if len(column) > 2
                    else None,
                }
            )
            for column in columns
        ),
    )


def matched(database: Database) -> ArchetypeMatch:
    return match_archetypes(database.domain, database.rows, [load_archetype(FILE)])[0]


@cache
def played(seed: int, rounds: int) -> Database:
    database = ferry()
    match = matched(database)
    filled = simulate(bind(database, match), match, seed=seed)
    return complexify(filled, match, rounds=rounds, seed=seed)


def test_a_ferry_timetable_matches_by_shape() -> None:
    match = matched(ferry())
    assert match.accepted, match.reasons
    assert match.roles == {"departure": "sailings", "place": "ports", "vehicle": "vessels"}
    assert match.fields["departure"]["origin"] == "from_port_id"
    assert match.fields["departure"]["destination"] == "to_port_id"
    assert match.fields["departure"]["status"] == "service_status", "a status is added where the timetable has none"


def test_a_timetable_of_lessons_plays_without_a_way_to_go() -> None:
    """Lessons start and end in one room: no destination, no vehicle, seats stated by the timetable."""
    sessions = [
        {
            "id": 30 * day + 6 * hour + room,
            "room_id": room,
            "starts_at": add_minutes(add_days("2024-05-29T00:00:00Z", day), 60 * (8 + 2 * hour)),
            "ends_at": add_minutes(add_days("2024-05-29T00:00:00Z", day), 60 * (8 + 2 * hour) + 75),
            "capacity": 20 + 4 * room,
        }
        for day in range(28)
        for hour in range(5)
        for room in (1, 2, 3)
    ]
    columns = (("id", "integer"), ("room_id", "integer", "rooms"), ("starts_at", "timestamp"), ("ends_at", "timestamp"))
    tables = (
        table("rooms", "room", ("id", "integer"), ("name", "text")),
        table("sessions", "session", *columns, ("capacity", "integer")),
    )
    rows: dict[str, list[dict[str, Any]]] = {
        "rooms": [{"id": n, "name": f"Hall {n}"} for n in (1, 2, 3)],
        "sessions": sessions,
    }
    entries = [
        ProvenanceEntry(table=name, source="src-1", kind="mined", count=len(found)) for name, found in rows.items()
    ]
    database = Database(Domain(theme="lessons", tables=tables), rows, entries, {}, CLOCK)
    match = matched(database)
    assert match.accepted, match.reasons
    done = complexify(simulate(bind(database, match), match, seed=0), match, rounds=1, seed=0)
    assert {"search_sessions", "change_session", "create_booking"} <= {operation.name for operation in done.operations}
    assert all(row["leg"] == 1 for row in done.rows["tickets"])
    assert any("returns left out" in note for note in done.domain.notes)
    with opened(done) as connection:
        assert unbalanced(connection) == []


def test_a_catalogue_of_books_does_not_match() -> None:
    tables = (
        table("books", "book", ("id", "integer"), ("name", "text"), ("author_id", "integer", "authors")),
        table("authors", "author", ("id", "integer"), ("name", "text")),
    )
    match = match_archetypes(Domain(theme="books", tables=tables), {}, [load_archetype(FILE)])[0]
    assert not match.accepted
    assert any(reason.startswith("departure: no table plays it") for reason in match.reasons)


def test_a_timetable_without_an_end_is_refused() -> None:
    database = ferry()
    sailings = database.domain.table("sailings")
    cut = sailings.model_copy(update={"columns": tuple(c for c in sailings.columns if c.name != "arrives_at")})
    domain = database.domain.model_copy(update={"tables": (*database.domain.tables[:2], cut)})
    match = match_archetypes(domain, database.rows, [load_archetype(FILE)])[0]
    assert not match.accepted
    assert "lacks ends_at" in " ".join(match.reasons)


def test_operations_are_named_after_the_tables() -> None:
    names = {operation.name for operation in played(0, 0).operations}
    assert {"search_sailings", "get_sailing", "change_sailing", "search_ports", "create_booking"} <= names
    text = " ".join(operation.model_dump_json() for operation in played(0, 0).operations)
    assert "flight" not in text
    assert "airport" not in text
    assert "@" not in text.replace("@example.com", "")


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_hold_together(seed: int) -> None:
    database = played(seed, 2)
    with opened(database) as connection:
        assert one(connection, "SELECT count(*) FROM bookings") > 500
        assert one(connection, DOUBLE_SEATS) == 0
        assert one(connection, OVERSOLD) == 0
        assert one(connection, EARLY_CHECK_INS) == 0
        assert one(connection, WRONG_STATES) == 0
        assert (
            one(connection, "SELECT count(*) FROM bookings WHERE max(booked_at, coalesce(cancelled_at, '')) > ?", CLOCK)
            == 0
        )
        assert one(connection, "SELECT count(*) FROM charges WHERE charged_at > ?", CLOCK) == 0
        assert (
            one(
                connection,
                "SELECT count(*) FROM tickets t JOIN bookings b USING (locator) WHERE t.issued_at <> b.booked_at",
            )
            == 0
        )
        assert unbalanced(connection) == []
        assert one(connection, POINTS) == 0
        assert one(connection, LATE_HOLDS) == 0
        assert one(connection, CHILDREN_ALONE) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_is_in_two_places(seed: int) -> None:
    """Trips of one person never overlap, and nearly all start where the last one ended."""
    database = played(seed, 2)
    sailings = {row["id"]: row for row in database.rows["sailings"]}
    people = {row["traveller_id"]: row for row in database.rows["travellers"]}
    trips: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for ticket in database.rows["tickets"]:
        if ticket["status"] != "cancelled":
            who = people[ticket["traveller_id"]]
            key = (who["first_name"], who["last_name"], who["birth_date"])
            trips.setdefault(key, []).append(sailings[ticket["sailing_id"]])
    ordered = [sorted(found, key=lambda row: row["departs_at"]) for found in trips.values()]
    pairs = [pair for found in ordered for pair in pairwise(found)]
    assert len(pairs) > 300
    assert [pair for pair in pairs if pair[1]["departs_at"] < pair[0]["arrives_at"]] == []
    jumps = [pair for pair in pairs if pair[1]["from_port_id"] != pair[0]["to_port_id"]]
    assert len(jumps) <= len(pairs) * 0.02


def test_busy_departures_are_well_sold() -> None:
    database = played(0, 0)
    sailings = {row["id"]: row for row in database.rows["sailings"]}
    sold = Counter(row["sailing_id"] for row in database.rows["tickets"] if row["status"] != "cancelled")
    loads = sorted(count / sailings[key]["capacity"] for key, count in sold.items())
    assert loads[len(loads) // 10] >= 0.3
    assert loads[-1] <= 1


def test_parameters_that_go_together_give_targets() -> None:
    """Sets of correlated parameters are no cross product: each of them has somebody or something to it."""
    database = played(0, 2)
    families = {family.id: family for family in database.intents}
    assert len(families) >= 12
    with opened(database) as connection:
        for family in families.values():
            sets = [dict(row) for row in connection.execute(family.parameter_sets)]
            assert all(connection.execute(family.target, values).fetchone() for values in sets[:40]), family.id


@pytest.mark.parametrize("seed", SEEDS)
def test_planted_conditions_are_within_their_rates(seed: int) -> None:
    database = played(seed, 2)
    with opened(database) as connection:
        measures = measure_plants(database, connection)
    assert [m for m in measures if not m.within] == []
    assert {"namesakes", "no phone number", "holds past their deadline"} <= {m.name for m in measures}


def test_without_a_round_only_conditions_that_hold_are_promised() -> None:
    database = played(0, 0)
    assert "namesakes" not in {plant.name for plant in database.plants}
    assert any("namesakes" in note for note in database.domain.notes)


def test_ownership_is_skewed_and_the_window_is_dense() -> None:
    database = played(0, 0)
    owned = sorted(Counter(b["customer_id"] for b in database.rows["bookings"]).values(), reverse=True)
    assert sum(owned[: len(owned) // 5]) / sum(owned) >= 0.5
    per_sailing: dict[int, set[str]] = {}
    for ticket in database.rows["tickets"]:
        per_sailing.setdefault(ticket["sailing_id"], set()).add(ticket["locator"])
    dense = [found for found in per_sailing.values() if len(found) >= 10]
    assert 35 <= len(dense) <= 80


def test_the_same_seed_gives_the_same_rows_and_mined_rows_never_change() -> None:
    first, again, other = played(0, 0), played.__wrapped__(0, 0), played(1, 0)
    assert first.rows == again.rows
    assert first.provenance == again.provenance
    assert first.rows["bookings"] != other.rows["bookings"]
    assert first.rows["sailings"] == other.rows["sailings"], "mined tables are the same in the whole family"
    names = ("id", "vessel_id", "from_port_id", "to_port_id", "departs_at", "arrives_at")
    kept = [[row[name] for name in names] for row in first.rows["sailings"]]
    assert kept == [[row[name] for name in names] for row in ferry().rows["sailings"]]
    assert first.domain == other.domain.model_copy(update={"notes": first.domain.notes})


def test_every_row_has_one_owner() -> None:
    database = played(0, 2)
    covered: Counter[str] = Counter()
    for entry in database.provenance:
        covered[entry.table] += entry.count
    assert {name: len(rows) for name, rows in database.rows.items() if rows} == dict(covered)
    kinds = {entry.table: entry.kind for entry in database.provenance if entry.table in ("sailings", "bookings")}
    assert kinds == {"sailings": "mined", "bookings": "synthetic"}


def one(connection: sqlite3.Connection, query: str, *values: str) -> Any:
    return connection.execute(query, values).fetchone()[0]


def unbalanced(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Bookings whose books do not add up: only open holds may owe anything."""
    query = """
        SELECT b.locator, b.status,
          (SELECT coalesce(sum(amount), 0) FROM charges c WHERE c.locator = b.locator)
          - (SELECT coalesce(sum(CASE kind WHEN 'payment' THEN amount ELSE -amount END), 0)
             FROM payments p WHERE p.locator = b.locator) AS due
        FROM bookings b"""
    return [tuple(row) for row in connection.execute(query) if (row["status"] == "held") != (row["due"] > 0)]


DOUBLE_SEATS = """SELECT count(*) FROM (
    SELECT 1 FROM tickets WHERE seat IS NOT NULL GROUP BY sailing_id, seat HAVING count(*) > 1)"""
OVERSOLD = """SELECT count(*) FROM (
    SELECT 1 FROM tickets t JOIN sailings s ON s.id = t.sailing_id WHERE t.status <> 'cancelled'
    GROUP BY s.id HAVING count(*) > max(s.capacity))"""
LATE_TICKETS = """SELECT count(*) FROM tickets t JOIN bookings b USING (locator) WHERE t.issued_at <> b.booked_at"""
LATE_HOLDS = """SELECT count(*) FROM bookings b JOIN tickets t USING (locator) JOIN sailings s ON s.id = t.sailing_id
    WHERE b.hold_expires_at > s.departs_at"""
CHILDREN_ALONE = """SELECT count(*) FROM (
    SELECT 1 FROM travellers GROUP BY locator HAVING max(kind) = 'child' AND min(kind) = 'child')"""
EARLY_CHECK_INS = """SELECT count(*) FROM tickets t JOIN sailings s ON s.id = t.sailing_id
    WHERE t.checked_in_at IS NOT NULL
      AND (julianday(s.departs_at) - julianday(t.checked_in_at)) * 24 NOT BETWEEN 0.9 AND 24.1"""
WRONG_STATES = f"""SELECT count(*) FROM tickets t JOIN sailings s ON s.id = t.sailing_id
    WHERE (t.status IN ('travelled', 'no_show', 'boarded') AND s.departs_at > '{CLOCK}')
       OR (t.status = 'checked_in' AND s.departs_at < '{CLOCK}')"""
POINTS = """SELECT count(*) FROM customers c WHERE points_balance <>
    (SELECT coalesce(sum(points), 0) FROM loyalty_activities a WHERE a.customer_id = c.customer_id)"""
