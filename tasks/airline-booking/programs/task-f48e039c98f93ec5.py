"""pay-a-hold-and-add-bags: a solution that starts from what the text says."""

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

    method = "credit card"
    who = {"first_name": "Elizabeth", "last_name": "Fuller"}  # Elizabeth Fuller

    person = next(c for c in pages("search_customers", last_name=who["last_name"], first_name=who["first_name"]) if c["birth_date"] == who.get("birth_date", c["birth_date"]))
    locator = pages("search_bookings", customer_id=person["customer_id"], status="held")[0]["locator"]
    booking = call("get_booking", locator=locator)
    call("pay_booking", locator=locator, amount=booking["balance_due"], payment_method=method)
    fees = 0
    for t in booking["tickets"]:
        if t["leg"] == 1:
            fees += call("add_bag", ticket_id=t["ticket_id"], payment_method=method)["fee"]
    return {"booking": booking["balance_due"], "bag_fees": fees}
