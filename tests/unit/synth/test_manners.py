"""Manners of solving: what stands between a program and its environment."""

from __future__ import annotations

from typing import Any

from envforge.synth.manners import Entry, Listed
from envforge.synth.paging import Paging
from envforge.world.observation import Observation

ENTRY = Entry("key", "list_books", Paging("items", "cursor", "next", "size", 2), "id", "book")
BOOKS = [{"id": number, "title": f"Book {number}"} for number in range(5)]


class Shelf:
    """A tool that lists books in pages, and one that looks one up."""

    def __init__(self) -> None:
        self.made: list[tuple[str, dict[str, Any]]] = []

    def call(self, tool: str, arguments: dict[str, Any]) -> Observation:
        self.made.append((tool, arguments))
        if tool == "get_book":
            return Observation(True, {"book": {"id": arguments["key"], "title": "looked up"}})
        start, size = int(arguments.get("cursor", 0)), arguments["size"]
        following = str(start + size) if start + size < len(BOOKS) else None
        return Observation(True, {"items": BOOKS[start : start + size], "next": following})


def test_a_list_is_paged_through_until_the_key_is_there() -> None:
    shelf, listed = Shelf(), Listed({"get_book": ENTRY})
    assert listed.call(shelf.call, "get_book", {"key": 2}).result == {"book": {"id": 2, "title": "Book 2"}}
    assert shelf.made == [("list_books", {"size": 2}), ("list_books", {"size": 2, "cursor": "2"})]


def test_what_no_list_has_is_looked_up() -> None:
    shelf, listed = Shelf(), Listed({"get_book": ENTRY})
    assert listed.call(shelf.call, "get_book", {"key": 9}).result == {"book": {"id": 9, "title": "looked up"}}
    assert [tool for tool, _ in shelf.made] == ["list_books"] * 3 + ["get_book"]
    listed.call(shelf.call, "list_books", {"size": 1})
    assert shelf.made[-1] == ("list_books", {"size": 1})


def test_after_a_few_it_is_given_up() -> None:
    shelf, listed = Shelf(), Listed({"get_book": ENTRY})
    titles = [
        (listed.call(shelf.call, "get_book", {"key": number}).result or {})["book"]["title"] for number in range(5)
    ]
    assert titles == ["Book 0", "Book 1", "Book 2", "looked up", "looked up"]
