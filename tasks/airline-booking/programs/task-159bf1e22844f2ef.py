"""clear-some-rows: a solution that starts from what the text says."""

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
    first = 4  # four
    last = 8  # eight
    leaves = "19:00"  # 7 pm
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    seats = call("get_seat_map", flight_id=service)
    free = {letter: [r["row"] for r in seats["rows"] if r["row"] > last and letter in r["free"]] for letter in seats["letters"]}
    there = [s for s in pages("list_passengers", flight_id=service) if s["seat"] is not None and first <= int(s["seat"][:-1]) <= last]
    moved, stay = 0, []
    for s in sorted(there, key=lambda s: int(s["seat"][:-1])):
        if s["fare_class"] == "BASIC":
            stay.append(s["seat"])
        else:
            call("select_seat", ticket_id=s["ticket_id"], seat=str(free[s["seat"][-1]].pop(0)) + s["seat"][-1])
            moved += 1
    return {"moved": moved, "stay": stay}
