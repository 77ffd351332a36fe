"""overdue-in-a-group: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "search_corrections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    before = "2026-09-23"  # 23 September
    grp = "high"  # "high"

    inside = {row["key"] for row in pages("search_features", status_baseline=grp)}
    names, rest = set(), 0
    for row in pages("search_corrections", state="open"):
        if row["feature_key"] not in inside:
            continue
        if row["due_on"] < before:
            names.add(row["name"])
        else:
            rest += 1
    return {"names": sorted(names), "rest": rest}
