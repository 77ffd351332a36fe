"""order-parts: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
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

    list_name = "Parts"
    order = "Order"
    percent = 120  # 120
    suppliers = ["Pennine Fasteners", "Sandvale Mouldings"]  # Pennine Fasteners and Sandvale Mouldings

    found = pages("search", query=list_name, object_type="data_source")
    parts = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=parts)
    rows = pages(
        "query_data_source",
        data_source_id=parts,
        filter={
            "and": [
                {"property": "No longer ordered", "equals": False},
                {"property": "Order below", "is_not_empty": True},
                {"or": [{"property": "Supplier", "equals": one} for one in suppliers]},
            ]
        },
    )
    low = []
    for row in rows:
        stock, level = row["properties"]["On the shelf"], row["properties"]["Order below"]
        if stock * 100 < level * percent:
            pieces = round(2 * level - stock)
            call("create_comment", parent_page_id=row["id"], text=order + " " + str(pieces))
            low.append({"part": row["title"], "pieces": pieces})
    return {"low": low}
