"""walk-total-weight-booking-checked-bag-1f504e: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "XABBX2"}  # booking XABBX2

    checked_bags = call("get_booking", locator=start["locator"])["bags"]
    return {"total": sum(x["weight_kg"] for x in checked_bags)}
