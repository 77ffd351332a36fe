"""book-the-cheapest-for-a-party: a solution that starts from what the text says."""

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

    day = "2013-01-19"  # Saturday the 19th
    end = "New York"
    fare_class = "FLEX"  # Flex
    locator = "FUJNSH"
    start = "Raleigh/Durham"

    before = call("get_booking", locator=locator)
    people = [{"first_name": p["first_name"], "last_name": p["last_name"], "birth_date": p["birth_date"]} for p in before["travellers"]]
    ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
    offers = []
    for place in pages("search_airports", city=start):
        for to in ends if place["city"] == start else []:
            for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                if d["status"] == "scheduled":
                    now = call("get_flight", flight_id=d["flight_id"])
                    if now["on_sale"] and now["seats_left"] >= len(people):
                        fare = next(f["fare"] for f in now["fares"] if f["fare_class"] == fare_class)
                        offers.append((fare, d["scheduled_departure"], d["scheduled_departure_local"][11:16], d["flight_id"]))
    best = min(offers)
    new = call("create_booking", customer_id=before["booking"]["customer_id"], flight_ids=[best[3]], fare_class=fare_class, travellers=people)
    return {"leaves_at": best[2], "total": new["total"]}
