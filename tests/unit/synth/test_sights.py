"""Sights, reaches and finders: what tools show is learned from calls and compared with the rows."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from envforge.core.records.domain import Column
from envforge.synth.entities import Entities
from envforge.synth.keys import Keys
from envforge.synth.landscape import Landscape, survey
from envforge.synth.nouns import column_noun, is_people, plural, property_noun, singular
from envforge.synth.probes import Probe
from envforge.synth.sights import Sights
from envforge.world.environment import Environment

from .library_domain import BOOKS, DOMAIN, MEMBERS


@pytest.fixture(scope="module")
def landscape(library: Environment) -> Landscape:
    return survey(library, DOMAIN)


def test_fields_are_columns_that_every_record_showed(landscape: Landscape) -> None:
    found = {(sight.tool, sight.kind): sight for sight in landscape.sights}
    books = found["search_books", "book.id"]
    assert books.many and books.path == ("books",) and books.identity == ("id",)
    assert set(books.fields) == {"id", "title", "author", "published"}
    assert set(found["get_book", "book.id"].fields) >= {"copies", "note"}


def test_a_field_that_once_showed_something_else_is_no_column(library: Environment, landscape: Landscape) -> None:
    changed: list[Probe] = []
    for probe in landscape.probes:
        if probe.tool == "get_book" and probe.result is not None and probe.result["id"] == 105:
            probe = replace(probe, result={**probe.result, "copies": 99})
        changed.append(probe)
    found = Sights(Keys(library, DOMAIN), DOMAIN).learn(changed)
    detail = next(sight for sight in found if sight.tool == "get_book")
    assert "copies" not in detail.fields and "author" in detail.fields


def test_reaches_lead_to_the_row_or_to_all_that_refer_to_it(landscape: Landscape) -> None:
    found = {(reach.tool, reach.parameter): reach for reach in landscape.reaches}
    assert found["get_book", "book_id"].by == ()
    loans = found["list_loans", "member_id"]
    assert [foreign.column for foreign in loans.by] == ["member_id"] and loans.only is None


def test_finders_are_those_that_find_each_row_by_the_column(landscape: Landscape) -> None:
    assert {(finder.tool, finder.column) for finder in landscape.finders} == {
        ("search_books", "title"),
        ("search_books", "author"),
    }


def test_codes_are_what_people_say(landscape: Landscape) -> None:
    assert landscape.keys.is_code("member.id")
    assert not landscape.keys.is_code("loan.id")
    assert not landscape.keys.is_code("book.id")


@pytest.mark.parametrize(
    ("name", "noun"),
    [("title", "title"), ("published", ""), ("copies", "number of copies"), ("note", "note"), ("id", "")],
)
def test_nouns_of_columns(name: str, noun: str) -> None:
    assert column_noun(BOOKS, BOOKS.column(name)) == noun


@pytest.mark.parametrize(
    ("name", "column", "noun"),
    [
        ("status_baseline", {"type": "text"}, "baseline status"),
        ("status_baseline_high_date", {"type": "text"}, "baseline high date"),
        ("status_reason", {"type": "text"}, "status reason"),
        ("state_reason", {"type": "text"}, "state reason"),
        ("name_common", {"type": "text", "role": "title"}, "name"),
        ("full_title", {"type": "text", "role": "title"}, "full title"),
    ],
)
def test_the_noun_comes_last(name: str, column: dict[str, Any], noun: str) -> None:
    assert column_noun(BOOKS, Column(name=name, **column)) == noun


def test_who_has_a_full_name_is_somebody() -> None:
    named = BOOKS.model_copy(update={"columns": (*BOOKS.columns, Column(name="full_name", type="text"))})
    assert is_people(named) and not is_people(BOOKS)


def test_codes_are_nothing_that_somebody_asks_for() -> None:
    texts = {"title": ["Fen"], "author": ["CHE", "AUT"]}

    def held(_: str, column: str) -> list[str]:
        return texts.get(column, [])

    def rows(_: str) -> list[Any]:
        return []

    keys = SimpleNamespace(foreign=(), texts=held, values=held, rows=rows)
    knowledge = SimpleNamespace(blueprint=SimpleNamespace(tables=(BOOKS,)))
    landscape = cast("Landscape", SimpleNamespace(keys=keys, knowledge=knowledge, bags=()))

    def nouns() -> set[str]:
        return {one.noun for entity in Entities(landscape).all for one in entity.attributes}

    assert "title" in nouns() and "author" not in nouns()
    texts["author"].append("Nora Whitfield")
    assert "author" in nouns()


def test_nouns_of_people() -> None:
    assert column_noun(MEMBERS, MEMBERS.column("email")) == "e-mail address"
    assert column_noun(MEMBERS, MEMBERS.column("name")) == "name"


@pytest.mark.parametrize(
    ("name", "kind", "noun"),
    [
        ("Lead", "people", "lead"),
        ("Target date", "date", "target date"),
        ("Kick-off", "date", "kick-off date"),
        ("Waiting for", "rich_text", ""),
        ("Due", "date", ""),
        ("Budget (GBP)", "number", "budget"),
        ("Times reported", "number", ""),
        ("E-mail", "email", "e-mail address"),
    ],
)
def test_nouns_of_properties(name: str, kind: str, noun: str) -> None:
    assert property_noun(name, kind) == noun


def test_one_and_many() -> None:
    assert [singular(title) for title in ("Tasks", "Companies", "Content calendar")] == [
        "task",
        "company",
        "entry in the content calendar",
    ]
    assert [plural(word) for word in ("task", "company", "entry in the content calendar", "aircraft")] == [
        "tasks",
        "companies",
        "entries in the content calendar",
        "aircraft",
    ]
