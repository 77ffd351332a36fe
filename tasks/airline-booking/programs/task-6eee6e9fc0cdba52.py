"""walk-count-status-booking-checked-bag-2dfc6e: a solution that starts from what the text says."""


def solve(call):
    wanted = "accepted"
    start = {"locator": "48ZENF"}  # booking 48ZENF

    checked_bags = call("get_booking", locator=start["locator"])["bags"]
    return {"count": len([x for x in checked_bags if x["status"] == wanted])}
