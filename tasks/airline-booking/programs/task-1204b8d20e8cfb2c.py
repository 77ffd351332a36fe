"""walk-total-tax-booking-ticket-28f7b1: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "V9M98F"}  # booking V9M98F

    tickets = call("get_booking", locator=start["locator"])["tickets"]
    return {"total": sum(x["tax"] for x in tickets)}
