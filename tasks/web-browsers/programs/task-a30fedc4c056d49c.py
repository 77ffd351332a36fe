"""what-a-reviewer-decided: a solution that starts from what the text says."""

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

    reviewer = "Sharon Hunt"
    since = "2026-02-15"  # 15 February 2026

    who = [row for row in pages("list_curators", query=reviewer) if row["full_name"] == reviewer][0]["curator_id"]
    names = {row["name"] for row in pages("search_corrections", reviewer_id=who, state="accepted") if row["decided_at"] >= since}
    rejected = [row for row in pages("search_corrections", reviewer_id=who, state="rejected") if row["decided_at"] >= since]
    return {"names": sorted(names), "rejected": len(rejected)}
