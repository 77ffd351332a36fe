"""push-due-dates: a solution that starts from what the text says."""

import datetime

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
    by = "2025-04-28"  # 28 April
    days = 14  # 14
    kept = "High"  # high
    since = "2025-03-11"  # 11 March
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
    members = [one["id"] for one in pages("list_users") if one["name"] in names]
    found = pages("search", query=list_name, object_type="data_source")
    tasks = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=tasks)
    rows = pages(
        "query_data_source",
        data_source_id=tasks,
        filter={
            "and": [
                {"or": [{"property": "Assignee", "contains": key} for key in members]},
                {"property": "Due", "on_or_after": since},
                {"property": "Due", "on_or_before": by},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
            ]
        },
    )
    unmoved = []
    for row in rows:
        if row["properties"]["Priority"] == kept:
            unmoved.append(row["title"])
        else:
            due = datetime.date.fromisoformat(row["properties"]["Due"]) + datetime.timedelta(days=days)
            call("update_page", page_id=row["id"], properties={"Due": due.isoformat()})
    return {"unmoved": unmoved}
