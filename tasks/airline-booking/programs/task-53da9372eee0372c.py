"""walk-total-fare-booking-ticket-77664d: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "JBDT5Y"}  # booking JBDT5Y

    tickets = call("get_booking", locator=start["locator"])["tickets"]
    return {"total": sum(x["fare"] for x in tickets)}
