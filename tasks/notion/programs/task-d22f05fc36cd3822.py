"""tidy-pages: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {"search": ("items", "start_cursor", "next_cursor", "page_size", 50)}


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

    before = "2024-12-10"  # 10 December
    place = "Handbook"  # "Handbook"
    store = "Archive"  # "Archive"

    ids = {}
    for title in (place, store):
        found = pages("search", query=title, object_type="page")
        ids[title] = next(one["id"] for one in found if one["title"] == title)
    moved = []
    for below in call("list_block_children", page_id=ids[place])["child_pages"]:
        seen = call("retrieve_page", page_id=below["id"])["page"]
        if seen["last_edited_time"][:10] < before and not seen["is_archived"]:
            call("move_page", page_id=below["id"], parent_page_id=ids[store])
            moved.append(below["title"])
    return {"moved": moved}
