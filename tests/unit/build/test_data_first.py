"""Tools for tables with rows and no operations."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Operation
from envforge.world.api import ToolError

from .conftest import FLIGHT_ROWS, Call, TinyWorld, column, loaded, running, table


@pytest.fixture(scope="module")
def operations(schedule: Database) -> dict[str, Operation]:
    return {operation.name: operation for operation in draw_blueprint(schedule, max_tools=24)[0].operations}


@pytest.fixture(scope="module")
def tools(schedule: Database) -> dict[str, Any]:
    return loaded(draw_blueprint(schedule, max_tools=24)[0])


@pytest.fixture
def call(schedule: Database, tools: dict[str, Any]) -> Call:
    return running(tools, TinyWorld(schedule))


def test_each_table_gets_find_and_get_and_the_large_one_a_summary(operations: dict[str, Operation]) -> None:
    expected = {"search_flights", "get_flight", "summarize_flights", "search_airports", "get_airport"}
    assert expected | {"search_airlines"} == set(operations)


def test_a_look_up_too_many_is_left_out_for_the_share_of_its_verb(schedule: Database) -> None:
    _, rejected = draw_blueprint(schedule, max_tools=24)
    assert [(one["operation"], one["reason"]) for one in rejected] == [("get_airline", "verb_share")]


def beside_an_archetype(schedule: Database, **changed: Any) -> set[str]:
    """Tools that the database gets where an archetype brings one of its own, with its airports changed."""
    brought = draw_blueprint(schedule, max_tools=24)[0].operations[-1].model_copy(update={"name": "brought_along"})
    domain = schedule.domain
    tables = tuple(one.model_copy(update=changed) if one.name == "airports" else one for one in domain.tables)
    mixed = replace(schedule, operations=(brought,), domain=domain.model_copy(update={"tables": tables}))
    return {one.name for one in draw_blueprint(mixed, max_tools=24)[0].operations}


@pytest.mark.parametrize(
    ("changed", "has"),
    [
        ({"origin": "mined"}, True),
        ({"origin": "derived"}, True),
        ({"origin": "derived", "archetype_role": "place"}, False),
        ({"origin": "synthetic"}, False),
    ],
)
def test_a_table_put_together_of_sources_has_tools_as_a_mined_one(
    schedule: Database, changed: dict[str, Any], has: bool
) -> None:
    """What an archetype adds or takes for a part of its own does not: it brings its tools."""
    assert ("search_airports" in beside_an_archetype(schedule, **changed)) is has


def test_filters_come_from_references_choices_days_and_ranges(operations: dict[str, Operation]) -> None:
    parameters = {one.name: one for one in operations["search_flights"].parameters}
    assert {"carrier", "origin", "destination", "flight_date", "status", "flight_number"} <= set(parameters)
    assert {"departure_after", "departure_before"} <= set(parameters)
    assert "departure_local" not in parameters
    assert parameters["origin"].semantic == "airport.code"
    assert parameters["status"].json_schema["enum"] == ["scheduled", "departed"]
    assert {"name", "city", "country"} <= {one.name for one in operations["search_airports"].parameters}
    assert "latitude" not in {one.name for one in operations["search_airports"].parameters}


def test_search_finds_exactly_the_rows_that_meet_all_conditions(call: Call) -> None:
    found = call("search_flights", origin="EWR", flight_date="2013-01-03", page_size=50)["items"]
    expected = {
        row["flight_id"]
        for row in FLIGHT_ROWS["flights"]
        if row["origin"] == "EWR" and row["flight_date"] == "2013-01-03"
    }
    assert {item["flight_id"] for item in found} == expected
    assert {item["origin_name"] for item in found} == {"Newark Liberty"}
    assert [item["departure"] for item in found] == sorted(item["departure"] for item in found)


def test_text_filters_contain_and_short_codes_match_exactly(call: Call) -> None:
    assert {item["code"] for item in call("search_airports", city="chic")["items"]} == {"ORD", "MDW"}
    assert call("search_airports", country="C")["items"] == []
    assert {item["code"] for item in call("search_airports", country="CA")["items"]} == {"YYZ", "YTZ"}


def test_look_up_names_the_rows_it_refers_to(call: Call) -> None:
    found = call("get_flight", flight_id="UA0")
    assert found["carrier_name"] == "United Air Lines"
    assert found["destination_name"] == "Logan"
    with pytest.raises(ToolError) as caught:
        call("get_flight", flight_id="XX1")
    assert (caught.value.code, caught.value.hint) == ("not_found", "Use search_flights to find flight ids.")


def test_summary_counts_and_averages_per_group(call: Call) -> None:
    groups = call("summarize_flights", group_by="origin", carrier="UA")["groups"]
    rows = [row for row in FLIGHT_ROWS["flights"] if row["carrier"] == "UA"]
    assert {one["group"]: one["count"] for one in groups} == Counter(row["origin"] for row in rows)
    newark = [row["distance_miles"] for row in rows if row["origin"] == "EWR"]
    shown = next(one for one in groups if one["group"] == "EWR")
    assert shown["average_distance_miles"] == round(sum(newark) / len(newark), 2)
    assert shown["highest_distance_miles"] == max(newark)
    assert [one["count"] for one in groups] == sorted((one["count"] for one in groups), reverse=True)


def test_links_and_details_can_be_searched_but_not_looked_up(schedule: Database) -> None:
    alliance = table(
        "codeshares",
        "codeshare",
        (column("flight_id", to="flights.flight_id"), column("carrier", to="airlines.code")),
        key=("flight_id", "carrier"),
        kind="link",
    )
    domain = schedule.domain.model_copy(update={"tables": (*schedule.domain.tables, alliance)})
    pairs = [{"flight_id": "UA0", "carrier": "DL"}, {"flight_id": "DL1", "carrier": "UA"}]
    database = replace(schedule, domain=domain, rows={**schedule.rows, "codeshares": pairs})
    blueprint, _ = draw_blueprint(database, max_tools=24)
    about = {one.name: one for one in blueprint.operations if one.entity == "codeshare"}
    assert set(about) == {"search_codeshares"}
    found = running(loaded(blueprint), TinyWorld(database))("search_codeshares", flight_id="UA0")
    assert [item["carrier_name"] for item in found["items"]] == ["Delta Air Lines"]


def test_a_table_without_rows_gets_no_tools(schedule: Database) -> None:
    database = replace(schedule, rows={**schedule.rows, "flights": []})
    assert "flight" not in {one.entity for one in draw_blueprint(database, max_tools=24)[0].operations}
