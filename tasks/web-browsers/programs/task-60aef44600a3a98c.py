"""what-a-draft-waits-for: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_collection_items": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "list_flags": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_collections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    collection = "Export set for the test bench"  # "Export set for the test bench"
    kind = "incomplete"

    held = [row for row in pages("search_collections", query=collection) if row["name"] == collection][0]
    names, pending = [], 0
    for item in pages("list_collection_items", collection_id=held["collection_id"]):
        if pages("list_flags", feature_key=item["feature_key"], kind=kind, state="open"):
            names.append(item["name"])
            pending += len(pages("search_corrections", feature_key=item["feature_key"], state="open"))
    return {"names": names, "pending": pending}
