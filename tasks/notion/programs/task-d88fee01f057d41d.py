"""archive-done-tasks: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
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

    list_name = "Tasks"
    by = "2025-02-06"  # 6 February
    since = "2025-01-14"  # 14 January

    lists = {one["title"]: one["id"] for one in pages("search", object_type="data_source")}
    call("retrieve_data_source", data_source_id=lists[list_name])
    projects = {one["id"]: one for one in pages("query_data_source", data_source_id=lists["Projects"])}
    rows = pages(
        "query_data_source",
        data_source_id=lists[list_name],
        filter={
            "and": [
                {"property": "Status", "equals": "Done"},
                {"property": "Done on", "on_or_after": since},
                {"property": "Done on", "on_or_before": by},
            ]
        },
    )
    count = 0
    left = set()
    for row in rows:
        if row["is_archived"]:
            continue
        running = [projects[key] for key in row["properties"]["Part of"] if projects[key]["properties"]["Stage"] not in ("Shipped", "Stopped")]
        if running:
            left.add(running[0]["title"])
        else:
            call("update_page", page_id=row["id"], is_archived=True)
            count += 1
    return {"archived": count, "left": sorted(left)}
