"""one-more-bag-each: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
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

    day = "2013-01-17"  # Thursday 17 January
    end = "Boston"
    leaves = "16:50"  # 4:50 pm
    locators = ["FUJNSH", "ZPXZPX", "F4NA6H", "3CJ6Y5", "RM2EL5", "KVENBM", "AK3C49"]  # FUJNSH, ZPXZPX, F4NA6H, 3CJ6Y5, RM2EL5, KVENBM and AK3C49
    method = "credit card"
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    fees, free = 0, []
    for locator in locators:
        booking = call("get_booking", locator=locator)
        for t in booking["tickets"]:
            if t["flight_id"] == service and t["status"] in ("booked", "checked_in"):
                fee = call("add_bag", ticket_id=t["ticket_id"], payment_method=method)["fee"]
                fees += fee
                if fee == 0:
                    person = next(p for p in booking["travellers"] if p["traveller_id"] == t["traveller_id"])
                    free.append(person["first_name"] + " " + person["last_name"])
    return {"fees": fees, "free": free}
