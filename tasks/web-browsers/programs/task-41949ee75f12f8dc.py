"""walk-count-state-curator-correction-e9abf9: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_curators": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_corrections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    wanted = "open"  # are open
    start = {"full_name": "Brian Khan"}  # Brian Khan

    curator = next(x for x in pages("list_curators", query=start["full_name"]) if x["full_name"] == start["full_name"])
    corrections = pages("search_corrections", reviewer_id=curator["curator_id"])
    return {"count": len([x for x in corrections if x["state"] == wanted])}
