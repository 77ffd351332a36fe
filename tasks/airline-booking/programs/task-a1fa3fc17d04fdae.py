"""check-in-a-group: a solution that starts from what the text says."""

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

    day = "2013-01-16"  # today
    end = "Boston"
    leaves = "15:00"  # 3 pm
    locators = ["4LKRB3", "DDQVC8", "9ESPY2", "ABNK2K", "T4P5X9", "QV9J7Q", "GNB4VC", "EZ9AR2"]  # 4LKRB3, DDQVC8, 9ESPY2, ABNK2K, T4P5X9, QV9J7Q, GNB4VC and EZ9AR2
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    people, bags = 0, 0
    for locator in locators:
        booking = call("get_booking", locator=locator)
        for t in booking["tickets"]:
            if t["flight_id"] == service and t["status"] == "booked":
                call("check_in", ticket_id=t["ticket_id"])
                people += 1
                bags += len([g for g in booking["bags"] if g["ticket_id"] == t["ticket_id"] and g["status"] != "cancelled"])
    return {"people": people, "bags": bags}
