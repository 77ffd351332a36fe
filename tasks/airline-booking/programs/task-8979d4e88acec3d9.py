"""take-people-off: a solution that starts from what the text says."""

from envforge.world.api import ToolError

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
    end = "Boston"
    leaves = "15:00"  # 3 pm
    names = [
        "Anne Rodriguez",
        "Jesse Chambers",
        "Kevin Hill",
        "Richard Kelly",
        "Amy Boyer",
        "Kimberly Harris",
    ]  # Anne Rodriguez, Jesse Chambers, Kevin Hill, Richard Kelly, Amy Boyer and Kimberly Harris
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    service = departure()["flight_id"]
    seats = [s for s in pages("list_passengers", flight_id=service) if s["first_name"] + " " + s["last_name"] in names]
    paid_back, nothing_back = 0, []
    for s in seats:
        try:
            refund = call("cancel_ticket", ticket_id=s["ticket_id"])["refund"]
        except ToolError:
            refund = call("cancel_booking", locator=s["locator"])["refund"]
        paid_back += refund
        if refund == 0:
            nothing_back.append(s["first_name"] + " " + s["last_name"])
    return {"paid_back": paid_back, "nothing_back": nothing_back}
