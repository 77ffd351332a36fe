"""book-a-lapsed-trip-again: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "search_bookings": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_customers": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    fare_class = "BASIC"  # Basic
    state = "cancelled"  # was cancelled
    who = {"first_name": "James", "last_name": "Rojas"}  # James Rojas

    person = next(c for c in pages("search_customers", last_name=who["last_name"], first_name=who["first_name"]) if c["birth_date"] == who.get("birth_date", c["birth_date"]))
    locator = pages("search_bookings", customer_id=person["customer_id"], status=state)[0]["locator"]
    old = call("get_booking", locator=locator)
    legs = {t["leg"]: t["flight_id"] for t in old["tickets"]}
    people = [{"first_name": p["first_name"], "last_name": p["last_name"], "birth_date": p["birth_date"]} for p in old["travellers"]]
    new = call("create_booking", customer_id=old["booking"]["customer_id"], flight_ids=[legs[n] for n in sorted(legs)], fare_class=fare_class, travellers=people)
    return {"total": new["total"], "more": new["total"] - sum(t["fare"] + t["tax"] for t in old["tickets"])}
