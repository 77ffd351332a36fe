"""walk-count-status-customer-checked-bag-ef6eb1: a solution that starts from what the text says."""

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

    wanted = "registered"  # are now registered
    start = {"last_name": "Rojas", "first_name": "James"}  # James Rojas

    customer = next(x for x in pages("search_customers", last_name=start["last_name"], first_name=start["first_name"]) if x["last_name"] == start["last_name"] and x["first_name"] == start["first_name"])
    bookings = pages("search_bookings", customer_id=customer["customer_id"])
    bookings = list({x["locator"]: x for x in bookings}.values())
    checked_bags = [x for key in sorted({x["locator"] for x in bookings}) for x in call("get_booking", locator=key)["bags"]]
    return {"count": len([x for x in checked_bags if x["status"] == wanted])}
