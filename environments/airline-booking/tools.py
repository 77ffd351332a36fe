"""Airline booking: the tools.

One function per tool. A tool changes nothing but the World it is given: the World makes each call
one transaction, so a ToolError leaves no trace.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from envforge.world.api import ToolError, World

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CURSOR = re.compile(r"after-(\d{1,9})", re.ASCII)
_PAYMENT_METHOD_CHOICES = ("credit card", "debit card", "wallet", "voucher", "cash")
_PHONE_PATTERN = re.compile("^\\+?[0-9][0-9 ()./-]{5,27}$")
_STATUS_CHOICES = ("booked", "checked_in", "boarded", "travelled", "no_show", "cancelled")


def _invalid(name: str, rule: str, value: object) -> ToolError:
    """The error for an argument that breaks a rule."""
    return ToolError("invalid_argument", f"{name} must be {rule}, not {value!r:.80}.", f"Give {rule}.")


def _check_text(name: str, value: object, shortest: int = 1, longest: int = 20_000) -> None:
    """Refuse what is not text of a sensible length."""
    if not isinstance(value, str):
        raise _invalid(name, "text", value)
    if shortest and not value.strip():
        raise _invalid(name, "text that is not empty", value)
    if not shortest <= len(value) <= longest:
        raise _invalid(name, f"text of {shortest} to {longest} characters", value)


def _check_choice(name: str, value: object, allowed: tuple) -> None:
    """Refuse what is not one of the allowed values."""
    if isinstance(value, bool) or value not in allowed:
        choices = ", ".join(str(choice) for choice in allowed)
        raise ToolError("invalid_argument", f"{name} cannot be {value!r:.80}.", f"Allowed values: {choices}.")


def _check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise _invalid(name, "true or false", value)


def _check_integer(name: str, value: object, least: int | None = None, most: int | None = None) -> None:
    """Refuse what is not a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise _invalid(name, "a whole number", value)
    _check_range(name, value, least, most)


def _check_range(name: str, value: float, least: float | None, most: float | None) -> None:
    """Refuse a number outside of the range."""
    if least is not None and value < least:
        raise _invalid(name, f"at least {least}", value)
    if most is not None and value > most:
        raise _invalid(name, f"at most {most}", value)


def _check_date(name: str, value: object) -> None:
    """Refuse what is not a calendar date."""
    if not _is_date(value):
        raise _invalid(name, "a date written as YYYY-MM-DD", value)


def _check_email(name: str, value: object) -> None:
    """Refuse what is not an e-mail address."""
    if not _is_email(value):
        raise _invalid(name, "an e-mail address", value)


def _check_pattern(name: str, value: object, pattern: re.Pattern) -> None:
    """Refuse what is not written in the given form."""
    if not isinstance(value, str) or not pattern.search(value):
        raise _invalid(name, f"text of the form {pattern.pattern}", value)


def _check_list(name: str, value: object, fewest: int = 0, most: int = 1_000) -> None:
    """Refuse what is not a list of a sensible length."""
    if not isinstance(value, list):
        raise _invalid(name, "a list", value)
    if not fewest <= len(value) <= most:
        raise _invalid(name, f"a list of {fewest} to {most} items", value)


def _check_distinct(name: str, values: list) -> None:
    """Refuse a list that holds a value twice."""
    if any(value in values[:position] for position, value in enumerate(values)):
        raise _invalid(name, "a list without repeated items", values)


def _check_object(name: str, value: object, known: tuple = (), required: tuple = ()) -> None:
    """Refuse what is not an object with the known keys (any key, if none are named)."""
    if not isinstance(value, dict):
        raise _invalid(name, "an object", value)
    for key in value:
        if known and key not in known:
            hint = f"Known keys: {', '.join(known)}."
            raise ToolError("invalid_argument", f"{name} has no key {key!r:.80}.", hint)
    for key in required:
        if key not in value:
            hint = f"Required keys: {', '.join(required)}."
            raise ToolError("invalid_argument", f"{name} lacks the key {key!r}.", hint)


def _is_date(value: object) -> bool:
    """True for a calendar date written as YYYY-MM-DD."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_email(value: object) -> bool:
    """True for text that looks like an e-mail address."""
    return isinstance(value, str) and len(value) <= 254 and _EMAIL.fullmatch(value) is not None


def _shifted(text: str, step: timedelta) -> str:
    """A date or timestamp moved by `step`, written as the text was."""
    if len(text) == 10:
        return (datetime.fromisoformat(text) + step).date().isoformat()
    return (datetime.fromisoformat(text) + step).isoformat().replace("+00:00", "Z")


def _add_minutes(text: str, minutes: float) -> str:
    """The date or timestamp that many minutes later."""
    return _shifted(text, timedelta(minutes=minutes))


def _days_between(start: str, end: str) -> int:
    """Calendar days from start to end, by their dates."""
    return (date.fromisoformat(end[:10]) - date.fromisoformat(start[:10])).days


def _date_of(text: str) -> str:
    """The date of a timestamp, YYYY-MM-DD."""
    return text[:10]


def _like(text: str) -> str:
    """Text for a LIKE pattern (ESCAPE '!') that stands for itself."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _marks(values: list) -> str:
    """One placeholder for each value of an IN list."""
    return ", ".join("?" * len(values))


def _where_all(conditions: list[str]) -> str:
    """The WHERE clause for conditions that all must hold; empty if there are none."""
    return "WHERE " + "\n  AND ".join(conditions) if conditions else ""


def _assignments(changes: dict) -> str:
    """The SET list of an UPDATE, with a placeholder for each column."""
    return ", ".join(f"{column} = ?" for column in changes)


def _given(**columns: object) -> dict:
    """The columns that were given a value."""
    return {column: value for column, value in columns.items() if value is not None}


def _offset_of(cursor: object) -> int:
    """The position where a page starts; the beginning without a cursor."""
    if cursor is None:
        return 0
    match = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise ToolError(
            "invalid_argument",
            f"{cursor!r:.80} is not a cursor.",
            "Pass the next_cursor of the page before, or leave it out to start at the beginning.",
        )
    return int(match[1])


def _page(rows: list[dict], size: int, offset: int) -> dict:
    """One page out of a query that asked for one row more than the page holds."""
    has_more = len(rows) > size
    return {
        "items": rows[:size],
        "next_cursor": f"after-{offset + size}" if has_more else None,
        "has_more": has_more,
    }


def _flight_summary(row: dict) -> dict:
    """The summary of a flight that results show."""
    return {
        "flight_id": row["flight_id"],
        "carrier": row["carrier"],
        "flight_number": row["flight_number"],
        "origin": row["origin"],
        "destination": row["destination"],
        "scheduled_departure": row["scheduled_departure"],
        "scheduled_arrival": row["scheduled_arrival"],
        "scheduled_departure_local": row["scheduled_departure_local"],
        "scheduled_arrival_local": row["scheduled_arrival_local"],
        "status": row["status"],
    }


def _flight_details(row: dict) -> dict:
    """The details of a flight that results show."""
    return {
        "flight_id": row["flight_id"],
        "carrier": row["carrier"],
        "flight_number": row["flight_number"],
        "origin": row["origin"],
        "destination": row["destination"],
        "scheduled_departure": row["scheduled_departure"],
        "scheduled_arrival": row["scheduled_arrival"],
        "scheduled_departure_local": row["scheduled_departure_local"],
        "scheduled_arrival_local": row["scheduled_arrival_local"],
        "status": row["status"],
        "actual_departure": row["actual_departure"],
        "actual_arrival": row["actual_arrival"],
        "tail_number": row["tail_number"],
        "distance_miles": row["distance_miles"],
        "capacity": row["capacity"],
    }


def _airport_summary(row: dict) -> dict:
    """The summary of an airport that results show."""
    return {
        "code": row["code"],
        "name": row["name"],
        "city": row["city"],
        "country": row["country"],
        "timezone": row["timezone"],
    }


def _customer_summary(row: dict) -> dict:
    """The summary of a customer that results show."""
    return {
        "customer_id": row["customer_id"],
        "first_name": row["first_name"],
        "last_name": row["last_name"],
        "birth_date": row["birth_date"],
        "tier": row["tier"],
        "status": row["status"],
    }


def _customer_details(row: dict) -> dict:
    """The details of a customer that results show."""
    return {
        "customer_id": row["customer_id"],
        "first_name": row["first_name"],
        "last_name": row["last_name"],
        "birth_date": row["birth_date"],
        "email": row["email"],
        "phone": row["phone"],
        "loyalty_number": row["loyalty_number"],
        "tier": row["tier"],
        "points_balance": row["points_balance"],
        "status": row["status"],
        "registered_at": row["registered_at"],
    }


def _booking_details(row: dict) -> dict:
    """The details of a booking that results show."""
    return {
        "locator": row["locator"],
        "customer_id": row["customer_id"],
        "status": row["status"],
        "channel": row["channel"],
        "contact_email": row["contact_email"],
        "contact_phone": row["contact_phone"],
        "booked_at": row["booked_at"],
        "hold_expires_at": row["hold_expires_at"],
        "cancelled_at": row["cancelled_at"],
    }


def _ticket_summary(row: dict) -> dict:
    """The summary of a ticket that results show."""
    return {
        "ticket_id": row["ticket_id"],
        "traveller_id": row["traveller_id"],
        "flight_id": row["flight_id"],
        "leg": row["leg"],
        "fare_class": row["fare_class"],
        "status": row["status"],
        "seat": row["seat"],
        "fare": row["fare"],
        "tax": row["tax"],
    }


def _traveller_summary(row: dict) -> dict:
    """The summary of a traveller that results show."""
    return {
        "traveller_id": row["traveller_id"],
        "first_name": row["first_name"],
        "last_name": row["last_name"],
        "birth_date": row["birth_date"],
        "kind": row["kind"],
        "customer_id": row["customer_id"],
    }


def _airline_details(row: dict) -> dict:
    """The details of an airline that results show."""
    return {
        "code": row["code"],
        "name": row["name"],
    }


def _get_booking(world: World, locator: str) -> dict:
    """The booking with this locator. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM bookings WHERE locator = ?", (locator,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no booking with locator {locator}.",
            "Use search_bookings to find one.",
        )
    return rows[0]


def _get_customer(world: World, customer_id: int) -> dict:
    """The customer with this customer id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM customers WHERE customer_id = ?", (customer_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no customer {customer_id}.",
            "Find the customer with search_customers.",
        )
    return rows[0]


def _get_fare_class(world: World, code: str) -> dict:
    """The fare class with this code. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM fare_classes WHERE code = ?", (code,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no fare class with code {code}.",
            "Use list_passengers to find one.",
        )
    return rows[0]


def _get_flight(world: World, flight_id: str) -> dict:
    """The flight with this flight id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (flight_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no flight with flight_id {flight_id}.",
            "Use search_flights to find one.",
        )
    return rows[0]


def _get_ticket(world: World, ticket_id: int) -> dict:
    """The ticket with this ticket id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM tickets WHERE ticket_id = ?", (ticket_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no ticket {ticket_id}.",
            "get_booking lists the tickets of a booking.",
        )
    return rows[0]


def _get_traveller(world: World, traveller_id: int) -> dict:
    """The traveller with this traveller id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM travellers WHERE traveller_id = ?", (traveller_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no traveller with traveller_id {traveller_id}.",
            "Use search_bookings to find one.",
        )
    return rows[0]


def select_seat(world: World, ticket_id: int, seat: str) -> dict:
    """Give a ticket a seat of the traveller's choice.

    Args:
        ticket_id: Ticket number.
        seat: Seat, row and letter, such as 12A.

    Returns:
        ticket_id: a whole number.
        seat: text.
        previous_seat: text or null.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no ticket <ticket_id>. There is no fare class with code <fare_class>.
                There is no flight with flight_id <flight_id>. There is no seat <wanted>.
            not_allowed: Ticket <ticket_id> is <status> on a flight that is <status>. Fare class
                <fare_class> has no choice of seats.
            conflict: Seat <wanted> is taken.
    """
    _check_integer("ticket_id", ticket_id)
    _check_text("seat", seat)

    ticket = _get_ticket(world, ticket_id)
    product = _get_fare_class(world, ticket["fare_class"])
    service = _get_flight(world, ticket["flight_id"])
    if (
        ticket["status"] not in ("booked", "checked_in")
        or service["status"] != "scheduled"
        or service["scheduled_departure"] <= world.now()
    ):
        status_words = (
            "on board"
            if ticket["status"] == "boarded"
            else ("a no-show" if ticket["status"] == "no_show" else ticket["status"].replace("_", " "))
        )
        status_words_2 = "under way" if service["status"] == "departed" else service["status"]
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} is {status_words} on a flight that is {status_words_2}.",
            "The ticket must be booked or checked in, and the flight still to come.",
        )
    if not product["seat_choice"]:
        raise ToolError(
            "not_allowed",
            f"Fare class {ticket['fare_class']} has no choice of seats.",
            "The seat is given at check-in.",
        )
    letters = service["seat_letters"]
    wanted = seat.strip().upper()
    if (
        wanted
        not in [str(k // len(letters) + 1) + letters[k % len(letters)] for k in range(service["capacity"])]
    ):
        raise ToolError("not_found", f"There is no seat {wanted}.", "get_seat_map shows the seats.")
    rows = world.query(
        "SELECT ticket_id FROM tickets WHERE flight_id = :service AND seat = :seat",
        {"service": service["flight_id"], "seat": wanted},
    )
    holder = rows[0] if rows else None
    if holder is not None and holder["ticket_id"] != ticket_id:
        raise ToolError("conflict", f"Seat {wanted} is taken.", "get_seat_map shows the free seats.")
    world.execute("UPDATE tickets SET seat = ? WHERE ticket_id = ?", (wanted, ticket_id))

    return {"ticket_id": ticket_id, "seat": wanted, "previous_seat": ticket["seat"]}


def cancel_ticket(world: World, ticket_id: int) -> dict:
    """Cancel one ticket of a booking and pay back what its fare allows.

    A refundable ticket is paid back less the cancellation fee of its class; a ticket for a cancelled
    flight in full, with the fees for its bags. No child may be left on a flight without an adult of the
    booking.

    Args:
        ticket_id: Ticket number.

    Returns:
        ticket_id: a whole number.
        locator: text.
        cancellation_fee: a whole number.
        refund: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no ticket <ticket_id>. There is no booking with locator <locator>. There
                is no fare class with code <fare_class>. There is no flight with flight_id <flight_id>.
            conflict: Ticket <ticket_id> is cancelled already.
            not_allowed: Ticket <ticket_id> is <status>. Booking <locator> is not paid yet. The flight
                of ticket <ticket_id> has left. Ticket <ticket_id> is the last one of booking <locator>.
                Without ticket <ticket_id> a child of booking <locator> would travel alone.
    """
    _check_integer("ticket_id", ticket_id)

    ticket = _get_ticket(world, ticket_id)
    booking = _get_booking(world, ticket["locator"])
    product = _get_fare_class(world, ticket["fare_class"])
    service = _get_flight(world, ticket["flight_id"])
    if ticket["status"] == "cancelled":
        raise ToolError("conflict", f"Ticket {ticket_id} is cancelled already.", "Nothing needs to be done.")
    if ticket["status"] not in ("booked", "checked_in"):
        status_words = (
            "on board"
            if ticket["status"] == "boarded"
            else ("a no-show" if ticket["status"] == "no_show" else ticket["status"].replace("_", " "))
        )
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} is {status_words}.",
            "Only tickets that are booked or checked in can be cancelled.",
        )
    if booking["status"] != "confirmed":
        raise ToolError(
            "not_allowed",
            f"Booking {ticket['locator']} is not paid yet.",
            "Take the payment with pay_booking, or cancel the whole booking.",
        )
    if service["scheduled_departure"] <= world.now() and service["status"] != "cancelled":
        raise ToolError(
            "not_allowed",
            f"The flight of ticket {ticket_id} has left.",
            "Tickets are cancelled before the flight leaves.",
        )
    rows = world.query(
        """
        SELECT count(*) AS n
        FROM tickets
        WHERE locator = :locator AND ticket_id <> :ticket AND status <> 'cancelled'
        """,
        {"locator": ticket["locator"], "ticket": ticket_id},
    )
    others = rows[0] if rows else None
    if others["n"] <= 0:
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} is the last one of booking {ticket['locator']}.",
            "Use cancel_booking.",
        )
    rows = world.query(
        """
        SELECT count(*) AS n, count(CASE WHEN p.kind = 'adult' THEN 1 END) AS adults
        FROM tickets t
        JOIN travellers p ON p.traveller_id = t.traveller_id
        WHERE t.locator = :locator AND t.flight_id = :service AND t.ticket_id <> :ticket AND t.status <> 'cancelled'
        """,
        {"locator": ticket["locator"], "service": service["flight_id"], "ticket": ticket_id},
    )
    left = rows[0] if rows else None
    if left["n"] != 0 and left["adults"] <= 0:
        raise ToolError(
            "not_allowed",
            f"Without ticket {ticket_id} a child of booking {ticket['locator']} would travel alone.",
            "Cancel the tickets of the children first, or the whole booking with cancel_booking.",
        )
    waived = service["status"] == "cancelled"
    rows = world.query(
        """
        SELECT coalesce(sum(fee), 0) AS fees
        FROM bags
        WHERE ticket_id = :ticket AND status <> 'cancelled'
        """,
        {"ticket": ticket_id},
    )
    luggage = rows[0] if rows else None
    bag_fees = luggage["fees"] if waived else 0
    fee = (
        0
        if waived or not product["refundable"]
        else min(product["cancellation_fee"], ticket["fare"] + ticket["tax"])
    )
    back = ticket["fare"] + ticket["tax"] + bag_fees - fee if waived or product["refundable"] else 0
    world.execute(
        "UPDATE tickets SET status = ?, seat = ? WHERE ticket_id = ?",
        ("cancelled", None, ticket_id),
    )
    world.execute("UPDATE bags SET status = ? WHERE ticket_id = ?", ("cancelled", ticket_id))
    if waived or product["refundable"]:
        reversal = {
            "charge_id": world.new_id("charges"),
            "locator": ticket["locator"],
            "ticket_id": ticket_id,
            "kind": "reversal",
            "amount": -(ticket["fare"] + ticket["tax"] + bag_fees),
            "charged_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
            VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
            """,
            reversal,
        )
    if fee > 0:
        kept = {
            "charge_id": world.new_id("charges"),
            "locator": ticket["locator"],
            "ticket_id": ticket_id,
            "kind": "cancellation_fee",
            "amount": fee,
            "charged_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
            VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
            """,
            kept,
        )
    rows = world.query(
        "SELECT method FROM payments WHERE locator = :locator ORDER BY payment_id LIMIT 1",
        {"locator": ticket["locator"]},
    )
    first = rows[0] if rows else None
    if back > 0:
        payment = {
            "payment_id": world.new_id("payments"),
            "locator": ticket["locator"],
            "kind": "refund",
            "method": first["method"] if first is not None else "credit card",
            "amount": back,
            "paid_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
            VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
            """,
            payment,
        )

    return {"ticket_id": ticket_id, "locator": ticket["locator"], "cancellation_fee": fee, "refund": back}


def check_in(world: World, ticket_id: int, seat: str | None = None) -> dict:
    """Check a traveller in and give out the seat.

    Check-in is open from 24 hours to 1 hour before the flight leaves. Without a seat of their own the
    traveller gets the first one free. The bags of the ticket are accepted with it.

    Args:
        ticket_id: Ticket number.
        seat: Seat wanted, such as 12A; only in fare classes with a choice of seats.

    Returns:
        ticket_id: a whole number.
        status: text.
        seat: text.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no ticket <ticket_id>. There is no booking with locator <locator>. There
                is no fare class with code <fare_class>. There is no flight with flight_id <flight_id>.
                There is no seat <wanted>.
            conflict: Ticket <ticket_id> is checked in already. Seat <wanted> is taken.
            not_allowed: Ticket <ticket_id> is <status>. Booking <locator> is not paid yet. The flight
                is <status>. Check-in opens 24 hours before the flight leaves. Check-in has closed. Fare
                class <fare_class> has no choice of seats.
    """
    _check_integer("ticket_id", ticket_id)
    if seat is not None:
        _check_text("seat", seat)

    ticket = _get_ticket(world, ticket_id)
    booking = _get_booking(world, ticket["locator"])
    product = _get_fare_class(world, ticket["fare_class"])
    service = _get_flight(world, ticket["flight_id"])
    if ticket["status"] == "checked_in":
        raise ToolError("conflict", f"Ticket {ticket_id} is checked in already.", "Nothing needs to be done.")
    if ticket["status"] != "booked":
        status_words = (
            "on board"
            if ticket["status"] == "boarded"
            else ("a no-show" if ticket["status"] == "no_show" else ticket["status"].replace("_", " "))
        )
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} is {status_words}.",
            "Only a booked ticket can be checked in.",
        )
    if booking["status"] != "confirmed":
        raise ToolError(
            "not_allowed",
            f"Booking {ticket['locator']} is not paid yet.",
            "Take the payment with pay_booking first.",
        )
    if service["status"] != "scheduled":
        status_words = "under way" if service["status"] == "departed" else service["status"]
        raise ToolError(
            "not_allowed",
            f"The flight is {status_words}.",
            "Use rebook_ticket for a cancelled one.",
        )
    if service["scheduled_departure"] > _add_minutes(world.now(), 1440):
        raise ToolError(
            "not_allowed",
            "Check-in opens 24 hours before the flight leaves.",
            f"It leaves at {service['scheduled_departure']}.",
        )
    if service["scheduled_departure"] < _add_minutes(world.now(), 60):
        raise ToolError("not_allowed", "Check-in has closed.", "It closes one hour before the flight leaves.")
    letters = service["seat_letters"]
    wanted = seat.strip().upper() if seat is not None else None
    all_seats = [str(k // len(letters) + 1) + letters[k % len(letters)] for k in range(service["capacity"])]
    given = world.query(
        """
        SELECT seat
        FROM tickets
        WHERE flight_id = :service AND seat IS NOT NULL AND ticket_id <> :ticket
        """,
        {"service": service["flight_id"], "ticket": ticket_id},
    )
    taken = [t["seat"] for t in given]
    if wanted is not None and not product["seat_choice"]:
        raise ToolError(
            "not_allowed",
            f"Fare class {ticket['fare_class']} has no choice of seats.",
            "Leave the seat out; one is given at check-in.",
        )
    if wanted is not None and wanted not in all_seats:
        raise ToolError("not_found", f"There is no seat {wanted}.", "get_seat_map shows the seats.")
    if wanted is not None and wanted in taken:
        raise ToolError("conflict", f"Seat {wanted} is taken.", "get_seat_map shows the free seats.")
    free = [s for s in all_seats if s not in taken]
    place = wanted if wanted is not None else (ticket["seat"] if ticket["seat"] is not None else free[0])
    world.execute(
        "UPDATE tickets SET status = ?, seat = ?, checked_in_at = ? WHERE ticket_id = ?",
        ("checked_in", place, world.now(), ticket_id),
    )
    world.execute(
        "UPDATE bags SET status = ? WHERE ticket_id = ? AND status = ?",
        ("accepted", ticket_id, "registered"),
    )

    return {"ticket_id": ticket_id, "status": "checked_in", "seat": place}


def change_flight(
    world: World,
    ticket_id: int,
    new_flight_id: str,
    payment_method: str | None = None,
) -> dict:
    """Move a ticket to another flight on the same route, for the fee of its class and the difference in fare.

    Same route and same airline only. A lower fare is not paid back. The seat is given up.

    Args:
        ticket_id: Ticket number.
        new_flight_id: The flight to move to.
        payment_method: How fee and difference are paid; needed when there is something to pay. One of:
            credit card, debit card, wallet, voucher, cash.

    Returns:
        ticket_id: a whole number.
        flight_id: text.
        change_fee: a whole number.
        fare_difference: a whole number.
        paid: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                change costs <due> USD.
            not_found: There is no ticket <ticket_id>. There is no flight <new_flight_id>. There is no
                booking with locator <locator>. There is no fare class with code <fare_class>. There is
                no flight with flight_id <flight_id>. There is no traveller with traveller_id
                <traveller_id>.
            not_allowed: Ticket <ticket_id> cannot be changed as it stands. The flight of ticket
                <ticket_id> is cancelled. Fare class <fare_class> does not allow changes.
                <new_flight_id> is on another route. <new_flight_id> is of another airline.
                <new_flight_id> is not on sale any more.
            conflict: Ticket <ticket_id> is on <new_flight_id> already. <first_name> <last_name> is
                booked on <new_flight_id> already, with <locator>. <new_flight_id> does not fit the rest
                of the trip.
            limit_exceeded: <new_flight_id> is full.
    """
    _check_integer("ticket_id", ticket_id)
    _check_text("new_flight_id", new_flight_id)
    if payment_method is not None:
        _check_choice("payment_method", payment_method, _PAYMENT_METHOD_CHOICES)

    ticket = _get_ticket(world, ticket_id)
    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (new_flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {new_flight_id!r}.", "Find it with search_flights.")
    new = rows[0]
    booking = _get_booking(world, ticket["locator"])
    product = _get_fare_class(world, ticket["fare_class"])
    old = _get_flight(world, ticket["flight_id"])
    if (
        booking["status"] != "confirmed"
        or ticket["status"] != "booked"
        or old["scheduled_departure"] <= world.now()
    ):
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} cannot be changed as it stands.",
            "The booking must be confirmed, the ticket booked and not checked in, and the flight "
            "still to come.",
        )
    if old["status"] == "cancelled":
        raise ToolError(
            "not_allowed",
            f"The flight of ticket {ticket_id} is cancelled.",
            "Use rebook_ticket: it is free of charge, in every fare class.",
        )
    if not product["changeable"]:
        raise ToolError(
            "not_allowed",
            f"Fare class {ticket['fare_class']} does not allow changes.",
            "Cancel the ticket and book again, if the traveller wants to pay for it.",
        )
    if new["flight_id"] == old["flight_id"]:
        raise ToolError(
            "conflict",
            f"Ticket {ticket_id} is on {new_flight_id} already.",
            "Choose another one.",
        )
    if new["origin"] != old["origin"] or new["destination"] != old["destination"]:
        raise ToolError("not_allowed", f"{new_flight_id} is on another route.", "A change keeps the route.")
    if new["carrier"] != old["carrier"]:
        raise ToolError(
            "not_allowed",
            f"{new_flight_id} is of another airline.",
            "A change keeps the airline.",
        )
    if new["status"] != "scheduled" or new["scheduled_departure"] <= _add_minutes(world.now(), 45):
        raise ToolError(
            "not_allowed",
            f"{new_flight_id} is not on sale any more.",
            "Choose one that is scheduled and leaves later.",
        )
    rows = world.query(
        """
        SELECT count(*) AS seats
        FROM tickets
        WHERE flight_id = :service AND status <> 'cancelled'
        """,
        {"service": new["flight_id"]},
    )
    sold = rows[0] if rows else None
    if new["capacity"] <= sold["seats"]:
        raise ToolError("limit_exceeded", f"{new_flight_id} is full.", "Choose another one.")
    person = _get_traveller(world, ticket["traveller_id"])
    rows = world.query(
        """
        SELECT t.locator
        FROM tickets t
        JOIN travellers p ON p.traveller_id = t.traveller_id
        WHERE t.flight_id = :service AND t.status <> 'cancelled' AND t.ticket_id <> :ticket AND lower(trim(p.first_name)) = lower(trim(:first)) AND lower(trim(p.last_name)) = lower(trim(:last)) AND p.birth_date = :birth
        ORDER BY t.ticket_id
        LIMIT 1
        """,
        {
            "service": new["flight_id"],
            "ticket": ticket_id,
            "first": person["first_name"],
            "last": person["last_name"],
            "birth": person["birth_date"],
        },
    )
    twin = rows[0] if rows else None
    if twin is not None:
        raise ToolError(
            "conflict",
            f"{person['first_name']} {person['last_name']} is booked on {new_flight_id} already, "
            f"with {twin['locator']}.",
            "Choose another one.",
        )
    rows = world.query(
        """
        SELECT factor
        FROM price_steps
        WHERE min_days <= :days
        ORDER BY min_days DESC
        LIMIT 1
        """,
        {"days": _days_between(world.now(), new["scheduled_departure"])},
    )
    step = rows[0] if rows else None
    new_fare = int(new["base_fare"] * product["price_factor"] * step["factor"] + 0.5)
    difference = max(0, new_fare - ticket["fare"])
    due = product["change_fee"] + difference
    if due != 0 and payment_method is None:
        raise ToolError("invalid_argument", f"The change costs {due} USD.", "State a payment_method.")
    world.execute(
        "UPDATE tickets SET flight_id = ?, fare = ?, seat = ? WHERE ticket_id = ?",
        (new["flight_id"], ticket["fare"] + difference, None, ticket_id),
    )
    rows = world.query(
        """
        SELECT count(*) AS n
        FROM tickets a
        JOIN tickets z ON z.traveller_id = a.traveller_id AND z.leg > a.leg AND z.status <> 'cancelled'
        JOIN flights d ON d.flight_id = a.flight_id
        JOIN flights e ON e.flight_id = z.flight_id
        WHERE a.traveller_id = :traveller AND a.status <> 'cancelled' AND :ticket IN (a.ticket_id, z.ticket_id) AND d.status <> 'cancelled' AND e.status <> 'cancelled' AND e.scheduled_departure < d.scheduled_arrival
        """,
        {"traveller": ticket["traveller_id"], "ticket": ticket_id},
    )
    broken = rows[0] if rows else None
    if broken["n"] != 0:
        raise ToolError(
            "conflict",
            f"{new_flight_id} does not fit the rest of the trip.",
            "The parts of a trip must follow each other in time; get_booking shows the other tickets.",
        )
    if product["change_fee"] > 0:
        fee = {
            "charge_id": world.new_id("charges"),
            "locator": ticket["locator"],
            "ticket_id": ticket_id,
            "kind": "change_fee",
            "amount": product["change_fee"],
            "charged_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
            VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
            """,
            fee,
        )
    if difference > 0:
        more = {
            "charge_id": world.new_id("charges"),
            "locator": ticket["locator"],
            "ticket_id": ticket_id,
            "kind": "fare_difference",
            "amount": difference,
            "charged_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
            VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
            """,
            more,
        )
    if due > 0:
        payment = {
            "payment_id": world.new_id("payments"),
            "locator": ticket["locator"],
            "kind": "payment",
            "method": payment_method,
            "amount": due,
            "paid_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
            VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
            """,
            payment,
        )

    return {
        "ticket_id": ticket_id,
        "flight_id": new["flight_id"],
        "change_fee": product["change_fee"],
        "fare_difference": difference,
        "paid": due,
    }


def rebook_ticket(world: World, ticket_id: int, new_flight_id: str) -> dict:
    """Put the holder of a ticket for a cancelled flight on another one, free of charge.

    Same route, any airline and any fare class. The fare stays as it was paid.

    Args:
        ticket_id: Ticket number.
        new_flight_id: The flight to move to.

    Returns:
        ticket_id: a whole number.
        flight_id: text.
        scheduled_departure: text.
        seats_left: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no ticket <ticket_id>. There is no flight <new_flight_id>. There is no
                flight with flight_id <flight_id>. There is no traveller with traveller_id
                <traveller_id>.
            not_allowed: Ticket <ticket_id> is <status>. The flight of ticket <ticket_id> is not
                cancelled. <new_flight_id> is on another route. <new_flight_id> is not on sale any more.
            limit_exceeded: <new_flight_id> is full.
            conflict: <first_name> <last_name> is booked on <new_flight_id> already, with <locator>.
                <new_flight_id> does not fit the rest of the trip.
    """
    _check_integer("ticket_id", ticket_id)
    _check_text("new_flight_id", new_flight_id)

    ticket = _get_ticket(world, ticket_id)
    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (new_flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {new_flight_id!r}.", "Find it with search_flights.")
    new = rows[0]
    old = _get_flight(world, ticket["flight_id"])
    if ticket["status"] not in ("booked", "checked_in"):
        status_words = (
            "on board"
            if ticket["status"] == "boarded"
            else ("a no-show" if ticket["status"] == "no_show" else ticket["status"].replace("_", " "))
        )
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} is {status_words}.",
            "Only tickets that are booked or checked in can be moved.",
        )
    if old["status"] != "cancelled":
        raise ToolError(
            "not_allowed",
            f"The flight of ticket {ticket_id} is not cancelled.",
            "Use change_flight; fee and fare difference apply.",
        )
    if new["origin"] != old["origin"] or new["destination"] != old["destination"]:
        raise ToolError("not_allowed", f"{new_flight_id} is on another route.", "Rebooking keeps the route.")
    if new["status"] != "scheduled" or new["scheduled_departure"] <= _add_minutes(world.now(), 45):
        raise ToolError(
            "not_allowed",
            f"{new_flight_id} is not on sale any more.",
            "Choose one that is scheduled and leaves later.",
        )
    rows = world.query(
        """
        SELECT count(*) AS seats
        FROM tickets
        WHERE flight_id = :service AND status <> 'cancelled'
        """,
        {"service": new["flight_id"]},
    )
    sold = rows[0] if rows else None
    if new["capacity"] <= sold["seats"]:
        raise ToolError("limit_exceeded", f"{new_flight_id} is full.", "Choose another one.")
    person = _get_traveller(world, ticket["traveller_id"])
    rows = world.query(
        """
        SELECT t.locator
        FROM tickets t
        JOIN travellers p ON p.traveller_id = t.traveller_id
        WHERE t.flight_id = :service AND t.status <> 'cancelled' AND t.ticket_id <> :ticket AND lower(trim(p.first_name)) = lower(trim(:first)) AND lower(trim(p.last_name)) = lower(trim(:last)) AND p.birth_date = :birth
        ORDER BY t.ticket_id
        LIMIT 1
        """,
        {
            "service": new["flight_id"],
            "ticket": ticket_id,
            "first": person["first_name"],
            "last": person["last_name"],
            "birth": person["birth_date"],
        },
    )
    twin = rows[0] if rows else None
    if twin is not None:
        raise ToolError(
            "conflict",
            f"{person['first_name']} {person['last_name']} is booked on {new_flight_id} already, "
            f"with {twin['locator']}.",
            "Choose another one.",
        )
    world.execute(
        """
        UPDATE tickets
        SET flight_id = ?, status = ?, seat = ?, checked_in_at = ?
        WHERE ticket_id = ?
        """,
        (new["flight_id"], "booked", None, None, ticket_id),
    )
    world.execute(
        "UPDATE bags SET status = ?, weight_kg = ? WHERE ticket_id = ? AND status = ?",
        ("registered", None, ticket_id, "accepted"),
    )
    rows = world.query(
        """
        SELECT count(*) AS n
        FROM tickets a
        JOIN tickets z ON z.traveller_id = a.traveller_id AND z.leg > a.leg AND z.status <> 'cancelled'
        JOIN flights d ON d.flight_id = a.flight_id
        JOIN flights e ON e.flight_id = z.flight_id
        WHERE a.traveller_id = :traveller AND a.status <> 'cancelled' AND :ticket IN (a.ticket_id, z.ticket_id) AND d.status <> 'cancelled' AND e.status <> 'cancelled' AND e.scheduled_departure < d.scheduled_arrival
        """,
        {"traveller": ticket["traveller_id"], "ticket": ticket_id},
    )
    broken = rows[0] if rows else None
    if broken["n"] != 0:
        raise ToolError(
            "conflict",
            f"{new_flight_id} does not fit the rest of the trip.",
            "The parts of a trip must follow each other in time; get_booking shows the other tickets.",
        )

    return {
        "ticket_id": ticket_id,
        "flight_id": new["flight_id"],
        "scheduled_departure": new["scheduled_departure"],
        "seats_left": new["capacity"] - sold["seats"] - 1,
    }


def summarise_sales(world: World, flight_id: str) -> dict:
    """Count the tickets of a flight by fare class and status, with what they brought in.

    Args:
        flight_id: The flight.

    Returns:
        capacity: a whole number.
        sold: a whole number.
        groups: a list of objects with fare_class, status, tickets, fares.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no flight <flight_id>.
    """
    _check_text("flight_id", flight_id)

    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {flight_id!r}.", "Find it with search_flights.")
    service = rows[0]
    groups = world.query(
        """
        SELECT fare_class, status, count(*) AS tickets, coalesce(sum(fare), 0) AS fares
        FROM tickets
        WHERE flight_id = ?
        GROUP BY fare_class, status
        ORDER BY fare_class, status
        """,
        (service["flight_id"],),
    )

    return {
        "capacity": service["capacity"],
        "sold": sum([g["tickets"] for g in groups if g["status"] != "cancelled"]),
        "groups": [
            {
                "fare_class": g["fare_class"],
                "status": g["status"],
                "tickets": g["tickets"],
                "fares": g["fares"],
            }
            for g in groups
        ],
    }


def search_bookings(
    world: World,
    customer_id: int | None = None,
    last_name: str | None = None,
    first_name: str | None = None,
    status: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search bookings by customer or by the name of a traveller; one item per traveller.

    The latest bookings come first. Names are compared whole; capital and small letters are the same.

    Args:
        customer_id: Customer who made the booking.
        last_name: Family name of a traveller.
        first_name: Given name of a traveller.
        status: Only bookings of this status. One of: held, confirmed, cancelled, expired.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with locator, status, booked_at, customer_id, traveller_id, first_name,
            last_name, birth_date.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. State at
                least one thing to search by. The start_cursor does not come from an earlier page.
    """
    if customer_id is not None:
        _check_integer("customer_id", customer_id)
    if last_name is not None:
        _check_text("last_name", last_name)
    if first_name is not None:
        _check_text("first_name", first_name)
    if status is not None:
        _check_choice("status", status, ("held", "confirmed", "cancelled", "expired"))
    _check_integer("page_size", page_size, least=1, most=50)

    if customer_id is None and last_name is None and first_name is None and status is None:
        raise ToolError(
            "invalid_argument",
            "State at least one thing to search by.",
            "A customer number, a name or a status.",
        )
    alike = world.query(
        """
        SELECT p.traveller_id
        FROM travellers p
        JOIN bookings b ON b.locator = p.locator
        WHERE (:customer IS NULL OR b.customer_id = :customer) AND (:last IS NULL OR lower(p.last_name) = lower(trim(:last))) AND (:first IS NULL OR lower(p.first_name) = lower(trim(:first)))
        """,
        {"customer": customer_id, "last": last_name, "first": first_name},
    )
    wanted = [p["traveller_id"] for p in alike]
    where = [f"travellers.traveller_id IN ({_marks(wanted)})"]
    values: list[object] = [*wanted]
    if customer_id is not None:
        where.append("b.customer_id = ?")
        values.append(customer_id)
    if status is not None:
        where.append("b.status = ?")
        values.append(status)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT travellers.traveller_id, travellers.first_name, travellers.last_name,
               travellers.birth_date, travellers.locator, b.status AS booking_status, b.booked_at,
               b.customer_id AS booked_by
        FROM travellers
        JOIN bookings AS b ON b.locator = travellers.locator
        {_where_all(where)}
        ORDER BY b.booked_at DESC, travellers.traveller_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "locator": row["locator"],
                "status": row["booking_status"],
                "booked_at": row["booked_at"],
                "customer_id": row["booked_by"],
                "traveller_id": row["traveller_id"],
                "first_name": row["first_name"],
                "last_name": row["last_name"],
                "birth_date": row["birth_date"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_booking(world: World, locator: str) -> dict:
    """Get a booking by its locator: travellers, tickets, bags, charges, payments and the balance due.

    Args:
        locator: Record locator of six characters, such as K7Q2MX.

    Returns:
        booking: an object with locator, customer_id, status, channel, contact_email, contact_phone,
            booked_at, hold_expires_at, cancelled_at.
        travellers: a list of objects with traveller_id, first_name, last_name, birth_date, kind,
            customer_id.
        tickets: a list of objects with ticket_id, traveller_id, flight_id, leg, fare_class, status,
            seat, fare, tax.
        bags: a list of objects with bag_id, ticket_id, piece, weight_kg, fee, status.
        charges: a list of objects with kind, ticket_id, amount, charged_at.
        payments: a list of objects with kind, method, amount, paid_at.
        balance_due: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no booking <locator>.
    """
    _check_text("locator", locator)

    rows = world.query("SELECT * FROM bookings WHERE locator = ?", (locator.strip().upper(),))
    if not rows:
        raise ToolError("not_found", f"There is no booking {locator!r}.", "Find it with search_bookings.")
    booking = rows[0]
    people = world.query(
        "SELECT * FROM travellers WHERE locator = ? ORDER BY traveller_id",
        (booking["locator"],),
    )
    sold = world.query(
        "SELECT * FROM tickets WHERE locator = ? ORDER BY leg, ticket_id",
        (booking["locator"],),
    )
    luggage = world.query(
        """
        SELECT bags.bag_id, bags.ticket_id, bags.piece, bags.weight_kg, bags.fee, bags.status
        FROM bags
        JOIN tickets AS t ON t.ticket_id = bags.ticket_id
        WHERE t.locator = ?
        ORDER BY bags.bag_id
        """,
        (booking["locator"],),
    )
    owed = world.query(
        "SELECT * FROM charges WHERE locator = ? ORDER BY charged_at, charge_id",
        (booking["locator"],),
    )
    paid = world.query(
        "SELECT * FROM payments WHERE locator = ? ORDER BY paid_at, payment_id",
        (booking["locator"],),
    )

    return {
        "booking": _booking_details(booking),
        "travellers": [_traveller_summary(row) for row in people],
        "tickets": [_ticket_summary(row) for row in sold],
        "bags": [
            {
                "bag_id": row["bag_id"],
                "ticket_id": row["ticket_id"],
                "piece": row["piece"],
                "weight_kg": row["weight_kg"],
                "fee": row["fee"],
                "status": row["status"],
            }
            for row in luggage
        ],
        "charges": [
            {
                "kind": row["kind"],
                "ticket_id": row["ticket_id"],
                "amount": row["amount"],
                "charged_at": row["charged_at"],
            }
            for row in owed
        ],
        "payments": [
            {"kind": row["kind"], "method": row["method"], "amount": row["amount"], "paid_at": row["paid_at"]}
            for row in paid
        ],
        "balance_due": (
            sum([row["amount"] for row in owed])
            - sum([row["amount"] if row["kind"] == "payment" else -row["amount"] for row in paid])
        ),
    }


def create_booking(
    world: World,
    customer_id: int,
    flight_ids: list[str],
    fare_class: str,
    travellers: list[dict],
    payment_method: str | None = None,
) -> dict:
    """Book one or more travellers on one or more flights.

    With a payment method the booking is paid and confirmed at once; without one it is held for 48
    hours, but no longer than until sales close. The fare is the one on sale now. Nobody can be booked
    on what is cancelled, full, or closed for sale (45 minutes before the flight leaves).

    Args:
        customer_id: Customer who books.
        flight_ids: The flights in the order of travel.
        fare_class: Fare class of all tickets. One of: BASIC, STD, FLEX, PREM.
        travellers: Who travels.
        payment_method: Pays at once; without it the booking is held. One of: credit card, debit card,
            wallet, voucher, cash.

    Returns:
        locator: text.
        status: text.
        hold_expires_at: text or null.
        total: a whole number.
        tickets: a list of objects with ticket_id, traveller_id, flight_id, leg, fare_class, status,
            seat, fare, tax.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. A
                traveller is named twice. A date of birth lies in the future or before 1900. The trip
                does not hang together.
            not_found: There is no customer <customer_id>. There is no fare class with code
                <fare_class>. There is no flight <flight_id>.
            not_allowed: The profile of customer <customer_id> is closed. Children under twelve cannot
                travel alone. <flight_id> is not on sale any more.
            limit_exceeded: <flight_id> has <seats> seats left.
            conflict: <first_name> <last_name> is booked on <flight_id> already, with <locator>.
    """
    _check_integer("customer_id", customer_id)
    _check_list("flight_ids", flight_ids, fewest=1, most=4)
    for position, item in enumerate(flight_ids):
        _check_text(f"flight_ids[{position}]", item)
    _check_distinct("flight_ids", flight_ids)
    _check_choice("fare_class", fare_class, ("BASIC", "STD", "FLEX", "PREM"))
    _check_list("travellers", travellers, fewest=1, most=9)
    for position, item in enumerate(travellers):
        _check_object(
            f"travellers[{position}]",
            item,
            known=("first_name", "last_name", "birth_date"),
            required=("first_name", "last_name", "birth_date"),
        )
        _check_text(f"travellers[{position}].first_name", item["first_name"])
        _check_text(f"travellers[{position}].last_name", item["last_name"])
        _check_date(f"travellers[{position}].birth_date", item["birth_date"])
    if payment_method is not None:
        _check_choice("payment_method", payment_method, _PAYMENT_METHOD_CHOICES)

    customer = _get_customer(world, customer_id)
    if customer["status"] != "active":
        raise ToolError(
            "not_allowed",
            f"The profile of customer {customer_id} is closed.",
            "Use the customer's active profile, or make one with create_customer.",
        )
    if (
        len(
            {
                (p["first_name"].strip().lower(), p["last_name"].strip().lower(), p["birth_date"])
                for p in travellers
            },
        )
        != len(travellers)
    ):
        raise ToolError("invalid_argument", "A traveller is named twice.", "Name each traveller once.")
    if not all(["1900-01-01" <= p["birth_date"] <= _date_of(world.now()) for p in travellers]):
        raise ToolError(
            "invalid_argument",
            "A date of birth lies in the future or before 1900.",
            "State the date of birth of each traveller as YYYY-MM-DD.",
        )
    if not any([_days_between(p["birth_date"], world.now()) >= 4383 for p in travellers]):
        raise ToolError(
            "not_allowed",
            "Children under twelve cannot travel alone.",
            "Add an adult to the booking.",
        )
    product = _get_fare_class(world, fare_class)
    booking = {
        "locator": world.new_id("bookings"),
        "customer_id": customer_id,
        "status": "held" if payment_method is None else "confirmed",
        "channel": "agent",
        "contact_email": customer["email"],
        "contact_phone": customer["phone"],
        "booked_at": world.now(),
        "hold_expires_at": _add_minutes(world.now(), 60 * 48) if payment_method is None else None,
    }
    world.execute(
        """
        INSERT INTO bookings (locator, customer_id, status, channel, contact_email, contact_phone,
                              booked_at, hold_expires_at)
        VALUES (:locator, :customer_id, :status, :channel, :contact_email, :contact_phone,
                :booked_at, :hold_expires_at)
        """,
        booking,
    )
    for person in travellers:
        traveller = {
            "traveller_id": world.new_id("travellers"),
            "locator": booking["locator"],
            "first_name": person["first_name"].strip(),
            "last_name": person["last_name"].strip(),
            "birth_date": person["birth_date"],
            "kind": "child" if _days_between(person["birth_date"], world.now()) < 4383 else "adult",
            "customer_id": (
                customer_id
                if person["first_name"].strip().lower() == customer["first_name"].lower()
                and person["last_name"].strip().lower() == customer["last_name"].lower()
                and person["birth_date"] == customer["birth_date"]
                else None
            ),
        }
        world.execute(
            """
            INSERT INTO travellers (traveller_id, locator, first_name, last_name, birth_date, kind,
                                    customer_id)
            VALUES (:traveller_id, :locator, :first_name, :last_name, :birth_date, :kind, :customer_id)
            """,
            traveller,
        )
    party = world.query(
        "SELECT * FROM travellers WHERE locator = ? ORDER BY traveller_id",
        (booking["locator"],),
    )
    for stop in list(enumerate(flight_ids)):
        flight_id = stop[1]
        rows = world.query("SELECT * FROM flights WHERE flight_id IS ?", (flight_id,))
        if not rows:
            raise ToolError("not_found", f"There is no flight {flight_id!r}.", "Find it with search_flights.")
        service = rows[0]
        if (
            service["status"] != "scheduled"
            or service["scheduled_departure"] <= _add_minutes(world.now(), 45)
        ):
            raise ToolError(
                "not_allowed",
                f"{flight_id} is not on sale any more.",
                "Choose one that is scheduled and leaves later.",
            )
        rows = world.query(
            """
            SELECT count(*) AS seats
            FROM tickets
            WHERE flight_id = :service AND status <> 'cancelled'
            """,
            {"service": service["flight_id"]},
        )
        sold = rows[0] if rows else None
        if service["capacity"] - sold["seats"] < len(travellers):
            raise ToolError(
                "limit_exceeded",
                f"{flight_id} has {service['capacity'] - sold['seats']} seats left.",
                "Choose another one or a smaller party.",
            )
        rows = world.query(
            """
            SELECT factor
            FROM price_steps
            WHERE min_days <= :days
            ORDER BY min_days DESC
            LIMIT 1
            """,
            {"days": _days_between(world.now(), service["scheduled_departure"])},
        )
        step = rows[0] if rows else None
        fare = int(service["base_fare"] * product["price_factor"] * step["factor"] + 0.5)
        tax = int(fare * 0.075 + 9 + 0.5)
        for member in party:
            rows = world.query(
                """
                SELECT t.locator
                FROM tickets t
                JOIN travellers p ON p.traveller_id = t.traveller_id
                WHERE t.flight_id = :service AND t.status <> 'cancelled' AND lower(trim(p.first_name)) = lower(trim(:first)) AND lower(trim(p.last_name)) = lower(trim(:last)) AND p.birth_date = :birth
                ORDER BY t.ticket_id
                LIMIT 1
                """,
                {
                    "service": service["flight_id"],
                    "first": member["first_name"],
                    "last": member["last_name"],
                    "birth": member["birth_date"],
                },
            )
            twin = rows[0] if rows else None
            if twin is not None:
                raise ToolError(
                    "conflict",
                    f"{member['first_name']} {member['last_name']} is booked on {flight_id} already, with "
                    f"{twin['locator']}.",
                    "Nobody takes two seats; leave the traveller out, or cancel the other booking first.",
                )
            ticket = {
                "ticket_id": world.new_id("tickets"),
                "locator": booking["locator"],
                "traveller_id": member["traveller_id"],
                "flight_id": service["flight_id"],
                "leg": stop[0] + 1,
                "fare_class": fare_class,
                "status": "booked",
                "fare": fare,
                "tax": tax,
                "issued_at": world.now(),
            }
            world.execute(
                """
                INSERT INTO tickets (ticket_id, locator, traveller_id, flight_id, leg, fare_class, status,
                                     fare, tax, issued_at)
                VALUES (:ticket_id, :locator, :traveller_id, :flight_id, :leg, :fare_class, :status, :fare,
                        :tax, :issued_at)
                """,
                ticket,
            )
            charge = {
                "charge_id": world.new_id("charges"),
                "locator": booking["locator"],
                "ticket_id": ticket["ticket_id"],
                "kind": "ticket",
                "amount": fare + tax,
                "charged_at": world.now(),
            }
            world.execute(
                """
                INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
                VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
                """,
                charge,
            )
    rows = world.query(
        """
        SELECT count(*) AS n
        FROM tickets a
        JOIN tickets z ON z.traveller_id = a.traveller_id AND z.leg = a.leg + 1
        JOIN flights d ON d.flight_id = a.flight_id
        JOIN flights e ON e.flight_id = z.flight_id
        WHERE a.locator = :locator AND (e.origin <> d.destination OR e.scheduled_departure < d.scheduled_arrival)
        """,
        {"locator": booking["locator"]},
    )
    broken = rows[0] if rows else None
    if broken["n"] != 0:
        raise ToolError(
            "invalid_argument",
            "The trip does not hang together.",
            "Each flight must leave from where the one before it arrives, and after that.",
        )
    rows = world.query(
        "SELECT sum(amount) AS total FROM charges WHERE locator = :locator",
        {"locator": booking["locator"]},
    )
    due = rows[0] if rows else None
    rows = world.query(
        """
        SELECT min(d.scheduled_departure) AS starts
        FROM tickets t
        JOIN flights d ON d.flight_id = t.flight_id
        WHERE t.locator = :locator
        """,
        {"locator": booking["locator"]},
    )
    first = rows[0] if rows else None
    deadline = (
        min(_add_minutes(world.now(), 60 * 48), _add_minutes(first["starts"], -45))
        if payment_method is None
        else None
    )
    world.execute("UPDATE bookings SET hold_expires_at = ? WHERE locator = ?", (deadline, booking["locator"]))
    if payment_method is not None:
        payment = {
            "payment_id": world.new_id("payments"),
            "locator": booking["locator"],
            "kind": "payment",
            "method": payment_method,
            "amount": due["total"],
            "paid_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
            VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
            """,
            payment,
        )
    sold_tickets = world.query(
        "SELECT * FROM tickets WHERE locator = ? ORDER BY leg, ticket_id",
        (booking["locator"],),
    )

    return {
        "locator": booking["locator"],
        "status": booking["status"],
        "hold_expires_at": deadline,
        "total": due["total"],
        "tickets": [_ticket_summary(row) for row in sold_tickets],
    }


def cancel_booking(world: World, locator: str) -> dict:
    """Cancel a whole booking and pay back what its fares allow.

    Refundable tickets are paid back less the cancellation fee of their class; tickets on a cancelled
    flight in full; everything else is lost. Fees for bags are paid back only where the flight is
    cancelled. A hold whose deadline is over becomes expired instead of cancelled.

    Args:
        locator: Record locator.

    Returns:
        locator: text.
        status: text.
        tickets_cancelled: a whole number.
        refund: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no booking <locator>.
            conflict: Booking <locator> is <status>.
            not_allowed: Part of booking <locator> has been travelled.
    """
    _check_text("locator", locator)

    rows = world.query("SELECT * FROM bookings WHERE locator = ?", (locator.strip().upper(),))
    if not rows:
        raise ToolError("not_found", f"There is no booking {locator!r}.", "Find it with search_bookings.")
    booking = rows[0]
    if booking["status"] not in ("held", "confirmed"):
        status_words = "on hold" if booking["status"] == "held" else booking["status"]
        raise ToolError(
            "conflict",
            f"Booking {locator} is {status_words}.",
            "Only held and confirmed bookings can be cancelled.",
        )
    rows = world.query(
        """
        SELECT count(*) AS n
        FROM tickets t
        JOIN flights d ON d.flight_id = t.flight_id
        WHERE t.locator = :locator AND (t.status IN ('boarded', 'travelled', 'no_show') OR (t.status <> 'cancelled' AND d.status <> 'cancelled' AND d.scheduled_departure <= :now))
        """,
        {"locator": booking["locator"], "now": world.now()},
    )
    used = rows[0] if rows else None
    if used["n"] != 0:
        raise ToolError(
            "not_allowed",
            f"Part of booking {locator} has been travelled.",
            "Cancel the tickets that are left with cancel_ticket.",
        )
    unused = world.query(
        """
        SELECT t.ticket_id, t.fare + t.tax AS price, f.refundable, f.cancellation_fee, d.status AS run, (SELECT coalesce(sum(g.fee), 0) FROM bags g WHERE g.ticket_id = t.ticket_id AND g.status <> 'cancelled') AS bag_fees
        FROM tickets t
        JOIN fare_classes f ON f.code = t.fare_class
        JOIN flights d ON d.flight_id = t.flight_id
        WHERE t.locator = :locator AND t.status <> 'cancelled'
        ORDER BY t.ticket_id
        """,
        {"locator": booking["locator"]},
    )
    for ticket in unused:
        world.execute(
            "UPDATE tickets SET status = ?, seat = ? WHERE ticket_id IS ?",
            ("cancelled", None, ticket["ticket_id"]),
        )
        world.execute("UPDATE bags SET status = ? WHERE ticket_id IS ?", ("cancelled", ticket["ticket_id"]))
        if booking["status"] == "held" or ticket["refundable"] == 1 or ticket["run"] == "cancelled":
            reversal = {
                "charge_id": world.new_id("charges"),
                "locator": booking["locator"],
                "ticket_id": ticket["ticket_id"],
                "kind": "reversal",
                "amount": -(ticket["price"] + (ticket["bag_fees"] if ticket["run"] == "cancelled" else 0)),
                "charged_at": world.now(),
            }
            world.execute(
                """
                INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
                VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
                """,
                reversal,
            )
            if (
                booking["status"] == "confirmed"
                and ticket["run"] != "cancelled"
                and ticket["cancellation_fee"] > 0
            ):
                kept = {
                    "charge_id": world.new_id("charges"),
                    "locator": booking["locator"],
                    "ticket_id": ticket["ticket_id"],
                    "kind": "cancellation_fee",
                    "amount": min(ticket["cancellation_fee"], ticket["price"]),
                    "charged_at": world.now(),
                }
                world.execute(
                    """
                    INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
                    VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
                    """,
                    kept,
                )
    rows = world.query(
        """
        SELECT coalesce((SELECT sum(amount) FROM charges WHERE locator = :locator), 0) AS owed, coalesce((SELECT sum(CASE kind WHEN 'payment' THEN amount ELSE -amount END) FROM payments WHERE locator = :locator), 0) AS paid, (SELECT method FROM payments WHERE locator = :locator ORDER BY payment_id LIMIT 1) AS method
        """,
        {"locator": booking["locator"]},
    )
    money = rows[0] if rows else None
    refund = max(0, money["paid"] - money["owed"])
    if refund > 0:
        payment = {
            "payment_id": world.new_id("payments"),
            "locator": booking["locator"],
            "kind": "refund",
            "method": money["method"],
            "amount": refund,
            "paid_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
            VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
            """,
            payment,
        )
    overdue = booking["status"] == "held" and booking["hold_expires_at"] <= world.now()
    world.execute(
        """
        UPDATE bookings
        SET status = ?, cancelled_at = ?, hold_expires_at = ?
        WHERE locator = ?
        """,
        (
            "expired" if overdue else "cancelled",
            world.now(),
            booking["hold_expires_at"] if overdue else None,
            booking["locator"],
        ),
    )

    return {
        "locator": booking["locator"],
        "status": "expired" if overdue else "cancelled",
        "tickets_cancelled": len(unused),
        "refund": refund,
    }


def pay_booking(world: World, locator: str, amount: int, payment_method: str) -> dict:
    """Take the payment for a held booking and confirm it.

    Args:
        locator: Record locator.
        amount: Amount in whole USD; must be the balance due. At least 1.
        payment_method: How it is paid. One of: credit card, debit card, wallet, voucher, cash.

    Returns:
        locator: text.
        status: text.
        paid: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                balance due is not <amount>.
            not_found: There is no booking <locator>.
            conflict: Booking <locator> is paid already.
            not_allowed: Booking <locator> is <status>; only a held booking waits for payment. The hold
                of <locator> ended at <hold_expires_at>. A flight of booking <locator> is cancelled or
                has left: <service>.
    """
    _check_text("locator", locator)
    _check_integer("amount", amount, least=1)
    _check_choice("payment_method", payment_method, _PAYMENT_METHOD_CHOICES)

    rows = world.query("SELECT * FROM bookings WHERE locator = ?", (locator.strip().upper(),))
    if not rows:
        raise ToolError("not_found", f"There is no booking {locator!r}.", "Find it with search_bookings.")
    booking = rows[0]
    if booking["status"] == "confirmed":
        raise ToolError("conflict", f"Booking {locator} is paid already.", "Nothing needs to be done.")
    if booking["status"] != "held":
        status_words = "on hold" if booking["status"] == "held" else booking["status"]
        raise ToolError(
            "not_allowed",
            f"Booking {locator} is {status_words}; only a held booking waits for payment.",
            "get_booking shows where it stands.",
        )
    if booking["hold_expires_at"] <= world.now():
        raise ToolError(
            "not_allowed",
            f"The hold of {locator} ended at {booking['hold_expires_at']}.",
            "Make a new booking; the fare may have changed.",
        )
    rows = world.query(
        """
        SELECT t.flight_id AS service
        FROM tickets t
        JOIN flights d ON d.flight_id = t.flight_id
        WHERE t.locator = :locator AND t.status <> 'cancelled' AND (d.status <> 'scheduled' OR d.scheduled_departure <= :now)
        ORDER BY t.leg, t.ticket_id
        LIMIT 1
        """,
        {"locator": booking["locator"], "now": world.now()},
    )
    gone = rows[0] if rows else None
    if gone is not None:
        raise ToolError(
            "not_allowed",
            f"A flight of booking {booking['locator']} is cancelled or has left: {gone['service']}.",
            "Release the hold with cancel_booking and make a new booking.",
        )
    rows = world.query(
        "SELECT coalesce(sum(amount), 0) AS total FROM charges WHERE locator = :locator",
        {"locator": booking["locator"]},
    )
    due = rows[0] if rows else None
    if amount != due["total"]:
        raise ToolError(
            "invalid_argument",
            f"The balance due is not {amount}.",
            "get_booking shows the balance due.",
        )
    world.execute(
        "UPDATE bookings SET status = ?, hold_expires_at = ? WHERE locator = ?",
        ("confirmed", None, booking["locator"]),
    )
    payment = {
        "payment_id": world.new_id("payments"),
        "locator": booking["locator"],
        "kind": "payment",
        "method": payment_method,
        "amount": amount,
        "paid_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
        VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
        """,
        payment,
    )

    return {"locator": booking["locator"], "status": "confirmed", "paid": amount}


def list_loyalty_activity(
    world: World,
    customer_id: int,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List a customer's loyalty entries, latest first.

    Args:
        customer_id: Customer number.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        tier: text.
        points_balance: a whole number.
        items: a list of objects with kind, points, ticket_id, occurred_at.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
            not_found: There is no customer <customer_id>.
            not_allowed: Customer <customer_id> has not joined the loyalty programme.
    """
    _check_integer("customer_id", customer_id)
    _check_integer("page_size", page_size, least=1, most=50)

    customer = _get_customer(world, customer_id)
    if customer["loyalty_number"] is None:
        raise ToolError(
            "not_allowed",
            f"Customer {customer_id} has not joined the loyalty programme.",
            "Only members have points.",
        )
    offset = _offset_of(start_cursor)
    rows = world.query(
        """
        SELECT *
        FROM loyalty_activities
        WHERE customer_id = ?
        ORDER BY occurred_at DESC, activity_id
        LIMIT ? OFFSET ?
        """,
        (customer_id, page_size + 1, offset),
    )
    found = _page(rows, page_size, offset)

    return {
        "tier": customer["tier"],
        "points_balance": customer["points_balance"],
        "items": [
            {
                "kind": row["kind"],
                "points": row["points"],
                "ticket_id": row["ticket_id"],
                "occurred_at": row["occurred_at"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_customers(
    world: World,
    last_name: str | None = None,
    first_name: str | None = None,
    birth_date: str | None = None,
    email: str | None = None,
    loyalty_number: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search customer profiles; all given conditions must hold.

    Names and addresses are compared whole; capital and small letters are the same.

    Args:
        last_name: Family name.
        first_name: Given name.
        birth_date: Date of birth, YYYY-MM-DD.
        email: E-mail address.
        loyalty_number: Number in the loyalty programme.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with customer_id, first_name, last_name, birth_date, tier, status.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. State at
                least one thing to search by. The start_cursor does not come from an earlier page.
    """
    if last_name is not None:
        _check_text("last_name", last_name)
    if first_name is not None:
        _check_text("first_name", first_name)
    if birth_date is not None:
        _check_date("birth_date", birth_date)
    if email is not None:
        _check_text("email", email)
    if loyalty_number is not None:
        _check_text("loyalty_number", loyalty_number)
    _check_integer("page_size", page_size, least=1, most=50)

    if (
        last_name is None
        and first_name is None
        and birth_date is None
        and email is None
        and loyalty_number is None
    ):
        raise ToolError(
            "invalid_argument",
            "State at least one thing to search by.",
            "A last name, an e-mail address or a loyalty number narrows it down best.",
        )
    alike = world.query(
        """
        SELECT customer_id
        FROM customers
        WHERE (:last IS NULL OR lower(last_name) = lower(trim(:last))) AND (:first IS NULL OR lower(first_name) = lower(trim(:first))) AND (:birth IS NULL OR birth_date = :birth) AND (:email IS NULL OR lower(email) = lower(trim(:email))) AND (:number IS NULL OR loyalty_number = trim(:number))
        """,
        {
            "last": last_name,
            "first": first_name,
            "birth": birth_date,
            "email": email,
            "number": loyalty_number,
        },
    )
    wanted = [c["customer_id"] for c in alike]
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM customers
        WHERE customer_id IN ({_marks(wanted)})
        ORDER BY last_name, first_name, customer_id
        LIMIT ? OFFSET ?
        """,
        [*wanted, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_customer_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_customer(world: World, customer_id: int) -> dict:
    """Get a customer profile with contact data and loyalty standing.

    Args:
        customer_id: Customer number.

    Returns:
        customer: an object with customer_id, first_name, last_name, birth_date, email, phone,
            loyalty_number, tier, points_balance, status, registered_at.
        open_bookings: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no customer <customer_id>.
    """
    _check_integer("customer_id", customer_id)

    customer = _get_customer(world, customer_id)
    rows = world.query(
        """
        SELECT count(*) AS bookings
        FROM bookings
        WHERE customer_id = :customer AND status IN ('held', 'confirmed')
        """,
        {"customer": customer_id},
    )
    travel = rows[0] if rows else None

    return {"customer": _customer_details(customer), "open_bookings": travel["bookings"]}


def create_customer(
    world: World,
    first_name: str,
    last_name: str,
    birth_date: str,
    email: str,
    phone: str | None = None,
) -> dict:
    """Make a profile for a new customer.

    Args:
        first_name: Given name.
        last_name: Family name.
        birth_date: Date of birth, YYYY-MM-DD.
        email: E-mail address.
        phone: Phone number, such as +1-212-555-0142.

    Returns:
        customer: an object with customer_id, first_name, last_name, birth_date, email, phone,
            loyalty_number, tier, points_balance, status, registered_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
                <birth_date> lies in the future or before 1900.
            not_allowed: A customer must be eighteen or older.
            conflict: There is a profile for this person or address already.
    """
    _check_text("first_name", first_name, longest=60)
    _check_text("last_name", last_name, longest=60)
    _check_date("birth_date", birth_date)
    _check_email("email", email)
    if phone is not None:
        _check_text("phone", phone, longest=30)
        _check_pattern("phone", phone, _PHONE_PATTERN)

    if not "1900-01-01" <= birth_date <= _date_of(world.now()):
        raise ToolError(
            "invalid_argument",
            f"{birth_date} lies in the future or before 1900.",
            "State it as YYYY-MM-DD.",
        )
    if _days_between(birth_date, world.now()) < 6574:
        raise ToolError(
            "not_allowed",
            "A customer must be eighteen or older.",
            "Children travel on the booking of an adult.",
        )
    rows = world.query(
        """
        SELECT customer_id
        FROM customers
        WHERE lower(email) = lower(:email) OR (lower(first_name) = lower(:first) AND lower(last_name) = lower(:last) AND birth_date = :birth)
        ORDER BY customer_id
        LIMIT 1
        """,
        {"email": email, "first": first_name.strip(), "last": last_name.strip(), "birth": birth_date},
    )
    same = rows[0] if rows else None
    if same is not None:
        raise ToolError(
            "conflict",
            "There is a profile for this person or address already.",
            "Look it up with search_customers.",
        )
    customer = {
        "customer_id": world.new_id("customers"),
        "first_name": first_name.strip(),
        "last_name": last_name.strip(),
        "birth_date": birth_date,
        "email": email,
        "phone": phone,
        "loyalty_number": None,
        "tier": None,
        "points_balance": 0,
        "status": "active",
        "registered_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO customers (customer_id, first_name, last_name, birth_date, email, phone,
                               loyalty_number, tier, points_balance, status, registered_at)
        VALUES (:customer_id, :first_name, :last_name, :birth_date, :email, :phone, :loyalty_number,
                :tier, :points_balance, :status, :registered_at)
        """,
        customer,
    )

    return {"customer": _customer_details(customer)}


def update_customer(
    world: World,
    customer_id: int,
    email: str | None = None,
    phone: str | None = None,
    last_name: str | None = None,
) -> dict:
    """Change a customer's contact data or family name.

    Open bookings of the customer (held or confirmed) that use the old address or number get the new
    one. Past bookings, and the names on tickets that are sold, stay as they are; first name and date of
    birth cannot be changed.

    Args:
        customer_id: Customer number.
        email: New e-mail address.
        phone: New phone number, such as +1-212-555-0142.
        last_name: New family name.

    Returns:
        customer: an object with customer_id, first_name, last_name, birth_date, email, phone,
            loyalty_number, tier, points_balance, status, registered_at.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. State
                what is to be changed.
            not_found: There is no customer <customer_id>.
            not_allowed: The profile of customer <customer_id> is closed.
            conflict: Another profile has this e-mail address.
    """
    _check_integer("customer_id", customer_id)
    if email is not None:
        _check_email("email", email)
    if phone is not None:
        _check_text("phone", phone, longest=30)
        _check_pattern("phone", phone, _PHONE_PATTERN)
    if last_name is not None:
        _check_text("last_name", last_name, longest=60)

    customer = _get_customer(world, customer_id)
    if email is None and phone is None and last_name is None:
        raise ToolError(
            "invalid_argument",
            "State what is to be changed.",
            "An e-mail address, a phone number or a family name.",
        )
    if customer["status"] != "active":
        raise ToolError(
            "not_allowed",
            f"The profile of customer {customer_id} is closed.",
            "Closed profiles stay as they are.",
        )
    rows = world.query(
        """
        SELECT customer_id
        FROM customers
        WHERE lower(email) = lower(:email) AND customer_id <> :customer
        LIMIT 1
        """,
        {"email": email, "customer": customer_id},
    )
    other = rows[0] if rows else None
    if other is not None:
        raise ToolError(
            "conflict",
            "Another profile has this e-mail address.",
            "Check with search_customers whether it is the same person.",
        )
    changes = _given(email=email, phone=phone, last_name=last_name)
    if changes:
        world.execute(
            f"UPDATE customers SET {_assignments(changes)} WHERE customer_id = ?",
            [*changes.values(), customer_id],
        )
    wanted = ["held", "confirmed"]
    open_bookings = world.query(
        f"""
        SELECT *
        FROM bookings
        WHERE customer_id = ?
          AND status IN ({_marks(wanted)})
        ORDER BY locator
        """,
        [customer_id, *wanted],
    )
    for booking in open_bookings:
        changes = _given(
            contact_email=(
                (email if booking["contact_email"] == customer["email"] else None)
                if email is not None
                else None
            ),
            contact_phone=(
                (phone if booking["contact_phone"] == customer["phone"] else None)
                if phone is not None
                else None
            ),
        )
        if changes:
            world.execute(
                f"UPDATE bookings SET {_assignments(changes)} WHERE locator = ?",
                [*changes.values(), booking["locator"]],
            )
    changed = _get_customer(world, customer_id)

    return {"customer": _customer_details(changed)}


def get_seat_map(world: World, flight_id: str) -> dict:
    """Show the free and taken seats of a flight, row by row.

    A free seat is one that nobody has been given yet: most tickets get their seat at check-in only. The
    first and the last letter of a row are window seats.

    Args:
        flight_id: The flight.

    Returns:
        letters: text.
        seats_left: seats that are not sold.
        seats_not_assigned: seats that nobody sits in yet; some of them are sold.
        rows: a list of objects with row, free, taken.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no flight <flight_id>.
    """
    _check_text("flight_id", flight_id)

    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {flight_id!r}.", "Find it with search_flights.")
    service = rows[0]
    given = world.query(
        """
        SELECT seat
        FROM tickets
        WHERE flight_id = :service AND seat IS NOT NULL
        ORDER BY seat
        """,
        {"service": service["flight_id"]},
    )
    rows = world.query(
        """
        SELECT count(*) AS seats
        FROM tickets
        WHERE flight_id = :service AND status <> 'cancelled'
        """,
        {"service": service["flight_id"]},
    )
    sold = rows[0] if rows else None
    taken = [t["seat"] for t in given]
    letters = service["seat_letters"]
    wide = len(letters)

    return {
        "letters": letters,
        "seats_left": max(0, service["capacity"] - sold["seats"]),
        "seats_not_assigned": service["capacity"] - len(taken),
        "rows": [
            {
                "row": n + 1,
                "free": [
                    x
                    for i, x in enumerate(letters)
                    if n * wide + i < service["capacity"]
                    and str(n + 1) + x not in taken
                ],
                "taken": [x for x in letters if str(n + 1) + x in taken],
            }
            for n in range((service["capacity"] + wide - 1) // wide)
        ],
    }


def list_passengers(
    world: World,
    flight_id: str,
    status: str | None = None,
    include_cancelled: bool = False,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List the passengers of a flight by name.

    Args:
        flight_id: The flight.
        status: Only tickets of this status. One of: booked, checked_in, boarded, travelled, no_show,
            cancelled.
        include_cancelled: Whether cancelled tickets are listed, too. Default: false.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with ticket_id, locator, traveller_id, first_name, last_name, kind,
            fare_class, status, seat.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
            not_found: There is no flight <flight_id>.
    """
    _check_text("flight_id", flight_id)
    if status is not None:
        _check_choice("status", status, _STATUS_CHOICES)
    _check_flag("include_cancelled", include_cancelled)
    _check_integer("page_size", page_size, least=1, most=50)

    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {flight_id!r}.", "Find it with search_flights.")
    service = rows[0]
    left_out = "cancelled" if status is None and not include_cancelled else None
    where = ["tickets.flight_id = ?"]
    values: list[object] = [service["flight_id"]]
    if status is not None:
        where.append("tickets.status = ?")
        values.append(status)
    if left_out is not None:
        where.append("tickets.status != ?")
        values.append(left_out)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT tickets.ticket_id, tickets.locator, tickets.traveller_id, tickets.fare_class,
               tickets.status, tickets.seat, p.first_name, p.last_name, p.kind
        FROM tickets
        JOIN travellers AS p ON p.traveller_id = tickets.traveller_id
        {_where_all(where)}
        ORDER BY p.last_name, p.first_name, tickets.ticket_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [
            {
                "ticket_id": row["ticket_id"],
                "locator": row["locator"],
                "traveller_id": row["traveller_id"],
                "first_name": row["first_name"],
                "last_name": row["last_name"],
                "kind": row["kind"],
                "fare_class": row["fare_class"],
                "status": row["status"],
                "seat": row["seat"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def search_flights(
    world: World,
    origin: str,
    date: str,
    destination: str | None = None,
    operator: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search flights by route and date.

    In order of time. Seats and fares stand in get_flight. Codes may be written in small letters.

    Args:
        origin: The airport the flight leaves from, by its code.
        date: Day on which the flight leaves, in the time of the airport, YYYY-MM-DD.
        destination: The airport the flight goes to, by its code.
        operator: Only of this airline.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with flight_id, carrier, flight_number, origin, destination,
            scheduled_departure, scheduled_arrival, scheduled_departure_local, scheduled_arrival_local,
            status.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
            not_found: There is no airport <origin>. There is no airport <destination>. There is no
                airline <operator>.
    """
    _check_text("origin", origin)
    _check_date("date", date)
    if destination is not None:
        _check_text("destination", destination)
    if operator is not None:
        _check_text("operator", operator)
    _check_integer("page_size", page_size, least=1, most=50)

    rows = world.query(
        "SELECT code AS code FROM airports WHERE lower(code) = lower(trim(:place))",
        {"place": origin},
    )
    start = rows[0] if rows else None
    if start is None:
        raise ToolError("not_found", f"There is no airport {origin}.", "Find it with search_airports.")
    rows = world.query(
        "SELECT code AS code FROM airports WHERE lower(code) = lower(trim(:place))",
        {"place": destination},
    )
    end = rows[0] if rows else None
    if destination is not None and end is None:
        raise ToolError("not_found", f"There is no airport {destination}.", "Find it with search_airports.")
    rows = world.query(
        "SELECT code AS code FROM airlines WHERE lower(code) = lower(trim(:firm))",
        {"firm": operator},
    )
    firm = rows[0] if rows else None
    if operator is not None and firm is None:
        raise ToolError(
            "not_found",
            f"There is no airline {operator}.",
            "The flights in the answer name their airline.",
        )
    where = ["origin IS ?", "flight_date = ?"]
    values: list[object] = [start["code"], date]
    if end is not None:
        where.append("destination IS ?")
        values.append(end["code"] if end is not None else None)
    if firm is not None:
        where.append("carrier IS ?")
        values.append(firm["code"] if firm is not None else None)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM flights
        {_where_all(where)}
        ORDER BY scheduled_departure, flight_id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_flight_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_flight(world: World, flight_id: str) -> dict:
    """Get a flight with the seats left and the fares on sale now.

    Fares rise as the day comes nearer. Sales close 45 minutes before the flight leaves, or when it is
    full.

    Args:
        flight_id: The flight.

    Returns:
        flight: an object with flight_id, carrier, flight_number, origin, destination,
            scheduled_departure, scheduled_arrival, scheduled_departure_local, scheduled_arrival_local,
            status, actual_departure, actual_arrival, tail_number, distance_miles, capacity.
        seats_left: a whole number.
        on_sale: true or false.
        fares: a list of objects with fare_class, name, fare, tax, total.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no flight <flight_id>.
    """
    _check_text("flight_id", flight_id)

    rows = world.query("SELECT * FROM flights WHERE flight_id = ?", (flight_id,))
    if not rows:
        raise ToolError("not_found", f"There is no flight {flight_id!r}.", "Find it with search_flights.")
    service = rows[0]
    rows = world.query(
        """
        SELECT count(*) AS seats
        FROM tickets
        WHERE flight_id = :service AND status <> 'cancelled'
        """,
        {"service": service["flight_id"]},
    )
    sold = rows[0] if rows else None
    rows = world.query(
        """
        SELECT factor
        FROM price_steps
        WHERE min_days <= :days
        ORDER BY min_days DESC
        LIMIT 1
        """,
        {"days": _days_between(world.now(), service["scheduled_departure"])},
    )
    step = rows[0] if rows else None
    on_sale = (
        step is not None
        and sold["seats"] < service["capacity"]
        and service["status"] == "scheduled"
        and service["scheduled_departure"] > _add_minutes(world.now(), 45)
    )
    factor = step["factor"] if step is not None else 0
    classes = world.query("SELECT * FROM fare_classes ORDER BY price_factor, code")
    prices = [
        {
            "fare_class": c["code"],
            "name": c["name"],
            "fare": int(service["base_fare"] * c["price_factor"] * factor + 0.5),
            "tax": int(int(service["base_fare"] * c["price_factor"] * factor + 0.5) * 0.075 + 9 + 0.5),
        }
        for c in classes
    ]

    return {
        "flight": _flight_details(service),
        "seats_left": max(0, service["capacity"] - sold["seats"]),
        "on_sale": on_sale,
        "fares": (
            [
                {
                    "fare_class": p["fare_class"],
                    "name": p["name"],
                    "fare": p["fare"],
                    "tax": p["tax"],
                    "total": p["fare"] + p["tax"],
                }
                for p in prices
            ]
            if on_sale
            else []
        ),
    }


def search_airports(
    world: World,
    city: str | None = None,
    name: str | None = None,
    country: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search airports by city or name.

    Args:
        city: City or a part of its name.
        name: Name of the airport or a part of it.
        country: Country, as the airports have it.
        start_cursor: Cursor of the page to continue from.
        page_size: Items per page. From 1 to 50. Default: 20.

    Returns:
        items: a list of objects with code, name, city, country, timezone.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. No
                airport lies in <country>. The start_cursor does not come from an earlier page.
    """
    if city is not None:
        _check_text("city", city)
    if name is not None:
        _check_text("name", name)
    if country is not None:
        _check_text("country", country)
    _check_integer("page_size", page_size, least=1, most=50)

    rows = world.query(
        """
        SELECT country AS code
        FROM airports
        WHERE lower(country) = lower(trim(:country))
        LIMIT 1
        """,
        {"country": country},
    )
    land = rows[0] if rows else None
    if country is not None and land is None:
        raise ToolError(
            "invalid_argument",
            f"No airport lies in {country}.",
            "Leave the country out: the airports in the answer show how it is written.",
        )
    where: list[str] = []
    values: list[object] = []
    if city is not None:
        where.append("city LIKE ? ESCAPE '!'")
        values.append(f"%{_like(city)}%")
    if name is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(name)}%")
    if land is not None:
        where.append("country IS ?")
        values.append(land["code"] if land is not None else None)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT *
        FROM airports
        {_where_all(where)}
        ORDER BY name, code
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_airport_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def add_bag(world: World, ticket_id: int, payment_method: str | None = None) -> dict:
    """Add a checked bag to a ticket; beyond what the fare includes a bag costs a fee.

    Args:
        ticket_id: Ticket number.
        payment_method: How the fee is paid; needed when there is one. One of: credit card, debit card,
            wallet, voucher, cash.

    Returns:
        bag_id: a whole number.
        ticket_id: a whole number.
        piece: a whole number.
        fee: a whole number.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. This bag
                costs <fee> USD.
            not_found: There is no ticket <ticket_id>. There is no booking with locator <locator>. There
                is no fare class with code <fare_class>. There is no flight with flight_id <flight_id>.
            not_allowed: Ticket <ticket_id> takes no bags as it stands. The flight takes no more bags.
            limit_exceeded: Ticket <ticket_id> has three bags already.
    """
    _check_integer("ticket_id", ticket_id)
    if payment_method is not None:
        _check_choice("payment_method", payment_method, _PAYMENT_METHOD_CHOICES)

    ticket = _get_ticket(world, ticket_id)
    booking = _get_booking(world, ticket["locator"])
    product = _get_fare_class(world, ticket["fare_class"])
    service = _get_flight(world, ticket["flight_id"])
    if booking["status"] != "confirmed" or ticket["status"] not in ("booked", "checked_in"):
        raise ToolError(
            "not_allowed",
            f"Ticket {ticket_id} takes no bags as it stands.",
            "The booking must be confirmed and the ticket booked or checked in.",
        )
    if service["status"] != "scheduled" or service["scheduled_departure"] <= _add_minutes(world.now(), 45):
        raise ToolError(
            "not_allowed",
            "The flight takes no more bags.",
            "Bags are accepted until 45 minutes before the flight leaves.",
        )
    rows = world.query(
        """
        SELECT count(CASE WHEN status <> 'cancelled' THEN 1 END) AS n, coalesce(max(piece), 0) AS last
        FROM bags
        WHERE ticket_id = :ticket
        """,
        {"ticket": ticket_id},
    )
    have = rows[0] if rows else None
    if have["n"] >= 3:
        raise ToolError(
            "limit_exceeded",
            f"Ticket {ticket_id} has three bags already.",
            "A traveller may check in three bags.",
        )
    fee = 0 if have["n"] < product["bags_included"] else 35
    if fee != 0 and payment_method is None:
        raise ToolError("invalid_argument", f"This bag costs {fee} USD.", "State a payment_method.")
    bag = {
        "bag_id": world.new_id("bags"),
        "ticket_id": ticket_id,
        "piece": have["last"] + 1,
        "fee": fee,
        "status": "registered" if ticket["status"] == "booked" else "accepted",
        "registered_at": world.now(),
    }
    world.execute(
        """
        INSERT INTO bags (bag_id, ticket_id, piece, fee, status, registered_at)
        VALUES (:bag_id, :ticket_id, :piece, :fee, :status, :registered_at)
        """,
        bag,
    )
    if fee > 0:
        charge = {
            "charge_id": world.new_id("charges"),
            "locator": ticket["locator"],
            "ticket_id": ticket_id,
            "kind": "bag",
            "amount": fee,
            "charged_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO charges (charge_id, locator, ticket_id, kind, amount, charged_at)
            VALUES (:charge_id, :locator, :ticket_id, :kind, :amount, :charged_at)
            """,
            charge,
        )
        payment = {
            "payment_id": world.new_id("payments"),
            "locator": ticket["locator"],
            "kind": "payment",
            "method": payment_method,
            "amount": fee,
            "paid_at": world.now(),
        }
        world.execute(
            """
            INSERT INTO payments (payment_id, locator, kind, method, amount, paid_at)
            VALUES (:payment_id, :locator, :kind, :method, :amount, :paid_at)
            """,
            payment,
        )

    return {"bag_id": bag["bag_id"], "ticket_id": ticket_id, "piece": bag["piece"], "fee": fee}


def search_airlines(
    world: World,
    name: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search airlines; all given conditions must hold.

    Args:
        name: Text that the name of the airline contains.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with code, name.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    if name is not None:
        _check_text("name", name)
    _check_integer("page_size", page_size, least=1, most=50)

    where: list[str] = []
    values: list[object] = []
    if name is not None:
        where.append("name LIKE ? ESCAPE '!'")
        values.append(f"%{_like(name)}%")
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT code, name
        FROM airlines
        {_where_all(where)}
        ORDER BY name, code
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_airline_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_airline(world: World, airline_code: str) -> dict:
    """Get an airline in detail.

    Args:
        airline_code: The code of the airline.

    Returns:
        airline: an object with code, name.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no airline with code <airline_code>.
    """
    _check_text("airline_code", airline_code)

    rows = world.query("SELECT * FROM airlines WHERE code = ?", (airline_code,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no airline with code {airline_code}.",
            "Use search_airlines to find airline codes.",
        )
    airline = rows[0]

    return {"airline": _airline_details(airline)}
