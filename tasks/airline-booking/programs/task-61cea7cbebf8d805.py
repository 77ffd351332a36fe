"""pay-back-one-fare: a solution that starts from what the text says."""

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

    day = "2013-01-18"  # Friday the 18th
    end = "New York"
    fare_class = "STD"  # Standard
    leaves = "21:37"  # 9:37 pm
    start = "Boston"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    seats = [s for s in pages("list_passengers", flight_id=service, status="booked") if s["fare_class"] == fare_class]
    people, paid_back = 0, 0
    for locator in sorted({s["locator"] for s in seats}):
        booking = call("get_booking", locator=locator)
        if booking["booking"]["status"] != "confirmed":
            continue
        mine = [s for s in seats if s["locator"] == locator]
        people += len(mine)
        if len(mine) == len([t for t in booking["tickets"] if t["status"] != "cancelled"]):
            paid_back += call("cancel_booking", locator=locator)["refund"]
        else:
            for s in sorted(mine, key=lambda s: s["kind"], reverse=True):
                paid_back += call("cancel_ticket", ticket_id=s["ticket_id"])["refund"]
    return {"people": people, "paid_back": paid_back}
