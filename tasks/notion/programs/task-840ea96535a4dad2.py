"""walk-compare-kick-off-date-project-project-176a42: a solution that starts from what the text says."""

import datetime

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

    other = {"title": "Recycled card for all boxes"}  # "Recycled card for all boxes"
    start = {"title": "Move the stock count to scanners"}  # "Move the stock count to scanners"

    project_1 = next(x for x in pages("search", query=start["title"]) if x["title"] == start["title"])
    more_project_1 = call("retrieve_page", page_id=project_1["id"])
    project_2 = next(x for x in pages("search", query=other["title"]) if x["title"] == other["title"])
    more_project_2 = call("retrieve_page", page_id=project_2["id"])
    first, second = more_project_1["properties"]["Kick-off"], more_project_2["properties"]["Kick-off"]
    return {"is_first": first < second, "difference": abs((datetime.date.fromisoformat(first[:10]) - datetime.date.fromisoformat(second[:10])).days)}
