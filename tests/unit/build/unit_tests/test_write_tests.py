"""The written tests pass on the tools, cover them, and notice when a tool is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envforge.build.unit_tests import write_tests
from envforge.core.contracts import Database, GateContext
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Let
from envforge.gates.calls import literal_calls
from envforge.gates.tools import Mutation, TestCoverage
from envforge.store.files import write_text
from envforge.world.test_runner import run_tests

from .conftest import Draft, draft


def written(one: Draft) -> str:
    text = write_tests(one.blueprint, one.specs, one.database, one.folder)
    write_text(one.folder / "tests" / "test_tools.py", text)
    return text


@pytest.mark.parametrize("which", ["flights", "docs"])
def test_they_pass_and_cover_every_tool_and_error(which: str, request: pytest.FixtureRequest) -> None:
    one: Draft = request.getfixturevalue(which)
    text = written(one)
    report = run_tests(one.folder)
    assert report.failed == ()
    assert len(report.passed) >= 3 * len(one.specs)
    coverage = TestCoverage().check(GateContext(one.folder, {}))
    assert coverage.reasons == ()
    assert max(map(len, text.splitlines())) <= 120
    assert {call.tool for call in literal_calls(text)} == {spec.name for spec in one.specs}


def test_the_same_input_gives_the_same_text(docs: Draft) -> None:
    assert written(docs) == written(docs)


@pytest.mark.parametrize(("which", "share"), [("flights", 0.85), ("docs", 0.8)])
def test_they_notice_most_mutants(which: str, share: float, request: pytest.FixtureRequest) -> None:
    one: Draft = request.getfixturevalue(which)
    written(one)
    result = Mutation().check(GateContext(one.folder, {"mutation": {"killed_share": share, "most": 80}}))
    assert result.passed, result.reasons


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("flights.carrier = ?", "flights.carrier != ?"),
        ('"has_more": has_more', '"has_more": not has_more'),
        ('"not_found"', '"conflict"'),
        ('"name": row["name"]', '"name": row["code"]'),
        ("ORDER BY flights.departure, flights.flight_id", "ORDER BY flights.flight_id"),
    ],
)
def test_they_fail_on_a_wrong_tool(flights: Draft, right: str, wrong: str) -> None:
    written(flights)
    path = flights.folder / "tools.py"
    module = path.read_text(encoding="utf-8")
    assert right in module
    write_text(path, module.replace(right, wrong))
    assert run_tests(flights.folder).failed


def test_expected_rows_come_from_sql_of_the_tests_own(flights: Draft) -> None:
    text = written(flights)
    assert "SELECT flight_id" in text
    assert "_all_pages(" in text
    assert 'world.query("SELECT * FROM flights WHERE flight_id = ?"' in text


def test_a_failure_that_no_row_leads_to_is_found_after_another_call(workspace: Database, tmp_path: Path) -> None:
    pieces = [row for row in workspace.rows["pieces"] if row["id"] != "p4"]  # the one that is in the trash
    text = written(draft(replace(workspace, rows={**workspace.rows, "pieces": pieces}), tmp_path / "docs"))
    body = text[text.index("def test_delete_piece__conflict(") :]
    body = body[: body.index("\n\n\n")]
    assert body.index("tools.delete_piece(") < body.index("before = changes(world)") < body.index("raises")
    assert "assert changes(world) == before" in body


def test_a_state_that_no_row_is_in_is_arranged(docs: Draft) -> None:
    text = written(docs)
    trashed = text[text.index('"""The tracker \'Tasks\' is in the trash') :]
    assert 'world.execute("UPDATE trackers SET in_trash = ? WHERE id = ?", [1, "tasks"])' in trashed[:300]
    own = text[text.index("def test_delete_remark__success(") :]
    assert own.index("UPDATE remarks SET created_by = ?") < own.index("tools.delete_remark(")


def test_another_database_is_refused(flights: Draft, docs: Draft) -> None:
    with pytest.raises(BuildError, match="tables that the database lacks"):
        write_tests(flights.blueprint, flights.specs, docs.database, flights.folder)


def test_a_tool_that_crashes_gets_no_tests(flights: Draft) -> None:
    get = next(one for one in flights.blueprint.operations if one.name == "get_flight")
    crash = Let(name="half", value="flight.status / 2")
    broken = get.model_copy(update={"steps": (get.steps[0], crash, *get.steps[1:])})
    operations = tuple(broken if one is get else one for one in flights.blueprint.operations)
    blueprint = flights.blueprint.model_copy(update={"operations": operations})
    with pytest.raises(BuildError, match=r"the steps crash on .*flight_id.*TypeError") as caught:
        write_tests(blueprint, flights.specs, flights.database, flights.folder)
    assert caught.value.where == "operation get_flight"
