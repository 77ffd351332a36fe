"""move-some-to-the-next-one: a solution that starts from what the text says."""

import datetime

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

    day = "2013-01-17"  # Thursday 17 January
    end = "Boston"
    leaves = "10:00"  # 10 am
    method = "credit card"
    names = ["Debra Jenkins", "Gregory Beck", "Anthony Pratt"]  # Debra Jenkins, Gregory Beck and Anthony Pratt
    start = "New York"

    def departure():
        ends = [p["code"] for p in pages("search_airports", city=end) if p["city"] == end]
        for place in pages("search_airports", city=start):
            for to in ends if place["city"] == start else []:
                for d in pages("search_flights", origin=place["code"], destination=to, date=day):
                    if d["scheduled_departure_local"][11:16] == leaves:
                        return d
    def later(old, heads):
        for ahead in range(3):
            date = (datetime.date.fromisoformat(day) + datetime.timedelta(days=ahead)).isoformat()
            for d in pages("search_flights", origin=old["origin"], destination=old["destination"], date=date):
                if d["status"] == "scheduled" and d["scheduled_departure"] > old["scheduled_departure"] and d["carrier"] == old["carrier"]:
                    if call("get_flight", flight_id=d["flight_id"])["seats_left"] >= heads:
                        return d
    old = departure()
    people = [s for s in pages("list_passengers", flight_id=old["flight_id"]) if s["first_name"] + " " + s["last_name"] in names]
    new = later(old, len(people))
    paid, nothing = 0, []
    for s in people:
        cost = call("change_flight", ticket_id=s["ticket_id"], new_flight_id=new["flight_id"], payment_method=method)["paid"]
        paid += cost
        if cost == 0:
            nothing.append(s["first_name"] + " " + s["last_name"])
    return {"leaves_at": new["scheduled_departure_local"][11:16], "paid": paid, "nothing": nothing}
