"""program-gather-status-support-features-snapshot-cde75f: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "search_feature_snapshots": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_feature_status_supports": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_snapshots": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    snapshot = {"name": "ECMAScript 2015"}  # ECMAScript 2015

    found_snapshot = next(x for x in pages("search_snapshots", name=snapshot["name"]) if x["name"] == snapshot["name"])
    snapshot_ties = pages("search_feature_snapshots", snapshot=found_snapshot["key"])
    rows = [x for x in snapshot_ties if x["feature_name"] is not None]
    ties = []
    for x in rows:
        ties.extend(pages("search_feature_status_supports", feature_key=x["feature_key"]))
    return {"names": sorted({b["code_name"] for b in ties})}
