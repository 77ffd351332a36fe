"""Choosing arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.build.unit_tests.candidates import Candidates
from envforge.build.unit_tests.ensures import postconditions
from envforge.build.unit_tests.probe import Call, covering, probe
from envforge.build.unit_tests.rare import probe_rare
from envforge.build.unit_tests.reference import Reference
from envforge.build.unit_tests.samples import Samples
from envforge.build.unit_tests.told import Told
from envforge.core.records.blueprint import Ensure, Parameter, Require, Witness

from .conftest import Draft

Opening = Callable[[Draft], Reference]


def operation(one: Draft, name: str) -> Any:
    return next(found for found in one.blueprint.operations if found.name == name)


def call(tool: Any, features: set[str], **arguments: Any) -> Call:
    return Call(tool, arguments, Told({}, features=frozenset((feature,) for feature in features)))


def test_few_calls_meet_all_that_is_to_be_met(docs: Draft) -> None:
    tool = operation(docs, "get_doc")
    small, big, other = call(tool, {"a"}, x=1), call(tool, {"a", "b"}, x=1), call(tool, {"c"}, x=1)
    assert covering([small, big, other], 9) == [big, other]
    assert covering([small, big, other], 1) == [big]


def test_of_two_calls_that_show_the_same_the_shorter_is_kept(docs: Draft) -> None:
    tool = operation(docs, "get_doc")
    long, short = call(tool, {"a"}, x="a long value"), call(tool, {"a"}, x=1)
    assert covering([long, short], 9) == [short]


def test_ids_are_spread_over_states_and_children(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    keys = Samples(told).keys(docs.blueprint.table("docs"), "id")
    assert {"home", "attic", "old", "t1"} <= set(keys)


def test_an_unknown_id_looks_like_one_and_is_not_there(docs: Draft, flights: Draft, reference: Opening) -> None:
    for one, table, column in ((docs, "docs", "id"), (flights, "airlines", "code"), (flights, "airports", "code")):
        told = reference(one)
        unknown = Samples(told).unknown(one.blueprint.table(table), column)
        held = [row[column] for row in told.tables.rows(table)]
        assert unknown not in held
        assert len(unknown) in {len(value) for value in held}


@pytest.mark.parametrize(("form", "far"), [("date", 2), ("date-time", 2), (None, 0)])
def test_times_more_than_a_year_away_are_tried_as_out_of_reach(
    docs: Draft, reference: Opening, form: str | None, far: int
) -> None:
    told = reference(docs)
    schema = {"type": "string", **({"format": form} if form else {})}
    moment = Parameter(name="meets_at", json_schema=schema, description="When.")
    tool = operation(docs, "get_doc").model_copy(update={"parameters": (moment,)})
    now = told.live.now()
    tried = [value for value in Candidates(told).invalid(tool, moment) if value[:4].isdigit()]
    assert [abs(int(value[:4]) - int(now[:4])) >= 1 for value in tried] == [True] * far


def test_each_filter_of_a_search_decides_once(flights: Draft, reference: Opening) -> None:
    told = reference(flights)
    search = operation(flights, "search_flights")
    found = probe(told, Candidates(told), search)
    decided = {feature[2] for one in found.successes for feature in one.told.features if feature[0] == "kept"}
    assert len(decided) == len([p for p in search.parameters if p.name not in {"start_cursor", "page_size"}])


def test_witnesses_are_tried_first(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    witness = Witness(outcome="success", query="SELECT id AS doc_id FROM docs WHERE title = 'Attic'")
    tool = operation(docs, "get_doc").model_copy(update={"witnesses": (witness,)})
    assert probe(told, Candidates(told), tool).tried[0].arguments == {"doc_id": "attic"}


def test_a_state_that_no_row_is_in_is_arranged(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    get = operation(docs, "get_tracker")
    rule = Require(that="tracker.title != 'x' and not tracker.in_trash", code="not_allowed", message="No.", hint="Ask.")
    tool = get.model_copy(update={"steps": (get.steps[0], rule, *get.steps[1:])})
    found = probe(told, Candidates(told), tool)
    assert [one.told.code for one in found.errors if one.told.code == "not_allowed"] == []
    probe_rare(told, [found], {"get_tracker": {"not_allowed"}})
    (rare,) = [one for one in found.errors if one.told.code == "not_allowed"]
    (arranged,) = rare.arranged
    assert (arranged.table, arranged.column, arranged.value) == ("trackers", "in_trash", True)


def test_postconditions_are_asked_before_and_after(docs: Draft) -> None:
    query = "SELECT count(*) FROM docs WHERE parent_doc_id = :doc_id AND id != :result_id AND created_time < '09:30:00'"
    ensure = Ensure(query=query, equals="before + result_count")
    tool = operation(docs, "get_doc").model_copy(update={"ensures": (ensure,)})
    told = Call(tool, {"doc_id": "home"}, Told({}))
    before, after = postconditions(told, "result")
    assert before[0].startswith("query = ")
    assert before[1] == 'held = _value(world, query, doc_id="home", result_id=result["id"])'
    assert after == ['assert _value(world, query, doc_id="home", result_id=result["id"]) == held + result["count"]']
    assert postconditions(Call(tool, {}, Told({})), "result") == ([], [])


def test_a_witness_that_changes_nothing_is_tried_with_something_to_change(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    tool = operation(docs, "update_doc")
    bare = Witness(outcome="success", query="SELECT id AS doc_id FROM docs WHERE id = 'home'")
    found = probe(told, Candidates(told), tool.model_copy(update={"witnesses": (bare,)}))
    first, second = found.tried[:2]
    assert first.arguments == {"doc_id": "home"} and first.told.code == "invalid_argument"
    assert second.arguments["doc_id"] == "home" and len(second.arguments) == 2
