"""restore-from-trash: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_users": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    by = "2024-10-28"  # 28 October 2024
    maker = "Piotr"
    since = "2024-08-12"  # 12 August 2024

    maker_id = next(one["id"] for one in pages("list_users") if maker in (one["name"], one["name"].split()[0]))
    left = []
    count = 0
    for one in pages("search", object_type="page", in_trash=True):
        if not since <= one["last_changed"][:10] <= by:
            continue
        seen = call("retrieve_page", page_id=one["id"])["page"]
        if seen["created_by"] == maker_id:
            left.append(one["title"])
        else:
            call("update_page", page_id=one["id"], in_trash=False)
            count += 1
    return {"left": left, "restored": count}
