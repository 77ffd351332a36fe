"""decisions-of-projects: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_block_children": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "query_data_source": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    decisions = "Decisions"
    list_name = "Projects"
    by = "2024-10-28"  # Monday 28 October
    since = "2024-04-04"  # 4 April 2024
    which = "over"  # shipped or stopped by now

    found = pages("search", query=list_name, object_type="data_source")
    projects = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=projects)
    rows = pages(
        "query_data_source",
        data_source_id=projects,
        filter={"and": [{"property": "Kick-off", "on_or_after": since}, {"property": "Kick-off", "on_or_before": by}]},
    )
    papers = {one["title"]: one["id"] for one in pages("search", query=decisions + ": ", object_type="page")}
    made = []
    for row in rows:
        is_over = row["properties"]["Stage"] in ("Shipped", "Stopped")
        paper = decisions + ": " + row["title"]
        if is_over == (which == "over") and paper in papers:
            pieces = pages("list_block_children", page_id=papers[paper])
            made.extend({"project": row["title"], "decision": one["text"]} for one in pieces if one["type"] == pieces[0]["type"])
    return {"decisions": made}
