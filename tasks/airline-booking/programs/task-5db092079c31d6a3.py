"""how-a-fare-sells: a solution that starts from what the text says."""

import datetime

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

    end = "New York"
    fare_class = "FLEX"  # Flex
    first = "2013-01-16"  # Wednesday 16 January
    last = "2013-01-20"  # Sunday 20 January
    start = "Boston"

    ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
    starts = [p["code"] for p in pages("search_airports", city=start) if p["city"] == start]
    date, tickets, fares, best, most = first, 0, 0, "", 0
    while date <= last:
        for here in starts:
            for there in ends:
                for d in pages("search_flights", origin=here, destination=there, date=date):
                    groups = call("summarise_sales", flight_id=d["flight_id"])["groups"]
                    groups = [g for g in groups if g["fare_class"] == fare_class and g["status"] != "cancelled"]
                    sold = sum(g["tickets"] for g in groups)
                    tickets += sold
                    fares += sum(g["fares"] for g in groups)
                    if sold > most:
                        best, most = d["scheduled_departure_local"][:16].replace("T", " "), sold
        date = (datetime.date.fromisoformat(date) + datetime.timedelta(days=1)).isoformat()
    return {"tickets": tickets, "fares": fares, "best": best}
