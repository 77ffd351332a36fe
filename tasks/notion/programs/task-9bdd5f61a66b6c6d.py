"""unanswered-questions: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_comments": ("items", "start_cursor", "next_cursor", "page_size", 50),
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
    by = "2025-04-21"  # Monday 21 April
    since = "2025-03-20"  # Thursday 20 March

    found = pages("search", query=list_name, object_type="data_source")
    tasks = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=tasks)
    rows = pages(
        "query_data_source",
        data_source_id=tasks,
        filter={
            "and": [
                {"property": "Due", "on_or_after": since},
                {"property": "Due", "on_or_before": by},
                {"property": "Status", "does_not_equal": "Done"},
                {"property": "Status", "does_not_equal": "Dropped"},
            ]
        },
    )
    questions = []
    for row in rows:
        threads = {}
        for remark in pages("list_comments", page_id=row["id"]):
            threads.setdefault(remark["discussion_id"], []).append(remark)
        for remarks in threads.values():
            if len(remarks) == 1 and remarks[0]["text"].endswith("?"):
                questions.append({"task": row["title"], "asked_by": remarks[0]["created_by_name"]})
    return {"questions": questions}
