"""How rows are shown: compact in lists, detailed in look-ups."""

from __future__ import annotations

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Blueprint, View


@pytest.fixture(scope="module")
def blueprint(workspace: Database) -> Blueprint:
    return draw_blueprint(workspace, max_tools=24)[0]


def view(blueprint: Blueprint, name: str) -> View:
    return next(one for one in blueprint.views if one.name == name)


def test_lists_leave_out_who_edited_and_what_is_the_same_for_all(blueprint: Blueprint) -> None:
    compact, detailed = view(blueprint, "piece_summary").fields, view(blueprint, "piece_details").fields
    assert "last_edited_by" not in compact
    assert "in_trash" not in compact
    assert {"last_edited_by", "in_trash"} <= set(detailed)
    assert compact["created_by_name"] == "row.created_by_name"


def test_a_polymorphic_parent_is_one_object(blueprint: Blueprint) -> None:
    fields = view(blueprint, "doc_details").fields
    assert "parent_type" not in fields
    assert "parent_doc_id" not in fields
    assert '"doc_id": row.parent_doc_id' in fields["parent"]
    assert '"workspace": True if row.parent_type == "workspace" else None' in fields["parent"]


def test_the_schema_marks_ids_with_what_they_identify(blueprint: Blueprint) -> None:
    shown = next(one for one in blueprint.operations if one.name == "get_doc").returns["properties"]["doc"]
    assert shown["properties"]["id"]["x-semantic"] == "doc.id"
    assert shown["properties"]["created_by"]["x-semantic"] == "person.id"
    assert shown["properties"]["parent"]["properties"]["tracker_id"]["x-semantic"] == "tracker.id"


def test_one_view_serves_where_two_would_show_the_same(schedule: Database) -> None:
    names = {one.name for one in draw_blueprint(schedule, max_tools=24)[0].views}
    used = {
        part
        for operation in draw_blueprint(schedule, max_tools=24)[0].operations
        for step in operation.steps
        for part in names
        if f"{part}(" in str(step.model_dump())
    }
    assert "airline_summary" not in used
    assert {"airline_details", "flight_summary", "flight_details"} <= used
