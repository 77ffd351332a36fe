"""program-list-collections-state-owner-d43573: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_curators": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_collections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    wanted_state = "draft"
    owner = {"full_name": "Patrick Hussain"}  # Patrick Hussain

    found_owner = next(x for x in pages("list_curators", query=owner["full_name"]) if x["full_name"] == owner["full_name"])
    rows = [x for x in pages("search_collections", state=wanted_state, owner_id=found_owner["curator_id"])]
    return {"names": sorted(x["name"] for x in rows)}
