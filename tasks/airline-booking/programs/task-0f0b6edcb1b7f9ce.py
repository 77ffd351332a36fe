"""what-a-customer-spent: a solution that starts from what the text says."""

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

    who = {"first_name": "Teresa", "last_name": "White"}  # Teresa White

    person = next(c for c in pages("search_customers", last_name=who["last_name"], first_name=who["first_name"]) if c["birth_date"] == who.get("birth_date", c["birth_date"]))
    net, most, dearest, not_used = 0, -1, "", 0
    for locator in sorted({b["locator"] for b in pages("search_bookings", customer_id=person["customer_id"])}):
        booking = call("get_booking", locator=locator)
        paid = sum(y["amount"] for y in booking["payments"] if y["kind"] == "payment")
        net += paid - sum(y["amount"] for y in booking["payments"] if y["kind"] == "refund")
        if paid > most:
            most, dearest = paid, locator
        if booking["booking"]["status"] in ("cancelled", "expired"):
            not_used += 1
    return {"net": net, "dearest": dearest, "not_used": not_used}
