"""move-to-last-of-another-day: a solution that starts from what the text says."""

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

    day = "2013-01-18"  # Friday 18 January
    end = "Charlotte"
    leaves = "21:00"  # 9 pm
    method = "debit card"
    name = "Aaron Tran"
    other_day = "2013-01-19"  # Saturday 19 January
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    old = departure()
    ticket = next(s for s in pages("list_passengers", flight_id=old["flight_id"]) if s["first_name"] + " " + s["last_name"] == name)
    choice = pages("search_flights", origin=old["origin"], destination=old["destination"], date=other_day)
    choice = [d for d in choice if d["status"] == "scheduled" and d["carrier"] == old["carrier"]]
    new = next(d for d in reversed(choice) if call("get_flight", flight_id=d["flight_id"])["seats_left"] > 0)
    paid = call("change_flight", ticket_id=ticket["ticket_id"], new_flight_id=new["flight_id"], payment_method=method)["paid"]
    seats = call("get_seat_map", flight_id=new["flight_id"])
    windows = [seats["letters"][0], seats["letters"][-1]]
    free = [str(r["row"]) + w for r in seats["rows"] for w in windows if w in r["free"]]
    call("select_seat", ticket_id=ticket["ticket_id"], seat=free[0])
    return {"leaves_at": new["scheduled_departure_local"][11:16], "cost": paid, "seat": free[0]}
