"""walk-count-status-booking-ticket-7d7f04: a solution that starts from what the text says."""


def solve(call):
    wanted = "checked_in"  # checked in
    start = {"locator": "48ZENF"}  # booking 48ZENF

    tickets = call("get_booking", locator=start["locator"])["tickets"]
    return {"count": len([x for x in tickets if x["status"] == wanted])}
