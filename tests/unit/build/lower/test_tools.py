"""The lowered lending library, run on real rows: results, effects and every error."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.world.api import ToolError


def refused(code: str, call: Any, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(**arguments)
    assert caught.value.code == code
    return caught.value


def ids(result: dict[str, Any]) -> list[str]:
    return [book["id"] for book in result["books"]]


def test_a_search_without_filters_pages_through_everything(tools: Any, world: Any) -> None:
    first = tools.search_books(world)
    assert ids(first) == ["B1", "B3"]
    assert first["has_more"] is True
    second = tools.search_books(world, cursor=first["next_cursor"])
    assert ids(second) == ["B4", "B2"]
    assert (second["has_more"], second["next_cursor"]) == (False, None)


def test_a_page_that_ends_with_the_last_row_has_no_next_one(tools: Any, world: Any) -> None:
    assert tools.search_books(world, min_pages=100, page_size=2)["has_more"] is False


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"query": "ROAD"}, ["B3", "B2"]),
        ({"query": "mo"}, ["B1", "B4"]),
        ({"query": "100%"}, ["B1"]),
        ({"query": "%"}, ["B1"]),
        ({"query": "s_o"}, ["B4"]),
        ({"query": "!"}, []),
        ({"genre": "fiction"}, ["B3", "B2"]),
        ({"min_pages": 120}, ["B1", "B2"]),
        ({"min_pages": 121}, ["B2"]),
        ({"authors": ["Jo", "Mo"], "page_size": 3}, ["B1", "B4", "B2"]),
        ({"authors": []}, []),
        ({"published_from": "2001-05-01"}, ["B1", "B4"]),
        ({"published_from": "2001-05-02"}, ["B4"]),
        ({"lost": True}, ["B3"]),
        ({"lost": False}, ["B1", "B4"]),
        ({"genre": "fiction", "query": "long", "lost": True}, []),
    ],
)
def test_filters(tools: Any, world: Any, filters: dict[str, Any], expected: list[str]) -> None:
    assert ids(tools.search_books(world, **filters)) == expected


def test_stored_booleans_and_json_are_shown_as_such(tools: Any, world: Any) -> None:
    books = tools.search_books(world, page_size=3)["books"]
    assert [book["lost"] for book in books] == [False, True, False]
    member = tools.update_member(world, member_id=1, blocked=True)["member"]
    assert member["blocked"] is True
    assert member["settings"] == {"digest": True}
    assert tools.get_book(world, book_id="B2")["book"]["lost"] is None


def test_rows_without_a_view_are_shown_with_booleans(tools: Any, world: Any) -> None:
    result = tools.get_book(world, book_id="B4")
    assert result["book"]["lost"] is False
    assert result["history"] == [
        {"id": 3, "lent_at": "2024-03-01T23:59:59Z", "member_name": "Bo Lund", "blocked": True}
    ]
    assert result["current"]["id"] == 3


def test_an_optional_row_may_be_missing(tools: Any, world: Any) -> None:
    assert tools.get_book(world, book_id="B2")["current"] is None
    assert tools.get_book(world, book_id="B3")["history"] == []


def test_a_day_means_the_date_part(tools: Any, world: Any) -> None:
    assert [loan["id"] for loan in tools.list_loans(world, member_id=2, day="2024-03-01")["loans"]] == [3]
    assert tools.list_loans(world, member_id=2, day="2024-03-02")["loans"] == []
    shown = tools.list_loans(world, member_id=1, day="2024-02-01")["loans"][0]
    assert shown["weekday"] == "Thursday"
    assert shown["lent_on"] == "2024-02-01"
    assert shown["returned"] is True
    assert tools.list_loans(world, member_id=1, day="2024-02-01", open_only=True)["loans"] == []


def test_aggregates(tools: Any, world: Any) -> None:
    result = tools.count_loans(world)
    assert result["total"] == {"loans": 3, "members": 2, "renewals": 3, "latest": "2024-03-01T23:59:59Z"}
    assert result["genres"] == [
        {"genre": None, "loans": 1, "pages": 80.0},
        {"genre": "fiction", "loans": 1, "pages": 300.0},
        {"genre": "science", "loans": 1, "pages": 120.0},
    ]
    assert tools.count_loans(world, since="2024-03-01")["total"]["loans"] == 2
    assert tools.count_loans(world, since="2030-01-01")["total"] == {
        "loans": 0,
        "members": 0,
        "renewals": 0,
        "latest": None,
    }


def test_lending_inserts_one_row_per_book(tools: Any, world: Any) -> None:
    result = tools.lend_books(world, member_id=1, book_ids=["B2"], days=1)
    assert result["loans"] == [
        {
            "id": 101,
            "book_id": "B2",
            "lent_on": "2024-03-20",
            "due_on": "2024-03-21",
            "weekday": "Thursday",
            "returned": False,
        }
    ]
    assert world.all("loans")[-1] == {
        "id": 101,
        "member_id": 1,
        "book_id": "B2",
        "lent_at": "2024-03-20T08:00:00Z",
        "due_on": "2024-03-21",
        "returned_at": None,
        "renewals": 0,
    }
    assert world.all("loans")[:3] == type(world)().all("loans")


def test_what_cannot_be_lent(tools: Any, world: Any) -> None:
    error = refused("not_allowed", tools.lend_books, world=world, member_id=2, book_ids=["B2"])
    assert error.message == "Bo Lund may not borrow books."
    assert error.hint == 'See "house rules" {§4}.'
    assert "'A 100% Guide'" in refused("conflict", tools.lend_books, world=world, member_id=1, book_ids=["B1"]).message
    refused("conflict", tools.lend_books, world=world, member_id=1, book_ids=["B3"])
    error = refused("not_found", tools.lend_books, world=world, member_id=9, book_ids=["B2"])
    assert (error.message, error.hint) == ("Nobody has the member number 9.", "Ask for the number on the card.")
    error = refused("not_found", tools.lend_books, world=world, member_id=1, book_ids=["B9"])
    assert (error.message, error.hint) == ("There is no book with id B9.", "Use search_books to find one.")


MALFORMED: list[tuple[Any, Any]] = [
    ([], 14),
    ("B2", 14),
    (["B1", "B2", "B3", "B4"], 14),
    (["B2", "B2"], 14),
    ([""], 14),
    ([7], 14),
    (None, 14),
    *((["B2"], days) for days in (0, 29, "14", True, 1.5)),
]


@pytest.mark.parametrize(("book_ids", "days"), MALFORMED)
def test_malformed_lists_and_numbers(tools: Any, world: Any, book_ids: Any, days: Any) -> None:
    refused("invalid_argument", tools.lend_books, world=world, member_id=1, book_ids=book_ids, days=days)


def test_taking_a_book_back(tools: Any, world: Any) -> None:
    assert tools.return_book(world, loan_id=1) == {"late_days": 5}
    assert world.all("loans")[0]["returned_at"] == "2024-03-20T08:00:00Z"
    assert world.all("loans")[2]["returned_at"] is None
    error = refused("conflict", tools.return_book, world=world, loan_id=2)
    assert error.message == "Loan 2 ended on 2024-02-10."


def test_only_what_was_given_is_changed(tools: Any, world: Any) -> None:
    tools.update_member(world, member_id=2, name=" Bo Lindh ", blocked=False)
    assert world.all("members")[1] == {"id": 2, "name": "Bo Lindh", "email": None, "blocked": 0, "settings": None}
    tools.update_member(world, member_id=2, settings={"language": "sv", "digest": False})
    assert world.all("members")[1]["settings"] == '{"digest":false,"language":"sv"}'
    assert world.all("members")[0] == type(world)().all("members")[0]
    error = refused("invalid_argument", tools.update_member, world=world, member_id=2)
    assert error.hint == "Give at least one of name, email, blocked, settings."


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "  "},
        {"name": "x" * 41},
        {"email": "nobody"},
        {"email": "a@b"},
        {"blocked": 1},
        {"settings": []},
        {"settings": {"color": "red"}},
        {"settings": {"language": "de"}},
        {"settings": {"days": 3}},
        {"settings": {"days": [7]}},
        {"settings": {"digest": "yes"}},
    ],
)
def test_malformed_members(tools: Any, world: Any, changes: dict[str, Any]) -> None:
    before = world.all("members")
    refused("invalid_argument", tools.update_member, world=world, member_id=1, **changes)
    assert world.all("members") == before


def test_an_unknown_key_is_answered_with_the_known_ones(tools: Any, world: Any) -> None:
    error = refused("invalid_argument", tools.update_member, world=world, member_id=1, settings={"color": 1})
    assert error.hint == "Known keys: digest, language, days."
    error = refused("invalid_argument", tools.search_books, world=world, genre="crime")
    assert error.hint == "Allowed values: fiction, science, history, poetry, travel."


def test_deleting(tools: Any, world: Any) -> None:
    error = refused("conflict", tools.delete_book, world=world, book_id="B1")
    assert error.hint == "Take it back with return_book first (loan 1)."
    assert tools.delete_book(world, book_id="B2")["deleted"]["title"] == "The Long Road"
    assert [book["id"] for book in world.all("books")] == ["B1", "B3", "B4"]


def test_an_adapter_is_called_with_its_arguments(tools: Any, world: Any) -> None:
    assert tools.renew_loan(world, loan_id=1) == {"due_on": "2024-03-22"}
    assert [world.all("loans")[0][key] for key in ("due_on", "renewals")] == ["2024-03-22", 1]
    error = refused("limit_exceeded", tools.renew_loan, world=world, loan_id=2)
    assert error.message == "Loan 2 was renewed 2 times already."


@pytest.mark.parametrize("cursor", ["", "after-", "after--1", "2", "after-1x", "after-9999999999", 5, "after-²"])
def test_a_cursor_that_no_page_gave(tools: Any, world: Any, cursor: Any) -> None:
    refused("invalid_argument", tools.search_books, world=world, cursor=cursor)


@pytest.mark.parametrize("page_size", [0, 4, -1, "2", None, 2.0, True])
def test_page_sizes_are_bounded(tools: Any, world: Any, page_size: Any) -> None:
    refused("invalid_argument", tools.search_books, world=world, page_size=page_size)


@pytest.mark.parametrize("day", ["2024-02-30", "20240201", "2024-2-1", "yesterday", "", 20240201, "2024-W05-4"])
def test_dates_are_calendar_dates(tools: Any, world: Any, day: Any) -> None:
    refused("invalid_argument", tools.list_loans, world=world, member_id=1, day=day)
