"""walk-list-full-name-booking-traveller-3ee024: a solution that starts from what the text says."""


def solve(call):
    start = {"locator": "FTGYFE"}  # booking FTGYFE

    travellers = call("get_booking", locator=start["locator"])["travellers"]
    return {"full_names": sorted({x["first_name"] + " " + x["last_name"] for x in travellers})}
