"""walk-total-fee-booking-checked-bag-fa496e: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "GWLEAB"}  # booking GWLEAB

    checked_bags = call("get_booking", locator=start["locator"])["bags"]
    return {"total": sum(x["fee"] for x in checked_bags)}
