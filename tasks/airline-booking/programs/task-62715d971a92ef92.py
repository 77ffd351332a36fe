"""bookings-without-phone: a solution that starts from what the text says."""

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

    day = "2013-01-16"  # today
    end = "Boston"
    leaves = "19:00"  # 7 pm
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    seats = pages("list_passengers", flight_id=departure()["flight_id"])
    addresses, people = [], 0
    for locator in sorted({s["locator"] for s in seats}):
        booking = call("get_booking", locator=locator)["booking"]
        if booking["contact_phone"] is None:
            if booking["contact_email"] not in addresses:
                addresses.append(booking["contact_email"])
            people += len([s for s in seats if s["locator"] == locator])
    return {"addresses": addresses, "people": people}
