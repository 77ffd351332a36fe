from envforge.core.records.blueprint import Each, Fetch, Operation, Return
from envforge.core.records.domain import Column, Table


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


def test_a_copy_with_other_columns_knows_them() -> None:
    columns = [Column(name=name, type="text") for name in ("id", "title")]
    table = Table(name="pages", entity="page", label="page", columns=(columns[0],), primary_key=("id",))
    assert not table.has("title")
    wider = table.model_copy(update={"columns": tuple(columns)})
    assert wider.has("title") and wider.column("title").type == "text"
