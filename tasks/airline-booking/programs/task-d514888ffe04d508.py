"""walk-total-fee-booking-checked-bag-fa496e: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "CEUDX9"}  # booking CEUDX9

    checked_bags = call("get_booking", locator=start["locator"])["bags"]
    return {"total": sum(x["fee"] for x in checked_bags)}
