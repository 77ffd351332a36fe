"""program-count-features-baseline-status-abacdf: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {"search_features": ("items", "start_cursor", "next_cursor", "page_size", 50)}


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

    wanted_baseline_status = "high"  # "high"

    rows = [x for x in pages("search_features", status_baseline=wanted_baseline_status) if x["name"] is not None]
    return {"count": len(rows)}
