"""hours-left: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_block_children": ("items", "start_cursor", "next_cursor", "page_size", 50),
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
    who_page = "Who does what"
    by = "2025-04-29"  # Tuesday 29 April
    team = "Operations"

    page = next(one["id"] for one in pages("search", query=who_page, object_type="page") if one["title"] == who_page)
    heading = ""
    names = []
    for piece in pages("list_block_children", page_id=page):
        name, dash, _ = (piece["text"] or "").partition(" - ")
        if not dash:
            heading = name
        elif heading == team:
            names.append(name)
    members = {one["id"]: one["name"] for one in pages("list_users") if one["name"] in names}
    found = pages("search", query=list_name, object_type="data_source")
    tasks = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=tasks)
    rows = pages(
        "query_data_source",
        data_source_id=tasks,
        filter={
            "and": [
                {"or": [{"property": "Assignee", "contains": key} for key in members]},
                {"property": "Due", "on_or_before": by},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
                {"property": "Status", "does_not_equal": "Blocked"},
            ]
        },
    )
    hours = {}
    for row in rows:
        name = members[row["properties"]["Assignee"][0]]
        hours[name] = hours.get(name, 0) + row["properties"]["Estimate (h)"]
    return {"hours": [{"person": name, "hours": total} for name, total in hours.items()]}
