"""withdraw-for-an-editor: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_curators": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_corrections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    before = "2026-09-15"  # 15 September
    editor = "Molly Cole"

    who = [row for row in pages("list_curators", query=editor) if row["full_name"] == editor][0]["curator_id"]
    withdrawn, names = 0, set()
    for row in pages("search_corrections", filed_by=who, state="open"):
        if row["filed_at"] >= before:
            continue
        if row["evidence"] == "none":
            call("withdraw_correction", correction_id=row["correction_id"])
            withdrawn += 1
        else:
            names.add(row["name"])
    return {"withdrawn": withdrawn, "names": sorted(names)}
