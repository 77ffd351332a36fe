"""Unit tests of the tools: one module for the environment in the folder above.

Expected values come from the rows, read with SQL that the tools do not use, and from what the tools are meant to do.
Every test gets a fresh World.
"""

import pytest
import tools

from envforge.world.api import ToolError
from envforge.world.testing import changes


def _all_pages(tool, world, first, cursor, /, **arguments):
    """The items of all pages, from the first one on."""
    items, page = list(first["items"]), first
    while page["next_cursor"] is not None:
        page = tool(world, **arguments, **{cursor: page["next_cursor"]})
        items += page["items"]
    return items


def _changed(before, after):
    """The columns that differ, with their new values."""
    return {name: after[name] for name in before if before[name] != after[name]}


def _columns(row, *names, flags=()):
    """Columns of a row as results show them: flags are true or false."""
    return {name: row[name] if name not in flags or row[name] is None else row[name] == 1 for name in names}


def _counts(made):
    """table -> how many rows were inserted, updated and deleted."""
    return {table: tuple(len(made[table][kind]) for kind in ("inserted", "updated", "deleted")) for table in made}


def _value(world, query, **parameters):
    """The one value that a query yields."""
    (row,) = world.query(query, parameters)
    (value,) = row.values()
    return value


def test_select_seat__success(world):
    """With ticket_id and seat: changes 1 of tickets, and nothing else changes."""
    query = "SELECT seat FROM tickets WHERE ticket_id = :ticket_id"
    result = tools.select_seat(world, ticket_id=500003, seat="1A")
    made = changes(world)
    assert _counts(made) == {"tickets": (0, 1, 0)}
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500003
    assert _changed(before, after) == {"seat": "1A"}
    assert result == {"ticket_id": 500003, "seat": "1A", "previous_seat": None}
    assert _value(world, query, ticket_id=500003) == result["seat"]


def test_select_seat__success_2(world):
    """With ticket_id and seat: changes 1 of tickets, and nothing else changes."""
    query = "SELECT seat FROM tickets WHERE ticket_id = :ticket_id"
    result = tools.select_seat(world, ticket_id=500009, seat="1A")
    made = changes(world)
    assert _counts(made) == {"tickets": (0, 1, 0)}
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500009
    assert _changed(before, after) == {"seat": "1A"}
    assert result == {"ticket_id": 500009, "seat": "1A", "previous_seat": "8A"}
    assert _value(world, query, ticket_id=500009) == result["seat"]


def test_select_seat__conflict(world):
    """Seat 4A is taken: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=500003, seat="4A")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Seat 4A is taken."
    assert caught.value.hint
    assert not changes(world)


def test_select_seat__not_allowed(world):
    """Ticket 500093 is booked on a flight that is cancelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=500093, seat="1A")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500093 is booked on a flight that is cancelled."
    assert caught.value.hint
    assert not changes(world)


def test_select_seat__not_found(world):
    """There is no seat 99Z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=500003, seat="99Z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no seat 99Z."
    assert caught.value.hint
    assert not changes(world)


def test_select_seat__not_allowed_2(world):
    """Fare class BASIC has no choice of seats: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=500001, seat="1A")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Fare class BASIC has no choice of seats."
    assert caught.value.hint
    assert not changes(world)


def test_select_seat__not_found_2(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=501863, seat="1A")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_select_seat__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id=500003, seat="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.select_seat(world, ticket_id="many", seat="1A")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__success(world):
    """With ticket_id: changes 1 of bags, adds 2 of charges, adds 1 of payments and changes 1 of tickets, and …"""
    query_1 = "SELECT status FROM tickets WHERE ticket_id = :ticket_id"
    query_2 = (
        "SELECT coalesce(sum(p.amount), 0) FROM payments p JOIN tickets t ON t.locator = p.locator WHERE t.ticket_i"
        "d = :ticket_id AND p.kind = 'refund'"
    )
    held_2 = _value(world, query_2, ticket_id=500785)
    now = world.now()
    result = tools.cancel_ticket(world, ticket_id=500785)
    made = changes(world)
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    assert _counts(made) == {"bags": (0, 1, 0), "charges": (2, 0, 0), "payments": (1, 0, 0), "tickets": (0, 1, 0)}
    ((before, after),) = made["bags"]["updated"]
    assert before["bag_id"] == 363
    assert _changed(before, after) == {"status": "cancelled"}
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": "3B7A6F",
            "ticket_id": 500785,
            "kind": "reversal",
            "amount": -189,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": "3B7A6F",
            "ticket_id": 500785,
            "kind": "cancellation_fee",
            "amount": 75,
            "charged_at": now,
        },
    ]
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": "3B7A6F",
        "kind": "refund",
        "method": "credit card",
        "amount": 114,
        "paid_at": now,
    }]
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500785
    assert _changed(before, after) == {"status": "cancelled", "seat": None}
    assert result == {"ticket_id": 500785, "locator": "3B7A6F", "cancellation_fee": 75, "refund": 114}
    assert _value(world, query_1, ticket_id=500785) == "cancelled"
    assert _value(world, query_2, ticket_id=500785) == held_2 + result["refund"]


def test_cancel_ticket__success_2(world):
    """With ticket_id: changes 1 of tickets, and nothing else changes."""
    query_1 = "SELECT status FROM tickets WHERE ticket_id = :ticket_id"
    query_2 = (
        "SELECT coalesce(sum(p.amount), 0) FROM payments p JOIN tickets t ON t.locator = p.locator WHERE t.ticket_i"
        "d = :ticket_id AND p.kind = 'refund'"
    )
    held_2 = _value(world, query_2, ticket_id=500433)
    result = tools.cancel_ticket(world, ticket_id=500433)
    made = changes(world)
    assert _counts(made) == {"tickets": (0, 1, 0)}
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500433
    assert _changed(before, after) == {"status": "cancelled"}
    assert result == {"ticket_id": 500433, "locator": "5HES48", "cancellation_fee": 0, "refund": 0}
    assert _value(world, query_1, ticket_id=500433) == "cancelled"
    assert _value(world, query_2, ticket_id=500433) == held_2 + result["refund"]


def test_cancel_ticket__conflict(world):
    """Ticket 500089 is cancelled already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500089)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Ticket 500089 is cancelled already."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_allowed(world):
    """Without ticket 500471 a child of booking 4UUDAA would travel alone: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500471)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Without ticket 500471 a child of booking 4UUDAA would travel alone."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_found(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=501863)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_allowed_2(world):
    """Ticket 500036 is travelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500036)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500036 is travelled."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_allowed_3(world):
    """Booking KZWK9H is not paid yet: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500494)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Booking KZWK9H is not paid yet."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_allowed_4(world):
    """Ticket 500863 is the last one of booking SV3V3A: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500863)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500863 is the last one of booking SV3V3A."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_ticket__not_allowed_5(world):
    """The flight of ticket 500334 has left: nothing changes."""
    world.execute(
        "UPDATE flights SET scheduled_departure = ? WHERE flight_id = ?",
        ["2011-12-13T12:00:00Z", "US2116-20130118-LGA"],
    )
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id=500334)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The flight of ticket 500334 has left."
    assert caught.value.hint
    assert changes(world) == before


def test_cancel_ticket__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_ticket(world, ticket_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_check_in__success(world):
    """With ticket_id: changes 2 of bags and changes 1 of tickets, and nothing else changes."""
    query_1 = "SELECT status FROM tickets WHERE ticket_id = :ticket_id"
    query_2 = "SELECT seat FROM tickets WHERE ticket_id = :ticket_id"
    query_3 = "SELECT count(*) FROM bags WHERE ticket_id = :ticket_id AND status = 'registered'"
    now = world.now()
    result = tools.check_in(world, ticket_id=500004)
    made = changes(world)
    assert _counts(made) == {"bags": (0, 2, 0), "tickets": (0, 1, 0)}
    moved = {before["bag_id"]: _changed(before, after) for before, after in made["bags"]["updated"]}
    assert moved == {2: {"status": "accepted"}, 3: {"status": "accepted"}}
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500004
    assert _changed(before, after) == {"status": "checked_in", "seat": "1B", "checked_in_at": now}
    assert result == {"ticket_id": 500004, "status": "checked_in", "seat": "1B"}
    assert _value(world, query_1, ticket_id=500004) == "checked_in"
    assert _value(world, query_2, ticket_id=500004) == result["seat"]
    assert _value(world, query_3, ticket_id=500004) == 0


def test_check_in__conflict(world):
    """Ticket 500047 is checked in already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500047)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Ticket 500047 is checked in already."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_allowed(world):
    """Fare class BASIC has no choice of seats: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500001, seat="A second seat")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Fare class BASIC has no choice of seats."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_found(world):
    """There is no seat 99Z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500015, seat="99Z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no seat 99Z."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_allowed_2(world):
    """Ticket 500036 is travelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500036)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500036 is travelled."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_allowed_3(world):
    """The flight is cancelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500008)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The flight is cancelled."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_allowed_4(world):
    """Check-in opens 24 hours before the flight leaves: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500432)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Check-in opens 24 hours before the flight leaves."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_found_2(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=501863)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_check_in__not_allowed_5(world):
    """Check-in has closed: nothing changes."""
    world.execute(
        "UPDATE flights SET scheduled_departure = ? WHERE flight_id = ?",
        ["2011-12-13T12:00:00Z", "AA1763-20130116-BOS"],
    )
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500001)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Check-in has closed."
    assert caught.value.hint
    assert changes(world) == before


def test_check_in__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id=500004, seat="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.check_in(world, ticket_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__with_payment_method(world):
    """With ticket_id, new_flight_id and payment_method: adds 2 of charges, adds 1 of payments and changes 1 of …"""
    query_1 = "SELECT flight_id FROM tickets WHERE ticket_id = :ticket_id"
    query_2 = (
        "SELECT coalesce(sum(p.amount), 0) FROM payments p JOIN tickets t ON t.locator = p.locator WHERE t.ticket_i"
        "d = :ticket_id AND p.kind = 'payment'"
    )
    held_2 = _value(world, query_2, ticket_id=500003)
    now = world.now()
    result = tools.change_flight(world, ticket_id=500003, new_flight_id="MQ4582-20130117-LGA", payment_method="cash")
    made = changes(world)
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    assert _counts(made) == {"charges": (2, 0, 0), "payments": (1, 0, 0), "tickets": (0, 1, 0)}
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": "A32UY6",
            "ticket_id": 500003,
            "kind": "change_fee",
            "amount": 50,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": "A32UY6",
            "ticket_id": 500003,
            "kind": "fare_difference",
            "amount": 86,
            "charged_at": now,
        },
    ]
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": "A32UY6",
        "kind": "payment",
        "method": "cash",
        "amount": 136,
        "paid_at": now,
    }]
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500003
    assert _changed(before, after) == {"flight_id": "MQ4582-20130117-LGA", "fare": 198}
    assert result == {
        "ticket_id": 500003,
        "flight_id": "MQ4582-20130117-LGA",
        "change_fee": 50,
        "fare_difference": 86,
        "paid": 136,
    }
    assert _value(world, query_1, ticket_id=500003) == "MQ4582-20130117-LGA"
    assert _value(world, query_2, ticket_id=500003) == held_2 + result["paid"]


def test_change_flight__conflict(world):
    """Ticket 500003 is on MQ4584-20130118-LGA already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="MQ4584-20130118-LGA")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Ticket 500003 is on MQ4584-20130118-LGA already."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__invalid_argument(world):
    """The change costs 136 USD: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="MQ4582-20130117-LGA")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "The change costs 136 USD."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_allowed(world):
    """Ticket 500036 cannot be changed as it stands: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500036, new_flight_id="EV4641-20130115-EWR")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500036 cannot be changed as it stands."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_found(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=501863, new_flight_id="MQ4582-20130117-LGA", payment_method="credit card")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_allowed_2(world):
    """The flight of ticket 500093 is cancelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500093, new_flight_id="US948-20130119-CLT")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The flight of ticket 500093 is cancelled."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_allowed_3(world):
    """Fare class BASIC does not allow changes: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500001, new_flight_id="US2116-20130117-BOS")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Fare class BASIC does not allow changes."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_allowed_4(world):
    """US948-20130119-CLT is on another route: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500004, new_flight_id="US948-20130119-CLT")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "US948-20130119-CLT is on another route."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_found_2(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="0Z0000-00000000-ZZZ", payment_method="credit card")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_change_flight__not_allowed_5(world):
    """MQ4582-20130117-LGA is not on sale any more: nothing changes."""
    world.execute(
        "UPDATE flights SET scheduled_departure = ? WHERE flight_id = ?",
        ["2011-12-13T12:00:00Z", "MQ4582-20130117-LGA"],
    )
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="MQ4582-20130117-LGA", payment_method="cash")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "MQ4582-20130117-LGA is not on sale any more."
    assert caught.value.hint
    assert changes(world) == before


def test_change_flight__limit_exceeded(world):
    """MQ4582-20130117-LGA is full: nothing changes."""
    world.execute("UPDATE flights SET capacity = ? WHERE flight_id = ?", [0, "MQ4582-20130117-LGA"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="MQ4582-20130117-LGA", payment_method="cash")
    assert caught.value.code == "limit_exceeded"
    assert caught.value.message == "MQ4582-20130117-LGA is full."
    assert caught.value.hint
    assert changes(world) == before


def test_change_flight__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id=500003, new_flight_id="   ", payment_method="credit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.change_flight(
            world,
            ticket_id=500003,
            new_flight_id="MQ4582-20130117-LGA",
            payment_method="no_such_choice",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.change_flight(world, ticket_id="many", new_flight_id="MQ4582-20130117-LGA", payment_method="credit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__success(world):
    """With ticket_id and new_flight_id: changes 1 of tickets, and nothing else changes."""
    query = "SELECT flight_id FROM tickets WHERE ticket_id = :ticket_id"
    result = tools.rebook_ticket(world, ticket_id=500008, new_flight_id="MQ4409-20130116-RDU")
    made = changes(world)
    assert _counts(made) == {"tickets": (0, 1, 0)}
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500008
    assert _changed(before, after) == {"flight_id": "MQ4409-20130116-RDU"}
    assert result == {
        "ticket_id": 500008,
        "flight_id": "MQ4409-20130116-RDU",
        "scheduled_departure": "2013-01-16T15:45:00Z",
        "seats_left": 69,
    }
    assert _value(world, query, ticket_id=500008) == "MQ4409-20130116-RDU"


def test_rebook_ticket__conflict(world):
    """US2115-20130118-BOS does not fit the rest of the trip: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500192, new_flight_id="US2115-20130118-BOS")
    assert caught.value.code == "conflict"
    assert caught.value.message == "US2115-20130118-BOS does not fit the rest of the trip."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__limit_exceeded(world):
    """MQ4405-20130118-RDU is full: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500008, new_flight_id="MQ4405-20130118-RDU")
    assert caught.value.code == "limit_exceeded"
    assert caught.value.message == "MQ4405-20130118-RDU is full."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_allowed(world):
    """Ticket 500034 is on board: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500034, new_flight_id="US948-20130119-CLT")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500034 is on board."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_found(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=501863, new_flight_id="MQ4409-20130116-RDU")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_allowed_2(world):
    """The flight of ticket 500001 is not cancelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500001, new_flight_id="US2118-20130116-BOS")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The flight of ticket 500001 is not cancelled."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_allowed_3(world):
    """US948-20130119-CLT is on another route: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500093, new_flight_id="US948-20130119-CLT")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "US948-20130119-CLT is on another route."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_allowed_4(world):
    """MQ4404-20130119-RDU is not on sale any more: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500093, new_flight_id="MQ4404-20130119-RDU")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "MQ4404-20130119-RDU is not on sale any more."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__not_found_2(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500008, new_flight_id="0Z0000-00000000-ZZZ")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_rebook_ticket__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id=500008, new_flight_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.rebook_ticket(world, ticket_id="many", new_flight_id="MQ4409-20130116-RDU")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_summarise_sales__success(world):
    """With flight_id: the result is what the rows say."""
    result = tools.summarise_sales(world, flight_id="US2116-20130118-LGA")
    assert result["capacity"] == 100
    assert result["sold"] == 92
    assert [item["tickets"] for item in result["groups"]] == [35, 3, 10, 8, 39, 4]
    assert result["groups"][0] == {"fare_class": "BASIC", "status": "booked", "tickets": 35, "fares": 2939}
    assert result["groups"][-1] == {"fare_class": "STD", "status": "cancelled", "tickets": 4, "fares": 436}
    assert not changes(world)


def test_summarise_sales__success_2(world):
    """With flight_id: the result is what the rows say."""
    result = tools.summarise_sales(world, flight_id="US948-20130119-CLT")
    assert result == {"capacity": 179, "sold": 0, "groups": []}
    assert not changes(world)


def test_summarise_sales__not_found(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.summarise_sales(world, flight_id="0Z0000-00000000-ZZZ")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_summarise_sales__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.summarise_sales(world, flight_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_bookings__with_several(world):
    """With customer_id, status and page_size: 2 rows fit."""
    page = tools.search_bookings(world, customer_id=100044, status="expired", page_size=1)
    assert page["items"] == [
        {
            "locator": "HHGGSX",
            "status": "expired",
            "booked_at": "2013-01-13T02:28:40Z",
            "customer_id": 100044,
            "traveller_id": 623,
            "first_name": "Carol",
            "last_name": "Phillips",
            "birth_date": "1982-04-05",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_bookings__with_several_2(world):
    """With customer_id, last_name and status: no row fits."""
    page = tools.search_bookings(world, customer_id=100044, last_name="Checked last name", status="confirmed")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_bookings__with_several_3(world):
    """With customer_id, status and page_size: one row fits."""
    page = tools.search_bookings(world, customer_id=100005, status="confirmed", page_size=1)
    assert page == {
        "items": [
            {
                "locator": "A32UY6",
                "status": "confirmed",
                "booked_at": "2012-11-04T20:45:37Z",
                "customer_id": 100005,
                "traveller_id": 641,
                "first_name": "Kayla",
                "last_name": "Williams",
                "birth_date": "1978-10-21",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_bookings__with_status(world):
    """With status: 32 rows fit."""
    page = tools.search_bookings(world, status="held")
    assert [item["traveller_id"] for item in page["items"]] == [
        699, 322, 323, 406, 620, 667, 654, 596, 696, 697, 700, 404, 405, 222, 698, 343, 344, 119, 195, 196,
    ]
    assert page["items"][0] == {
        "locator": "GCXSQK",
        "status": "held",
        "booked_at": "2013-01-16T08:07:21Z",
        "customer_id": 100074,
        "traveller_id": 699,
        "first_name": "Mariah",
        "last_name": "Miller",
        "birth_date": "1991-05-23",
    }
    assert page["items"][-1] == {
        "locator": "VMLHV3",
        "status": "held",
        "booked_at": "2013-01-14T12:58:59Z",
        "customer_id": 100075,
        "traveller_id": 196,
        "first_name": "Daisy",
        "last_name": "Fuller",
        "birth_date": "1968-10-27",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_bookings__with_first_name(world):
    """With first_name: no row fits."""
    page = tools.search_bookings(world, first_name="Checked first name")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_bookings__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_bookings(world, status="expired", page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_bookings(world, status="expired", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_bookings, world, first, "start_cursor", status="expired", page_size=2)
    assert items == whole["items"]
    most = tools.search_bookings(world, status="expired", page_size=6)
    assert most["has_more"] is True


def test_search_bookings__invalid_argument(world):
    """State at least one thing to search by: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "State at least one thing to search by."
    assert caught.value.hint
    assert not changes(world)


def test_search_bookings__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, first_name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, last_name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, status="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_bookings(world, customer_id=100044, start_cursor="no-such-cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_booking__success(world):
    """With locator: the result is what the rows say."""
    result = tools.get_booking(world, locator="48ZENF")
    assert result["booking"] == {
        "locator": "48ZENF",
        "customer_id": 100046,
        "status": "confirmed",
        "channel": "phone",
        "contact_email": "robert_ellis@example.net",
        "contact_phone": "+1-315-555-0025",
        "booked_at": "2013-01-10T18:49:06Z",
        "hold_expires_at": None,
        "cancelled_at": None,
    }
    assert [item["traveller_id"] for item in result["travellers"]] == [112, 113, 114, 115, 116]
    assert result["travellers"][0] == {
        "traveller_id": 112,
        "first_name": "Robert",
        "last_name": "Ellis",
        "birth_date": "1974-09-13",
        "kind": "adult",
        "customer_id": 100046,
    }
    assert result["travellers"][-1] == {
        "traveller_id": 116,
        "first_name": "Annette",
        "last_name": "Ellis",
        "birth_date": "1998-05-13",
        "kind": "adult",
        "customer_id": None,
    }
    assert [item["ticket_id"] for item in result["tickets"]] == [
        500406, 500407, 500408, 500409, 500410, 500411, 500412, 500413, 500414, 500415,
    ]
    assert result["tickets"][0] == {
        "ticket_id": 500406,
        "traveller_id": 112,
        "flight_id": "MQ4403-20130116-JFK",
        "leg": 1,
        "fare_class": "STD",
        "status": "checked_in",
        "seat": "6D",
        "fare": 107,
        "tax": 17,
    }
    assert result["tickets"][-1] == {
        "ticket_id": 500415,
        "traveller_id": 116,
        "flight_id": "MQ4405-20130118-RDU",
        "leg": 2,
        "fare_class": "STD",
        "status": "booked",
        "seat": None,
        "fare": 97,
        "tax": 16,
    }
    assert [item["bag_id"] for item in result["bags"]] == [165, 166, 167, 168, 169, 170]
    assert result["bags"][0] == {
        "bag_id": 165,
        "ticket_id": 500408,
        "piece": 1,
        "weight_kg": 23,
        "fee": 35,
        "status": "accepted",
    }
    assert result["bags"][-1] == {
        "bag_id": 170,
        "ticket_id": 500415,
        "piece": 1,
        "weight_kg": None,
        "fee": 35,
        "status": "registered",
    }
    assert [item["ticket_id"] for item in result["charges"]] == [
        500406, 500407, 500408, 500409, 500410, 500411, 500412, 500413, 500414, 500415, 500408, 500408, 500410, 500413,
        500413, 500415,
    ]
    assert result["charges"][0] == {
        "kind": "ticket",
        "ticket_id": 500406,
        "amount": 124,
        "charged_at": "2013-01-10T18:49:06Z",
    }
    assert result["charges"][-1] == {
        "kind": "bag",
        "ticket_id": 500415,
        "amount": 35,
        "charged_at": "2013-01-10T18:58:06Z",
    }
    assert result["payments"] == [
        {"kind": "payment", "method": "credit card", "amount": 1395, "paid_at": "2013-01-10T18:58:06Z"},
    ]
    assert result["balance_due"] == 0
    assert not changes(world)


def test_get_booking__success_2(world):
    """With locator: the result is what the rows say."""
    result = tools.get_booking(world, locator="47J4ZL")
    assert result == {
        "booking": {
            "locator": "47J4ZL",
            "customer_id": 100063,
            "status": "held",
            "channel": "app",
            "contact_email": "connie.lynch@example.com",
            "contact_phone": None,
            "booked_at": "2013-01-15T13:08:18Z",
            "hold_expires_at": "2013-01-17T13:08:18Z",
            "cancelled_at": None,
        },
        "travellers": [
            {
                "traveller_id": 596,
                "first_name": "Connie",
                "last_name": "Lynch",
                "birth_date": "1987-06-06",
                "kind": "adult",
                "customer_id": 100063,
            },
        ],
        "tickets": [
            {
                "ticket_id": 500739,
                "traveller_id": 596,
                "flight_id": "MQ4405-20130118-RDU",
                "leg": 1,
                "fare_class": "STD",
                "status": "booked",
                "seat": None,
                "fare": 113,
                "tax": 17,
            },
        ],
        "bags": [],
        "charges": [{"kind": "ticket", "ticket_id": 500739, "amount": 130, "charged_at": "2013-01-15T13:08:18Z"}],
        "payments": [],
        "balance_due": 130,
    }
    assert not changes(world)


def test_get_booking__success_3(world):
    """With locator: the result is what the rows say."""
    result = tools.get_booking(world, locator="296ABP")
    assert result["booking"] == {
        "locator": "296ABP",
        "customer_id": 100108,
        "status": "cancelled",
        "channel": "web",
        "contact_email": "s.baker71@example.com",
        "contact_phone": "+1-973-555-7195",
        "booked_at": "2013-01-11T16:51:00Z",
        "hold_expires_at": None,
        "cancelled_at": "2013-01-12T10:52:13Z",
    }
    assert result["travellers"] == [
        {
            "traveller_id": 602,
            "first_name": "Maria",
            "last_name": "Davis",
            "birth_date": "1977-11-01",
            "kind": "adult",
            "customer_id": None,
        },
        {
            "traveller_id": 603,
            "first_name": "Kevin",
            "last_name": "Davis",
            "birth_date": "1979-01-11",
            "kind": "adult",
            "customer_id": None,
        },
    ]
    assert result["tickets"] == [
        {
            "ticket_id": 500451,
            "traveller_id": 602,
            "flight_id": "MQ4405-20130118-RDU",
            "leg": 1,
            "fare_class": "PREM",
            "status": "cancelled",
            "seat": None,
            "fare": 232,
            "tax": 26,
        },
        {
            "ticket_id": 500452,
            "traveller_id": 603,
            "flight_id": "MQ4405-20130118-RDU",
            "leg": 1,
            "fare_class": "PREM",
            "status": "cancelled",
            "seat": None,
            "fare": 232,
            "tax": 26,
        },
    ]
    assert result["bags"] == []
    assert [item["kind"] for item in result["charges"]] == ["ticket", "ticket", "reversal", "reversal"]
    assert result["charges"][0] == {
        "kind": "ticket",
        "ticket_id": 500451,
        "amount": 258,
        "charged_at": "2013-01-11T16:51:00Z",
    }
    assert result["charges"][-1] == {
        "kind": "reversal",
        "ticket_id": 500452,
        "amount": -258,
        "charged_at": "2013-01-12T10:52:13Z",
    }
    assert result["payments"] == [
        {"kind": "payment", "method": "wallet", "amount": 516, "paid_at": "2013-01-11T16:54:00Z"},
        {"kind": "refund", "method": "wallet", "amount": 516, "paid_at": "2013-01-12T10:52:13Z"},
    ]
    assert result["balance_due"] == 0
    assert not changes(world)


def test_get_booking__success_4(world):
    """With locator: the result is what the rows say."""
    result = tools.get_booking(world, locator="27CTA6")
    assert result == {
        "booking": {
            "locator": "27CTA6",
            "customer_id": 100024,
            "status": "confirmed",
            "channel": "phone",
            "contact_email": "susan_costa@example.net",
            "contact_phone": "+1-702-555-4136",
            "booked_at": "2013-01-07T18:00:12Z",
            "hold_expires_at": None,
            "cancelled_at": None,
        },
        "travellers": [
            {
                "traveller_id": 514,
                "first_name": "Jill",
                "last_name": "Bond",
                "birth_date": "1987-06-07",
                "kind": "adult",
                "customer_id": None,
            },
            {
                "traveller_id": 515,
                "first_name": "Seth",
                "last_name": "Bond",
                "birth_date": "1984-08-11",
                "kind": "adult",
                "customer_id": None,
            },
        ],
        "tickets": [
            {
                "ticket_id": 500333,
                "traveller_id": 514,
                "flight_id": "US2116-20130118-LGA",
                "leg": 1,
                "fare_class": "STD",
                "status": "booked",
                "seat": None,
                "fare": 97,
                "tax": 16,
            },
            {
                "ticket_id": 500334,
                "traveller_id": 515,
                "flight_id": "US2116-20130118-LGA",
                "leg": 1,
                "fare_class": "STD",
                "status": "booked",
                "seat": None,
                "fare": 97,
                "tax": 16,
            },
        ],
        "bags": [
            {"bag_id": 189, "ticket_id": 500333, "piece": 1, "weight_kg": None, "fee": 35, "status": "registered"},
        ],
        "charges": [
            {"kind": "ticket", "ticket_id": 500333, "amount": 113, "charged_at": "2013-01-07T18:00:12Z"},
            {"kind": "ticket", "ticket_id": 500334, "amount": 113, "charged_at": "2013-01-07T18:00:12Z"},
            {"kind": "bag", "ticket_id": 500333, "amount": 35, "charged_at": "2013-01-11T18:56:43Z"},
        ],
        "payments": [
            {"kind": "payment", "method": "credit card", "amount": 226, "paid_at": "2013-01-07T18:02:12Z"},
            {"kind": "payment", "method": "credit card", "amount": 35, "paid_at": "2013-01-11T18:56:43Z"},
        ],
        "balance_due": 0,
    }
    assert not changes(world)


def test_get_booking__not_found(world):
    """There is no booking '00Z0Z0': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_booking(world, locator="00Z0Z0")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no booking '00Z0Z0'."
    assert caught.value.hint
    assert not changes(world)


def test_get_booking__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_booking(world, locator="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__with_payment_method(world):
    """With customer_id, flight_ids, fare_class and more: adds 1 of bookings, adds 1 of charges, adds 1 of …"""
    query_1 = "SELECT count(*) FROM bookings WHERE customer_id = :customer_id"
    held_1 = _value(world, query_1, customer_id=100001)
    query_2 = "SELECT sum(fare + tax) FROM tickets WHERE locator = :result_locator"
    now = world.now()
    result = tools.create_booking(
        world,
        customer_id=100001,
        flight_ids=["US1733-20130118-LGA"],
        fare_class="STD",
        travellers=[{"first_name": "David", "last_name": "Cunningham", "birth_date": "1993-10-12"}],
        payment_method="cash",
    )
    made = changes(world)
    new_booking = made["bookings"]["inserted"][0]["locator"]
    new_charge = made["charges"]["inserted"][0]["charge_id"]
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    new_ticket = made["tickets"]["inserted"][0]["ticket_id"]
    new_traveller = made["travellers"]["inserted"][0]["traveller_id"]
    assert _counts(made) == {
        "bookings": (1, 0, 0),
        "charges": (1, 0, 0),
        "payments": (1, 0, 0),
        "tickets": (1, 0, 0),
        "travellers": (1, 0, 0),
    }
    assert made["bookings"]["inserted"] == [{
        "locator": new_booking,
        "customer_id": 100001,
        "status": "confirmed",
        "channel": "agent",
        "contact_email": "cunningham.david@example.com",
        "contact_phone": "+1-213-555-8845",
        "booked_at": now,
        "hold_expires_at": None,
        "cancelled_at": None,
    }]
    assert made["charges"]["inserted"] == [{
        "charge_id": new_charge,
        "locator": new_booking,
        "ticket_id": new_ticket,
        "kind": "ticket",
        "amount": 205,
        "charged_at": now,
    }]
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": new_booking,
        "kind": "payment",
        "method": "cash",
        "amount": 205,
        "paid_at": now,
    }]
    assert made["tickets"]["inserted"] == [{
        "ticket_id": new_ticket,
        "locator": new_booking,
        "traveller_id": new_traveller,
        "flight_id": "US1733-20130118-LGA",
        "leg": 1,
        "fare_class": "STD",
        "status": "booked",
        "seat": None,
        "fare": 182,
        "tax": 23,
        "issued_at": now,
        "checked_in_at": None,
    }]
    assert made["travellers"]["inserted"] == [{
        "traveller_id": new_traveller,
        "locator": new_booking,
        "first_name": "David",
        "last_name": "Cunningham",
        "birth_date": "1993-10-12",
        "kind": "adult",
        "customer_id": 100001,
    }]
    assert result == {
        "locator": new_booking,
        "status": "confirmed",
        "hold_expires_at": None,
        "total": 205,
        "tickets": [
            {
                "ticket_id": new_ticket,
                "traveller_id": new_traveller,
                "flight_id": "US1733-20130118-LGA",
                "leg": 1,
                "fare_class": "STD",
                "status": "booked",
                "seat": None,
                "fare": 182,
                "tax": 23,
            },
        ],
    }
    assert _value(world, query_1, customer_id=100001) == held_1 + 1
    assert _value(world, query_2, result_locator=result["locator"]) == result["total"]


def test_create_booking__success(world):
    """With customer_id, flight_ids, fare_class and travellers: adds 1 of bookings, adds 2 of charges, adds 2 of …"""
    query_1 = "SELECT count(*) FROM bookings WHERE customer_id = :customer_id"
    held_1 = _value(world, query_1, customer_id=100186)
    query_2 = "SELECT sum(fare + tax) FROM tickets WHERE locator = :result_locator"
    now = world.now()
    result = tools.create_booking(
        world,
        customer_id=100186,
        flight_ids=["US1733-20130119-LGA"],
        fare_class="BASIC",
        travellers=[
            {"first_name": "Michael", "last_name": "Vance", "birth_date": "1991-05-21"},
            {"first_name": "Robin", "last_name": "Vance", "birth_date": "2005-03-09"},
        ],
    )
    made = changes(world)
    new_booking = made["bookings"]["inserted"][0]["locator"]
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    new_ticket_1, new_ticket_2 = [row["ticket_id"] for row in made["tickets"]["inserted"]]
    new_traveller_1, new_traveller_2 = [row["traveller_id"] for row in made["travellers"]["inserted"]]
    assert _counts(made) == {"bookings": (1, 0, 0), "charges": (2, 0, 0), "tickets": (2, 0, 0), "travellers": (2, 0, 0)}
    assert made["bookings"]["inserted"] == [{
        "locator": new_booking,
        "customer_id": 100186,
        "status": "held",
        "channel": "agent",
        "contact_email": "michaelvance@example.com",
        "contact_phone": "+1-973-555-0328",
        "booked_at": now,
        "hold_expires_at": "2013-01-18T12:00:00Z",
        "cancelled_at": None,
    }]
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": new_booking,
            "ticket_id": new_ticket_1,
            "kind": "ticket",
            "amount": 139,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": new_booking,
            "ticket_id": new_ticket_2,
            "kind": "ticket",
            "amount": 139,
            "charged_at": now,
        },
    ]
    assert made["tickets"]["inserted"] == [
        {
            "ticket_id": new_ticket_1,
            "locator": new_booking,
            "traveller_id": new_traveller_1,
            "flight_id": "US1733-20130119-LGA",
            "leg": 1,
            "fare_class": "BASIC",
            "status": "booked",
            "seat": None,
            "fare": 121,
            "tax": 18,
            "issued_at": now,
            "checked_in_at": None,
        },
        {
            "ticket_id": new_ticket_2,
            "locator": new_booking,
            "traveller_id": new_traveller_2,
            "flight_id": "US1733-20130119-LGA",
            "leg": 1,
            "fare_class": "BASIC",
            "status": "booked",
            "seat": None,
            "fare": 121,
            "tax": 18,
            "issued_at": now,
            "checked_in_at": None,
        },
    ]
    assert made["travellers"]["inserted"] == [
        {
            "traveller_id": new_traveller_1,
            "locator": new_booking,
            "first_name": "Michael",
            "last_name": "Vance",
            "birth_date": "1991-05-21",
            "kind": "adult",
            "customer_id": 100186,
        },
        {
            "traveller_id": new_traveller_2,
            "locator": new_booking,
            "first_name": "Robin",
            "last_name": "Vance",
            "birth_date": "2005-03-09",
            "kind": "child",
            "customer_id": None,
        },
    ]
    assert result == {
        "locator": new_booking,
        "status": "held",
        "hold_expires_at": "2013-01-18T12:00:00Z",
        "total": 278,
        "tickets": [
            {
                "ticket_id": new_ticket_1,
                "traveller_id": new_traveller_1,
                "flight_id": "US1733-20130119-LGA",
                "leg": 1,
                "fare_class": "BASIC",
                "status": "booked",
                "seat": None,
                "fare": 121,
                "tax": 18,
            },
            {
                "ticket_id": new_ticket_2,
                "traveller_id": new_traveller_2,
                "flight_id": "US1733-20130119-LGA",
                "leg": 1,
                "fare_class": "BASIC",
                "status": "booked",
                "seat": None,
                "fare": 121,
                "tax": 18,
            },
        ],
    }
    assert _value(world, query_1, customer_id=100186) == held_1 + 1
    assert _value(world, query_2, result_locator=result["locator"]) == result["total"]


def test_create_booking__conflict(world):
    """KEVIN Alexander is booked on US2116-20130118-LGA already, with BAU67D: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100119,
            flight_ids=["US2116-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "KEVIN", "last_name": "Alexander", "birth_date": "1990-04-09"}],
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "KEVIN Alexander is booked on US2116-20130118-LGA already, with BAU67D."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__invalid_argument(world):
    """A traveller is named twice: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[
                {"first_name": "Robin", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Robin", "last_name": "Oakley", "birth_date": "1985-03-09"},
            ],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "A traveller is named twice."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__limit_exceeded(world):
    """AA1790-20130117-JFK has 4 seats left: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["AA1790-20130117-JFK"],
            fare_class="STD",
            travellers=[
                {"first_name": "Ann", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Ben", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Cara", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Dan", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Eve", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Finn", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Gail", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Hugh", "last_name": "Oakley", "birth_date": "1985-03-09"},
                {"first_name": "Ines", "last_name": "Oakley", "birth_date": "1985-03-09"},
            ],
        )
    assert caught.value.code == "limit_exceeded"
    assert caught.value.message == "AA1790-20130117-JFK has 4 seats left."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__not_allowed(world):
    """The profile of customer 100040 is closed: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100040,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "Robin", "last_name": "Oakley", "birth_date": "1985-03-09"}],
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The profile of customer 100040 is closed."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__not_found(world):
    """There is no customer 100686: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100686,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "Robin", "last_name": "Oakley", "birth_date": "1985-03-09"}],
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no customer 100686."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__invalid_argument_2(world):
    """A date of birth lies in the future or before 1900: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "Robin", "last_name": "Oakley", "birth_date": "2022-03-09"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "A date of birth lies in the future or before 1900."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__not_allowed_2(world):
    """EV4241-20130116-EWR is not on sale any more: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["EV4241-20130116-EWR"],
            fare_class="STD",
            travellers=[{"first_name": "Robin", "last_name": "Oakley", "birth_date": "1985-03-09"}],
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "EV4241-20130116-EWR is not on sale any more."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__not_found_2(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["0Z0000-00000000-ZZZ"],
            fare_class="STD",
            travellers=[{"first_name": "David", "last_name": "Cunningham", "birth_date": "1993-10-12"}],
            payment_method="credit card",
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_create_booking__invalid_argument_3(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id="many",
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "David", "last_name": "Cunningham", "birth_date": "1993-10-12"}],
            payment_method="credit card",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="no_such_choice",
            travellers=[{"first_name": "David", "last_name": "Cunningham", "birth_date": "1993-10-12"}],
            payment_method="credit card",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100044,
            flight_ids="MQ4404-20130119-RDU",
            fare_class="STD",
            travellers=[{"note": "checked"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[{"first_name": "David", "last_name": "Cunningham", "birth_date": "1993-10-12"}],
            payment_method="no_such_choice",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100001,
            flight_ids=["US1733-20130118-LGA"],
            fare_class="STD",
            travellers=[],
            payment_method="credit card",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_booking(
            world,
            customer_id=100044,
            flight_ids=["US2116-20130118-LGA"],
            fare_class="STD",
            travellers=[{"note": "checked"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_cancel_booking__success(world):
    """With locator: changes 4 of bags, changes 1 of bookings, adds 2 of charges and more, and nothing else …"""
    query_1 = "SELECT status FROM bookings WHERE locator = :locator"
    query_2 = "SELECT count(*) FROM tickets WHERE locator = :locator AND status <> 'cancelled'"
    query_3 = "SELECT coalesce(sum(amount), 0) FROM payments WHERE locator = :locator AND kind = 'refund'"
    held_3 = _value(world, query_3, locator="2A444C")
    now = world.now()
    result = tools.cancel_booking(world, locator="2A444C")
    made = changes(world)
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    assert _counts(made) == {
        "bags": (0, 4, 0),
        "bookings": (0, 1, 0),
        "charges": (2, 0, 0),
        "payments": (1, 0, 0),
        "tickets": (0, 4, 0),
    }
    moved = {before["bag_id"]: _changed(before, after) for before, after in made["bags"]["updated"]}
    assert moved == {
        178: {"status": "cancelled"},
        179: {"status": "cancelled"},
        180: {"status": "cancelled"},
        181: {"status": "cancelled"},
    }
    ((before, after),) = made["bookings"]["updated"]
    assert before["locator"] == "2A444C"
    assert _changed(before, after) == {"status": "cancelled", "cancelled_at": now}
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": "2A444C",
            "ticket_id": 500370,
            "kind": "reversal",
            "amount": -124,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": "2A444C",
            "ticket_id": 500371,
            "kind": "reversal",
            "amount": -124,
            "charged_at": now,
        },
    ]
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": "2A444C",
        "kind": "refund",
        "method": "credit card",
        "amount": 248,
        "paid_at": now,
    }]
    moved = {before["ticket_id"]: _changed(before, after) for before, after in made["tickets"]["updated"]}
    assert moved == {
        500368: {"status": "cancelled", "seat": None},
        500369: {"status": "cancelled", "seat": None},
        500370: {"status": "cancelled"},
        500371: {"status": "cancelled"},
    }
    assert result == {"locator": "2A444C", "status": "cancelled", "tickets_cancelled": 4, "refund": 248}
    assert _value(world, query_1, locator="2A444C") == result["status"]
    assert _value(world, query_2, locator="2A444C") == 0
    assert _value(world, query_3, locator="2A444C") == held_3 + result["refund"]


def test_cancel_booking__success_2(world):
    """With locator: changes 1 of bookings, adds 2 of charges and changes 1 of tickets, and nothing else changes."""
    query_1 = "SELECT status FROM bookings WHERE locator = :locator"
    query_2 = "SELECT count(*) FROM tickets WHERE locator = :locator AND status <> 'cancelled'"
    query_3 = "SELECT coalesce(sum(amount), 0) FROM payments WHERE locator = :locator AND kind = 'refund'"
    held_3 = _value(world, query_3, locator="28K4D3")
    now = world.now()
    result = tools.cancel_booking(world, locator="28K4D3")
    made = changes(world)
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    assert _counts(made) == {"bookings": (0, 1, 0), "charges": (2, 0, 0), "tickets": (0, 1, 0)}
    ((before, after),) = made["bookings"]["updated"]
    assert before["locator"] == "28K4D3"
    assert _changed(before, after) == {"status": "cancelled", "cancelled_at": now}
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": "28K4D3",
            "ticket_id": 500153,
            "kind": "reversal",
            "amount": -66,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": "28K4D3",
            "ticket_id": 500153,
            "kind": "cancellation_fee",
            "amount": 66,
            "charged_at": now,
        },
    ]
    ((before, after),) = made["tickets"]["updated"]
    assert before["ticket_id"] == 500153
    assert _changed(before, after) == {"status": "cancelled", "seat": None}
    assert result == {"locator": "28K4D3", "status": "cancelled", "tickets_cancelled": 1, "refund": 0}
    assert _value(world, query_1, locator="28K4D3") == result["status"]
    assert _value(world, query_2, locator="28K4D3") == 0
    assert _value(world, query_3, locator="28K4D3") == held_3 + result["refund"]


def test_cancel_booking__success_3(world):
    """With locator: changes 1 of bookings, adds 2 of charges and changes 2 of tickets, and nothing else changes."""
    query_1 = "SELECT status FROM bookings WHERE locator = :locator"
    query_2 = "SELECT count(*) FROM tickets WHERE locator = :locator AND status <> 'cancelled'"
    query_3 = "SELECT coalesce(sum(amount), 0) FROM payments WHERE locator = :locator AND kind = 'refund'"
    held_3 = _value(world, query_3, locator="3LK3LV")
    now = world.now()
    result = tools.cancel_booking(world, locator="3LK3LV")
    made = changes(world)
    new_charge_1, new_charge_2 = [row["charge_id"] for row in made["charges"]["inserted"]]
    assert _counts(made) == {"bookings": (0, 1, 0), "charges": (2, 0, 0), "tickets": (0, 2, 0)}
    ((before, after),) = made["bookings"]["updated"]
    assert before["locator"] == "3LK3LV"
    assert _changed(before, after) == {"status": "cancelled", "hold_expires_at": None, "cancelled_at": now}
    assert made["charges"]["inserted"] == [
        {
            "charge_id": new_charge_1,
            "locator": "3LK3LV",
            "ticket_id": 500686,
            "kind": "reversal",
            "amount": -144,
            "charged_at": now,
        },
        {
            "charge_id": new_charge_2,
            "locator": "3LK3LV",
            "ticket_id": 500687,
            "kind": "reversal",
            "amount": -124,
            "charged_at": now,
        },
    ]
    moved = {before["ticket_id"]: _changed(before, after) for before, after in made["tickets"]["updated"]}
    assert moved == {500686: {"status": "cancelled"}, 500687: {"status": "cancelled"}}
    assert result == {"locator": "3LK3LV", "status": "cancelled", "tickets_cancelled": 2, "refund": 0}
    assert _value(world, query_1, locator="3LK3LV") == result["status"]
    assert _value(world, query_2, locator="3LK3LV") == 0
    assert _value(world, query_3, locator="3LK3LV") == held_3 + result["refund"]


def test_cancel_booking__conflict(world):
    """Booking 296ABP is cancelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_booking(world, locator="296ABP")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Booking 296ABP is cancelled."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_booking__not_allowed(world):
    """Part of booking 27SXRR has been travelled: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_booking(world, locator="27SXRR")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Part of booking 27SXRR has been travelled."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_booking__not_found(world):
    """There is no booking '00Z0Z0': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_booking(world, locator="00Z0Z0")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no booking '00Z0Z0'."
    assert caught.value.hint
    assert not changes(world)


def test_cancel_booking__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.cancel_booking(world, locator="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__success(world):
    """With locator, amount and payment_method: changes 1 of bookings and adds 1 of payments, and nothing else …"""
    query_1 = "SELECT status FROM bookings WHERE locator = :locator"
    query_2 = "SELECT coalesce(sum(amount), 0) FROM payments WHERE locator = :locator AND kind = 'payment'"
    held_2 = _value(world, query_2, locator="47J4ZL")
    now = world.now()
    result = tools.pay_booking(world, locator="47J4ZL", amount=130, payment_method="cash")
    made = changes(world)
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    assert _counts(made) == {"bookings": (0, 1, 0), "payments": (1, 0, 0)}
    ((before, after),) = made["bookings"]["updated"]
    assert before["locator"] == "47J4ZL"
    assert _changed(before, after) == {"status": "confirmed", "hold_expires_at": None}
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": "47J4ZL",
        "kind": "payment",
        "method": "cash",
        "amount": 130,
        "paid_at": now,
    }]
    assert result == {"locator": "47J4ZL", "status": "confirmed", "paid": 130}
    assert _value(world, query_1, locator="47J4ZL") == "confirmed"
    assert _value(world, query_2, locator="47J4ZL") == held_2 + 130


def test_pay_booking__conflict(world):
    """Booking 3ZXKC2 is paid already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="3ZXKC2", amount=1, payment_method="cash")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Booking 3ZXKC2 is paid already."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__invalid_argument(world):
    """The balance due is not 1: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="47J4ZL", amount=1, payment_method="debit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "The balance due is not 1."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__not_allowed(world):
    """Booking 296ABP is cancelled; only a held booking waits for payment: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="296ABP", amount=1, payment_method="wallet")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Booking 296ABP is cancelled; only a held booking waits for payment."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__not_found(world):
    """There is no booking '00Z0Z0': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="00Z0Z0", amount=130, payment_method="debit card")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no booking '00Z0Z0'."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__not_allowed_2(world):
    """The hold of KZWK9H ended at 2013-01-14T16:23:29Z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="KZWK9H", amount=103, payment_method="debit card")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The hold of KZWK9H ended at 2013-01-14T16:23:29Z."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__not_allowed_3(world):
    """A flight of booking 3LK3LV is cancelled or has left: US2142-20130118-BOS: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="3LK3LV", amount=2, payment_method="wallet")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "A flight of booking 3LK3LV is cancelled or has left: US2142-20130118-BOS."
    assert caught.value.hint
    assert not changes(world)


def test_pay_booking__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="47J4ZL", amount=0, payment_method="debit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="   ", amount=130, payment_method="debit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.pay_booking(world, locator="47J4ZL", amount=130, payment_method="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_loyalty_activity__with_page_size(world):
    """With customer_id and page_size: 4 rows fit."""
    page = tools.list_loyalty_activity(world, customer_id=100057, page_size=3)
    assert page["tier"] == "gold"
    assert page["points_balance"] == 11635
    assert page["items"] == [
        {"kind": "earned", "points": 321, "ticket_id": 500558, "occurred_at": "2013-01-15T22:15:00Z"},
        {"kind": "bonus", "points": 64, "ticket_id": 500558, "occurred_at": "2013-01-15T22:15:00Z"},
        {"kind": "spent", "points": -2500, "ticket_id": None, "occurred_at": "2013-01-08T14:28:30Z"},
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_loyalty_activity__with_page_size_2(world):
    """With customer_id and page_size: one row fits."""
    page = tools.list_loyalty_activity(world, customer_id=100044, page_size=1)
    assert page == {
        "tier": "platinum",
        "points_balance": 36000,
        "items": [{"kind": "carried_over", "points": 36000, "ticket_id": None, "occurred_at": "2013-01-01T05:00:00Z"}],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_list_loyalty_activity__paging(world):
    """The pages of 1 together hold the same 4 items, in the same order."""
    whole = tools.list_loyalty_activity(world, customer_id=100057, page_size=4)
    assert len(whole["items"]) == 4
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_loyalty_activity(world, customer_id=100057, page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(tools.list_loyalty_activity, world, first, "start_cursor", customer_id=100057, page_size=1)
    assert items == whole["items"]
    most = tools.list_loyalty_activity(world, customer_id=100057, page_size=3)
    assert most["has_more"] is True


def test_list_loyalty_activity__not_allowed(world):
    """Customer 100008 has not joined the loyalty programme: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id=100008)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Customer 100008 has not joined the loyalty programme."
    assert caught.value.hint
    assert not changes(world)


def test_list_loyalty_activity__not_found(world):
    """There is no customer 101186: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id=101186)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no customer 101186."
    assert caught.value.hint
    assert not changes(world)


def test_list_loyalty_activity__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id=100057, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id=100057, start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_loyalty_activity(world, customer_id=100057, start_cursor="no-such-cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_customers__with_several(world):
    """With last_name, first_name, birth_date and page_size: one row fits."""
    page = tools.search_customers(
        world,
        last_name="cunningham",
        first_name="DAVID",
        birth_date="1993-10-12",
        page_size=1,
    )
    expected = world.query(
        "SELECT customer_id "
        "FROM customers "
        "WHERE customer_id IN (?) "
        "ORDER BY last_name, first_name, customer_id LIMIT 2",
        [100001],
    )
    assert [item["customer_id"] for item in page["items"]] == [row["customer_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "customer_id": 100001,
            "first_name": "David",
            "last_name": "Cunningham",
            "birth_date": "1993-10-12",
            "tier": "member",
            "status": "active",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_customers__with_birth_date_and_page_size(world):
    """With birth_date and page_size: 2 rows fit."""
    page = tools.search_customers(world, birth_date="1969-01-06", page_size=1)
    expected = world.query(
        "SELECT customer_id "
        "FROM customers "
        "WHERE customer_id IN (?, ?) "
        "ORDER BY last_name, first_name, customer_id LIMIT 2",
        [100049, 100136],
    )
    assert [item["customer_id"] for item in page["items"]] == [row["customer_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "customer_id": 100049,
            "first_name": "Elizabeth",
            "last_name": "Nichols",
            "birth_date": "1969-01-06",
            "tier": "platinum",
            "status": "active",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_customers__with_email(world):
    """With email: no row fits."""
    page = tools.search_customers(world, email="Checked email")
    expected = world.query(
        "SELECT customer_id "
        "FROM customers "
        "WHERE customer_id IN () "
        "ORDER BY last_name, first_name, customer_id LIMIT 21"
    )
    assert [item["customer_id"] for item in page["items"]] == [row["customer_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_customers__with_last_name(world):
    """With last_name: 3 rows fit."""
    page = tools.search_customers(world, last_name="Brown")
    expected = world.query(
        "SELECT customer_id "
        "FROM customers "
        "WHERE customer_id IN (?, ?, ?) "
        "ORDER BY last_name, first_name, customer_id LIMIT 21",
        [100153, 100159, 100183],
    )
    assert [item["customer_id"] for item in page["items"]] == [row["customer_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "customer_id": 100153,
            "first_name": "Brandy",
            "last_name": "Brown",
            "birth_date": "1944-09-23",
            "tier": "silver",
            "status": "active",
        },
        {
            "customer_id": 100159,
            "first_name": "Joyce",
            "last_name": "Brown",
            "birth_date": "1987-08-12",
            "tier": None,
            "status": "active",
        },
        {
            "customer_id": 100183,
            "first_name": "Scott",
            "last_name": "Brown",
            "birth_date": "1971-05-13",
            "tier": None,
            "status": "active",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_customers__with_loyalty_number(world):
    """With loyalty_number: no row fits."""
    page = tools.search_customers(world, loyalty_number="Checked loyalty number")
    expected = world.query(
        "SELECT customer_id "
        "FROM customers "
        "WHERE customer_id IN () "
        "ORDER BY last_name, first_name, customer_id LIMIT 21"
    )
    assert [item["customer_id"] for item in page["items"]] == [row["customer_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_customers__paging(world):
    """The pages of 1 together hold the same 4 items, in the same order."""
    whole = tools.search_customers(world, last_name="Johnson", page_size=4)
    assert len(whole["items"]) == 4
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_customers(world, last_name="Johnson", page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(tools.search_customers, world, first, "start_cursor", last_name="Johnson", page_size=1)
    assert items == whole["items"]
    most = tools.search_customers(world, last_name="Johnson", page_size=3)
    assert most["has_more"] is True


def test_search_customers__invalid_argument(world):
    """State at least one thing to search by: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "State at least one thing to search by."
    assert caught.value.hint
    assert not changes(world)


def test_search_customers__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", birth_date="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", birth_date="not-a-date")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", email="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="   ", first_name="DAVID")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", loyalty_number="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="cunningham", first_name="DAVID", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_customers(world, last_name="A second last name", start_cursor="A second start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_customer__success(world):
    """With customer_id: the result is what the rows say."""
    result = tools.get_customer(world, customer_id=100044)
    (row,) = world.query("SELECT * FROM customers WHERE customer_id = ?", [100044])
    assert result["customer"] == _columns(
        row,
        "customer_id", "first_name", "last_name", "birth_date", "email", "phone", "loyalty_number", "tier",
        "points_balance", "status", "registered_at",
    )
    assert result["open_bookings"] == 16
    assert not changes(world)


def test_get_customer__success_2(world):
    """With customer_id: the result is what the rows say."""
    result = tools.get_customer(world, customer_id=100012)
    (row,) = world.query("SELECT * FROM customers WHERE customer_id = ?", [100012])
    assert result["customer"] == _columns(
        row,
        "customer_id", "first_name", "last_name", "birth_date", "email", "phone", "loyalty_number", "tier",
        "points_balance", "status", "registered_at",
    )
    assert result["open_bookings"] == 3
    assert not changes(world)


def test_get_customer__success_3(world):
    """With customer_id: the result is what the rows say."""
    result = tools.get_customer(world, customer_id=100005)
    (row,) = world.query("SELECT * FROM customers WHERE customer_id = ?", [100005])
    assert result["customer"] == _columns(
        row,
        "customer_id", "first_name", "last_name", "birth_date", "email", "phone", "loyalty_number", "tier",
        "points_balance", "status", "registered_at",
    )
    assert result["open_bookings"] == 1
    assert not changes(world)


def test_get_customer__not_found(world):
    """There is no customer 101186: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_customer(world, customer_id=101186)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no customer 101186."
    assert caught.value.hint
    assert not changes(world)


def test_get_customer__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_customer(world, customer_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_customer__with_phone(world):
    """With first_name, last_name, birth_date and more: adds 1 of customers, and nothing else changes."""
    query = "SELECT count(*) FROM customers WHERE email = :email AND status = 'active'"
    held = _value(world, query, email="maren.oakley@example.com")
    now = world.now()
    result = tools.create_customer(
        world,
        first_name="Maren",
        last_name="Oakley",
        birth_date="1984-05-02",
        email="maren.oakley@example.com",
        phone="+1-212-555-0142",
    )
    made = changes(world)
    new_customer = made["customers"]["inserted"][0]["customer_id"]
    assert _counts(made) == {"customers": (1, 0, 0)}
    assert made["customers"]["inserted"] == [{
        "customer_id": new_customer,
        "first_name": "Maren",
        "last_name": "Oakley",
        "birth_date": "1984-05-02",
        "email": "maren.oakley@example.com",
        "phone": "+1-212-555-0142",
        "loyalty_number": None,
        "tier": None,
        "points_balance": 0,
        "status": "active",
        "registered_at": now,
    }]
    assert result == {
        "customer": {
            "customer_id": new_customer,
            "first_name": "Maren",
            "last_name": "Oakley",
            "birth_date": "1984-05-02",
            "email": "maren.oakley@example.com",
            "phone": "+1-212-555-0142",
            "loyalty_number": None,
            "tier": None,
            "points_balance": 0,
            "status": "active",
            "registered_at": now,
        },
    }
    assert _value(world, query, email="maren.oakley@example.com") == held + 1


def test_create_customer__success(world):
    """With first_name, last_name, birth_date and email: adds 1 of customers, and nothing else changes."""
    query = "SELECT count(*) FROM customers WHERE email = :email AND status = 'active'"
    held = _value(world, query, email="maren.oakley@example.com")
    now = world.now()
    result = tools.create_customer(
        world,
        first_name="Maren",
        last_name="Oakley",
        birth_date="1984-05-02",
        email="maren.oakley@example.com",
    )
    made = changes(world)
    new_customer = made["customers"]["inserted"][0]["customer_id"]
    assert _counts(made) == {"customers": (1, 0, 0)}
    assert made["customers"]["inserted"] == [{
        "customer_id": new_customer,
        "first_name": "Maren",
        "last_name": "Oakley",
        "birth_date": "1984-05-02",
        "email": "maren.oakley@example.com",
        "phone": None,
        "loyalty_number": None,
        "tier": None,
        "points_balance": 0,
        "status": "active",
        "registered_at": now,
    }]
    assert result == {
        "customer": {
            "customer_id": new_customer,
            "first_name": "Maren",
            "last_name": "Oakley",
            "birth_date": "1984-05-02",
            "email": "maren.oakley@example.com",
            "phone": None,
            "loyalty_number": None,
            "tier": None,
            "points_balance": 0,
            "status": "active",
            "registered_at": now,
        },
    }
    assert _value(world, query, email="maren.oakley@example.com") == held + 1


def test_create_customer__conflict(world):
    """There is a profile for this person or address already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Melissa",
            last_name="Cline",
            birth_date="1962-12-28",
            email="m.cline62@example.com",
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "There is a profile for this person or address already."
    assert caught.value.hint
    assert not changes(world)


def test_create_customer__invalid_argument(world):
    """1884-05-02 lies in the future or before 1900: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="1884-05-02",
            email="maren.oakley@example.com",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "1884-05-02 lies in the future or before 1900."
    assert caught.value.hint
    assert not changes(world)


def test_create_customer__not_allowed(world):
    """A customer must be eighteen or older: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="2010-05-02",
            email="maren.oakley@example.com",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "A customer must be eighteen or older."
    assert caught.value.hint
    assert not changes(world)


def test_create_customer__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="   ",
            email="maren.oakley@example.com",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="not-a-date",
            email="maren.oakley@example.com",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="1984-05-02",
            email="   ",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="1984-05-02",
            email="not-a-date",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="   ",
            last_name="Oakley",
            birth_date="1984-05-02",
            email="maren.oakley@example.com",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="   ",
            birth_date="1984-05-02",
            email="maren.oakley@example.com",
            phone="+1-212-555-0142",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_customer(
            world,
            first_name="Maren",
            last_name="Oakley",
            birth_date="1984-05-02",
            email="maren.oakley@example.com",
            phone="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_customer__with_several(world):
    """With customer_id, email, phone and last_name: changes 1 of bookings and changes 1 of customers, and nothing …"""
    query = "SELECT email FROM customers WHERE customer_id = :customer_id"
    result = tools.update_customer(
        world,
        customer_id=100001,
        email="new.address@example.com",
        phone="+1-212-555-0177",
        last_name="Checked last name",
    )
    made = changes(world)
    assert _counts(made) == {"bookings": (0, 1, 0), "customers": (0, 1, 0)}
    ((before, after),) = made["bookings"]["updated"]
    assert before["locator"] == "JLPDUB"
    assert _changed(before, after) == {"contact_email": "new.address@example.com", "contact_phone": "+1-212-555-0177"}
    ((before, after),) = made["customers"]["updated"]
    assert before["customer_id"] == 100001
    assert _changed(before, after) == {
        "last_name": "Checked last name",
        "email": "new.address@example.com",
        "phone": "+1-212-555-0177",
    }
    assert result == {
        "customer": {
            "customer_id": 100001,
            "first_name": "David",
            "last_name": "Checked last name",
            "birth_date": "1993-10-12",
            "email": "new.address@example.com",
            "phone": "+1-212-555-0177",
            "loyalty_number": "549864487",
            "tier": "member",
            "points_balance": 750,
            "status": "active",
            "registered_at": "2008-12-18T07:03:28Z",
        },
    }
    assert _value(world, query, customer_id=100001) == "new.address@example.com"


def test_update_customer__with_email(world):
    """With customer_id and email: changes 1 of customers, and nothing else changes."""
    query = "SELECT email FROM customers WHERE customer_id = :customer_id"
    result = tools.update_customer(world, customer_id=100002, email="rosa.lindgren@example.org")
    made = changes(world)
    assert _counts(made) == {"customers": (0, 1, 0)}
    ((before, after),) = made["customers"]["updated"]
    assert before["customer_id"] == 100002
    assert _changed(before, after) == {"email": "rosa.lindgren@example.org"}
    assert result == {
        "customer": {
            "customer_id": 100002,
            "first_name": "Melissa",
            "last_name": "Cline",
            "birth_date": "1962-12-28",
            "email": "rosa.lindgren@example.org",
            "phone": "+1-917-555-5535",
            "loyalty_number": "375476846",
            "tier": "member",
            "points_balance": 2000,
            "status": "active",
            "registered_at": "2008-12-25T19:51:55Z",
        },
    }
    assert _value(world, query, customer_id=100002) == "rosa.lindgren@example.org"


def test_update_customer__with_email_and_phone(world):
    """With customer_id, email and phone: changes 3 of bookings and changes 1 of customers, and nothing else …"""
    query = "SELECT email FROM customers WHERE customer_id = :customer_id"
    result = tools.update_customer(world, customer_id=100012, email="new.address@example.com", phone="+1-212-555-0177")
    made = changes(world)
    assert _counts(made) == {"bookings": (0, 3, 0), "customers": (0, 1, 0)}
    moved = {before["locator"]: _changed(before, after) for before, after in made["bookings"]["updated"]}
    assert moved == {
        "7LKHRJ": {"contact_email": "new.address@example.com"},
        "8YPTXJ": {"contact_email": "new.address@example.com", "contact_phone": "+1-212-555-0177"},
        "E2MV53": {"contact_email": "new.address@example.com", "contact_phone": "+1-212-555-0177"},
    }
    ((before, after),) = made["customers"]["updated"]
    assert before["customer_id"] == 100012
    assert _changed(before, after) == {"email": "new.address@example.com", "phone": "+1-212-555-0177"}
    assert result == {
        "customer": {
            "customer_id": 100012,
            "first_name": "Tracy",
            "last_name": "Walsh",
            "birth_date": "1992-09-20",
            "email": "new.address@example.com",
            "phone": "+1-212-555-0177",
            "loyalty_number": None,
            "tier": None,
            "points_balance": 0,
            "status": "active",
            "registered_at": "2009-01-31T08:04:29Z",
        },
    }
    assert _value(world, query, customer_id=100012) == "new.address@example.com"


def test_update_customer__with_last_name(world):
    """With customer_id and last_name: changes 1 of customers, and nothing else changes."""
    result = tools.update_customer(world, customer_id=100044, last_name="Checked last name")
    made = changes(world)
    assert _counts(made) == {"customers": (0, 1, 0)}
    ((before, after),) = made["customers"]["updated"]
    assert before["customer_id"] == 100044
    assert _changed(before, after) == {"last_name": "Checked last name"}
    assert result == {
        "customer": {
            "customer_id": 100044,
            "first_name": "Teresa",
            "last_name": "Checked last name",
            "birth_date": "1956-05-05",
            "email": "teresawhite@example.net",
            "phone": "+1-301-555-3609",
            "loyalty_number": "422852662",
            "tier": "platinum",
            "points_balance": 36000,
            "status": "active",
            "registered_at": "2009-11-16T12:45:43Z",
        },
    }


def test_update_customer__with_last_name_2(world):
    """With customer_id and last_name: changes 1 of customers, and nothing else changes."""
    result = tools.update_customer(world, customer_id=100005, last_name="Checked last name")
    made = changes(world)
    assert _counts(made) == {"customers": (0, 1, 0)}
    ((before, after),) = made["customers"]["updated"]
    assert before["customer_id"] == 100005
    assert _changed(before, after) == {"last_name": "Checked last name"}
    assert result == {
        "customer": {
            "customer_id": 100005,
            "first_name": "Kayla",
            "last_name": "Checked last name",
            "birth_date": "1978-10-21",
            "email": "kayla.williams93@example.com",
            "phone": None,
            "loyalty_number": "539877869",
            "tier": "member",
            "points_balance": 1250,
            "status": "active",
            "registered_at": "2009-01-09T14:27:21Z",
        },
    }


def test_update_customer__conflict(world):
    """Another profile has this e-mail address: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100001, email="michaelvance@example.com")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Another profile has this e-mail address."
    assert caught.value.hint
    assert not changes(world)


def test_update_customer__invalid_argument(world):
    """State what is to be changed: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100001)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "State what is to be changed."
    assert caught.value.hint
    assert not changes(world)


def test_update_customer__not_allowed(world):
    """The profile of customer 100040 is closed: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100040, phone="+1-212-555-0177")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The profile of customer 100040 is closed."
    assert caught.value.hint
    assert not changes(world)


def test_update_customer__not_found(world):
    """There is no customer 101186: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=101186, email="new.address@example.com", phone="+1-212-555-0177")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no customer 101186."
    assert caught.value.hint
    assert not changes(world)


def test_update_customer__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id="many", email="new.address@example.com", phone="+1-212-555-0177")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100001, email="   ", phone="+1-212-555-0177")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100001, email="not-a-date", phone="+1-212-555-0177")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_customer(
            world,
            customer_id=100001,
            email="new.address@example.com",
            phone="+1-212-555-0177",
            last_name="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_customer(world, customer_id=100044, phone="Checked phone")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_seat_map__success(world):
    """With flight_id: the result is what the rows say."""
    page = tools.get_seat_map(world, flight_id="US2140-20130116-LGA")
    assert page["letters"] == "ABCDEF"
    assert page["seats_left"] == 12
    assert page["seats_not_assigned"] == 46
    assert [item["row"] for item in page["rows"]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
    assert page["rows"][0] == {"row": 1, "free": ["A", "C", "D", "E", "F"], "taken": ["B"]}
    assert page["rows"][-1] == {"row": 17, "free": ["A", "D"], "taken": ["B", "C"]}
    assert not changes(world)


def test_get_seat_map__success_2(world):
    """With flight_id: the result is what the rows say."""
    page = tools.get_seat_map(world, flight_id="US948-20130119-CLT")
    assert page["letters"] == "ABCDEF"
    assert page["seats_left"] == 179
    assert page["seats_not_assigned"] == 179
    assert [item["row"] for item in page["rows"]] == [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    ]
    assert page["rows"][0] == {"row": 1, "free": ["A", "B", "C", "D", "E", "F"], "taken": []}
    assert page["rows"][-1] == {"row": 30, "free": ["A", "B", "C", "D", "E"], "taken": []}
    assert not changes(world)


def test_get_seat_map__not_found(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_seat_map(world, flight_id="0Z0000-00000000-ZZZ")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_get_seat_map__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_seat_map(world, flight_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_passengers__with_several(world):
    """With flight_id, status, include_cancelled and page_size: 92 rows fit."""
    page = tools.list_passengers(
        world,
        flight_id="US2116-20130118-LGA",
        status="booked",
        include_cancelled=True,
        page_size=3,
    )
    assert page["items"] == [
        {
            "ticket_id": 500114,
            "locator": "8FZSVL",
            "traveller_id": 564,
            "first_name": "Julie",
            "last_name": "Adams",
            "kind": "adult",
            "fare_class": "BASIC",
            "status": "booked",
            "seat": None,
        },
        {
            "ticket_id": 500115,
            "locator": "8FZSVL",
            "traveller_id": 565,
            "first_name": "Walter",
            "last_name": "Adams",
            "kind": "adult",
            "fare_class": "BASIC",
            "status": "booked",
            "seat": None,
        },
        {
            "ticket_id": 500009,
            "locator": "BAU67D",
            "traveller_id": 547,
            "first_name": "Kevin",
            "last_name": "Alexander",
            "kind": "adult",
            "fare_class": "STD",
            "status": "booked",
            "seat": "8A",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_passengers__success(world):
    """With flight_id: no row fits."""
    page = tools.list_passengers(world, flight_id="US948-20130119-CLT")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_list_passengers__with_page_size(world):
    """With flight_id and page_size: 92 rows fit."""
    page = tools.list_passengers(world, flight_id="US2116-20130118-LGA", page_size=1)
    assert page["items"] == [
        {
            "ticket_id": 500114,
            "locator": "8FZSVL",
            "traveller_id": 564,
            "first_name": "Julie",
            "last_name": "Adams",
            "kind": "adult",
            "fare_class": "BASIC",
            "status": "booked",
            "seat": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_passengers__with_status(world):
    """With flight_id and status: 7 rows fit."""
    page = tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="cancelled")
    assert [item["ticket_id"] for item in page["items"]] == [500563, 500842, 500550, 500125, 500124, 500489, 500146]
    assert page["items"][0] == {
        "ticket_id": 500563,
        "locator": "AXLXJG",
        "traveller_id": 579,
        "first_name": "Beverly",
        "last_name": "Daniels",
        "kind": "adult",
        "fare_class": "STD",
        "status": "cancelled",
        "seat": None,
    }
    assert page["items"][-1] == {
        "ticket_id": 500146,
        "locator": "2M2Z52",
        "traveller_id": 566,
        "first_name": "Mark",
        "last_name": "Young",
        "kind": "adult",
        "fare_class": "STD",
        "status": "cancelled",
        "seat": None,
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_list_passengers__success_2(world):
    """With flight_id: 88 rows fit."""
    page = tools.list_passengers(world, flight_id="US2140-20130116-LGA")
    assert [item["ticket_id"] for item in page["items"]] == [
        500541, 500233, 500073, 500685, 500808, 500810, 500809, 500132, 500460, 500194, 500258, 500254, 500255, 500256,
        500257, 500714, 500713, 500319, 500504, 500837,
    ]
    assert page["items"][0] == {
        "ticket_id": 500541,
        "locator": "2WXRKT",
        "traveller_id": 287,
        "first_name": "Whitney",
        "last_name": "Adkins",
        "kind": "adult",
        "fare_class": "BASIC",
        "status": "booked",
        "seat": None,
    }
    assert page["items"][-1] == {
        "ticket_id": 500837,
        "locator": "HLVWUH",
        "traveller_id": 265,
        "first_name": "Richard",
        "last_name": "Fleming",
        "kind": "adult",
        "fare_class": "BASIC",
        "status": "booked",
        "seat": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_passengers__with_status_2(world):
    """With flight_id and status: no row fits."""
    page = tools.list_passengers(world, flight_id="US948-20130119-CLT", status="booked")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_list_passengers__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="cancelled", page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="cancelled", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.list_passengers, world, first, "start_cursor",
        flight_id="US2116-20130118-LGA",
        status="cancelled",
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="cancelled", page_size=6)
    assert most["has_more"] is True


def test_list_passengers__not_found(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="0Z0000-00000000-ZZZ", status="booked")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_list_passengers__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="   ", status="booked")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="booked", include_cancelled="yes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="booked", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="booked", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="US2116-20130118-LGA", status="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_passengers(world, flight_id="US2116-20130118-LGA", start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_flights__with_several(world):
    """With origin, destination, date and more: 16 rows fit."""
    page = tools.search_flights(world, origin="LGA", destination="BOS", date="2013-01-17", operator="US", page_size=1)
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND destination IS ? "
        "AND flight_date IS ? "
        "AND carrier IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 2",
        ["LGA", "BOS", "2013-01-17", "US"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "flight_id": "US2114-20130117-LGA",
            "carrier": "US",
            "flight_number": 2114,
            "origin": "LGA",
            "destination": "BOS",
            "scheduled_departure": "2013-01-17T11:00:00Z",
            "scheduled_arrival": "2013-01-17T12:03:00Z",
            "scheduled_departure_local": "2013-01-17T06:00",
            "scheduled_arrival_local": "2013-01-17T07:03",
            "status": "scheduled",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_flights__success(world):
    """With origin and date: 6 rows fit."""
    page = tools.search_flights(world, origin="RDU", date="2013-01-19")
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND flight_date IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 21",
        ["RDU", "2013-01-19"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flight_id": "MQ4408-20130119-RDU",
        "carrier": "MQ",
        "flight_number": 4408,
        "origin": "RDU",
        "destination": "JFK",
        "scheduled_departure": "2013-01-19T16:05:00Z",
        "scheduled_arrival": "2013-01-19T17:51:00Z",
        "scheduled_departure_local": "2013-01-19T11:05",
        "scheduled_arrival_local": "2013-01-19T12:51",
        "status": "scheduled",
    }
    assert page["items"][-1] == {
        "flight_id": "9E3375-20130119-RDU",
        "carrier": "9E",
        "flight_number": 3375,
        "origin": "RDU",
        "destination": "JFK",
        "scheduled_departure": "2013-01-20T03:29:00Z",
        "scheduled_arrival": "2013-01-20T05:29:00Z",
        "scheduled_departure_local": "2013-01-19T22:29",
        "scheduled_arrival_local": "2013-01-20T00:29",
        "status": "scheduled",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_flights__with_destination_and_operator(world):
    """With origin, destination, date and operator: no row fits."""
    page = tools.search_flights(world, origin="DCA", destination="EWR", date="2013-01-17", operator="EV")
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND destination IS ? "
        "AND flight_date IS ? "
        "AND carrier IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 21",
        ["DCA", "EWR", "2013-01-17", "EV"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_flights__with_destination_and_operator_2(world):
    """With origin, destination, date and operator: 16 rows fit."""
    page = tools.search_flights(world, origin="LGA", destination="BOS", date="2013-01-17", operator="US")
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND destination IS ? "
        "AND flight_date IS ? "
        "AND carrier IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 21",
        ["LGA", "BOS", "2013-01-17", "US"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flight_id": "US2114-20130117-LGA",
        "carrier": "US",
        "flight_number": 2114,
        "origin": "LGA",
        "destination": "BOS",
        "scheduled_departure": "2013-01-17T11:00:00Z",
        "scheduled_arrival": "2013-01-17T12:03:00Z",
        "scheduled_departure_local": "2013-01-17T06:00",
        "scheduled_arrival_local": "2013-01-17T07:03",
        "status": "scheduled",
    }
    assert page["items"][-1] == {
        "flight_id": "US2144-20130117-LGA",
        "carrier": "US",
        "flight_number": 2144,
        "origin": "LGA",
        "destination": "BOS",
        "scheduled_departure": "2013-01-18T02:00:00Z",
        "scheduled_arrival": "2013-01-18T03:07:00Z",
        "scheduled_departure_local": "2013-01-17T21:00",
        "scheduled_arrival_local": "2013-01-17T22:07",
        "status": "scheduled",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_flights__with_operator(world):
    """With origin, date and operator: 42 rows fit."""
    page = tools.search_flights(world, origin="LGA", date="2013-01-17", operator="US")
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND flight_date IS ? "
        "AND carrier IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 21",
        ["LGA", "2013-01-17", "US"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flight_id": "US2114-20130117-LGA",
        "carrier": "US",
        "flight_number": 2114,
        "origin": "LGA",
        "destination": "BOS",
        "scheduled_departure": "2013-01-17T11:00:00Z",
        "scheduled_arrival": "2013-01-17T12:03:00Z",
        "scheduled_departure_local": "2013-01-17T06:00",
        "scheduled_arrival_local": "2013-01-17T07:03",
        "status": "scheduled",
    }
    assert page["items"][-1] == {
        "flight_id": "US1459-20130117-LGA",
        "carrier": "US",
        "flight_number": 1459,
        "origin": "LGA",
        "destination": "CLT",
        "scheduled_departure": "2013-01-17T17:59:00Z",
        "scheduled_arrival": "2013-01-17T19:56:00Z",
        "scheduled_departure_local": "2013-01-17T12:59",
        "scheduled_arrival_local": "2013-01-17T14:56",
        "status": "scheduled",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_flights__with_destination_and_operator_3(world):
    """With origin, destination, date and operator: 4 rows fit."""
    page = tools.search_flights(world, origin="CLT", destination="LGA", date="2013-01-17", operator="MQ")
    expected = world.query(
        "SELECT flight_id "
        "FROM flights "
        "WHERE origin IS ? "
        "AND destination IS ? "
        "AND flight_date IS ? "
        "AND carrier IS ? "
        "ORDER BY scheduled_departure, flight_id LIMIT 21",
        ["CLT", "LGA", "2013-01-17", "MQ"],
    )
    assert [item["flight_id"] for item in page["items"]] == [row["flight_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flight_id": "MQ4578-20130117-CLT",
        "carrier": "MQ",
        "flight_number": 4578,
        "origin": "CLT",
        "destination": "LGA",
        "scheduled_departure": "2013-01-17T14:40:00Z",
        "scheduled_arrival": "2013-01-17T16:40:00Z",
        "scheduled_departure_local": "2013-01-17T09:40",
        "scheduled_arrival_local": "2013-01-17T11:40",
        "status": "scheduled",
    }
    assert page["items"][-1] == {
        "flight_id": "MQ4582-20130117-CLT",
        "carrier": "MQ",
        "flight_number": 4582,
        "origin": "CLT",
        "destination": "LGA",
        "scheduled_departure": "2013-01-17T22:55:00Z",
        "scheduled_arrival": "2013-01-18T00:55:00Z",
        "scheduled_departure_local": "2013-01-17T17:55",
        "scheduled_arrival_local": "2013-01-17T19:55",
        "status": "scheduled",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_flights__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.search_flights(world, origin="EWR", destination="DCA", date="2013-01-17", operator="EV", page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_flights(world, origin="EWR", destination="DCA", date="2013-01-17", operator="EV", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.search_flights, world, first, "start_cursor",
        origin="EWR",
        destination="DCA",
        date="2013-01-17",
        operator="EV",
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.search_flights(world, origin="EWR", destination="DCA", date="2013-01-17", operator="EV", page_size=7)
    assert most["has_more"] is True


def test_search_flights__not_found(world):
    """There is no airport RDUX: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="RDUX", date="2024-01-01")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no airport RDUX."
    assert caught.value.hint
    assert not changes(world)


def test_search_flights__not_found_2(world):
    """There is no airport XXXX9: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="JFK", destination="XXXX9", date="2013-01-16")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no airport XXXX9."
    assert caught.value.hint
    assert not changes(world)


def test_search_flights__not_found_3(world):
    """There is no airline 0Z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="BOS", date="2013-01-17", operator="0Z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no airline 0Z."
    assert caught.value.hint
    assert not changes(world)


def test_search_flights__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="BOS", date="   ", operator="US")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="BOS", date="not-a-date", operator="US")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="   ", date="2013-01-17", operator="US")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="BOS", date="2013-01-17", operator="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="   ", destination="BOS", date="2013-01-17", operator="US")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", destination="BOS", date="2013-01-17", operator="US", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(
            world,
            origin="LGA",
            destination="BOS",
            date="2013-01-17",
            operator="US",
            start_cursor="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_flights(world, origin="LGA", date="2013-01-17", start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_flight__success(world):
    """With flight_id: the result is what the rows say."""
    result = tools.get_flight(world, flight_id="US948-20130119-CLT")
    assert result["flight"] == {
        "flight_id": "US948-20130119-CLT",
        "carrier": "US",
        "flight_number": 948,
        "origin": "CLT",
        "destination": "LGA",
        "scheduled_departure": "2013-01-19T14:38:00Z",
        "scheduled_arrival": "2013-01-19T16:52:00Z",
        "scheduled_departure_local": "2013-01-19T09:38",
        "scheduled_arrival_local": "2013-01-19T11:52",
        "status": "scheduled",
        "actual_departure": None,
        "actual_arrival": None,
        "tail_number": "N723UW",
        "distance_miles": 544,
        "capacity": 179,
    }
    assert result["seats_left"] == 179
    assert result["on_sale"] is True
    assert [item["fare_class"] for item in result["fares"]] == ["BASIC", "STD", "FLEX", "PREM"]
    assert result["fares"][0] == {"fare_class": "BASIC", "name": "Basic", "fare": 121, "tax": 18, "total": 139}
    assert result["fares"][-1] == {"fare_class": "PREM", "name": "Premium", "fare": 353, "tax": 35, "total": 388}
    assert result["on_sale"] is True
    assert not changes(world)


def test_get_flight__success_2(world):
    """With flight_id: the result is what the rows say."""
    result = tools.get_flight(world, flight_id="EV4641-20130115-EWR")
    assert result == {
        "flight": {
            "flight_id": "EV4641-20130115-EWR",
            "carrier": "EV",
            "flight_number": 4641,
            "origin": "EWR",
            "destination": "CLT",
            "scheduled_departure": "2013-01-15T17:18:00Z",
            "scheduled_arrival": "2013-01-15T19:15:00Z",
            "scheduled_departure_local": "2013-01-15T12:18",
            "scheduled_arrival_local": "2013-01-15T14:15",
            "status": "arrived",
            "actual_departure": "2013-01-15T17:56:00Z",
            "actual_arrival": "2013-01-15T19:54:00Z",
            "tail_number": "N16183",
            "distance_miles": 529,
            "capacity": 55,
        },
        "seats_left": 10,
        "on_sale": False,
        "fares": [],
    }
    assert result["on_sale"] is False
    assert not changes(world)


def test_get_flight__success_3(world):
    """With flight_id: the result is what the rows say."""
    result = tools.get_flight(world, flight_id="9E3387-20130116-JFK")
    assert result["flight"] == {
        "flight_id": "9E3387-20130116-JFK",
        "carrier": "9E",
        "flight_number": 3387,
        "origin": "JFK",
        "destination": "RDU",
        "scheduled_departure": "2013-01-16T21:15:00Z",
        "scheduled_arrival": "2013-01-16T23:15:00Z",
        "scheduled_departure_local": "2013-01-16T16:15",
        "scheduled_arrival_local": "2013-01-16T18:15",
        "status": "scheduled",
        "actual_departure": None,
        "actual_arrival": None,
        "tail_number": None,
        "distance_miles": 427,
        "capacity": 50,
    }
    assert result["seats_left"] == 50
    assert result["on_sale"] is True
    assert [item["fare_class"] for item in result["fares"]] == ["BASIC", "STD", "FLEX", "PREM"]
    assert result["fares"][0] == {"fare_class": "BASIC", "name": "Basic", "fare": 123, "tax": 18, "total": 141}
    assert result["fares"][-1] == {"fare_class": "PREM", "name": "Premium", "fare": 361, "tax": 36, "total": 397}
    assert result["on_sale"] is True
    assert not changes(world)


def test_get_flight__not_found(world):
    """There is no flight '0Z0000-00000000-ZZZ': nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_flight(world, flight_id="0Z0000-00000000-ZZZ")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flight '0Z0000-00000000-ZZZ'."
    assert caught.value.hint
    assert not changes(world)


def test_get_flight__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_flight(world, flight_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_airports__with_several(world):
    """With city, name, country and page_size: one row fits."""
    page = tools.search_airports(world, city="bOSTON", name="iNTL", country="us", page_size=5)
    expected = world.query(
        "SELECT code "
        "FROM airports "
        "WHERE instr(lower(city), ?) > 0 "
        "AND instr(lower(name), ?) > 0 "
        "AND country IS ? "
        "ORDER BY name, code LIMIT 6",
        ["boston", "intl", "US"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:5]]
    assert page["has_more"] is (len(expected) > 5)
    assert page["items"] == [
        {
            "code": "BOS",
            "name": "General Edward Lawrence Logan Intl",
            "city": "Boston",
            "country": "US",
            "timezone": "America/New_York",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_airports__with_page_size(world):
    """With page_size: 7 rows fit."""
    page = tools.search_airports(world, page_size=2)
    expected = world.query("SELECT code FROM airports ORDER BY name, code LIMIT 3")
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:2]]
    assert page["has_more"] is (len(expected) > 2)
    assert page["items"] == [
        {
            "code": "CLT",
            "name": "Charlotte Douglas Intl",
            "city": "Charlotte",
            "country": "US",
            "timezone": "America/New_York",
        },
        {
            "code": "BOS",
            "name": "General Edward Lawrence Logan Intl",
            "city": "Boston",
            "country": "US",
            "timezone": "America/New_York",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_airports__with_several_2(world):
    """With city, name, country and page_size: no row fits."""
    page = tools.search_airports(world, city="%", name="iNTL", country="us", page_size=5)
    expected = world.query(
        "SELECT code "
        "FROM airports "
        "WHERE instr(lower(city), ?) > 0 "
        "AND instr(lower(name), ?) > 0 "
        "AND country IS ? "
        "ORDER BY name, code LIMIT 6",
        ["%", "intl", "US"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:5]]
    assert page["has_more"] is (len(expected) > 5)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_airports__with_several_3(world):
    """With name, country and page_size: 5 rows fit."""
    page = tools.search_airports(world, name="iNTL", country="us", page_size=5)
    expected = world.query(
        "SELECT code "
        "FROM airports "
        "WHERE instr(lower(name), ?) > 0 "
        "AND country IS ? "
        "ORDER BY name, code LIMIT 6",
        ["intl", "US"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:5]]
    assert page["has_more"] is (len(expected) > 5)
    assert page["items"][0] == {
        "code": "CLT",
        "name": "Charlotte Douglas Intl",
        "city": "Charlotte",
        "country": "US",
        "timezone": "America/New_York",
    }
    assert page["items"][-1] == {
        "code": "RDU",
        "name": "Raleigh Durham Intl",
        "city": "Raleigh/Durham",
        "country": "US",
        "timezone": "America/New_York",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_airports__with_country_and_page_size(world):
    """With country and page_size: 7 rows fit."""
    page = tools.search_airports(world, country="us", page_size=5)
    expected = world.query("SELECT code FROM airports WHERE country IS ? ORDER BY name, code LIMIT 6", ["US"])
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:5]]
    assert page["has_more"] is (len(expected) > 5)
    assert page["items"][0] == {
        "code": "CLT",
        "name": "Charlotte Douglas Intl",
        "city": "Charlotte",
        "country": "US",
        "timezone": "America/New_York",
    }
    assert page["items"][-1] == {
        "code": "EWR",
        "name": "Newark Liberty Intl",
        "city": "Newark",
        "country": "US",
        "timezone": "America/New_York",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_airports__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_airports(world, page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_airports(world, page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_airports, world, first, "start_cursor", page_size=2)
    assert items == whole["items"]
    most = tools.search_airports(world, page_size=6)
    assert most["has_more"] is True


def test_search_airports__invalid_argument(world):
    """No airport lies in Checked country: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, country="Checked country")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "No airport lies in Checked country."
    assert caught.value.hint
    assert not changes(world)


def test_search_airports__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, city="   ", country="us", page_size=5)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, country="   ", page_size=5)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, name="   ", country="us", page_size=5)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, country="us", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, country="us", start_cursor="   ", page_size=5)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airports(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_add_bag__with_payment_method(world):
    """With ticket_id and payment_method: adds 1 of bags, adds 1 of charges and adds 1 of payments, and nothing …"""
    query_1 = "SELECT count(*) FROM bags WHERE ticket_id = :ticket_id"
    held_1 = _value(world, query_1, ticket_id=500032)
    query_2 = "SELECT coalesce(sum(fee), 0) FROM bags WHERE ticket_id = :ticket_id"
    held_2 = _value(world, query_2, ticket_id=500032)
    now = world.now()
    result = tools.add_bag(world, ticket_id=500032, payment_method="cash")
    made = changes(world)
    new_bag = made["bags"]["inserted"][0]["bag_id"]
    new_charge = made["charges"]["inserted"][0]["charge_id"]
    new_payment = made["payments"]["inserted"][0]["payment_id"]
    assert _counts(made) == {"bags": (1, 0, 0), "charges": (1, 0, 0), "payments": (1, 0, 0)}
    assert made["bags"]["inserted"] == [{
        "bag_id": new_bag,
        "ticket_id": 500032,
        "piece": 1,
        "weight_kg": None,
        "fee": 35,
        "status": "registered",
        "registered_at": now,
    }]
    assert made["charges"]["inserted"] == [{
        "charge_id": new_charge,
        "locator": "N5WJAS",
        "ticket_id": 500032,
        "kind": "bag",
        "amount": 35,
        "charged_at": now,
    }]
    assert made["payments"]["inserted"] == [{
        "payment_id": new_payment,
        "locator": "N5WJAS",
        "kind": "payment",
        "method": "cash",
        "amount": 35,
        "paid_at": now,
    }]
    assert result == {"bag_id": new_bag, "ticket_id": 500032, "piece": 1, "fee": 35}
    assert _value(world, query_1, ticket_id=500032) == held_1 + 1
    assert _value(world, query_2, ticket_id=500032) == held_2 + result["fee"]


def test_add_bag__success(world):
    """With ticket_id: adds 1 of bags, and nothing else changes."""
    query_1 = "SELECT count(*) FROM bags WHERE ticket_id = :ticket_id"
    held_1 = _value(world, query_1, ticket_id=500058)
    query_2 = "SELECT coalesce(sum(fee), 0) FROM bags WHERE ticket_id = :ticket_id"
    held_2 = _value(world, query_2, ticket_id=500058)
    now = world.now()
    result = tools.add_bag(world, ticket_id=500058)
    made = changes(world)
    new_bag = made["bags"]["inserted"][0]["bag_id"]
    assert _counts(made) == {"bags": (1, 0, 0)}
    assert made["bags"]["inserted"] == [{
        "bag_id": new_bag,
        "ticket_id": 500058,
        "piece": 1,
        "weight_kg": None,
        "fee": 0,
        "status": "registered",
        "registered_at": now,
    }]
    assert result == {"bag_id": new_bag, "ticket_id": 500058, "piece": 1, "fee": 0}
    assert _value(world, query_1, ticket_id=500058) == held_1 + 1
    assert _value(world, query_2, ticket_id=500058) == held_2 + result["fee"]


def test_add_bag__invalid_argument(world):
    """This bag costs 35 USD: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=500003)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "This bag costs 35 USD."
    assert caught.value.hint
    assert not changes(world)


def test_add_bag__not_allowed(world):
    """Ticket 500036 takes no bags as it stands: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=500036)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ticket 500036 takes no bags as it stands."
    assert caught.value.hint
    assert not changes(world)


def test_add_bag__not_found(world):
    """There is no ticket 501863: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=501863, payment_method="credit card")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no ticket 501863."
    assert caught.value.hint
    assert not changes(world)


def test_add_bag__not_allowed_2(world):
    """The flight takes no more bags: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=500093)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The flight takes no more bags."
    assert caught.value.hint
    assert not changes(world)


def test_add_bag__limit_exceeded(world):
    """Ticket 500032 has three bags already: nothing changes."""
    tools.add_bag(world, ticket_id=500032, payment_method="cash")
    tools.add_bag(world, ticket_id=500032, payment_method="cash")
    tools.add_bag(world, ticket_id=500032, payment_method="cash")
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=500032, payment_method="cash")
    assert caught.value.code == "limit_exceeded"
    assert caught.value.message == "Ticket 500032 has three bags already."
    assert caught.value.hint
    assert changes(world) == before


def test_add_bag__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id=500032, payment_method="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.add_bag(world, ticket_id="many", payment_method="credit card")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_airlines__with_name_and_page_size(world):
    """With name and page_size: 3 rows fit."""
    page = tools.search_airlines(world, name="aIRWAYS", page_size=1)
    expected = world.query(
        "SELECT code "
        "FROM airlines "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, code LIMIT 2",
        ["airways"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [{"code": "FL", "name": "AirTran Airways Corporation"}]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_airlines__with_name_and_page_size_2(world):
    """With name and page_size: 3 rows fit."""
    page = tools.search_airlines(world, name="aIRWAYS", page_size=3)
    expected = world.query(
        "SELECT code "
        "FROM airlines "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, code LIMIT 4",
        ["airways"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:3]]
    assert page["has_more"] is (len(expected) > 3)
    assert page["items"] == [
        {"code": "FL", "name": "AirTran Airways Corporation"},
        {"code": "B6", "name": "JetBlue Airways"},
        {"code": "US", "name": "US Airways Inc."},
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_airlines__with_name(world):
    """With name: no row fits."""
    page = tools.search_airlines(world, name="%")
    expected = world.query(
        "SELECT code "
        "FROM airlines "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, code LIMIT 21",
        ["%"],
    )
    assert [item["code"] for item in page["items"]] == [row["code"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_airlines__paging(world):
    """The pages of 1 together hold the same 3 items, in the same order."""
    whole = tools.search_airlines(world, name="aIRWAYS", page_size=3)
    assert len(whole["items"]) == 3
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_airlines(world, name="aIRWAYS", page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(tools.search_airlines, world, first, "start_cursor", name="aIRWAYS", page_size=1)
    assert items == whole["items"]
    most = tools.search_airlines(world, name="aIRWAYS", page_size=2)
    assert most["has_more"] is True


def test_search_airlines__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_airlines(world, name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airlines(world, name="aIRWAYS", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airlines(world, name="aIRWAYS", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_airlines(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_airline__success(world):
    """With airline_code: the result is what the rows say."""
    result = tools.get_airline(world, airline_code="US")
    (row,) = world.query("SELECT * FROM airlines WHERE code = ?", ["US"])
    assert result["airline"] == _columns(row, "code", "name")
    assert not changes(world)


def test_get_airline__not_found(world):
    """There is no airline with code 0Z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_airline(world, airline_code="0Z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no airline with code 0Z."
    assert caught.value.hint
    assert not changes(world)


def test_get_airline__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_airline(world, airline_code="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)
