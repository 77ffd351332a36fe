"""attendance: a solution that starts from what the text says."""

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

    list_name = "Meetings"
    by = "2025-03-06"  # 6 March 2025
    person = "Tim"
    series = "All hands"
    since = "2024-04-04"  # 4 April 2024

    who = next(one["id"] for one in pages("list_users") if person in (one["name"], one["name"].split()[0]))
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
                {"property": "Held on", "on_or_before": by},
            ]
        },
    )
    missed = [row["title"] for row in rows if who not in row["properties"]["Attendees"]]
    return {"missed": missed, "attended": len(rows) - len(missed)}
