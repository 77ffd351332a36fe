"""hand-over: a solution that starts from what the text says."""

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
    by = "2025-03-19"  # Wednesday the 19th
    kept = "Blocked"  # blocked
    owner = "Samir"
    taker = "Tom Kirkby"

    people = pages("list_users")
    owner_id, taker_id = [
        next(one["id"] for one in people if name in (one["name"], one["name"].split()[0])) for name in (owner, taker)
    ]
    found = pages("search", query=list_name, object_type="data_source")
    tasks = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=tasks)
    rows = pages(
        "query_data_source",
        data_source_id=tasks,
        filter={
            "and": [
                {"property": "Assignee", "contains": owner_id},
                {"property": "Due", "on_or_before": by},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
            ]
        },
    )
    leads = {}
    stays = []
    for row in rows:
        held = row["properties"]
        if held["Status"] == kept:
            stays.append(row["title"])
            continue
        now = taker_id
        for project in held["Part of"]:
            if project not in leads:
                leads[project] = call("retrieve_page", page_id=project)["properties"]["Lead"][0]
            now = leads[project]
        call("update_page", page_id=row["id"], properties={"Assignee": [now]})
    return {"stays": stays}
