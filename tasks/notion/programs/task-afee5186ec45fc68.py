"""halt-project: a solution that starts from what the text says."""

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

    list_name = "Tasks"
    stage_name = "Stage"
    note = "The customer has changed their mind."  # "The customer has changed their mind."
    project = "Repair days in four towns"  # "Repair days in four towns"
    stage = "Stopped"
    status = "Dropped"

    lists = {one["title"]: one["id"] for one in pages("search", object_type="data_source")}
    call("retrieve_data_source", data_source_id=lists[list_name])
    names = {one["id"]: one["name"] for one in pages("list_users")}
    found = pages("search", query=project, object_type="page")
    key = next(one["id"] for one in found if one["title"] == project)
    rows = pages(
        "query_data_source",
        data_source_id=lists[list_name],
        filter={
            "and": [
                {"property": "Part of", "contains": key},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
            ]
        },
    )
    call("update_page", page_id=key, properties={stage_name: stage})
    call("create_comment", parent_page_id=key, text=note)
    for row in rows:
        if row["properties"]["Status"] != status:
            call("update_page", page_id=row["id"], properties={"Status": status})
    return {"people": sorted({names[one] for row in rows for one in row["properties"]["Assignee"]})}
