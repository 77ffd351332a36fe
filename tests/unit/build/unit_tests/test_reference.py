"""The reference and the lowered tools are two tellings of one blueprint: they agree on every call that is tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from envforge.build.unit_tests.candidates import Candidates
from envforge.build.unit_tests.kinds import is_list, is_object
from envforge.build.unit_tests.probe import probe
from envforge.build.unit_tests.reference import Reference
from envforge.build.unit_tests.selecting import CURSOR
from envforge.world.environment import Environment

from .conftest import Draft

Opening = Callable[[Draft], Reference]


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}")
"""New ids: the rows of the two databases have none of this form."""


def alike(value: Any) -> Any:
    """The result with every cursor that leads on, and every new id, written alike."""
    if isinstance(value, str):
        return UUID.sub("<new>", value)
    if is_object(value):
        return {k: CURSOR if k == "next_cursor" and v else alike(v) for k, v in value.items()}
    return [alike(one) for one in value] if is_list(value) else value


def operation(one: Draft, name: str) -> Any:
    return next(found for found in one.blueprint.operations if found.name == name)


@pytest.mark.parametrize("which", ["flights", "docs"])
def test_it_agrees_with_the_tools(which: str, request: pytest.FixtureRequest, reference: Opening) -> None:
    one: Draft = request.getfixturevalue(which)
    told = reference(one)
    candidates = Candidates(told)
    compared = 0
    with Environment.open(one.folder).start() as session:
        for tool in one.blueprint.operations:
            for call in probe(told, candidates, tool).tried:
                if call.arranged:
                    continue  # a session cannot arrange rows: the tests that are written do
                seen = session.call(tool.name, call.arguments)
                where = (tool.name, call.arguments, seen.error)
                assert not call.told.fault, (*where, call.told.fault)
                assert seen.ok == call.told.ok, where
                if seen.ok:
                    assert alike(seen.result) == alike(call.told.result), where
                    changed = {name: [len(c.inserted), len(c.updated)] for name, c in call.told.changes.items()}
                    found = sorted(session.diff().tables) if call.told.changes else []
                    assert found == sorted(changed), where
                else:
                    assert seen.error is not None and seen.error.code == call.told.code, where
                    assert call.told.message in (None, seen.error.message), where
                if call.told.changes:
                    session.reset()
                compared += 1
    assert compared > 100


def test_a_branch_is_a_feature(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    plain = told.run(operation(docs, "get_doc"), {"doc_id": "home"})
    inside = told.run(operation(docs, "get_doc"), {"doc_id": "t1"})
    assert plain.features != inside.features
    assert inside.result is not None
    assert inside.result["properties"]["Tags"] == ["house"]


def test_a_failing_call_leaves_no_trace(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    before = told.tables.rows("docs")
    properties = {"Status": "Done", "no such property": 1}
    found = told.run(operation(docs, "update_doc"), {"doc_id": "t1", "properties": properties})
    assert found.code == "not_found"
    assert told.tables.rows("docs") == before
    assert told.live.changes() == {}


def test_a_call_is_undone_unless_it_is_kept(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    delete = operation(docs, "delete_piece")
    assert told.run(delete, {"piece_id": "p1"}).ok
    assert told.run(delete, {"piece_id": "p1"}, keep=True).ok
    assert told.run(delete, {"piece_id": "p1"}).code == "conflict"
    assert told.run(delete, {"piece_id": "p1"}).ok


def test_a_crash_is_a_fault_and_no_failure_of_the_caller(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    get = operation(docs, "get_doc")
    broken = get.model_copy(update={"steps": (get.steps[0].model_copy(update={"where": {"id": "doc_id + 1"}}),)})
    found = told.run(broken, {"doc_id": "home"})
    assert (found.ok, found.code) == (False, "")
    assert found.fault.startswith("TypeError")


def test_ids_and_time_of_a_call_are_known(docs: Draft, reference: Opening) -> None:
    told = reference(docs)
    found = told.run(operation(docs, "create_doc"), {"title": "New", "parent_doc_id": "home"})
    (row,) = found.changes["docs"].inserted
    assert found.minted[row["id"]] == "docs"
    assert row["created_time"] == found.now == docs.database.clock
