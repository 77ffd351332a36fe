"""carry-over: a solution that starts from what the text says."""

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

    list_name = "Meetings"
    held = "2025-03-04"  # 4 March
    series = "Product weekly"
    since = "2025-02-04"  # 4 February

    found = pages("search", query=list_name, object_type="data_source")
    meetings = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=meetings)
    rows = pages(
        "query_data_source",
        data_source_id=meetings,
        filter={
            "and": [
                {"property": "Series", "equals": series},
                {"property": "Held on", "on_or_after": since},
                {"property": "Held on", "on_or_before": held},
            ]
        },
    )
    later = next(row["id"] for row in rows if row["properties"]["Held on"] == held)
    to_dos = []
    for row in rows:
        if row["id"] != later:
            to_dos += [one for one in pages("list_block_children", page_id=row["id"]) if one["checked"] is False]
    call(
        "append_block_children",
        page_id=later,
        children=[{"type": one["type"], "text": one["text"], "checked": False} for one in to_dos],
    )
    for one in to_dos:
        call("update_block", block_id=one["id"], checked=True)
    return {"carried": len(to_dos)}
