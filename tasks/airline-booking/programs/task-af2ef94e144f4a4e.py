"""check-in-members: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_passengers": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_airports": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_flights": ("items", "start_cursor", "next_cursor", "page_size", 50),
}


def pages_of(call):
    """`pages(tool, ...)`: all items of all pages, in the largest pages that the tool gives."""

    def pages(tool, **arguments):
        items, cursor, following, size, largest = PAGING[tool]
        arguments = {size: largest, **arguments} if size else arguments
        found = []
        while True:
            result = call(tool, **arguments)
            found.extend(result[items])
            if not cursor or not result.get(following):
                return found
            arguments = {**arguments, cursor: result[following]}

    return pages


def solve(call):
    pages = pages_of(call)

    day = "2013-01-16"  # Wednesday 16 January
    end = "Boston"
    leaves = "15:00"  # 3 pm
    start = "New York"
    tiers = ["silver", "gold"]  # silver and gold

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    bookings, tiered, checked_in, had_no_seat = {}, {}, 0, []
    for s in pages("list_passengers", flight_id=departure()["flight_id"], status="booked"):
        if s["locator"] not in bookings:
            bookings[s["locator"]] = call("get_booking", locator=s["locator"])
        booking = bookings[s["locator"]]
        number = next(p["customer_id"] for p in booking["travellers"] if p["traveller_id"] == s["traveller_id"])
        if booking["booking"]["status"] == "confirmed" and number is not None:
            if number not in tiered:
                tiered[number] = call("get_customer", customer_id=number)["customer"]["tier"]
            if tiered[number] in tiers:
                call("check_in", ticket_id=s["ticket_id"])
                checked_in += 1
                if s["seat"] is None:
                    had_no_seat.append(s["first_name"] + " " + s["last_name"])
    return {"checked_in": checked_in, "had_no_seat": had_no_seat}
