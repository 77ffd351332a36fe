"""publish-what-is-ready: a solution that starts from what the text says."""

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

    before = "2026-07-12"  # 12 July

    doubtful = {row["feature_key"] for row in pages("list_flags", kind="disputed", state="open")}
    names, kept = [], 0
    for row in pages("search_collections", state="draft"):
        if row["created_at"] >= before:
            continue
        inside = [item["feature_key"] for item in pages("list_collection_items", collection_id=row["collection_id"])]
        if any(key in doubtful for key in inside):
            kept += 1
        else:
            call("publish_collection", collection_id=row["collection_id"])
            names.append(row["name"])
    return {"names": names, "kept": kept}
