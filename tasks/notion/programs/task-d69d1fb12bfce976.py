"""warn-customers: a solution that starts from what the text says."""

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

    list_name = "Issues"
    warn = "Warn customers"
    least = 8  # eight
    note = "What do we tell customers?"  # "What do we tell customers?"
    since = "2024-06-10"  # 10 June 2024

    found = pages("search", query=list_name, object_type="data_source")
    issues = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=issues)
    rows = pages(
        "query_data_source",
        data_source_id=issues,
        filter={
            "and": [
                {"property": "Found on", "on_or_after": since},
                {"property": "State", "does_not_equal": "Fixed"},
                {"property": "State", "does_not_equal": "Duplicate"},
                {"property": "State", "does_not_equal": "Won't fix"},
                {"property": warn, "equals": False},
                {
                    "or": [
                        {"property": "Severity", "equals": "Dangerous"},
                        {"property": "Severity", "equals": "Unusable"},
                        {"property": "Times reported", "greater_than_or_equal_to": least},
                    ]
                },
            ]
        },
    )
    for row in rows:
        call("update_page", page_id=row["id"], properties={warn: True})
        call("create_comment", parent_page_id=row["id"], text=note)
    return {"warned": [row["title"] for row in rows]}
