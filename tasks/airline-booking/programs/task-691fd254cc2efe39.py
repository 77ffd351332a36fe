"""fares-of-two-tiers: a solution that starts from what the text says."""

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

    day = "2013-01-16"  # Wednesday the 16th
    end = "Raleigh/Durham"
    leaves = "14:50"  # 2:50 pm
    lower = "silver"
    start = "New York"
    upper = "platinum"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    bookings, tiers, paid = {}, {}, []
    for seat in pages("list_passengers", flight_id=service):
        if seat["locator"] not in bookings:
            bookings[seat["locator"]] = call("get_booking", locator=seat["locator"])
        booking = bookings[seat["locator"]]
        person = next(p for p in booking["travellers"] if p["traveller_id"] == seat["traveller_id"])
        if person["customer_id"] is None:
            continue
        if person["customer_id"] not in tiers:
            tiers[person["customer_id"]] = call("get_customer", customer_id=person["customer_id"])["customer"]["tier"]
        ticket = next(t for t in booking["tickets"] if t["ticket_id"] == seat["ticket_id"])
        paid.append((ticket["fare"], tiers[person["customer_id"]], person["first_name"] + " " + person["last_name"]))
    members = [p for p in paid if p[1] in (lower, upper)]
    return {
        "lower_total": sum(p[0] for p in members if p[1] == lower),
        "upper_total": sum(p[0] for p in members if p[1] == upper),
        "highest": max(members, key=lambda p: p[0])[2],
    }
