"""overridden-lately: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_overrides": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    field = "status baseline"  # "status baseline"
    since = "2026-03-15"  # 15 March 2026

    column = field.replace(" ", "_")
    held = pages("list_overrides", field=column)
    new = {row["correction_id"] for row in held if row["since"] >= since}
    names = {row["name"] for row in pages("search_corrections", field=column, state="accepted") if row["correction_id"] in new}
    return {"names": sorted(names), "older": len(held) - len(new)}
