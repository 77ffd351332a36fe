"""tick-off-promises: a solution that starts from what the text says."""

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
    by = "2025-02-18"  # 18 February
    person = "Ilaria"
    since = "2024-12-18"  # 18 December

    found = pages("search", query=list_name, object_type="data_source")
    meetings = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=meetings)
    rows = pages(
        "query_data_source",
        data_source_id=meetings,
        filter={"and": [{"property": "Held on", "on_or_after": since}, {"property": "Held on", "on_or_before": by}]},
    )
    ticked = []
    for row in rows:
        for piece in pages("list_block_children", page_id=row["id"]):
            if piece["checked"] is False and piece["text"].startswith(person + ":"):
                call("update_block", block_id=piece["id"], checked=True)
                ticked.append(piece["text"])
    return {"ticked": ticked}
