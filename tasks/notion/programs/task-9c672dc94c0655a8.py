"""answer-questions: a solution that starts from what the text says."""

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
    asker = "Ellie"
    by = "2025-04-08"  # 8 April
    note = "Sorry for the silence. Let us talk about it on Thursday."  # "Sorry for the silence. Let us talk about it on Thursday."
    since = "2025-03-03"  # 3 March

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
        for thread, remarks in threads.items():
            first = remarks[0]
            if len(remarks) == 1 and first["text"].endswith("?") and asker in (first["created_by_name"], first["created_by_name"].split()[0]):
                call("create_comment", discussion_id=thread, text=note)
                questions.append(first["text"])
    return {"questions": questions}
