"""gather-risks: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_block_children": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    brief = "Brief"
    heading = "Risks we know of"
    list_name = "Projects"
    by = "2025-03-25"  # 25 March 2025
    page = "Objectives"  # "Objectives"
    since = "2024-04-04"  # 4 April 2024

    lists = pages("search", query=list_name, object_type="data_source")
    projects = next(one["id"] for one in lists if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=projects)
    rows = pages(
        "query_data_source",
        data_source_id=projects,
        filter={
            "and": [
                {"property": "Kick-off", "on_or_after": since},
                {"property": "Kick-off", "on_or_before": by},
                {"property": "Stage", "does_not_equal": "Shipped"},
                {"property": "Stage", "does_not_equal": "Stopped"},
            ]
        },
    )
    briefs = {one["title"]: one["id"] for one in pages("search", query=brief + ": ", object_type="page")}
    found = pages("search", query=page, object_type="page")
    place = next(one["id"] for one in found if one["title"] == page)
    risks = []
    counts = []
    for row in rows:
        pieces = pages("list_block_children", page_id=briefs[brief + ": " + row["title"]])
        below = ""
        before = len(risks)
        for piece in pieces:
            if piece["type"] == pieces[0]["type"]:
                below = piece["text"]
            elif below == heading:
                risks.append({"type": piece["type"], "text": piece["text"]})
        counts.append({"project": row["title"], "risks": len(risks) - before})
    call("append_block_children", page_id=place, children=risks)
    return {"projects": counts}
