"""block-overdue: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_users": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    blocked = "Blocked"
    list_name = "Tasks"
    waiting = "Waiting for"
    back = "2025-04-17"  # 17 April
    note = "Stopped until further notice."  # "Stopped until further notice."
    owner = "Samir"
    reason = "Samir is away"  # "Samir is away"

    owner_id = next(one["id"] for one in pages("list_users") if owner in (one["name"], one["name"].split()[0]))
    found = pages("search", query=list_name, object_type="data_source")
    tasks = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=tasks)
    rows = pages(
        "query_data_source",
        data_source_id=tasks,
        filter={
            "and": [
                {"property": "Assignee", "contains": owner_id},
                {"property": "Due", "before": back},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
                {"property": "Status", "does_not_equal": blocked},
            ]
        },
    )
    for row in rows:
        call("update_page", page_id=row["id"], properties={"Status": blocked, waiting: reason})
        call("create_comment", parent_page_id=row["id"], text=note)
    return {"marked": [row["title"] for row in rows]}
