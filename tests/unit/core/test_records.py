from envforge.core.records.blueprint import Each, Fetch, Operation, Return


def test_short_json_reads_back_to_the_same_record() -> None:
    fetch = Fetch(name="page", table="pages", where={"id": "page_id"})
    operation = Operation(
        name="get_page",
        verb="get",
        entity="page",
        summary="Get a page.",
        steps=(Each(item="x", over="[1]", steps=(fetch,)), Return(value={"page": "page"})),
        returns={"type": "object"},
    )
    short = operation.to_json()
    assert "description" not in short
    assert Operation.model_validate(short) == operation
