"""share-calls: a solution that starts from what the text says."""

# How tools hand out lists: items, cursor parameter, next cursor, size parameter, largest size.
PAGING = {
    "list_users": ("items", "start_cursor", "next_cursor", "page_size", 50),
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

    list_name = "Accounts"
    back = "2025-05-19"  # 19 May
    by = "2025-05-08"  # 8 May
    keeper = "Sally"
    least = 7500  # 7,500
    taker = "Ben"

    people = pages("list_users")
    keeper_id, taker_id = [
        next(one["id"] for one in people if name in (one["name"], one["name"].split()[0])) for name in (keeper, taker)
    ]
    found = pages("search", query=list_name, object_type="data_source")
    accounts = next(one["id"] for one in found if one["title"] == list_name)
    call("retrieve_data_source", data_source_id=accounts)
    rows = pages(
        "query_data_source",
        data_source_id=accounts,
        filter={"and": [{"property": "Looked after by", "contains": keeper_id}, {"property": "Next call", "on_or_before": by}]},
    )
    waiting = []
    for row in rows:
        if (row["properties"]["Yearly value (GBP)"] or 0) >= least:
            waiting.append(row["title"])
            change = {"Next call": back}
        else:
            change = {"Looked after by": [taker_id]}
        call("update_page", page_id=row["id"], properties=change)
    return {"waiting": waiting}
