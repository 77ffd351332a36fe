"""walk-count-state-collection-flag-ccf033: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_collection_items": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "list_flags": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_collections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    wanted = "cleared"  # are now cleared
    start = {"name": "Sample sheet for the printed guide"}  # the collection "Sample sheet for the printed guide"

    collection = next(x for x in pages("search_collections", query=start["name"]) if x["name"] == start["name"])
    features = pages("list_collection_items", collection_id=collection["collection_id"])
    flags = [x for key in sorted({x["feature_key"] for x in features}) for x in pages("list_flags", feature_key=key)]
    return {"count": len([x for x in flags if x["state"] == wanted])}
