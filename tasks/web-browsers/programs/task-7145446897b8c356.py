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


def list_filter_1(call):
    """search_corrections is asked for what is needed only."""
    latest = {}

    def told(tool, **arguments):
        wanted = {"state": "accepted"} if tool == "search_corrections" else {}
        latest[tool] = call(tool, **{**arguments, **wanted})
        return latest[tool]

    return told


def solve(call):
    call = list_filter_1(call)
    pages = pages_of(call)

    wanted = "accepted"  # are now accepted
    start = {"full_name": "Ellie Davies"}  # Ellie Davies

    curator = next(x for x in pages("list_curators", query=start["full_name"]) if x["full_name"] == start["full_name"])
    corrections = pages("search_corrections", reviewer_id=curator["curator_id"])
    return {"count": len([x for x in corrections if x["state"] == wanted])}
