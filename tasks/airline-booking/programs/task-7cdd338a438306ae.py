"""walk-total-tax-booking-ticket-28f7b1: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "EL734T"}  # booking EL734T

    tickets = call("get_booking", locator=start["locator"])["tickets"]
    return {"total": sum(x["tax"] for x in tickets)}
