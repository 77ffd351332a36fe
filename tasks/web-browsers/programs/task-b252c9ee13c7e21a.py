"""fill-a-draft: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_collection_items": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "list_flags": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_collections": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_features": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    collection = "Comparison set for partners"  # "Comparison set for partners"
    grp = "high"  # "high"
    kind = "stale"

    held = [row for row in pages("search_collections", query=collection, state="draft") if row["name"] == collection][0]["collection_id"]
    inside = {row["feature_key"] for row in pages("list_collection_items", collection_id=held)}
    listed = {row["key"] for row in pages("search_features", status_baseline=grp)}
    added, there = 0, []
    for row in pages("list_flags", kind=kind, state="open"):
        if row["feature_key"] not in listed:
            continue
        if row["feature_key"] in inside:
            there.append(row["name"])
        else:
            call("add_to_collection", collection_id=held, feature_key=row["feature_key"])
            added += 1
    return {"added": added, "there": there}
