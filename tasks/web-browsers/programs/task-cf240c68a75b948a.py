"""program-top-release-date-releases-status-4235e8: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "search_browser_releases": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_browsers": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    how_many = 4  # four
    wanted_status = "retired"
    browser = {"name": "Chrome Android"}  # Chrome Android

    found_browser = next(x for x in pages("search_browsers", name=browser["name"]) if x["name"] == browser["name"])
    rows = [x for x in pages("search_browser_releases", browser_key=found_browser["key"], status=wanted_status)]
    rows = sorted([x for x in rows if x["release_date"] is not None], key=lambda x: x["code"])
    rows = sorted(rows, key=lambda x: x["release_date"], reverse=True)
    return {"names": [x["code"] for x in rows[:how_many]]}
