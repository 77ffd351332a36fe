"""begin-a-collection: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_curators": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_corrections": ("items", "start_cursor", "next_cursor", "page_size", 50),
    "search_features": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    grp = "high"  # "high"
    least = 2  # two
    owner = "Samantha Pearce"
    title = "For the next round"  # "For the next round"

    keeper = [row for row in pages("list_curators", query=owner) if row["full_name"] == owner][0]["curator_id"]
    listed = {row["key"] for row in pages("search_features", status_baseline=grp)}
    counts, titles = {}, {}
    for row in pages("search_corrections", state="open"):
        if row["feature_key"] in listed:
            counts[row["feature_key"]] = counts.get(row["feature_key"], 0) + 1
            titles[row["feature_key"]] = row["name"]
    made = call("create_collection", name=title, owner_id=keeper)["collection"]["collection_id"]
    chosen = [key for key in counts if counts[key] >= least]
    for key in chosen:
        call("add_to_collection", collection_id=made, feature_key=key)
    return {"names": sorted({titles[key] for key in chosen}), "once": len(counts) - len(chosen)}
