"""walk-compare-discouraged-removal-date-feature-feature-4b6785: a solution that starts from what the text says."""

import datetime

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {"search_features": ("items", "start_cursor", "next_cursor", "page_size", 50)}


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

    other = {"name": "<fencedframe>"}  # "<fencedframe>"
    start = {"name": "color-contrast()"}  # "color-contrast()"

    feature_1 = next(x for x in pages("search_features", name=start["name"]) if x["name"] == start["name"])
    feature_2 = next(x for x in pages("search_features", name=other["name"]) if x["name"] == other["name"])
    first, second = feature_1["discouraged_removal_date"], feature_2["discouraged_removal_date"]
    return {"is_first": first < second, "difference": abs((datetime.date.fromisoformat(first[:10]) - datetime.date.fromisoformat(second[:10])).days)}
