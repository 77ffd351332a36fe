"""Tools drawn for a workspace of documents, lowered and run against a real database."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.lower import lower
from envforge.core.contracts import Database
from envforge.world.api import ToolError

from .conftest import Call, TinyWorld, loaded, running


@pytest.fixture
def world(workspace: Database) -> TinyWorld:
    return TinyWorld(workspace)


@pytest.fixture(scope="module")
def tools(workspace: Database) -> dict[str, Any]:
    return loaded(draw_blueprint(workspace, max_tools=24)[0])


@pytest.fixture
def call(tools: dict[str, Any], world: TinyWorld) -> Call:
    return running(tools, world)


def refused(code: str, call: Call, tool: str, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(tool, **arguments)
    assert caught.value.code == code
    return caught.value


def ids(result: dict[str, Any]) -> list[str]:
    return [item["id"] for item in result["items"]]


def test_search_covers_both_tables_and_leaves_out_the_trash(call: Call) -> None:
    assert ids(call("search", query="PLAN")) == ["q1", "plans", "old"]
    assert {item["object"] for item in call("search")["items"]} == {"doc", "tracker"}
    assert "attic" not in ids(call("search", query="attic"))
    assert ids(call("search", object="tracker")) == ["tasks"]


def test_pages_follow_each_other_without_gaps(call: Call) -> None:
    whole = ids(call("search"))
    first = call("search", page_size=3)
    second = call("search", page_size=3, start_cursor=first["next_cursor"])
    assert ids(first) + ids(second) == whole[:6]
    refused("invalid_argument", call, "search", start_cursor="nowhere")


def test_unknown_id_names_the_tool_that_finds_such_ids(call: Call) -> None:
    error = refused("not_found", call, "get_doc", doc_id="nope")
    assert error.hint == "Use search to find doc ids."


def test_look_up_shows_typed_properties_and_the_parent_as_an_object(call: Call) -> None:
    found = call("get_doc", doc_id="t1")
    assert found["doc"]["parent"] == {"tracker_id": "tasks"}
    assert found["doc"]["in_trash"] is False
    assert found["properties"] == {
        "Name": "Fix the roof",
        "Status": "Open",
        "Due": "2026-01-10",
        "Cost": 900.0,
        "Urgent": True,
        "Who": ["ada"],
        "Tags": ["house"],
        "Note": None,
        "Blocks": ["t2"],
    }


def test_what_is_in_the_trash_cannot_be_reached_through_lists(call: Call) -> None:
    error = refused("not_found", call, "list_pieces", doc_id="attic")
    assert error.hint == "Restore it with update_doc first, or choose another doc."


def test_create_stores_properties_children_author_and_address(call: Call, world: TinyWorld) -> None:
    properties = {"Status": "Done", "Tags": ["garden", "house"], "Due": {"start": "2026-02-01", "end": "2026-02-02"}}
    children = [{"type": "paragraph", "text": "Hi", "children": [{"type": "to_do", "text": "x", "checked": True}]}]
    made = call("create_doc", title="New", parent_tracker_id="tasks", properties=properties, children=children)
    assert made["properties"]["Tags"] == ["garden", "house"]
    assert made["properties"]["Due"] == {"start": "2026-02-01", "end": "2026-02-02"}
    row = made["doc"]
    assert (row["created_by"], row["created_time"]) == ("helper", world.now())
    assert row["url"] == f"https://docs.test/{row['id']}"
    pieces = call("list_pieces", doc_id=row["id"])["items"]
    assert [piece["has_children"] for piece in pieces] == [True]
    assert call("list_pieces", piece_id=pieces[0]["id"])["items"][0]["checked"] is True


def test_create_without_a_container_goes_to_the_top_and_with_two_is_refused(call: Call) -> None:
    assert call("create_doc", title="Top")["doc"]["parent"] == {"workspace": True}
    refused("invalid_argument", call, "create_doc", title="x", parent_doc_id="home", parent_tracker_id="tasks")
    refused("not_found", call, "create_doc", title="x", parent_doc_id="nope")
    refused("not_allowed", call, "create_doc", title="x", parent_doc_id="attic")


@pytest.mark.parametrize(
    ("properties", "code", "hint"),
    [
        ({"Status": "Nope"}, "not_found", "Its options: Open, Done."),
        ({"Colour": "red"}, "not_found", "Known properties: Name, Status, Due"),
        ({"Cost": "much"}, "invalid_argument", "Give a number."),
        ({"Due": "soon"}, "invalid_argument", "Give a date"),
        ({"Due": {"start": "2026-02-02", "end": "2026-02-01"}}, "invalid_argument", "Give start and end"),
        ({"Urgent": "yes"}, "invalid_argument", "Give true or false."),
        ({"Tags": ["house", "house"]}, "invalid_argument", "Give a list without repeated items."),
        ({"Who": ["nobody"]}, "not_found", "Pass ids as the other tools return them."),
    ],
)
def test_properties_are_checked_against_their_definitions(
    call: Call, properties: dict[str, Any], code: str, hint: str
) -> None:
    assert hint in refused(code, call, "update_doc", doc_id="t1", properties=properties).hint


def test_update_changes_what_is_given_and_records_who_and_when(call: Call, world: TinyWorld) -> None:
    before = world.query("SELECT * FROM docs WHERE id = 't1'")[0]
    call("update_doc", doc_id="t1", properties={"Name": "Mended roof", "Cost": None})
    after = world.query("SELECT * FROM docs WHERE id = 't1'")[0]
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"title", "last_edited_by", "last_edited_time"}
    assert call("get_doc", doc_id="t1")["properties"]["Cost"] is None
    refused("invalid_argument", call, "update_doc", doc_id="t1")


def test_trash_locks_a_row_until_it_is_restored(call: Call) -> None:
    error = refused("not_allowed", call, "update_doc", doc_id="attic", title="x")
    assert error.hint == "Set in_trash to false first."
    assert call("update_doc", doc_id="attic", title="Loft", in_trash=False)["doc"]["title"] == "Loft"


@pytest.mark.parametrize("target", [{"parent_doc_id": "home"}, {"parent_doc_id": "q1"}, {"parent_tracker_id": "tasks"}])
def test_a_row_cannot_move_into_itself_or_below_itself(call: Call, target: dict[str, str]) -> None:
    refused("not_allowed", call, "move_doc", doc_id="home", **target)


def test_move_sets_the_new_parent(call: Call) -> None:
    assert call("move_doc", doc_id="q1", parent_tracker_id="tasks")["doc"]["parent"] == {"tracker_id": "tasks"}
    refused("invalid_argument", call, "move_doc", doc_id="q1")


def test_append_after_a_child_keeps_positions_dense(call: Call) -> None:
    call("append_pieces", doc_id="home", children=[{"type": "paragraph", "text": "A"}], after="p1")
    call("append_pieces", doc_id="home", children=[{"type": "paragraph", "text": "Z"}])
    items = call("list_pieces", doc_id="home")["items"]
    assert [item["text"] for item in items] == ["Welcome", "A", "Buy paint", "Z"]
    assert [item["position"] for item in items] == [0, 1, 2, 3]


TO_DO = {"type": "to_do"}


@pytest.mark.parametrize(
    ("children", "after", "code"),
    [
        ([{"type": "poem"}], None, "invalid_argument"),
        ([{"text": "no type"}], None, "invalid_argument"),
        ([{"type": "to_do", "checked": "yes"}], None, "invalid_argument"),
        ([{"type": "to_do", "colour": "red"}], None, "invalid_argument"),
        ([], None, "invalid_argument"),
        ([{"type": "to_do"}], "p3", "not_found"),
        (
            [{"type": "to_do", "children": [{"type": "to_do", "children": [{"type": "to_do"}]}]}],
            None,
            "invalid_argument",
        ),
    ],
)
def test_append_refuses_children_that_do_not_fit(call: Call, children: list[Any], after: str | None, code: str) -> None:
    refused(code, call, "append_pieces", doc_id="home", children=children, after=after)


def test_delete_moves_to_the_trash_or_deletes_where_there_is_none(call: Call, world: TinyWorld) -> None:
    call("delete_piece", piece_id="p2")
    assert ids(call("list_pieces", doc_id="home")) == ["p1"]
    assert world.query("SELECT in_trash FROM pieces WHERE id = 'p2'") == [{"in_trash": 1}]
    refused("conflict", call, "delete_piece", piece_id="p2")
    refused("not_allowed", call, "delete_remark", remark_id="r1")
    world.execute("UPDATE remarks SET created_by = 'helper'")
    call("delete_remark", remark_id="r1")
    assert world.query("SELECT id FROM remarks") == [{"id": "r2"}]


def test_a_reply_joins_its_thread_and_takes_its_place(call: Call) -> None:
    reply = call("create_remark", text="Yes", thread_id="th1")["remark"]
    assert (reply["thread_id"], reply["parent"]) == ("th1", {"doc_id": "q1"})
    fresh = call("create_remark", text="New", doc_id="q1")["remark"]
    assert fresh["thread_id"] not in {"th1", fresh["id"]}
    refused("not_found", call, "create_remark", text="x", thread_id="nope")
    refused("invalid_argument", call, "create_remark", text="x", thread_id="th1", doc_id="q1")


QUERIES: list[tuple[dict[str, Any], set[str]]] = [
    ({"property": "Status", "equals": "Open"}, {"t1", "t2"}),
    ({"property": "Status", "status": {"does_not_equal": "Open"}}, {"t3"}),
    ({"property": "Cost", "greater_than": 120}, {"t1"}),
    ({"property": "Cost", "less_than_or_equal_to": 120}, {"t2"}),
    ({"property": "Urgent", "equals": True}, {"t1"}),
    ({"property": "Urgent", "equals": False}, {"t2", "t3"}),
    ({"property": "Urgent", "does_not_equal": True}, {"t2", "t3"}),
    ({"property": "Urgent", "does_not_equal": False}, {"t1"}),
    ({"property": "Tags", "contains": "house"}, {"t1"}),
    ({"property": "Tags", "does_not_contain": "house"}, {"t2", "t3"}),
    ({"property": "Due", "before": "2026-02-01"}, {"t1"}),
    ({"property": "Due", "on_or_after": "2026-02-01"}, {"t2"}),
    ({"property": "Due", "past_week": {}}, {"t1"}),
    ({"property": "Due", "next_month": {}}, {"t2"}),
    ({"property": "Due", "is_empty": True}, {"t3"}),
    ({"property": "Who", "is_not_empty": True}, {"t1", "t2"}),
    ({"property": "Who", "contains": "bob"}, {"t2"}),
    ({"property": "Note", "contains": "0% OIL_"}, {"t2"}),
    ({"property": "Note", "contains": "0%oil"}, set[str]()),
    ({"property": "Name", "starts_with": "paint"}, {"t2"}),
    ({"property": "Name", "ends_with": "fence"}, {"t2"}),
    ({"property": "Name", "does_not_contain": "the"}, set[str]()),
    ({"timestamp": "created_time", "on_or_before": "2026-01-04"}, {"t1"}),
    ({"and": [{"property": "Status", "equals": "Open"}, {"property": "Cost", "less_than": 500}]}, {"t2"}),
    (
        {"or": [{"property": "Status", "equals": "Done"}, {"and": [{"property": "Urgent", "equals": True}]}]},
        {"t1", "t3"},
    ),
]


@pytest.mark.parametrize(("condition", "expected"), QUERIES)
def test_query_filters_by_typed_properties(call: Call, condition: dict[str, Any], expected: set[str]) -> None:
    assert set(ids(call("query_tracker", tracker_id="tasks", filter=condition))) == expected


@pytest.mark.parametrize(
    ("sorts", "expected"),
    [
        ([{"property": "Cost", "direction": "descending"}], ["t1", "t2", "t3"]),
        ([{"property": "Due", "direction": "ascending"}], ["t1", "t2", "t3"]),
        ([{"property": "Status"}, {"timestamp": "created_time", "direction": "descending"}], ["t2", "t1", "t3"]),
        ([{"property": "Name"}], ["t3", "t1", "t2"]),
    ],
)
def test_query_sorts_by_property_and_timestamp(call: Call, sorts: list[Any], expected: list[str]) -> None:
    assert ids(call("query_tracker", tracker_id="tasks", sorts=sorts)) == expected


@pytest.mark.parametrize(
    "condition",
    [
        {"property": "Cost", "contains": 1},
        {"property": "Cost", "equals": "1"},
        {"property": "Status", "equals": "Nope"},
        {"property": "Status"},
        {"property": "Status", "equals": "Open", "is_empty": True},
        {"timestamp": "title", "before": "2026-01-01"},
        {"and": []},
        {"and": [{"or": [{"and": [{"or": [{"property": "Status", "equals": "Open"}]}]}]}]},
    ],
)
def test_query_refuses_conditions_that_make_no_sense(call: Call, condition: dict[str, Any]) -> None:
    refused("invalid_argument", call, "query_tracker", tracker_id="tasks", filter=condition)


def test_a_query_by_what_is_not_there_does_not_find_it(call: Call) -> None:
    unknown = {"property": "Colour", "equals": "red"}
    assert "Known properties" in refused("not_found", call, "query_tracker", tracker_id="tasks", filter=unknown).hint


def test_collections_define_rename_extend_and_drop_properties(call: Call) -> None:
    made = call(
        "create_tracker", title="Bugs", doc_id="home", properties={"Kind": {"type": "select", "options": ["a"]}}
    )
    assert {name: one["type"] for name, one in made["properties"].items()} == {"Kind": "select", "Name": "title"}
    key = made["tracker"]["id"]
    changes = {"Kind": {"name": "Sort", "options": ["a", "b"]}, "Due": {"type": "date"}}
    changed = call("update_tracker", tracker_id=key, properties=changes)["properties"]
    assert changed["Sort"]["options"] == ["a", "b"]
    assert "Due" not in call("update_tracker", tracker_id=key, properties={"Due": None})["properties"]
    refused("conflict", call, "update_tracker", tracker_id=key, properties={"Name": None})
    refused("conflict", call, "update_tracker", tracker_id=key, properties={"Sort": {"type": "number"}})
    refused("invalid_argument", call, "update_tracker", tracker_id=key, properties={"New": {"type": "spell"}})
    refused("conflict", call, "update_tracker", tracker_id=key, properties={"Sort": {"name": "Name"}})


def test_the_acting_user_is_the_integration(call: Call) -> None:
    assert call("get_self")["person"]["id"] == "helper"


def test_the_module_is_the_same_every_time(workspace: Database) -> None:
    first, second = (lower(draw_blueprint(workspace, max_tools=24)[0])[0] for _ in range(2))
    assert first == second


def test_the_trash_can_be_searched_and_what_is_inside_of_it_is_in_it(call: Call) -> None:
    assert set(ids(call("search", in_trash=True))) == {"attic", "box"}
    assert not {"attic", "box"} & set(ids(call("search")))
    call("update_doc", doc_id="t3", in_trash=True)
    assert ids(call("query_tracker", tracker_id="tasks", in_trash=True)) == ["t3"]
    assert "t3" not in ids(call("query_tracker", tracker_id="tasks"))


def test_what_is_archived_stays_in_sight(call: Call) -> None:
    found = {item["id"]: item["is_archived"] for item in call("search")["items"]}
    assert (found["old"], found["home"]) == (True, False)
    assert call("list_pieces", doc_id="old")["items"] == []
    refused("not_allowed", call, "update_doc", doc_id="old", title="x")


def test_equal_titles_are_told_apart_by_their_parent(call: Call) -> None:
    parents = {item["id"]: item["parent"] for item in call("search")["items"]}
    assert parents["home"] == {"workspace": True}
    assert parents["plans"] == {"doc_id": "home"}
    assert parents["t1"] == {"tracker_id": "tasks"}
    assert parents["tasks"] == {"doc_id": "home"}


def test_the_list_of_content_shows_what_else_is_inside(call: Call) -> None:
    found = call("list_pieces", doc_id="home")
    assert found["child_docs"] == [{"id": "old", "title": "Old plans"}, {"id": "plans", "title": "Plans"}]
    assert found["child_trackers"] == [{"id": "tasks", "title": "Tasks"}]
    assert call("list_pieces", piece_id="p1")["child_docs"] == []
    call("update_doc", doc_id="plans", in_trash=True)
    assert [doc["id"] for doc in call("list_pieces", doc_id="home")["child_docs"]] == ["old"]


@pytest.mark.parametrize(
    ("code", "tool", "arguments"),
    [
        ("not_allowed", "update_doc", {"doc_id": "box", "title": "x"}),
        ("not_allowed", "update_doc", {"doc_id": "box", "in_trash": False}),
        ("not_allowed", "move_doc", {"doc_id": "box", "parent_doc_id": "home"}),
        ("not_allowed", "move_doc", {"doc_id": "q1", "parent_doc_id": "box"}),
        ("not_allowed", "create_doc", {"title": "x", "parent_doc_id": "box"}),
        ("not_allowed", "update_piece", {"piece_id": "p4", "text": "x"}),
        ("conflict", "delete_piece", {"piece_id": "p4"}),
        ("not_allowed", "append_pieces", {"piece_id": "p4", "children": [{"type": "paragraph"}]}),
        ("not_allowed", "create_remark", {"text": "x", "thread_id": "th2"}),
        ("not_found", "list_pieces", {"doc_id": "box"}),
        ("not_found", "list_pieces", {"piece_id": "p4"}),
        ("not_found", "list_remarks", {"doc_id": "box"}),
    ],
)
def test_a_trashed_container_takes_its_content_along(call: Call, code: str, tool: str, arguments: Any) -> None:
    error = refused(code, call, tool, **arguments)
    assert error.message == "The doc 'Attic' is in the trash."
    assert "inside of it. Restore it with update_doc first" in error.hint


def test_a_collection_in_a_trashed_container_is_closed(call: Call) -> None:
    call("update_doc", doc_id="home", in_trash=True)
    assert "doc 'Home'" in refused("not_found", call, "query_tracker", tracker_id="tasks").message
    refused("not_allowed", call, "create_doc", title="x", parent_tracker_id="tasks")
    assert {"home", "plans", "q1", "tasks", "t1", "old"} <= set(ids(call("search", in_trash=True)))


def test_only_its_author_changes_a_remark_while_pieces_are_shared(call: Call) -> None:
    assert refused("not_allowed", call, "delete_remark", remark_id="r1").hint.endswith("get_self shows who you are.")
    own = call("create_remark", text="Mine", doc_id="q1")["remark"]["id"]
    assert call("delete_remark", remark_id=own)["deleted"] is True
    assert call("update_piece", piece_id="p1", text="Ada wrote this")["piece"]["text"] == "Ada wrote this"


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"Blocks": ["t1"]}, "invalid_argument"),
        ({"Blocks": ["plans"]}, "invalid_argument"),
        ({"Blocks": ["t3"]}, "not_allowed"),
        ({"Blocks": ["nope"]}, "not_found"),
        ({"Name": ""}, "invalid_argument"),
        ({"Name": None}, "invalid_argument"),
        ({}, "invalid_argument"),
    ],
)
def test_relations_and_titles_are_checked(call: Call, properties: dict[str, Any], code: str) -> None:
    call("update_doc", doc_id="t3", in_trash=True)
    refused(code, call, "update_doc", doc_id="t1", properties=properties)


def test_one_title_is_enough(call: Call) -> None:
    refused("invalid_argument", call, "update_doc", doc_id="t1", title="A", properties={"Name": "B"})
    assert call("update_doc", doc_id="t1", title="A", properties={"Name": "A"})["doc"]["title"] == "A"


def test_a_relation_can_say_where_it_leads(call: Call) -> None:
    made = call("update_tracker", tracker_id="tasks", properties={"Next": {"type": "relation", "tracker_id": "tasks"}})
    assert made["properties"]["Next"]["tracker_id"] == "tasks"
    for change, code in (
        ({"type": "number", "tracker_id": "tasks"}, "invalid_argument"),
        ({"type": "relation", "tracker_id": "nope"}, "not_found"),
    ):
        refused(code, call, "update_tracker", tracker_id="tasks", properties={"More": change})
    refused("conflict", call, "update_tracker", tracker_id="tasks", properties={"Blocks": {"tracker_id": "other"}})


def test_values_go_along_into_a_collection_that_defines_them(call: Call, world: TinyWorld) -> None:
    properties = {"Status": {"type": "status", "options": ["Open"]}, "Cost": {"type": "rich_text"}}
    properties |= {"Tags": {"type": "multi_select", "options": ["other"]}, "Due": {"type": "date"}}
    key = call("create_tracker", title="Later", doc_id="home", properties=properties)["tracker"]["id"]
    moved = call("move_doc", doc_id="t1", parent_tracker_id=key)["properties"]
    assert (moved["Status"], moved["Due"], moved["Cost"], moved["Tags"]) == ("Open", "2026-01-10", None, [])
    assert world.query("SELECT count(*) AS n FROM field_values WHERE doc_id = 't1'") == [{"n": 2}]
    call("move_doc", doc_id="t1", parent_doc_id="home")
    assert world.query("SELECT * FROM field_values WHERE doc_id = 't1'") == []


@pytest.mark.parametrize(
    "child",
    [
        {"type": "divider", "text": "x"},
        {"type": "bookmark"},
        {"type": "bookmark", "url": "nowhere"},
        {"type": "paragraph", "url": "https://example.org"},
        {"type": "child_doc"},
        {"type": "paragraph", "children": [{"type": "child_doc"}]},
    ],
)
def test_children_have_the_fields_of_their_type(call: Call, child: dict[str, Any]) -> None:
    refused("invalid_argument", call, "append_pieces", doc_id="home", children=[child])
    good = [{"type": "divider"}, {"type": "bookmark", "url": "https://example.org/a"}]
    assert len(call("append_pieces", doc_id="home", children=good)["items"]) == 2


def test_a_change_keeps_to_the_type_of_a_piece(call: Call) -> None:
    good = [{"type": "divider"}, {"type": "bookmark", "url": "https://example.org/a"}]
    divider, bookmark = ids(call("append_pieces", doc_id="home", children=good))
    assert refused("invalid_argument", call, "update_piece", piece_id=divider, text="x").hint == "Leave text out."
    assert call("update_piece", piece_id=bookmark, text="Read this")["piece"]["text"] == "Read this"


def test_nothing_goes_behind_a_child_in_the_trash(call: Call) -> None:
    call("delete_piece", piece_id="p2")
    refused("not_found", call, "append_pieces", doc_id="home", children=[{"type": "divider"}], after="p2")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_piece", {"piece_id": "p3", "text": "x"}),
        ("delete_piece", {"piece_id": "p3"}),
        ("append_pieces", {"piece_id": "p3", "children": [{"type": "divider"}]}),
        ("append_pieces", {"doc_id": "home", "children": [{"type": "divider"}]}),
    ],
)
def test_a_change_of_content_is_a_change_of_the_document(
    call: Call, world: TinyWorld, tool: str, arguments: dict[str, Any]
) -> None:
    call(tool, **arguments)
    held = world.query("SELECT last_edited_time, last_edited_by FROM docs WHERE id = 'home'")
    assert held == [{"last_edited_time": world.now(), "last_edited_by": "helper"}]


@pytest.mark.parametrize(
    ("code", "arguments", "hint"),
    [
        ("invalid_argument", {"filter": {"property": "Due", "is_empty": False}}, "For the opposite use is_not_empty."),
        (
            *("not_found", {"filter": {"property": "Who", "contains": "Ada"}}),
            "Pass an id as the other tools return it, not a name.",
        ),
        ("invalid_argument", {"filter": {"equals": "x"}}, 'For example {"property": "Name", ...}.'),
        ("invalid_argument", {"sorts": [{"direction": "ascending"}]}, 'For example {"property": "Name", ...}.'),
    ],
)
def test_a_query_says_what_is_wrong(call: Call, code: str, arguments: dict[str, Any], hint: str) -> None:
    assert refused(code, call, "query_tracker", tracker_id="tasks", **arguments).hint == hint


def test_parameters_say_what_they_are_for(workspace: Database) -> None:
    blueprint = draw_blueprint(workspace, max_tools=24)[0]
    described = {(o.name, p.name): p.description for o in blueprint.operations for p in o.parameters}
    summaries = {o.name: o.summary for o in blueprint.operations}
    assert described["move_doc", "parent_doc_id"] == "The id of the doc to move it into."
    assert described["list_pieces", "doc_id"] == "The id of the doc whose pieces are listed."
    assert described["create_remark", "doc_id"] == "The id of the doc that it is about."
    assert described["append_pieces", "children"].startswith("Pieces in order: objects with `type`")
    assert "Make docs with create_doc." in described["append_pieces", "children"]
    assert summaries["move_doc"] == "Move a doc under another doc or into a tracker."
    assert summaries["append_pieces"] == "Append pieces to a doc or a piece."
