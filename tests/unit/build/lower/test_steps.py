"""Single steps in their less usual forms: text and effect."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.build.adapters import AdapterSpec
from envforge.build.lower import lower
from envforge.core.errors import BuildError
from envforge.world.api import ToolError


def lowered(conftest: Any, steps: list[dict[str, Any]], parameters: list[dict[str, Any]], **changes: Any) -> Any:
    """(text of the function, the function)."""
    operation = {"name": "do_it", "verb": "get", "entity": "book", "summary": "Do it", "parameters": parameters}
    operation |= {"steps": steps, "returns": {"type": "object"}}
    text, _ = lower(conftest.blueprint_of([operation], **changes))
    return text[text.index("def do_it") :], conftest.load(text).do_it


def done(value: str) -> dict[str, Any]:
    return {"do": "return", "value": {"done": value}}


def when(test: str, value: str, otherwise: list[dict[str, Any]]) -> dict[str, Any]:
    return {"do": "when", "that": test, "then": [{"do": "let", "name": "x", "value": value}], "otherwise": otherwise}


def select(**more: Any) -> list[dict[str, Any]]:
    return [{"do": "select", "name": "books", "table": "books", **more}, done("[book.id for book in books]")]


def test_a_chain_of_whens_becomes_elif(conftest: Any, world: Any) -> None:
    last = [{"do": "let", "name": "x", "value": "'many'"}]
    number = conftest.parameter("number", "integer")
    text, tool = lowered(
        conftest, [when("number == 0", "'none'", [when("number == 1", "'one'", last)]), done("x")], [number]
    )
    assert "\n    elif number == 1:\n" in text
    assert "\n    else:\n        x = 'many'" in text.replace('"', "'")
    assert [tool(world, number=n)["done"] for n in (0, 1, 2)] == ["none", "one", "many"]


def test_only_otherwise_turns_the_condition_round(conftest: Any, world: Any) -> None:
    steps = [
        {"do": "let", "name": "x", "value": "'a'"},
        {
            "do": "when",
            "that": "book_id == 'B1'",
            "then": [],
            "otherwise": [{"do": "let", "name": "x", "value": "'b'"}],
        },
        done("x"),
    ]
    text, tool = lowered(conftest, steps, [conftest.BOOK_ID])
    assert '    if book_id != "B1":\n' in text
    assert [tool(world, book_id=b)["done"] for b in ("B1", "B2")] == ["a", "b"]


def test_a_filter_that_branches_share_is_written_once(conftest: Any, world: Any) -> None:
    def counted(by: str) -> dict[str, Any]:
        where = [{"column": "genre", "value": "genre", "optional": True}]
        measures = [{"name": "n", "fn": "count"}]
        step = {"do": "aggregate", "name": "rows", "table": "books", "where": where, "measures": measures}
        return {**step, "group_by": [f"{by} as value"]}

    branch = {"do": "when", "that": "by == 'author'", "then": [counted("author")], "otherwise": [counted("genre")]}
    parameters = [conftest.parameter("by"), conftest.parameter("genre", required=False)]
    text, tool = lowered(conftest, [branch, done("rows")], parameters)
    assert text.count("where.append") == 1
    assert tool(world, by="author", genre="fiction")["done"] == [{"value": None, "n": 1}, {"value": "Jo", "n": 1}]
    assert {"value": "science", "n": 1} in tool(world, by="genre")["done"]


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"column": "author", "op": "eq"}, None, ["B3"]),
        ({"column": "author", "op": "ne"}, None, ["B1", "B2", "B4"]),
        ({"column": "author", "op": "ne"}, "Mo", ["B2", "B3"]),
        ({"column": "title", "op": "starts_with"}, "a", ["B1", "B3"]),
        ({"column": "title", "op": "starts_with"}, "road", []),
        ({"column": "author", "op": "lt"}, "Mo", ["B2"]),
        ({"column": "author", "op": "le"}, "Mo", ["B1", "B2", "B4"]),
        ({"column": "author", "op": "gt"}, "Jo", ["B1", "B4"]),
    ],
)
def test_conditions(conftest: Any, world: Any, condition: Any, value: Any, expected: list[str]) -> None:
    steps = select(where=[{**condition, "value": "v or None"}])
    assert lowered(conftest, steps, [conftest.parameter("v", required=False)])[1](world, v=value)["done"] == expected


def test_null_conditions_can_be_switches(conftest: Any, world: Any) -> None:
    steps = select(where=[{"column": "author", "op": "is_null", "value": "unknown", "optional": True}])
    _, tool = lowered(conftest, steps, [conftest.parameter("unknown", "boolean", required=False)])
    found = [tool(world, unknown=value)["done"] for value in (True, False, None)]
    assert found == [["B3"], ["B1", "B2", "B4"], ["B1", "B2", "B3", "B4"]]


def test_an_optional_computed_value_waits_for_its_parameter(conftest: Any, world: Any) -> None:
    steps = select(where=[{"column": "published", "op": "le", "value": "add_days(day, 1)", "optional": True}])
    _, tool = lowered(conftest, steps, [conftest.parameter("day", format="date", required=False)])
    assert tool(world)["done"] == ["B1", "B2", "B3", "B4"]
    assert tool(world, day="2001-04-30")["done"] == ["B1", "B2"]


def test_any_of_alone_and_with_mixed_tests(conftest: Any, world: Any) -> None:
    fixed = [{"column": "title", "op": "contains", "value": "q"}, {"column": "author", "value": "q"}]
    text, tool = lowered(conftest, select(any_of=fixed), [conftest.parameter("q")])
    assert "_where_all" not in text
    assert tool(world, q="Jo")["done"] == ["B2"]
    with pytest.raises(BuildError, match="any_of"):
        lowered(
            conftest,
            select(any_of=[{**fixed[0], "optional": True}, fixed[1]]),
            [conftest.parameter("q", required=False)],
        )


def test_left_joins_keep_rows_and_reserved_names_are_quoted(conftest: Any, world: Any) -> None:
    join = {"table": "loans", "alias": "group", "on": {"book_id": "id"}, "left": True}
    steps = select(
        columns=["id", "group.due_on as due"], joins=[join], order=[{"column": "group.due_on", "descending": True}]
    )
    text, tool = lowered(conftest, [steps[0], done("[[book.id, book.due] for book in books]")], [])
    assert 'LEFT JOIN loans AS "group" ON "group".book_id = books.id' in text
    assert tool(world)["done"] == [["B4", "2024-03-16"], ["B1", "2024-03-15"], ["B2", "2024-02-15"], ["B3", None]]


def test_a_row_that_nothing_reads_is_only_looked_up(conftest: Any, world: Any) -> None:
    text, tool = lowered(conftest, [conftest.FIND_BOOK, done("book_id")], [conftest.BOOK_ID])
    assert "book = " not in text
    with pytest.raises(ToolError, match="There is no book with id B9"):
        tool(world, book_id="B9")


def test_an_update_beside_other_writes_may_have_nothing_to_set(conftest: Any, world: Any) -> None:
    steps = [
        {"do": "update", "table": "books", "where": {"id": "book_id"}, "set_given": {"title": "title"}},
        {"do": "delete", "table": "loans", "where": {"book_id": "book_id"}},
        done("book_id"),
    ]
    _, tool = lowered(conftest, steps, [conftest.BOOK_ID, conftest.parameter("title", required=False)])
    tool(world, book_id="B1")
    assert [loan["id"] for loan in world.all("loans")] == [2, 3]
    assert world.all("books")[0]["title"] == "A 100% Guide"


def test_what_is_set_anyway_goes_with_what_was_given(conftest: Any, world: Any) -> None:
    step = {"do": "update", "table": "books", "where": {"id": "book_id"}, "set_given": {"title": "title"}}
    steps = [{**step, "set": {"published": "date_of(now())"}}, done("book_id")]
    _, tool = lowered(conftest, steps, [conftest.BOOK_ID, conftest.parameter("title", required=False)])
    tool(world, book_id="B1", title="New")
    assert [world.all("books")[0][key] for key in ("title", "published")] == ["New", "2024-03-20"]
    with pytest.raises(ToolError, match="nothing to change"):
        tool(world, book_id="B1")


def test_defaults_that_are_lists_are_not_shared(conftest: Any, world: Any) -> None:
    tags = conftest.parameter("tags", "array", items={"type": "string"}, required=False, default=["a"])
    steps = [{"do": "append", "to": "tags", "value": "'b'"}, done("tags")]
    text, tool = lowered(conftest, steps, [tags])
    assert "tags: list[str] | None = None" in text
    assert [tool(world)["done"], tool(world)["done"]] == [["a", "b"], ["a", "b"]]


def test_patterns_and_nested_lists_are_checked(conftest: Any, world: Any) -> None:
    code = conftest.parameter("code", pattern="^[A-Z]{2}$")
    grid = conftest.parameter("grid", "array", items={"type": "array", "items": {"type": "integer", "minimum": 0}})
    text, tool = lowered(conftest, [done("code")], [code, grid])
    assert "re.compile" not in text  # compiled once, at the top of the module
    assert tool(world, code="AB", grid=[[1], []])["done"] == "AB"
    wrong: list[dict[str, Any]] = [{"code": "ABC", "grid": []}, {"code": "AB", "grid": [[0], [1, -1]]}]
    for arguments in wrong:
        with pytest.raises(ToolError):
            tool(world, **arguments)


def test_fetches_that_do_not_name_a_key_take_the_first_row(conftest: Any, world: Any) -> None:
    steps = [{"do": "fetch", "name": "book", "table": "books", "where": {"genre": "genre"}}, done("book.id")]
    text, tool = lowered(conftest, steps, [conftest.parameter("genre")])
    assert "ORDER BY id LIMIT 1" in text
    assert tool(world, genre="fiction")["done"] == "B2"


def test_names_of_the_operation_are_never_reused(conftest: Any, world: Any) -> None:
    where = [
        {"column": "genre", "value": "where", "optional": True},
        {"column": "author", "value": "values", "optional": True},
    ]
    parameters = [conftest.parameter(name, required=False) for name in ("where", "values", "conditions")]
    _, tool = lowered(conftest, select(where=where), parameters)
    assert tool(world, where="fiction", values="Jo")["done"] == ["B2"]


def test_a_row_in_hand_is_read_again_without_ado(conftest: Any, world: Any) -> None:
    again = {**conftest.FIND_BOOK, "where": {"id": "book.id"}, "message": "Gone."}
    change = {"do": "update", "table": "books", "where": {"id": "book.id"}, "set": {"title": "'New'"}}
    steps = [conftest.FIND_BOOK, change, again, done("book.title")]
    text, tool = lowered(conftest, steps, [conftest.BOOK_ID])
    assert 'book = world.query("SELECT * FROM books WHERE id = ?", (book["id"],))[0]' in text
    assert text.count("raise ToolError") == 1
    assert tool(world, book_id="B1")["done"] == "New"


def test_what_a_step_already_demands_is_not_checked_twice(conftest: Any, world: Any) -> None:
    demand = {"do": "require", "that": "title is not None", "code": "invalid_argument", "message": "Give a title."}
    update = {"do": "update", "table": "books", "where": {"id": "book_id"}, "set_given": {"title": "title"}}
    parameters = [conftest.BOOK_ID, conftest.parameter("title", required=False)]
    text, tool = lowered(conftest, [demand, update, done("title")], parameters)
    assert text.count("raise ToolError") == 1
    with pytest.raises(ToolError, match="Give a title"):
        tool(world, book_id="B1")
    assert tool(world, book_id="B1", title="New")["done"] == "New"


def test_choices_that_an_adapter_names_are_not_listed_again(conftest: Any) -> None:
    kinds = ("fiction", "science", "history", "poetry", "travel")
    text = "def _sorted_in(world: World, genre: str) -> int:\n    return _KINDS.index(genre)"
    adapter = AdapterSpec("sort", "_sorted_in", lambda _: {"_KINDS": f"_KINDS = {kinds!r}", "_sorted_in": text})
    steps = [{"do": "adapter", "name": "n", "adapter": "sort", "arguments": {"genre": "genre"}}, done("n")]
    operation = {"name": "do_it", "verb": "get", "entity": "book", "summary": "Do it", "steps": steps}
    operation |= {"parameters": [conftest.parameter("genre", enum=list(kinds))], "returns": {"type": "object"}}
    module, _ = lower(conftest.blueprint_of([operation]), adapters={"sort": adapter})
    assert '_check_choice("genre", genre, _KINDS)' in module
    assert module.count("poetry") == 2  # the constant and the docstring


def test_where_a_value_is_known_to_be_there_it_is_compared_plainly(conftest: Any, world: Any) -> None:
    change = {"do": "update", "table": "books", "where": {"author": "author"}, "set": {"genre": "'poetry'"}}
    steps = [{"do": "when", "that": "author is not None", "then": [change], "otherwise": [done("0")]}, done("1")]
    text, tool = lowered(conftest, steps, [conftest.parameter("author", required=False)])
    assert "WHERE author = ?" in text
    text, _ = lowered(conftest, [change, done("1")], [conftest.parameter("author", required=False)])
    assert "WHERE author IS ?" in text
    assert [tool(world)["done"], tool(world, author="Mo")["done"]] == [0, 1]
    assert [book["genre"] for book in world.all("books")] == ["poetry", "fiction", "fiction", "poetry"]


def test_long_inserts_are_wrapped_by_column(conftest: Any) -> None:
    names = [f"a_rather_long_column_{number}" for number in range(12)]
    columns = [conftest.column("id"), *(conftest.column(name) for name in names)]
    table = {"name": "wide", "entity": "wide", "label": "wide", "primary_key": ["id"], "columns": columns}
    values = {"id": "new_id('wide')", **dict.fromkeys(names, "'x'")}
    steps = [{"do": "insert", "name": "row", "table": "wide", "values": values}, done("row.id")]
    text, _ = lowered(conftest, steps, [], tables=[table], views=[])
    lines = [line.strip() for line in text.split("\n") if "a_rather_long_column_3" in line and ":" not in line]
    assert lines == ["a_rather_long_column_2, a_rather_long_column_3, a_rather_long_column_4,"]


def test_a_choice_of_words_in_a_message_has_a_name_and_the_documentation_says_what_it_is_about(
    conftest: Any, world: Any
) -> None:
    words = "'a draft' if kind == 'draft' else kind.replace('_', ' ')"
    refusal = {
        "do": "require",
        "that": "False",
        "code": "not_allowed",
        "message": f"It is {{{words}}}.",
        "hint": "Wait.",
    }
    text, tool = lowered(conftest, [refusal, done("1")], [conftest.parameter("kind", enum=["draft", "on_loan"])])
    assert "        kind_words = " in text and "{kind_words}." in text
    assert "It is <kind>." in text
    said: list[str] = []
    for kind in ("draft", "on_loan"):
        with pytest.raises(ToolError) as caught:
            tool(world, kind=kind)
        said.append(caught.value.message)
    assert said == ["It is a draft.", "It is on loan."]
