"""walk-compare-yearly-value-account-account-c90174: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {"search": ("items", "start_cursor", "next_cursor", "page_size", 50)}


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

    other = {"title": "Ribble Valley Outdoors"}  # "Ribble Valley Outdoors"
    start = {"title": "Glen Lyon Sports"}  # "Glen Lyon Sports"

    account_1 = next(x for x in pages("search", query=start["title"]) if x["title"] == start["title"])
    more_account_1 = call("retrieve_page", page_id=account_1["id"])
    account_2 = next(x for x in pages("search", query=other["title"]) if x["title"] == other["title"])
    more_account_2 = call("retrieve_page", page_id=account_2["id"])
    first, second = more_account_1["properties"]["Yearly value (GBP)"], more_account_2["properties"]["Yearly value (GBP)"]
    return {"is_first": first > second, "difference": abs(first - second)}
