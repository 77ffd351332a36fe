"""ask-for-a-group: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_collection_items": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "list_curators": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "list_overrides": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_collections": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    collection = "Export set for the test bench"  # "Export set for the test bench"
    editor = "Philip Davidson"
    grp = "false"  # "false"
    wanted = "high"  # "high"
    word = "status baseline"

    who = [row for row in pages("list_curators", query=editor) if row["full_name"] == editor][0]["curator_id"]
    held = [row for row in pages("search_collections", query=collection) if row["name"] == collection][0]["collection_id"]
    busy = {row["feature_key"] for row in pages("list_overrides", field=word.replace(" ", "_"))}
    busy |= {row["feature_key"] for row in pages("search_corrections", field=word.replace(" ", "_"), state="open")}
    filed, names = 0, []
    for row in pages("list_collection_items", collection_id=held):
        if row["status_baseline"] != grp:
            continue
        if row["feature_key"] in busy:
            names.append(row["name"])
        else:
            call("file_correction", feature_key=row["feature_key"], field=word.replace(" ", "_"), proposed_value=wanted, evidence="official", filed_by=who)
            filed += 1
    return {"filed": filed, "names": names}
