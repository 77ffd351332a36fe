"""flag-what-is-argued-about: a solution that starts from what the text says."""

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

    collection = "Audit list for the printed guide"  # "Audit list for the printed guide"

    held = [row for row in pages("search_collections", query=collection) if row["name"] == collection][0]["collection_id"]
    asked = {row["feature_key"] for row in pages("search_corrections", state="open")}
    marked = {row["feature_key"] for row in pages("list_flags", kind="disputed", state="open")}
    raised, names = 0, []
    for row in pages("list_collection_items", collection_id=held):
        if row["feature_key"] not in asked:
            continue
        if row["feature_key"] in marked:
            names.append(row["name"])
        else:
            call("raise_flag", feature_key=row["feature_key"], kind="disputed")
            raised += 1
    return {"raised": raised, "names": names}
