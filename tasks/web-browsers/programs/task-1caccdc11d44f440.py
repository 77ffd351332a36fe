"""clear-old-flags: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_flags": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    before = "2026-09-17"  # 17 September
    kind = "stale"

    busy = {row["feature_key"] for row in pages("search_corrections", state="open")}
    cleared, names = 0, []
    for row in pages("list_flags", kind=kind, state="open"):
        if row["raised_at"] >= before:
            continue
        if row["feature_key"] in busy:
            names.append(row["name"])
        else:
            call("clear_flag", flag_id=row["flag_id"])
            cleared += 1
    return {"cleared": cleared, "names": names}
