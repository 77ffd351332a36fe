"""Tools of joined themes: as many for each, what links them on top, nothing that cannot be called."""

from __future__ import annotations

from envforge.build.blueprint.candidate import Candidate
from envforge.build.blueprint.sharing import shared_out
from envforge.core.contracts import Database, Side
from envforge.core.records.domain import Domain

from .conftest import table
from .test_select import operation

TABLES = tuple(table(name, name.removesuffix("s"), ()) for name in ("books", "shelves", "ships", "ports"))
VERBS = ("list", "get", "create", "update", "delete", "transition")


def brought(entity: str, count: int) -> list[Candidate]:
    """Tools of a theme: the first yields the ids that the others need."""
    found = [Candidate(operation(f"list_{entity}", "list", entity, yields=f"{entity}.id"), "source")]
    for number, verb in enumerate(VERBS[1:count], 1):
        found.append(Candidate(operation(f"{verb}_{entity}_{number}", verb, entity, needs=f"{entity}.id"), "source"))
    return found


def database(sides: bool = True) -> Database:
    both = (Side("library", frozenset({"books"}), frozenset()), Side("harbour", frozenset({"ships"}), frozenset()))
    return Database(
        Domain(theme="test", tables=TABLES), {}, [], {}, "2026-01-05T09:00:00Z", sides=both if sides else ()
    )


def counts(candidates: list[Candidate], most: int | None) -> dict[str, int]:
    chosen, _ = shared_out(candidates, database(), max_tools=most)
    return {entity: sum(one.entity == entity for one in chosen) for entity in ("book", "ship")}


def test_each_theme_gets_half() -> None:
    candidates = [*brought("book", 6), *brought("ship", 6)]
    assert counts(candidates, 8) == {"book": 4, "ship": 4}
    assert counts(candidates, None) == {"book": 6, "ship": 6}


def test_what_one_theme_does_not_need_goes_to_the_other() -> None:
    assert counts([*brought("book", 6), *brought("ship", 2)], 8) == {"book": 6, "ship": 2}
    assert counts([*brought("book", 2), *brought("ship", 6)], 8) == {"book": 2, "ship": 6}


def test_tools_between_the_themes_come_on_top_if_their_ids_can_be_had() -> None:
    link = Candidate(operation("put_book_on_ship", "link", "berth", needs="ship.id"), "archetype")
    lost = Candidate(operation("put_book_in_port", "link", "berth", needs="port.id"), "archetype")
    twice = Candidate(operation("list_ship", "list", "berth"), "archetype")
    chosen, rejected = shared_out(
        [*brought("book", 6), *brought("ship", 6), link, lost, twice], database(), max_tools=8
    )
    assert len(chosen) == 9 and chosen[-1].name == "put_book_on_ship"
    reasons = {
        one["operation"]: one["reason"] for one in rejected if one["operation"] in ("put_book_in_port", "list_ship")
    }
    assert reasons == {"put_book_in_port": "unreachable_id", "list_ship": "duplicate_name"}


def test_one_theme_has_all_places() -> None:
    chosen, _ = shared_out([*brought("book", 6), *brought("ship", 6)], database(sides=False), max_tools=10)
    assert len(chosen) == 10
