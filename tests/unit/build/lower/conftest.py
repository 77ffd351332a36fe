"""A small lending library: members, books, copies and loans, with every kind of step."""

from __future__ import annotations

import sqlite3
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from envforge.build.adapters import AdapterSpec
from envforge.build.lower import lower
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import ToolSpec

SCHEMA = """
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, blocked INTEGER NOT NULL, settings TEXT)
    STRICT;
CREATE TABLE books (id TEXT PRIMARY KEY, title TEXT NOT NULL, author TEXT, genre TEXT, pages INTEGER,
    lost INTEGER, published TEXT) STRICT;
CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL, book_id TEXT NOT NULL, lent_at TEXT NOT NULL,
    due_on TEXT NOT NULL, returned_at TEXT, renewals INTEGER NOT NULL) STRICT;
INSERT INTO members VALUES (1, 'Ada Vik', 'ada@example.org', 0, '{"digest":true}'), (2, 'Bo Lund', NULL, 1, NULL);
INSERT INTO books VALUES
    ('B1', 'A 100% Guide', 'Mo', 'science', 120, 0, '2001-05-01'),
    ('B2', 'The Long Road', 'Jo', 'fiction', 300, NULL, '1999-01-31'),
    ('B3', 'Another road', NULL, 'fiction', NULL, 1, NULL),
    ('B4', 'Birds_of the North', 'Mo', NULL, 80, 0, '2010-11-11');
INSERT INTO loans VALUES
    (1, 1, 'B1', '2024-03-01T09:30:00Z', '2024-03-15', NULL, 0),
    (2, 1, 'B2', '2024-02-01T12:00:00Z', '2024-02-15', '2024-02-10T10:00:00Z', 2),
    (3, 2, 'B4', '2024-03-01T23:59:59Z', '2024-03-16', NULL, 1);
"""


def column(name: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": more.pop("nullable", False), **more}


TABLES = [
    {
        "name": "members",
        "entity": "member",
        "label": "member",
        "primary_key": ["id"],
        "columns": [
            column("id", "integer"),
            column("name"),
            column("email", nullable=True),
            column("blocked", "boolean", default=False),
            column("settings", "json", nullable=True),
        ],
    },
    {
        "name": "books",
        "entity": "book",
        "label": "book",
        "primary_key": ["id"],
        "columns": [
            column("id"),
            column("title"),
            column("author", nullable=True),
            column("genre", nullable=True, enum=["fiction", "science", "history", "poetry", "travel"]),
            column("pages", "integer", nullable=True),
            column("lost", "boolean", nullable=True),
            column("published", "date", nullable=True),
        ],
    },
    {
        "name": "loans",
        "entity": "loan",
        "label": "loan",
        "primary_key": ["id"],
        "columns": [
            column("id", "integer"),
            column("member_id", "integer"),
            column("book_id"),
            column("lent_at", "timestamp"),
            column("due_on", "date"),
            column("returned_at", "timestamp", nullable=True),
            column("renewals", "integer", default=0),
        ],
    },
]

VIEWS = [
    {
        "name": "book_summary",
        "table": "books",
        "fields": {"id": "row.id", "title": "row.title", "author": "row.author", "lost": "row.lost"},
    },
    {
        "name": "loan_details",
        "table": "loans",
        "fields": {
            "id": "row.id",
            "book_id": "row.book_id",
            "lent_on": "date_of(row.lent_at)",
            "due_on": "row.due_on",
            "weekday": "weekday_of(row.due_on)",
            "returned": "row.returned_at is not None",
        },
    },
    {
        "name": "member_details",
        "table": "members",
        "fields": {
            "id": "row.id",
            "name": "row.name",
            "email": "row.email",
            "blocked": "row.blocked",
            "settings": "row.settings",
        },
    },
]


def parameter(name: str, kind: str = "string", description: str = "", **more: Any) -> dict[str, Any]:
    keep = {key: more.pop(key) for key in ("required", "default", "semantic") if key in more}
    return {"name": name, "json_schema": {"type": kind, **more}, "description": description or f"the {name}", **keep}


PAGE = [
    parameter("cursor", description="next_cursor of the page before", required=False),
    parameter("page_size", "integer", "books per page", required=False),
]
BOOK_ID = parameter("book_id", description="id of the book", semantic="book.id")
MEMBER_ID = parameter("member_id", "integer", "id of the member", semantic="member.id")
LOAN_ID = parameter("loan_id", "integer", "id of the loan", semantic="loan.id")
FIND_BOOK = {"do": "fetch", "name": "book", "table": "books", "where": {"id": "book_id"}}
FIND_LOAN = {"do": "fetch", "name": "loan", "table": "loans", "where": {"id": "loan_id"}}
FIND_MEMBER = {
    "do": "fetch",
    "name": "member",
    "table": "members",
    "where": {"id": "member_id"},
    "message": "Nobody has the member number {member_id}.",
    "hint": "Ask for the number on the card.",
}


def returns(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


SEARCH_BOOKS = {
    "name": "search_books",
    "verb": "search",
    "entity": "book",
    "summary": "Find books by words of the title or author, genre, length or year",
    "description": "Words match anywhere and in any case. Without filters all books are listed.",
    "parameters": [
        parameter("query", description="words in the title or author", required=False),
        parameter(
            "genre",
            description="only this genre",
            required=False,
            enum=["fiction", "science", "history", "poetry", "travel"],
        ),
        parameter("min_pages", "integer", "shortest length", required=False, minimum=1),
        parameter("authors", "array", "only these authors", required=False, items={"type": "string"}, maxItems=10),
        parameter("published_from", description="earliest date", required=False, format="date"),
        parameter("lost", "boolean", "true for lost books, false for the others", required=False),
        *PAGE,
    ],
    "steps": [
        {
            "do": "select",
            "name": "books",
            "table": "books",
            "where": [
                {"column": "genre", "value": "genre", "optional": True},
                {"column": "pages", "op": "ge", "value": "min_pages", "optional": True},
                {"column": "author", "op": "in", "value": "authors", "optional": True},
                {"column": "published", "op": "ge", "value": "published_from", "optional": True},
                {"column": "lost", "value": "lost", "optional": True},
            ],
            "any_of": [
                {"column": "title", "op": "contains", "value": "query", "optional": True},
                {"column": "author", "op": "contains", "value": "query", "optional": True},
            ],
            "order": [{"column": "title"}],
            "page": {"cursor": "cursor", "size": "page_size", "default": 2, "maximum": 3},
        },
        {
            "do": "return",
            "value": {
                "books": "[book_summary(row) for row in books.items]",
                "next_cursor": "books.next_cursor",
                "has_more": "books.has_more",
            },
        },
    ],
    "returns": returns(
        books={
            "type": "array",
            "description": "the books of this page, by title",
            "items": {"type": "object", "properties": {"id": {"type": "string", "x-semantic": "book.id"}}},
        },
        next_cursor={"type": ["string", "null"], "description": "cursor of the next page"},
        has_more={"type": "boolean", "description": "whether there is a next page"},
    ),
}
GET_BOOK = {
    "name": "get_book",
    "verb": "get",
    "entity": "book",
    "summary": "Show a book, where it is and its loans",
    "parameters": [BOOK_ID],
    "steps": [
        FIND_BOOK,
        {
            "do": "fetch",
            "name": "current",
            "table": "loans",
            "where": {"book_id": "book.id", "returned_at": "None"},
            "optional": True,
        },
        {
            "do": "select",
            "name": "history",
            "table": "loans",
            "columns": ["loans.id", "lent_at", "m.name as member_name", "m.blocked"],
            "joins": [{"table": "members", "alias": "m", "on": {"id": "member_id"}}],
            "where": [{"column": "book_id", "value": "book_id"}],
            "order": [{"column": "lent_at", "descending": True}],
        },
        {"do": "return", "value": {"book": "book", "current": "current", "history": "history"}},
    ],
    "returns": returns(book={"type": "object"}, current={"type": ["object", "null"]}, history={"type": "array"}),
}
LIST_LOANS = {
    "name": "list_loans",
    "verb": "list",
    "entity": "loan",
    "summary": "List the loans of a member on a day",
    "parameters": [
        MEMBER_ID,
        parameter("day", description="day they began", format="date"),
        parameter("open_only", "boolean", "leave out loans that were returned", required=False, default=False),
    ],
    "steps": [
        FIND_MEMBER,
        {
            "do": "select",
            "name": "loans",
            "table": "loans",
            "where": [
                {"column": "member_id", "value": "member.id"},
                {"column": "lent_at", "op": "on_date", "value": "day"},
            ],
            "limit": 10,
        },
        {
            "do": "when",
            "that": "open_only",
            "then": [{"do": "let", "name": "loans", "value": "[loan for loan in loans if loan.returned_at is None]"}],
        },
        {"do": "return", "value": {"loans": "[loan_details(loan) for loan in loans]"}},
    ],
    "returns": returns(loans={"type": "array"}),
}
COUNT_LOANS = {
    "name": "count_loans",
    "verb": "aggregate",
    "entity": "loan",
    "summary": "Count loans, in all and by genre",
    "parameters": [parameter("since", description="first day that counts", required=False, format="date")],
    "steps": [
        {
            "do": "aggregate",
            "name": "total",
            "table": "loans",
            "where": [{"column": "lent_at", "op": "ge", "value": "since", "optional": True}],
            "measures": [
                {"name": "loans", "fn": "count"},
                {"name": "members", "fn": "count_distinct", "column": "member_id"},
                {"name": "renewals", "fn": "sum", "column": "renewals"},
                {"name": "latest", "fn": "max", "column": "lent_at"},
            ],
        },
        {
            "do": "aggregate",
            "name": "genres",
            "table": "loans",
            "joins": [{"table": "books", "alias": "books", "on": {"id": "book_id"}, "left": True}],
            "measures": [{"name": "loans", "fn": "count"}, {"name": "pages", "fn": "avg", "column": "books.pages"}],
            "group_by": ["books.genre"],
        },
        {"do": "return", "value": {"total": "total", "genres": "genres"}},
    ],
    "returns": returns(total={"type": "object"}, genres={"type": "array"}),
}
LEND_BOOKS = {
    "name": "lend_books",
    "verb": "create",
    "entity": "loan",
    "summary": "Lend one or more books to a member",
    "description": "All books are lent for the same number of days, or none is.",
    "parameters": [
        MEMBER_ID,
        parameter(
            "book_ids",
            "array",
            "ids of the books",
            items={"type": "string"},
            minItems=1,
            maxItems=3,
            uniqueItems=True,
            semantic="book.id",
        ),
        parameter("days", "integer", "how long", required=False, default=14, minimum=1, maximum=28),
    ],
    "steps": [
        FIND_MEMBER,
        {
            "do": "require",
            "that": "not member.blocked",
            "code": "not_allowed",
            "message": "{member.name} may not borrow books.",
            "hint": 'See "house rules" {{§4}}.',
        },
        {"do": "let", "name": "lent", "value": "[]"},
        {
            "do": "each",
            "item": "book_id",
            "over": "book_ids",
            "steps": [
                FIND_BOOK,
                {
                    "do": "sql",
                    "name": "holder",
                    "query": "SELECT members.name FROM loans JOIN members ON members.id = loans.member_id "
                    "WHERE loans.book_id = :book AND loans.returned_at IS NULL",
                    "parameters": {"book": "book.id"},
                    "one": True,
                },
                {
                    "do": "require",
                    "that": "holder is None and not book.lost",
                    "code": "conflict",
                    "message": "The book {book.title!r} is not on the shelf.",
                },
                {
                    "do": "insert",
                    "name": "loan",
                    "table": "loans",
                    "values": {
                        "id": "new_id('loans')",
                        "member_id": "member.id",
                        "book_id": "book.id",
                        "lent_at": "now()",
                        "due_on": "add_days(date_of(now()), days)",
                    },
                },
                {"do": "append", "to": "lent", "value": "loan_details(loan)"},
            ],
        },
        {"do": "return", "value": {"loans": "lent"}},
    ],
    "returns": returns(loans={"type": "array"}),
}
RETURN_BOOK = {
    "name": "return_book",
    "verb": "transition",
    "entity": "loan",
    "summary": "Take a lent book back",
    "parameters": [LOAN_ID],
    "steps": [
        FIND_LOAN,
        {
            "do": "require",
            "that": "loan.returned_at is None",
            "code": "conflict",
            "message": "Loan {loan.id} ended on {date_of(loan.returned_at)}.",
        },
        {"do": "update", "table": "loans", "where": {"id": "loan.id"}, "set": {"returned_at": "now()"}},
        {
            "do": "when",
            "that": "loan.due_on < date_of(now())",
            "then": [{"do": "return", "value": {"late_days": "days_between(loan.due_on, now())"}}],
            "otherwise": [{"do": "return", "value": {"late_days": "0"}}],
        },
    ],
    "returns": returns(late_days={"type": "integer"}),
}
UPDATE_MEMBER = {
    "name": "update_member",
    "verb": "update",
    "entity": "member",
    "summary": "Change what is known of a member",
    "parameters": [
        MEMBER_ID,
        parameter("name", description="new name", required=False, maxLength=40),
        parameter("email", description="new address", required=False, format="email"),
        parameter("blocked", "boolean", "whether borrowing is off", required=False),
        parameter(
            "settings",
            "object",
            "new settings",
            required=False,
            properties={
                "digest": {"type": "boolean"},
                "language": {"type": "string", "enum": ["en", "sv"]},
                "days": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 6}},
            },
            additionalProperties=False,
        ),
    ],
    "steps": [
        FIND_MEMBER,
        {
            "do": "update",
            "table": "members",
            "where": {"id": "member_id"},
            "set_given": {"name": "name.strip()", "email": "email", "blocked": "blocked", "settings": "settings"},
        },
        FIND_MEMBER,
        {"do": "return", "value": {"member": "member_details(member)"}},
    ],
    "returns": returns(member={"type": "object"}),
}
DELETE_BOOK = {
    "name": "delete_book",
    "verb": "delete",
    "entity": "book",
    "summary": "Strike a book off the catalogue",
    "parameters": [BOOK_ID],
    "steps": [
        FIND_BOOK,
        {
            "do": "sql",
            "name": "loans",
            "query": "SELECT id FROM loans WHERE book_id = :book AND returned_at IS NULL ORDER BY id",
            "parameters": {"book": "book_id"},
        },
        {
            "do": "require",
            "that": "len(loans) == 0",
            "code": "conflict",
            "message": "Book {book_id} is on loan.",
            "hint": "Take it back with return_book first (loan {loans[0].id}).",
        },
        {"do": "delete", "table": "books", "where": {"id": "book_id"}},
        {"do": "return", "value": {"deleted": "book_summary(book)"}},
    ],
    "returns": returns(deleted={"type": "object"}),
}
RENEW_LOAN = {
    "name": "renew_loan",
    "verb": "update",
    "entity": "loan",
    "summary": "Give a loan another week",
    "parameters": [LOAN_ID],
    "steps": [
        FIND_LOAN,
        {"do": "adapter", "name": "allowed", "adapter": "patience", "arguments": {"renewals": "loan.renewals"}},
        {
            "do": "require",
            "that": "allowed",
            "code": "limit_exceeded",
            "message": "Loan {loan_id} was renewed {loan.renewals} times already.",
        },
        {
            "do": "update",
            "table": "loans",
            "where": {"id": "loan_id"},
            "set": {"due_on": "add_days(loan.due_on, 7)", "renewals": "loan.renewals + 1"},
        },
        {"do": "return", "value": {"due_on": "add_days(loan.due_on, 7)"}},
    ],
    "returns": returns(due_on={"type": "string"}),
}
OPERATIONS = [SEARCH_BOOKS, GET_BOOK, LIST_LOANS, COUNT_LOANS, LEND_BOOKS, RETURN_BOOK, UPDATE_MEMBER, DELETE_BOOK]
OPERATIONS.append(RENEW_LOAN)

PATIENCE = AdapterSpec(
    name="patience",
    call="_patient",
    functions=lambda blueprint: {
        "_MOST_RENEWALS": "_MOST_RENEWALS = 2",
        "_patient": "def _patient(world: World, renewals: int) -> bool:\n"
        '    """True if the loan may be renewed once more."""\n'
        '    return world.query("SELECT count(*) AS n FROM members")[0]["n"] > 0 and renewals < _MOST_RENEWALS',
    },
    reads=lambda blueprint: ("members",),
)


def blueprint_of(operations: Sequence[Mapping[str, Any]], **changes: Any) -> Blueprint:
    data = {"theme": "lending", "title": "Lending library", "tables": TABLES, "views": VIEWS, "operations": operations}
    return Blueprint.model_validate({**data, **changes})


class TinyWorld:
    """As much of a World as tools use, on a plain SQLite connection."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(SCHEMA)
        self.ids = 100

    def query(self, sql: str, params: Any = ()) -> list[dict[str, Any]]:
        return [dict(row) for row in self.connection.execute(sql, params)]

    def execute(self, sql: str, params: Any = ()) -> int:
        return self.connection.execute(sql, params).rowcount

    def now(self) -> str:
        return "2024-03-20T08:00:00Z"

    def new_id(self, table: str) -> int:
        self.ids += 1
        return self.ids

    def all(self, table: str) -> list[dict[str, Any]]:
        return self.query(f"SELECT * FROM {table} ORDER BY id")


@pytest.fixture
def world() -> Iterator[TinyWorld]:
    tiny = TinyWorld()
    yield tiny
    tiny.connection.close()


def load(text: str) -> Any:
    """The module of a text, as an object."""
    module = types.ModuleType("tools")
    exec(compile(text, "tools.py", "exec"), module.__dict__)
    return module


@pytest.fixture(scope="session")
def lowered() -> tuple[str, tuple[ToolSpec, ...]]:
    return lower(blueprint_of(OPERATIONS), adapters={"patience": PATIENCE})


@pytest.fixture(scope="session")
def tools(lowered: tuple[str, tuple[ToolSpec, ...]]) -> Any:
    return load(lowered[0])


@pytest.fixture(scope="session")
def specs(lowered: tuple[str, tuple[ToolSpec, ...]]) -> dict[str, ToolSpec]:
    return {spec.name: spec for spec in lowered[1]}


@pytest.fixture(scope="session")
def conftest() -> Any:
    """This file's parts, for tests that vary them."""
    return sys.modules[__name__]
