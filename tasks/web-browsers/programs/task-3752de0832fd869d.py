"""hand-over-what-is-due: a solution that starts from what the text says."""

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

    before = "2026-10-28"  # Wednesday 28 October
    giver = "Kevin Stephenson"
    taker = "Angela Brown"

    ids = {row["full_name"]: row["curator_id"] for row in pages("list_curators", duty="reviewer")}
    moved, names = 0, set()
    for row in pages("search_corrections", reviewer_id=ids[giver], state="open"):
        if row["due_on"] < before:
            call("assign_correction", correction_id=row["correction_id"], reviewer_id=ids[taker])
            moved += 1
        else:
            names.add(row["name"])
    return {"moved": moved, "names": sorted(names)}
