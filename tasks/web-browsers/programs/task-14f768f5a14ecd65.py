"""share-out-what-nobody-has: a solution that starts from what the text says."""

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

    before = "2026-10-12"  # Monday 12 October
    taker = "Stuart Gray"

    who = [row for row in pages("list_curators", query=taker) if row["full_name"] == taker][0]["curator_id"]
    given, names = 0, set()
    for row in pages("search_corrections", state="open", due_before=before):
        if row["reviewer_id"] is not None:
            continue
        if row["evidence"] == "none":
            call("reject_correction", correction_id=row["correction_id"], ground="no_evidence")
            names.add(row["name"])
        else:
            call("assign_correction", correction_id=row["correction_id"], reviewer_id=who)
            given += 1
    return {"given": given, "names": sorted(names)}
