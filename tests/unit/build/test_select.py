"""Which tools ship, and what is said about the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.blueprint.candidate import Candidate
from envforge.build.blueprint.reachability import needed, produced, reachable
from envforge.build.blueprint.select import choose
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Operation, Parameter, Return, View
from envforge.core.records.domain import READ_VERBS, Domain

from .conftest import FLIGHT_TABLES, bound, given, table


def operation(name: str, verb: str, entity: str, *, needs: str = "", yields: str = "") -> Operation:
    parameters = ()
    if needs:
        parameters = (Parameter(name="key", json_schema={"type": "string"}, description="A key.", semantic=needs),)
    returns = {"type": "object", "properties": {"id": {"type": "string", "x-semantic": yields}}} if yields else {}
    return Operation(
        name=name,
        verb=verb,  # type: ignore[arg-type]
        entity=entity,
        summary="Do it.",
        parameters=parameters,
        steps=(Return(value={"done": "True"}),),
        returns=returns,
    )


DOMAIN = Domain(theme="test", tables=(table("books", "book", ()), table("shelves", "shelf", ())))


def test_small_limits_keep_a_writer_and_reachable_ids(workspace: Database) -> None:
    for limit in range(3, 20):
        blueprint, rejected = draw_blueprint(workspace, max_tools=limit)
        assert len(blueprint.operations) <= limit
        assert reachable(blueprint.operations)[1] == []
        assert len(blueprint.operations) + len(rejected) == len(workspace.domain.operations)


def test_every_entity_that_can_be_written_keeps_a_writer(workspace: Database) -> None:
    blueprint, _ = draw_blueprint(workspace, max_tools=12)
    writers = {one.entity for one in blueprint.operations if one.verb not in READ_VERBS}
    counts = Counter(one.entity for one in blueprint.operations)
    assert {name for name, count in counts.items() if count > 1} - {"person"} <= writers


def test_a_tool_without_a_source_of_its_ids_is_left_out() -> None:
    candidates = [
        Candidate(operation("list_books", "list", "book", yields="book.id"), "source"),
        Candidate(operation("get_book", "get", "book", needs="book.id"), "source"),
        Candidate(operation("get_shelf", "get", "shelf", needs="shelf.id", yields="shelf.id"), "source"),
    ]
    chosen, rejected = choose(candidates, DOMAIN, max_tools=10)
    assert [one.name for one in chosen] == ["list_books", "get_book"]
    assert [(one["operation"], one["reason"]) for one in rejected] == [("get_shelf", "unreachable_id")]
    assert "shelf.id" in rejected[0]["detail"]


def test_the_producer_of_an_id_displaces_a_less_needed_tool() -> None:
    candidates = [
        Candidate(operation("create_book", "create", "book", needs="shelf.id", yields="book.id"), "source"),
        Candidate(operation("get_book", "get", "book", needs="book.id"), "source"),
        Candidate(operation("browse", "list", "shelf", yields="shelf.id"), "source"),
    ]
    chosen, _ = choose(candidates, DOMAIN, max_tools=2)
    assert "browse" in {one.name for one in chosen}
    assert reachable(chosen)[1] == []


def test_an_archetype_tool_wins_over_a_data_first_one_of_the_same_kind() -> None:
    candidates = [
        Candidate(operation("find_books", "search", "book", yields="book.id"), "data"),
        Candidate(operation("get_book", "get", "book", needs="book.id"), "data"),
        Candidate(operation("list_available_books", "list", "book", yields="book.id"), "archetype"),
        Candidate(operation("get_book", "get", "book", needs="book.id"), "source"),
    ]
    chosen, rejected = choose(candidates, DOMAIN, max_tools=10)
    assert [one.name for one in chosen] == ["list_available_books", "get_book"]
    assert {(one["operation"], one["reason"]) for one in rejected} == {
        ("find_books", "covered"),
        ("get_book", "duplicate_name"),
    }


def test_no_verb_takes_more_than_its_share() -> None:
    candidates = [Candidate(operation("list_books", "list", "book", yields="book.id"), "source")]
    candidates += [Candidate(operation(f"get_book_{n}", "get", "book", needs="book.id"), "source") for n in range(9)]
    candidates += [Candidate(operation(f"{v}_book", v, "book"), "source") for v in ("create", "update", "delete")]
    chosen, rejected = choose(candidates, DOMAIN, max_tools=24)
    assert max(Counter(one.verb for one in chosen).values()) <= 0.4 * len(chosen)
    assert "verb_share" in {one["reason"] for one in rejected}


def test_reserved_names_are_refused() -> None:
    chosen, rejected = choose([Candidate(operation("reset", "update", "book"), "source")], DOMAIN, max_tools=5)
    assert (chosen, rejected[0]["reason"]) == ([], "reserved_name")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (bound("transition", "close_doc", "doc", "docs", given("doc_id", "key", column="id")), "no_target_state"),
        (bound("get", "get_ghost", "ghost", "ghosts", given("id", "key")), "unknown_table"),
        (bound("transfer", "move_away", "doc", "docs", given("doc_id", "key", column="id")), "no_parent"),
        (bound("link", "join_docs", "doc", "people"), "no_link_table"),
        (bound("aggregate", "count_docs", "doc", "docs"), "no_rule_for_verb"),
        (bound("update", "touch_doc", "doc", "docs", given("doc_id", "key", column="id")), "nothing_to_update"),
        (bound("search", "search_pieces", "piece", "pieces", given("query", "query")), "no_title"),
        (bound("create", "create_bare", "remark", "remarks"), "unfillable_column"),
        (
            bound(
                "get", "get_by_name", "doc", "docs", given("owner", "scope", column="owner_id", semantic="nobody.login")
            ),
            "name_of_parts",
        ),
    ],
)
def test_what_cannot_be_drawn_is_recorded_with_its_reason(workspace: Database, bad: object, reason: str) -> None:
    domain = workspace.domain.model_copy(update={"operations": (bad,)})
    _, rejected = draw_blueprint(replace(workspace, domain=domain), max_tools=24)
    assert rejected[0]["reason"] == reason


def test_archetype_operations_and_views_ship_as_they_are(schedule: Database) -> None:
    brought = operation("book_flight", "create", "flight", needs="flight.flight_id")
    view = View(name="flight_summary", table="flights", fields={"flight": "row.flight_id"})
    database = replace(schedule, operations=(brought,), views=(view,))
    blueprint, _ = draw_blueprint(database, max_tools=24)
    assert brought in blueprint.operations
    assert [one for one in blueprint.views if one.name == "flight_summary"] == [view]
    assert len({one.name for one in blueprint.views}) == len(blueprint.views)
    assert needed(brought) == {"flight.flight_id"}
    assert "flight.flight_id" in produced(next(one for one in blueprint.operations if one.name == "search_flights"))
    assert {one.name for one in FLIGHT_TABLES} == {one.name for one in blueprint.tables}


@pytest.mark.parametrize(("limit", "brought"), [(None, 30), (26, 26)])
def test_all_that_an_archetype_brings_ships_unless_fewer_are_asked_for(
    schedule: Database, limit: int | None, brought: int
) -> None:
    """The usual 24 would leave out steps of one business: a charge could be made and never be paid."""
    steps = tuple(operation(f"step_{number}", "get" if number % 2 else "update", "flight") for number in range(30))
    blueprint, rejected = draw_blueprint(replace(schedule, operations=steps), max_tools=limit)
    assert len([one for one in blueprint.operations if one.name.startswith("step_")]) == brought
    left = [one for one in rejected if one["reason"] == "over_max_tools" and one["operation"].startswith("step_")]
    assert len(left) == 30 - brought


def test_a_plain_list_adds_nothing_to_a_list_of_the_archetype() -> None:
    narrow = operation("list_books_of_shelf", "list", "book", needs="shelf.id", yields="book.id")
    candidates = [
        Candidate(operation("list_books", "list", "book", yields="book.id"), "archetype"),
        Candidate(operation("list_public_books", "list", "book", yields="book.id"), "source"),
        Candidate(operation("browse", "list", "shelf", yields="shelf.id"), "source"),
        Candidate(narrow, "source"),
    ]
    chosen, rejected = choose(candidates, DOMAIN, max_tools=10)
    assert {one.name for one in chosen} == {"list_books", "browse", "list_books_of_shelf"}
    assert [(one["operation"], one["reason"]) for one in rejected] == [("list_public_books", "covered")]
    assert "list_books" in rejected[0]["detail"]


@pytest.mark.parametrize(("limit", "entities"), [(24, 8), (36, 12)])
def test_many_tools_let_more_entities_in(limit: int, entities: int) -> None:
    words = [f"thing{number}" for number in range(14)]
    domain = Domain(theme="test", tables=tuple(table(f"{word}s", word, ()) for word in words))
    candidates = [Candidate(operation(f"get_{word}", "get", word), "data") for word in words]
    _, rejected = choose(candidates, domain, max_tools=limit)
    outside = [line for line in rejected if line["reason"] == "entity_not_selected"]
    assert len(outside) == len(words) - entities
