"""Unit tests of the tools: one module for the environment in the folder above.

Expected values come from the rows, read with SQL that the tools do not use, and from what the tools are meant to do.
Every test gets a fresh World.
"""

import pytest
import tools

from envforge.world.api import ToolError
from envforge.world.testing import changes


def _all_pages(tool, world, first, cursor, /, **arguments):
    """The items of all pages, from the first one on."""
    items, page = list(first["items"]), first
    while page["next_cursor"] is not None:
        page = tool(world, **arguments, **{cursor: page["next_cursor"]})
        items += page["items"]
    return items


def _changed(before, after):
    """The columns that differ, with their new values."""
    return {name: after[name] for name in before if before[name] != after[name]}


def _columns(row, *names, flags=()):
    """Columns of a row as results show them: flags are true or false."""
    return {name: row[name] if name not in flags or row[name] is None else row[name] == 1 for name in names}


def _counts(made):
    """table -> how many rows were inserted, updated and deleted."""
    return {table: tuple(len(made[table][kind]) for kind in ("inserted", "updated", "deleted")) for table in made}


def _value(world, query, **parameters):
    """The one value that a query yields."""
    (row,) = world.query(query, parameters)
    (value,) = row.values()
    return value


def test_list_overrides__with_several(world):
    """With feature_key, field and page_size: one row fits."""
    page = tools.list_overrides(world, feature_key="a", field="status_baseline", page_size=1)
    assert page == {
        "items": [
            {
                "feature_key": "a",
                "field": "status_baseline",
                "value": "low",
                "correction_id": 2023,
                "since": "2025-11-07T12:36:54Z",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_list_overrides__with_field(world):
    """With field: 80 rows fit."""
    page = tools.list_overrides(world, field="status_baseline")
    assert [item["feature_key"] for item in page["items"]] == [
        "background-clip-border-area", "scheduler", "input-event", "intl-plural-rules", "attr", "linear-easing",
        "webgl-depth-texture", "cors", "regexp-escape", "get-computed-style", "keyboard-map", "image-orientation",
        "title", "float-clear", "shared-storage-locks", "requestclose", "webgpu-subgroups", "url", "focus-events",
        "cookie-enabled",
    ]
    assert page["items"][0] == {
        "feature_key": "background-clip-border-area",
        "field": "status_baseline",
        "value": "high",
        "correction_id": 2480,
        "since": "2026-09-11T15:00:53Z",
    }
    assert page["items"][-1] == {
        "feature_key": "cookie-enabled",
        "field": "status_baseline",
        "value": "false",
        "correction_id": 2280,
        "since": "2026-06-19T14:28:50Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_overrides__with_feature_key_and_field(world):
    """With feature_key and field: no row fits."""
    page = tools.list_overrides(world, feature_key="z", field="status_baseline")
    expected = world.query(
        "SELECT override_id "
        "FROM overrides "
        "WHERE feature_key IS ? "
        "AND field IS ? "
        "ORDER BY since DESC, override_id LIMIT 21",
        ["z", "status_baseline"],
    )
    assert [item["override_id"] for item in page["items"]] == [row["override_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_overrides__with_feature_key_and_field_2(world):
    """With feature_key and field: one row fits."""
    page = tools.list_overrides(world, feature_key="background-clip-text", field="status_baseline")
    assert page == {
        "items": [
            {
                "feature_key": "background-clip-text",
                "field": "status_baseline",
                "value": "high",
                "correction_id": 2264,
                "since": "2026-06-04T13:47:42Z",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_list_overrides__paging(world):
    """The pages of 11 together hold the same 33 items, in the same order."""
    whole = tools.list_overrides(world, field="status_baseline_low_date", page_size=33)
    assert len(whole["items"]) == 33
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_overrides(world, field="status_baseline_low_date", page_size=11)
    assert first["items"] == whole["items"][:11]
    assert first["has_more"] is True
    items = _all_pages(
        tools.list_overrides, world, first, "start_cursor",
        field="status_baseline_low_date",
        page_size=11,
    )
    assert items == whole["items"]
    most = tools.list_overrides(world, field="status_baseline_low_date", page_size=32)
    assert most["has_more"] is True


def test_list_overrides__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="letter-spacing", field="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="letter-spacing", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="letter-spacing", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_corrections__with_several(world):
    """With feature_key, state, reviewer_id and filed_by: one row fits."""
    page = tools.search_corrections(
        world,
        feature_key="server-sent-events",
        state="accepted",
        reviewer_id=29,
        filed_by=13,
    )
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE feature_key IS ? "
        "AND state IS ? "
        "AND reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["server-sent-events", "accepted", 29, 13],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "correction_id": 2001,
            "feature_key": "server-sent-events",
            "name": "Server-sent events",
            "field": "status_baseline_high_date",
            "proposed_value": "2020-05-28",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 13,
            "reviewer_id": 29,
            "due_on": "2025-11-03",
            "ground": None,
            "filed_at": "2025-10-10T09:28:29Z",
            "decided_at": "2025-10-20T13:59:04Z",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_field(world):
    """With field: 291 rows fit."""
    page = tools.search_corrections(world, field="status_baseline")
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE field IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["status_baseline"],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2005,
        "feature_key": "app-share-targets",
        "name": "Share targets",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "rejected",
        "filed_by": 28,
        "reviewer_id": 35,
        "due_on": "2025-10-27",
        "ground": "already_right",
        "filed_at": "2025-10-13T13:44:59Z",
        "decided_at": "2025-10-17T12:12:40Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2044,
        "feature_key": "element-capture",
        "name": "Element capture",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "official",
        "state": "rejected",
        "filed_by": 19,
        "reviewer_id": 37,
        "due_on": "2025-12-10",
        "ground": "already_right",
        "filed_at": "2025-11-13T13:38:28Z",
        "decided_at": "2025-11-24T09:18:57Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_several_2(world):
    """With feature_key, state, reviewer_id and filed_by: no row fits."""
    page = tools.search_corrections(world, feature_key="server-sent-events", state="open", reviewer_id=29, filed_by=13)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE feature_key IS ? "
        "AND state IS ? "
        "AND reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["server-sent-events", "open", 29, 13],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_state_and_reviewer_id(world):
    """With state and reviewer_id: 20 rows fit."""
    page = tools.search_corrections(world, state="open", reviewer_id=30)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE state IS ? "
        "AND reviewer_id IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["open", 30],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2348,
        "feature_key": "focus-within",
        "name": ":focus-within",
        "field": "status_baseline_high_date",
        "proposed_value": "2026-08-20",
        "evidence": "none",
        "state": "open",
        "filed_by": 12,
        "reviewer_id": 30,
        "due_on": "2026-08-18",
        "ground": None,
        "filed_at": "2026-08-04T09:11:01Z",
        "decided_at": None,
    }
    assert page["items"][-1] == {
        "correction_id": 2556,
        "feature_key": "feature-policy",
        "name": "Feature policy",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "none",
        "state": "open",
        "filed_by": 11,
        "reviewer_id": 30,
        "due_on": "2026-10-28",
        "ground": None,
        "filed_at": "2026-10-02T13:04:45Z",
        "decided_at": None,
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_due_before(world):
    """With due_before: 113 rows fit."""
    page = tools.search_corrections(world, due_before="2026-02-10")
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE due_on < ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["2026-02-10"],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2005,
        "feature_key": "app-share-targets",
        "name": "Share targets",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "rejected",
        "filed_by": 28,
        "reviewer_id": 35,
        "due_on": "2025-10-27",
        "ground": "already_right",
        "filed_at": "2025-10-13T13:44:59Z",
        "decided_at": "2025-10-17T12:12:40Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2033,
        "feature_key": "ime-mode",
        "name": "ime-mode",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "accepted",
        "filed_by": 20,
        "reviewer_id": 34,
        "due_on": "2025-11-21",
        "ground": None,
        "filed_at": "2025-11-04T14:08:48Z",
        "decided_at": "2025-11-07T14:31:57Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_state_and_reviewer_id_2(world):
    """With state and reviewer_id: 26 rows fit."""
    page = tools.search_corrections(world, state="open", reviewer_id=29)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE state IS ? "
        "AND reviewer_id IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["open", 29],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2377,
        "feature_key": "clear-site-data",
        "name": "Clearing site data",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "open",
        "filed_by": 13,
        "reviewer_id": 29,
        "due_on": "2026-08-31",
        "ground": None,
        "filed_at": "2026-08-13T11:39:03Z",
        "decided_at": None,
    }
    assert page["items"][-1] == {
        "correction_id": 2514,
        "feature_key": "datalist",
        "name": "<datalist>",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "open",
        "filed_by": 23,
        "reviewer_id": 29,
        "due_on": "2026-10-20",
        "ground": None,
        "filed_at": "2026-09-17T14:46:42Z",
        "decided_at": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_filed_by(world):
    """With filed_by: 31 rows fit."""
    page = tools.search_corrections(world, filed_by=16)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        [16],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2012,
        "feature_key": "font-loading",
        "name": "Font loading",
        "field": "status_baseline",
        "proposed_value": "false",
        "evidence": "secondary",
        "state": "rejected",
        "filed_by": 16,
        "reviewer_id": 29,
        "due_on": "2025-11-19",
        "ground": "out_of_scope",
        "filed_at": "2025-10-21T13:33:44Z",
        "decided_at": "2025-10-23T13:24:18Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2337,
        "feature_key": "element-from-point",
        "name": "document.elementFromPoint() and document.elementsFromPoint()",
        "field": "status_baseline_low_date",
        "proposed_value": "2022-09-12",
        "evidence": "none",
        "state": "rejected",
        "filed_by": 16,
        "reviewer_id": 29,
        "due_on": "2026-08-24",
        "ground": "out_of_scope",
        "filed_at": "2026-07-29T09:34:16Z",
        "decided_at": "2026-08-14T11:39:24Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_page_size(world):
    """With page_size: 560 rows fit."""
    page = tools.search_corrections(world, page_size=1)
    expected = world.query("SELECT correction_id FROM corrections ORDER BY due_on, correction_id LIMIT 2")
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "correction_id": 2005,
            "feature_key": "app-share-targets",
            "name": "Share targets",
            "field": "status_baseline",
            "proposed_value": "high",
            "evidence": "secondary",
            "state": "rejected",
            "filed_by": 28,
            "reviewer_id": 35,
            "due_on": "2025-10-27",
            "ground": "already_right",
            "filed_at": "2025-10-13T13:44:59Z",
            "decided_at": "2025-10-17T12:12:40Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_due_before_2(world):
    """With due_before: 560 rows fit."""
    page = tools.search_corrections(world, due_before="2026-11-14")
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE due_on < ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["2026-11-14"],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2005,
        "feature_key": "app-share-targets",
        "name": "Share targets",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "rejected",
        "filed_by": 28,
        "reviewer_id": 35,
        "due_on": "2025-10-27",
        "ground": "already_right",
        "filed_at": "2025-10-13T13:44:59Z",
        "decided_at": "2025-10-17T12:12:40Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2033,
        "feature_key": "ime-mode",
        "name": "ime-mode",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "secondary",
        "state": "accepted",
        "filed_by": 20,
        "reviewer_id": 34,
        "due_on": "2025-11-21",
        "ground": None,
        "filed_at": "2025-11-04T14:08:48Z",
        "decided_at": "2025-11-07T14:31:57Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_corrections(world, feature_key="canvas-html", page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_corrections(world, feature_key="canvas-html", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_corrections, world, first, "start_cursor", feature_key="canvas-html", page_size=2)
    assert items == whole["items"]
    most = tools.search_corrections(world, feature_key="canvas-html", page_size=6)
    assert most["has_more"] is True


def test_search_corrections__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="server-sent-events", reviewer_id=29, filed_by=13, due_before="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(
            world,
            feature_key="server-sent-events",
            reviewer_id=29,
            filed_by=13,
            due_before="not-a-date",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="   ", reviewer_id=29, filed_by=13)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="server-sent-events", field="   ", reviewer_id=29, filed_by=13)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="server-sent-events", reviewer_id=29, filed_by="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="server-sent-events", reviewer_id=29, filed_by=13, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="server-sent-events", reviewer_id="many", filed_by=13)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(
            world,
            feature_key="server-sent-events",
            reviewer_id=29,
            filed_by=13,
            start_cursor="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(
            world,
            feature_key="server-sent-events",
            state="no_such_choice",
            reviewer_id=29,
            filed_by=13,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__success(world):
    """With feature_key, field, proposed_value and more: adds 1 of corrections, and nothing else changes."""
    query = "SELECT count(*) FROM corrections WHERE feature_key = :feature_key AND field = :field AND state = 'open'"
    now = world.now()
    result = tools.file_correction(
        world,
        feature_key="abbr",
        field="status_baseline",
        proposed_value="to be checked",
        evidence="none",
        filed_by=11,
    )
    made = changes(world)
    new_correction = made["corrections"]["inserted"][0]["correction_id"]
    assert _counts(made) == {"corrections": (1, 0, 0)}
    assert made["corrections"]["inserted"] == [{
        "correction_id": new_correction,
        "feature_key": "abbr",
        "field": "status_baseline",
        "proposed_value": "to be checked",
        "evidence": "none",
        "state": "open",
        "filed_by": 11,
        "reviewer_id": None,
        "due_on": "2026-10-19",
        "ground": None,
        "filed_at": now,
        "decided_at": None,
    }]
    assert result == {
        "correction": {
            "correction_id": new_correction,
            "feature_key": "abbr",
            "field": "status_baseline",
            "proposed_value": "to be checked",
            "evidence": "none",
            "state": "open",
            "filed_by": 11,
            "reviewer_id": None,
            "due_on": "2026-10-19",
            "ground": None,
            "filed_at": now,
            "decided_at": None,
        },
    }
    assert _value(world, query, feature_key="abbr", field="status_baseline") == 1


def test_file_correction__conflict(world):
    """Correction 2343 of this field is open already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="matchmedia",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "Correction 2343 of this field is open already."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__not_allowed(world):
    """Ellie Davies is no active editor: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=29,
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ellie Davies is no active editor."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__not_found(world):
    """There is no feature z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="z",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature z."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__conflict_2(world):
    """The field has an override already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "The field has an override already."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__not_found_2(world):
    """There is no curator 1037: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="abbr",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=1037,
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no curator 1037."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="abbr",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="no_such_choice",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="   ",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="abbr",
            field="   ",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="abbr",
            field="status_baseline",
            proposed_value="to be checked",
            evidence="secondary",
            filed_by="many",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="abbr",
            field="status_baseline",
            proposed_value="   ",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__success(world):
    """With correction_id and reviewer_id: changes 1 of corrections, and nothing else changes."""
    query = "SELECT reviewer_id FROM corrections WHERE correction_id = :correction_id"
    result = tools.assign_correction(world, correction_id=2343, reviewer_id=30)
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2343
    assert _changed(before, after) == {"reviewer_id": 30}
    assert result == {
        "correction": {
            "correction_id": 2343,
            "feature_key": "matchmedia",
            "field": "status_baseline",
            "proposed_value": "false",
            "evidence": "none",
            "state": "open",
            "filed_by": 14,
            "reviewer_id": 30,
            "due_on": "2026-09-02",
            "ground": None,
            "filed_at": "2026-08-03T09:24:02Z",
            "decided_at": None,
        },
    }
    assert _value(world, query, correction_id=2343) == 30


def test_assign_correction__not_allowed(world):
    """Correction 2001 is accepted: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2001, reviewer_id=16)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2001 is accepted."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_found(world):
    """There is no correction 3560: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=3560, reviewer_id=30)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3560."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_allowed_2(world):
    """Alex Lee is no active reviewer: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2343, reviewer_id=11)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Alex Lee is no active reviewer."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_found_2(world):
    """There is no curator 1037: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2343, reviewer_id=1037)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no curator 1037."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id="many", reviewer_id=30)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2343, reviewer_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__success(world):
    """With correction_id: changes 1 of corrections and adds 1 of overrides, and nothing else changes."""
    query = "SELECT count(*) FROM overrides WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.accept_correction(world, correction_id=2344)
    made = changes(world)
    new_override = made["overrides"]["inserted"][0]["override_id"]
    assert _counts(made) == {"corrections": (0, 1, 0), "overrides": (1, 0, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2344
    assert _changed(before, after) == {"state": "accepted", "decided_at": now}
    assert made["overrides"]["inserted"] == [{
        "override_id": new_override,
        "feature_key": "baseline-source",
        "field": "status_baseline_high_date",
        "value": "2020-10-12",
        "correction_id": 2344,
        "since": now,
    }]
    assert result == {
        "correction": {
            "correction_id": 2344,
            "feature_key": "baseline-source",
            "field": "status_baseline_high_date",
            "proposed_value": "2020-10-12",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 18,
            "reviewer_id": 33,
            "due_on": "2026-08-25",
            "ground": None,
            "filed_at": "2026-08-03T10:18:54Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2344) == 1


def test_accept_correction__success_2(world):
    """With correction_id: changes 1 of corrections and adds 1 of overrides, and nothing else changes."""
    query = "SELECT count(*) FROM overrides WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.accept_correction(world, correction_id=2346)
    made = changes(world)
    new_override = made["overrides"]["inserted"][0]["override_id"]
    assert _counts(made) == {"corrections": (0, 1, 0), "overrides": (1, 0, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2346
    assert _changed(before, after) == {"state": "accepted", "decided_at": now}
    assert made["overrides"]["inserted"] == [{
        "override_id": new_override,
        "feature_key": "webgl2-desynchronized",
        "field": "status_baseline_high_date",
        "value": "2019-03-20",
        "correction_id": 2346,
        "since": now,
    }]
    assert result == {
        "correction": {
            "correction_id": 2346,
            "feature_key": "webgl2-desynchronized",
            "field": "status_baseline_high_date",
            "proposed_value": "2019-03-20",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 15,
            "reviewer_id": None,
            "due_on": "2026-08-24",
            "ground": None,
            "filed_at": "2026-08-03T14:23:54Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2346) == 1


def test_accept_correction__not_allowed(world):
    """Correction 2005 is rejected: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=2005)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2005 is rejected."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__not_found(world):
    """There is no correction 3560: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=3560)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3560."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__not_allowed_2(world):
    """Nothing stands behind correction 2343: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=2343)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Nothing stands behind correction 2343."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__success(world):
    """With correction_id and ground: changes 1 of corrections, and nothing else changes."""
    query = "SELECT ground FROM corrections WHERE correction_id = :correction_id AND state = 'rejected'"
    now = world.now()
    result = tools.reject_correction(world, correction_id=2343, ground="duplicate")
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2343
    assert _changed(before, after) == {"state": "rejected", "ground": "duplicate", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2343,
            "feature_key": "matchmedia",
            "field": "status_baseline",
            "proposed_value": "false",
            "evidence": "none",
            "state": "rejected",
            "filed_by": 14,
            "reviewer_id": 29,
            "due_on": "2026-09-02",
            "ground": "duplicate",
            "filed_at": "2026-08-03T09:24:02Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2343) == "duplicate"


def test_reject_correction__success_2(world):
    """With correction_id and ground: changes 1 of corrections, and nothing else changes."""
    query = "SELECT ground FROM corrections WHERE correction_id = :correction_id AND state = 'rejected'"
    now = world.now()
    result = tools.reject_correction(world, correction_id=2346, ground="already_right")
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2346
    assert _changed(before, after) == {"state": "rejected", "ground": "already_right", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2346,
            "feature_key": "webgl2-desynchronized",
            "field": "status_baseline_high_date",
            "proposed_value": "2019-03-20",
            "evidence": "official",
            "state": "rejected",
            "filed_by": 15,
            "reviewer_id": None,
            "due_on": "2026-08-24",
            "ground": "already_right",
            "filed_at": "2026-08-03T14:23:54Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2346) == "already_right"


def test_reject_correction__not_allowed(world):
    """Correction 2001 is accepted: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=2001, ground="duplicate")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2001 is accepted."
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__not_found(world):
    """There is no correction 3560: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=3560, ground="already_right")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3560."
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id="many", ground="already_right")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=2343, ground="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__success(world):
    """With correction_id: changes 1 of corrections, and nothing else changes."""
    query = "SELECT state FROM corrections WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.withdraw_correction(world, correction_id=2560)
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2560
    assert _changed(before, after) == {"state": "withdrawn", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2560,
            "feature_key": "var",
            "field": "status_baseline_high_date",
            "proposed_value": "2019-02-02",
            "evidence": "official",
            "state": "withdrawn",
            "filed_by": 24,
            "reviewer_id": 31,
            "due_on": "2026-10-30",
            "ground": None,
            "filed_at": "2026-10-02T15:37:36Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2560) == "withdrawn"


def test_withdraw_correction__not_allowed(world):
    """Correction 2013 is withdrawn: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id=2013)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2013 is withdrawn."
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__not_found(world):
    """There is no correction 3560: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id=3560)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3560."
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_features__with_several(world):
    """With name, kind and page_size: 6 rows fit."""
    page = tools.search_features(world, name="dEVICE", kind="feature", page_size=3)
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(name), ?) > 0 "
        "AND kind IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 4",
        ["device", "feature"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:3]]
    assert page["has_more"] is (len(expected) > 3)
    assert page["items"] == [
        {
            "key": "device-bound-session-credentials",
            "kind": "feature",
            "name": "Device-bound session credentials",
            "status_baseline": "false",
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
        {
            "key": "device-memory",
            "kind": "feature",
            "name": "Device memory",
            "status_baseline": "false",
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
        {
            "key": "device-orientation-events",
            "kind": "feature",
            "name": "Device orientation events",
            "status_baseline": "high",
            "status_baseline_high_date": "2026-03-18",
            "status_baseline_low_date": "2023-09-18",
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_features__with_several_2(world):
    """With discouraged_removal_date, kind, status_baseline and more: no row fits."""
    page = tools.search_features(
        world,
        discouraged_removal_date="2026-06-01",
        kind="moved",
        status_baseline="false",
        status_baseline_high_date="no such text",
        status_baseline_low_date="%",
    )
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE discouraged_removal_date IS ? "
        "AND kind IS ? "
        "AND status_baseline IS ? "
        "AND instr(lower(status_baseline_high_date), ?) > 0 "
        "AND instr(lower(status_baseline_low_date), ?) > 0 "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["2026-06-01", "moved", "false", "no such text", "%"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_redirect_target(world):
    """With redirect_target: one row fits."""
    page = tools.search_features(world, redirect_target="DOCUMENT")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(redirect_target), ?) > 0 "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["document"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "navigator-modelcontext",
            "kind": "moved",
            "name": None,
            "status_baseline": None,
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": None,
            "redirect_target": "document-modelcontext",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_several_3(world):
    """With name, kind and status_baseline: one row fits."""
    page = tools.search_features(world, name="dEVICE", kind="feature", status_baseline="high")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(name), ?) > 0 "
        "AND kind IS ? "
        "AND status_baseline IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["device", "feature", "high"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "device-orientation-events",
            "kind": "feature",
            "name": "Device orientation events",
            "status_baseline": "high",
            "status_baseline_high_date": "2026-03-18",
            "status_baseline_low_date": "2023-09-18",
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_name_and_redirect_target(world):
    """With name and redirect_target: no row fits."""
    page = tools.search_features(world, name="dEVICE", redirect_target="%")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(name), ?) > 0 "
        "AND instr(lower(redirect_target), ?) > 0 "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["device", "%"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_discouraged_removal_date(world):
    """With discouraged_removal_date: 7 rows fit."""
    page = tools.search_features(world, discouraged_removal_date="2026-06-01")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE discouraged_removal_date IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["2026-06-01"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "ad-selection",
        "kind": "feature",
        "name": "Ad selection",
        "status_baseline": "false",
        "status_baseline_high_date": None,
        "status_baseline_low_date": None,
        "discouraged_removal_date": "2026-06-01",
        "redirect_target": None,
    }
    assert page["items"][-1] == {
        "key": "topics",
        "kind": "feature",
        "name": "Topics",
        "status_baseline": "false",
        "status_baseline_high_date": None,
        "status_baseline_low_date": None,
        "discouraged_removal_date": "2026-06-01",
        "redirect_target": None,
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_kind(world):
    """With kind: 10 rows fit."""
    page = tools.search_features(world, kind="moved")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE kind IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["moved"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "display-grid-lanes",
        "kind": "moved",
        "name": None,
        "status_baseline": None,
        "status_baseline_high_date": None,
        "status_baseline_low_date": None,
        "discouraged_removal_date": None,
        "redirect_target": "grid-lanes",
    }
    assert page["items"][-1] == {
        "key": "web-install",
        "kind": "moved",
        "name": None,
        "status_baseline": None,
        "status_baseline_high_date": None,
        "status_baseline_low_date": None,
        "discouraged_removal_date": None,
        "redirect_target": "navigator-install",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_kind_2(world):
    """With kind: 1204 rows fit."""
    page = tools.search_features(world, kind="feature")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE kind IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["feature"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "a",
        "kind": "feature",
        "name": "<a>",
        "status_baseline": "high",
        "status_baseline_high_date": "2018-01-29",
        "status_baseline_low_date": "2015-07-29",
        "discouraged_removal_date": None,
        "redirect_target": None,
    }
    assert page["items"][-1] == {
        "key": "alt-text-generated-content",
        "kind": "feature",
        "name": "Alt text for generated content",
        "status_baseline": "low",
        "status_baseline_high_date": None,
        "status_baseline_low_date": "2024-07-09",
        "discouraged_removal_date": None,
        "redirect_target": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_features__with_status_baseline(world):
    """With status_baseline: 122 rows fit."""
    page = tools.search_features(world, status_baseline="low")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE status_baseline IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["low"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "abortsignal-timeout",
        "kind": "feature",
        "name": "AbortSignal.timeout()",
        "status_baseline": "low",
        "status_baseline_high_date": None,
        "status_baseline_low_date": "2024-04-18",
        "discouraged_removal_date": None,
        "redirect_target": None,
    }
    assert page["items"][-1] == {
        "key": "content-visibility",
        "kind": "feature",
        "name": "content-visibility",
        "status_baseline": "low",
        "status_baseline_high_date": None,
        "status_baseline_low_date": "2025-09-15",
        "discouraged_removal_date": None,
        "redirect_target": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_features__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_features(world, discouraged_removal_date="2026-06-01", page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_features(world, discouraged_removal_date="2026-06-01", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.search_features, world, first, "start_cursor",
        discouraged_removal_date="2026-06-01",
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.search_features(world, discouraged_removal_date="2026-06-01", page_size=6)
    assert most["has_more"] is True


def test_search_features__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", discouraged_removal_date="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", discouraged_removal_date="not-a-date")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", kind="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", redirect_target="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", status_baseline="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", status_baseline_high_date="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, name="dEVICE", status_baseline_low_date="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_features(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_feature__success(world):
    """With feature_key: the result is what the rows say."""
    result = tools.get_feature(world, feature_key="array")
    assert result["feature"] == {
        "key": "array",
        "kind": "feature",
        "name": "Array (initial support)",
        "status_baseline": "high",
        "status_baseline_high_date": "2018-01-29",
        "status_baseline_low_date": "2015-07-29",
        "discouraged_removal_date": None,
        "redirect_target": None,
    }
    assert result["snapshots"] == [{"snapshot": "ecmascript-1", "snapshot_name": "ECMAScript"}]
    assert [item["code"] for item in result["status_supports"]] == ["chrome", "edge", "firefox", "safari", "safari_ios"]
    assert result["status_supports"][0] == {"code": "chrome", "value": "1", "code_name": "Chrome"}
    assert result["status_supports"][-1] == {"code": "safari_ios", "value": "1", "code_name": "Safari on iOS"}
    assert not changes(world)


def test_get_feature__success_2(world):
    """With feature_key: the result is what the rows say."""
    result = tools.get_feature(world, feature_key="display-grid-lanes")
    assert result == {
        "feature": {
            "key": "display-grid-lanes",
            "kind": "moved",
            "name": None,
            "status_baseline": None,
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": None,
            "redirect_target": "grid-lanes",
        },
        "snapshots": [],
        "status_supports": [],
    }
    assert not changes(world)


def test_get_feature__success_3(world):
    """With feature_key: the result is what the rows say."""
    result = tools.get_feature(world, feature_key="ad-selection")
    assert result == {
        "feature": {
            "key": "ad-selection",
            "kind": "feature",
            "name": "Ad selection",
            "status_baseline": "false",
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": "2026-06-01",
            "redirect_target": None,
        },
        "snapshots": [],
        "status_supports": [],
    }
    assert not changes(world)


def test_get_feature__not_found(world):
    """There is no feature with key z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_feature(world, feature_key="z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature with key z."
    assert caught.value.hint
    assert not changes(world)


def test_get_feature__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_feature(world, feature_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_summarize_features__with_several(world):
    """With group_by, discouraged_removal_date, kind and status_baseline: the result is what the rows say."""
    result = tools.summarize_features(
        world,
        group_by="kind",
        discouraged_removal_date="2026-06-01",
        kind="feature",
        status_baseline="false",
    )
    assert result == {"groups": [{"group": "feature", "count": 7}]}
    assert not changes(world)


def test_summarize_features__with_several_2(world):
    """With group_by, name, discouraged_removal_date and more: the result is what the rows say."""
    result = tools.summarize_features(
        world,
        group_by="status_baseline",
        name="A second name",
        discouraged_removal_date="2026-06-01",
        status_baseline_high_date="A second status baseline high date",
        status_baseline_low_date="Checked status baseline low date",
    )
    assert result == {"groups": []}
    assert not changes(world)


def test_summarize_features__success(world):
    """With group_by: the result is what the rows say."""
    result = tools.summarize_features(world, group_by="status_baseline")
    assert [item["group"] for item in result["groups"]] == ["high", "false", "low", None]
    assert result["groups"][0] == {"group": "high", "count": 649}
    assert result["groups"][-1] == {"group": None, "count": 12}
    assert not changes(world)


def test_summarize_features__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(world, group_by="kind", discouraged_removal_date="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(world, group_by="kind", discouraged_removal_date="not-a-date")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(world, group_by="no_such_choice", discouraged_removal_date="2026-06-01")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(world, group_by="kind", discouraged_removal_date="2026-06-01", kind="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(world, group_by="kind", name="   ", discouraged_removal_date="2026-06-01")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(
            world,
            group_by="kind",
            discouraged_removal_date="2026-06-01",
            status_baseline="no_such_choice",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(
            world,
            group_by="kind",
            discouraged_removal_date="2026-06-01",
            status_baseline_high_date="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.summarize_features(
            world,
            group_by="kind",
            discouraged_removal_date="2026-06-01",
            status_baseline_low_date="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_collection_items__with_page_size(world):
    """With collection_id and page_size: 39 rows fit."""
    page = tools.list_collection_items(world, collection_id=314, page_size=1)
    assert page["items"] == [
        {
            "feature_key": "element-from-point",
            "name": "document.elementFromPoint() and document.elementsFromPoint()",
            "status_baseline": "high",
            "place": 1,
            "added_at": "2026-04-24T03:07:42Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_collection_items__success(world):
    """With collection_id: 15 rows fit."""
    page = tools.list_collection_items(world, collection_id=316)
    assert [item["feature_key"] for item in page["items"]] == [
        "ruby-position", "dynamic-range", "matchmedia", "abortsignal-timeout", "font-family-math",
        "input-file-webkitdirectory", "wasm-garbage-collection", "text-decoration-skip-ink-all", "iterator-concat",
        "writingsuggestions", "wasm-non-trapping-float-to-int", "details-content", "highlight", "cookie-enabled",
        "rcap",
    ]
    assert page["items"][0] == {
        "feature_key": "ruby-position",
        "name": "ruby-position",
        "status_baseline": "low",
        "place": 1,
        "added_at": "2026-07-16T10:43:08Z",
    }
    assert page["items"][-1] == {
        "feature_key": "rcap",
        "name": "rcap unit",
        "status_baseline": "low",
        "place": 15,
        "added_at": "2026-07-16T01:51:17Z",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_list_collection_items__paging(world):
    """The pages of 5 together hold the same 15 items, in the same order."""
    whole = tools.list_collection_items(world, collection_id=316, page_size=15)
    assert len(whole["items"]) == 15
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_collection_items(world, collection_id=316, page_size=5)
    assert first["items"] == whole["items"][:5]
    assert first["has_more"] is True
    items = _all_pages(tools.list_collection_items, world, first, "start_cursor", collection_id=316, page_size=5)
    assert items == whole["items"]
    most = tools.list_collection_items(world, collection_id=316, page_size=14)
    assert most["has_more"] is True


def test_list_collection_items__not_found(world):
    """There is no collection 1330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=1330, page_size=1)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1330."
    assert caught.value.hint
    assert not changes(world)


def test_list_collection_items__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id="many", page_size=1)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=314, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=314, start_cursor="   ", page_size=1)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=314, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_collections__with_several(world):
    """With state, owner_id and page_size: 4 rows fit."""
    page = tools.search_collections(world, state="draft", owner_id=16, page_size=1)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 2",
        ["draft", 16],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "collection_id": 313,
            "name": "Export set for schools",
            "owner_id": 16,
            "state": "draft",
            "created_at": "2026-04-17T12:40:11Z",
            "published_at": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_collections__with_query_and_state(world):
    """With query and state: 2 rows fit."""
    page = tools.search_collections(world, query="sPOT", state="published")
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE instr(lower(name), ?) > 0 "
        "AND state IS ? "
        "ORDER BY name, collection_id LIMIT 21",
        ["spot", "published"],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "collection_id": 302,
            "name": "Spot checks for the archive",
            "owner_id": 23,
            "state": "published",
            "created_at": "2025-11-03T09:08:19Z",
            "published_at": "2025-12-08T13:54:57Z",
        },
        {
            "collection_id": 318,
            "name": "Spot checks for the newsletter",
            "owner_id": 12,
            "state": "published",
            "created_at": "2026-05-27T12:02:15Z",
            "published_at": "2026-09-21T01:27:00Z",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_several_2(world):
    """With query, state and owner_id: no row fits."""
    page = tools.search_collections(world, query="%", state="draft", owner_id=16)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE instr(lower(name), ?) > 0 "
        "AND state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 21",
        ["%", "draft", 16],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_several_3(world):
    """With state, owner_id and page_size: one row fits."""
    page = tools.search_collections(world, state="draft", owner_id=24, page_size=1)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 2",
        ["draft", 24],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "collection_id": 306,
            "name": "Spot checks from last year",
            "owner_id": 24,
            "state": "draft",
            "created_at": "2025-12-18T10:01:40Z",
            "published_at": None,
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_several_4(world):
    """With state, owner_id and page_size: 2 rows fit."""
    page = tools.search_collections(world, state="draft", owner_id=15, page_size=1)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 2",
        ["draft", 15],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "collection_id": 319,
            "name": "Quiz set for the spring release",
            "owner_id": 15,
            "state": "draft",
            "created_at": "2026-05-29T08:15:04Z",
            "published_at": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_collections__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_collections(world, owner_id=16, page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_collections(world, owner_id=16, page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_collections, world, first, "start_cursor", owner_id=16, page_size=2)
    assert items == whole["items"]
    most = tools.search_collections(world, owner_id=16, page_size=6)
    assert most["has_more"] is True


def test_search_collections__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id=16, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, query="   ", state="draft", owner_id=16)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id=16, start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="no_such_choice", owner_id=16)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_collection__success(world):
    """With name and owner_id: adds 1 of collections, and nothing else changes."""
    query = "SELECT count(*) FROM collections WHERE owner_id = :owner_id AND state = 'draft'"
    held = _value(world, query, owner_id=16)
    now = world.now()
    result = tools.create_collection(world, name="Checked name", owner_id=16)
    made = changes(world)
    new_collection = made["collections"]["inserted"][0]["collection_id"]
    assert _counts(made) == {"collections": (1, 0, 0)}
    assert made["collections"]["inserted"] == [{
        "collection_id": new_collection,
        "name": "Checked name",
        "owner_id": 16,
        "state": "draft",
        "created_at": now,
        "published_at": None,
    }]
    assert result == {
        "collection": {
            "collection_id": new_collection,
            "name": "Checked name",
            "owner_id": 16,
            "state": "draft",
            "created_at": now,
            "published_at": None,
        },
    }
    assert _value(world, query, owner_id=16) == held + 1


def test_create_collection__conflict(world):
    """There is a collection of that name already: 301: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="Training set for schools", owner_id=11)
    assert caught.value.code == "conflict"
    assert caught.value.message == "There is a collection of that name already: 301."
    assert caught.value.hint
    assert not changes(world)


def test_create_collection__not_allowed(world):
    """Ellie Davies is no active editor: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="Checked name", owner_id=29)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Ellie Davies is no active editor."
    assert caught.value.hint
    assert not changes(world)


def test_create_collection__not_found(world):
    """There is no curator 1037: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="Loose ends of the autumn", owner_id=1037)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no curator 1037."
    assert caught.value.hint
    assert not changes(world)


def test_create_collection__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="   ", owner_id=11)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="Loose ends of the autumn", owner_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__success(world):
    """With collection_id: changes 1 of collections, and nothing else changes."""
    query = "SELECT state FROM collections WHERE collection_id = :collection_id"
    now = world.now()
    result = tools.publish_collection(world, collection_id=303)
    made = changes(world)
    assert _counts(made) == {"collections": (0, 1, 0)}
    ((before, after),) = made["collections"]["updated"]
    assert before["collection_id"] == 303
    assert _changed(before, after) == {"state": "published", "published_at": now}
    assert result == {
        "collection": {
            "collection_id": 303,
            "name": "Front page picks for the newsletter",
            "owner_id": 16,
            "state": "published",
            "created_at": "2025-11-19T11:02:44Z",
            "published_at": now,
        },
    }
    assert _value(world, query, collection_id=303) == "published"


def test_publish_collection__not_allowed(world):
    """Collection 314 is published: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=314)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 314 is published."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__not_found(world):
    """There is no collection 1330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=1330)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1330."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__not_allowed_2(world):
    """2 of its features are disputed: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=309)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "2 of its features are disputed."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__success(world):
    """With collection_id and feature_key: adds 1 of collection_items, and nothing else changes."""
    query = "SELECT count(*) FROM collection_items WHERE collection_id = :collection_id AND feature_key = :feature_key"
    now = world.now()
    result = tools.add_to_collection(world, collection_id=303, feature_key="abbr")
    made = changes(world)
    new_collection_item = made["collection_items"]["inserted"][0]["item_id"]
    assert _counts(made) == {"collection_items": (1, 0, 0)}
    assert made["collection_items"]["inserted"] == [{
        "item_id": new_collection_item,
        "collection_id": 303,
        "feature_key": "abbr",
        "place": 23,
        "added_at": now,
    }]
    assert result == {"collection_id": 303, "feature_key": "abbr", "place": 23}
    assert _value(world, query, collection_id=303, feature_key="abbr") == 1


def test_add_to_collection__conflict(world):
    """a is in collection 303 already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=303, feature_key="a")
    assert caught.value.code == "conflict"
    assert caught.value.message == "a is in collection 303 already."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_allowed(world):
    """Collection 314 is published: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=314, feature_key="a")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 314 is published."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_found(world):
    """There is no collection 1330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=1330, feature_key="abbr")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1330."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_found_2(world):
    """There is no feature z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=303, feature_key="z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature z."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id="many", feature_key="abbr")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=303, feature_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__success(world):
    """With collection_id and feature_key: deletes 1 of collection_items, and nothing else changes."""
    query = "SELECT count(*) FROM collection_items WHERE collection_id = :collection_id AND feature_key = :feature_key"
    result = tools.remove_from_collection(world, collection_id=315, feature_key="mixin")
    made = changes(world)
    assert _counts(made) == {"collection_items": (0, 0, 1)}
    assert [row["item_id"] for row in made["collection_items"]["deleted"]] == [2]
    assert result == {"collection_id": 315, "feature_key": "mixin"}
    assert _value(world, query, collection_id=315, feature_key="mixin") == 0


def test_remove_from_collection__not_allowed(world):
    """Collection 314 is published: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=314, feature_key="a")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 314 is published."
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__not_found(world):
    """There is no collection 1330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=1330, feature_key="private-click-measurement")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1330."
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__not_found_2(world):
    """a is not in collection 315: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=315, feature_key="a")
    assert caught.value.code == "not_found"
    assert caught.value.message == "a is not in collection 315."
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id="many", feature_key="private-click-measurement")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=315, feature_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_flags__with_several(world):
    """With feature_key, kind, state and page_size: one row fits."""
    page = tools.list_flags(world, feature_key="canvas-html", kind="disputed", state="open", page_size=1)
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE feature_key IS ? "
        "AND kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 2",
        ["canvas-html", "disputed", "open"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "flag_id": 799,
            "feature_key": "canvas-html",
            "name": "HTML in canvas",
            "kind": "disputed",
            "state": "open",
            "note": None,
            "raised_by": 26,
            "raised_at": "2026-09-28T15:00:03Z",
            "cleared_at": None,
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_flags__with_kind_and_state(world):
    """With kind and state: 47 rows fit."""
    page = tools.list_flags(world, kind="stale", state="cleared")
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 21",
        ["stale", "cleared"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flag_id": 511,
        "feature_key": "var",
        "name": "<var>",
        "kind": "stale",
        "state": "cleared",
        "note": None,
        "raised_by": 20,
        "raised_at": "2025-11-18T08:30:13Z",
        "cleared_at": "2025-11-20T04:06:58Z",
    }
    assert page["items"][-1] == {
        "flag_id": 562,
        "feature_key": "proto",
        "name": "__proto__",
        "kind": "stale",
        "state": "cleared",
        "note": None,
        "raised_by": 35,
        "raised_at": "2026-03-04T17:05:01Z",
        "cleared_at": "2026-04-08T09:52:21Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_list_flags__with_several_2(world):
    """With feature_key, kind and state: no row fits."""
    page = tools.list_flags(world, feature_key="a", kind="disputed", state="open")
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE feature_key IS ? "
        "AND kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 21",
        ["a", "disputed", "open"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_flags__with_kind_and_state_2(world):
    """With kind and state: 19 rows fit."""
    page = tools.list_flags(world, kind="unclear", state="cleared")
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 21",
        ["unclear", "cleared"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flag_id": 505,
        "feature_key": "usermedia",
        "name": "<usermedia>",
        "kind": "unclear",
        "state": "cleared",
        "note": "Found while preparing an export. To be settled before the next export.",
        "raised_by": 34,
        "raised_at": "2025-10-23T08:22:40Z",
        "cleared_at": "2025-11-13T02:29:41Z",
    }
    assert page["items"][-1] == {
        "flag_id": 725,
        "feature_key": "has-slotted",
        "name": ":has-slotted",
        "kind": "unclear",
        "state": "cleared",
        "note": None,
        "raised_by": 21,
        "raised_at": "2026-07-21T12:11:44Z",
        "cleared_at": "2026-08-25T19:50:09Z",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_flags__paging(world):
    """The pages of 2 together hold the same 6 items, in the same order."""
    whole = tools.list_flags(world, feature_key="scroll-behavior", page_size=6)
    assert len(whole["items"]) == 6
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_flags(world, feature_key="scroll-behavior", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.list_flags, world, first, "start_cursor", feature_key="scroll-behavior", page_size=2)
    assert items == whole["items"]
    most = tools.list_flags(world, feature_key="scroll-behavior", page_size=5)
    assert most["has_more"] is True


def test_list_flags__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, feature_key="   ", kind="disputed", state="open")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, kind="no_such_choice", state="open")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, kind="disputed", state="open", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, kind="disputed", state="open", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, kind="disputed", state="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_flags(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_raise_flag__with_note(world):
    """With feature_key, kind and note: adds 1 of entry_flags, and nothing else changes."""
    query = "SELECT count(*) FROM entry_flags WHERE feature_key = :feature_key AND kind = :kind AND state = 'open'"
    now = world.now()
    result = tools.raise_flag(world, feature_key="a", kind="stale", note="Checked note")
    made = changes(world)
    new_flag = made["entry_flags"]["inserted"][0]["flag_id"]
    assert _counts(made) == {"entry_flags": (1, 0, 0)}
    assert made["entry_flags"]["inserted"] == [{
        "flag_id": new_flag,
        "feature_key": "a",
        "kind": "stale",
        "state": "open",
        "note": "Checked note",
        "raised_by": None,
        "raised_at": now,
        "cleared_at": None,
    }]
    assert result == {
        "flag": {
            "flag_id": new_flag,
            "feature_key": "a",
            "kind": "stale",
            "state": "open",
            "note": "Checked note",
            "raised_by": None,
            "raised_at": now,
            "cleared_at": None,
        },
    }
    assert _value(world, query, feature_key="a", kind="stale") == 1


def test_raise_flag__success(world):
    """With feature_key and kind: adds 1 of entry_flags, and nothing else changes."""
    query = "SELECT count(*) FROM entry_flags WHERE feature_key = :feature_key AND kind = :kind AND state = 'open'"
    now = world.now()
    result = tools.raise_flag(world, feature_key="a", kind="stale")
    made = changes(world)
    new_flag = made["entry_flags"]["inserted"][0]["flag_id"]
    assert _counts(made) == {"entry_flags": (1, 0, 0)}
    assert made["entry_flags"]["inserted"] == [{
        "flag_id": new_flag,
        "feature_key": "a",
        "kind": "stale",
        "state": "open",
        "note": None,
        "raised_by": None,
        "raised_at": now,
        "cleared_at": None,
    }]
    assert result == {
        "flag": {
            "flag_id": new_flag,
            "feature_key": "a",
            "kind": "stale",
            "state": "open",
            "note": None,
            "raised_by": None,
            "raised_at": now,
            "cleared_at": None,
        },
    }
    assert _value(world, query, feature_key="a", kind="stale") == 1


def test_raise_flag__conflict(world):
    """It has an open flag of this kind already: 776: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="a", kind="unclear")
    assert caught.value.code == "conflict"
    assert caught.value.message == "It has an open flag of this kind already: 776."
    assert caught.value.hint
    assert not changes(world)


def test_raise_flag__not_found(world):
    """There is no feature z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="z", kind="stale", note="Checked note")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature z."
    assert caught.value.hint
    assert not changes(world)


def test_raise_flag__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="   ", kind="stale", note="Checked note")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="array", kind="no_such_choice", note="Checked note")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="array", kind="stale", note="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_clear_flag__success(world):
    """With flag_id: changes 1 of entry_flags, and nothing else changes."""
    query = "SELECT state FROM entry_flags WHERE flag_id = :flag_id"
    now = world.now()
    result = tools.clear_flag(world, flag_id=572)
    made = changes(world)
    assert _counts(made) == {"entry_flags": (0, 1, 0)}
    ((before, after),) = made["entry_flags"]["updated"]
    assert before["flag_id"] == 572
    assert _changed(before, after) == {"state": "cleared", "cleared_at": now}
    assert result == {
        "flag": {
            "flag_id": 572,
            "feature_key": "mixin",
            "kind": "unclear",
            "state": "cleared",
            "note": "Found while preparing an export. Ask again before the big clean-up is over.",
            "raised_by": 24,
            "raised_at": "2026-03-19T17:12:16Z",
            "cleared_at": now,
        },
    }
    assert _value(world, query, flag_id=572) == "cleared"


def test_clear_flag__success_2(world):
    """With flag_id: changes 1 of entry_flags, and nothing else changes."""
    query = "SELECT state FROM entry_flags WHERE flag_id = :flag_id"
    now = world.now()
    result = tools.clear_flag(world, flag_id=573)
    made = changes(world)
    assert _counts(made) == {"entry_flags": (0, 1, 0)}
    ((before, after),) = made["entry_flags"]["updated"]
    assert before["flag_id"] == 573
    assert _changed(before, after) == {"state": "cleared", "cleared_at": now}
    assert result == {
        "flag": {
            "flag_id": 573,
            "feature_key": "open-pseudo",
            "kind": "disputed",
            "state": "cleared",
            "note": None,
            "raised_by": 11,
            "raised_at": "2026-03-20T16:15:13Z",
            "cleared_at": now,
        },
    }
    assert _value(world, query, flag_id=573) == "cleared"


def test_clear_flag__not_allowed(world):
    """Flag 501 is cleared already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.clear_flag(world, flag_id=501)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Flag 501 is cleared already."
    assert caught.value.hint
    assert not changes(world)


def test_clear_flag__not_found(world):
    """There is no flag 1800: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.clear_flag(world, flag_id=1800)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flag 1800."
    assert caught.value.hint
    assert not changes(world)


def test_clear_flag__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.clear_flag(world, flag_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_curators__with_several(world):
    """With query, duty, status and page_size: one row fits."""
    page = tools.list_curators(world, query="Stephenson", duty="reviewer", status="active", page_size=1)
    expected = world.query(
        "SELECT curator_id "
        "FROM curators "
        "WHERE instr(lower(full_name), ?) > 0 "
        "AND duty IS ? "
        "AND status IS ? "
        "ORDER BY full_name, curator_id LIMIT 2",
        ["stephenson", "reviewer", "active"],
    )
    assert [item["curator_id"] for item in page["items"]] == [row["curator_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "curator_id": 30,
            "full_name": "Kevin Stephenson",
            "email": "kevin.stephenson@example.com",
            "duty": "reviewer",
            "status": "active",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_curators__with_several_2(world):
    """With duty, status and page_size: 7 rows fit."""
    page = tools.list_curators(world, duty="reviewer", status="active", page_size=2)
    expected = world.query(
        "SELECT curator_id "
        "FROM curators "
        "WHERE duty IS ? "
        "AND status IS ? "
        "ORDER BY full_name, curator_id LIMIT 3",
        ["reviewer", "active"],
    )
    assert [item["curator_id"] for item in page["items"]] == [row["curator_id"] for row in expected[:2]]
    assert page["has_more"] is (len(expected) > 2)
    assert page["items"] == [
        {
            "curator_id": 36,
            "full_name": "Angela Brown",
            "email": "a.brown85@example.net",
            "duty": "reviewer",
            "status": "active",
        },
        {
            "curator_id": 29,
            "full_name": "Ellie Davies",
            "email": "e.davies71@example.com",
            "duty": "reviewer",
            "status": "active",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_list_curators__with_several_3(world):
    """With query, duty and status: no row fits."""
    page = tools.list_curators(world, query="%", duty="reviewer", status="active")
    expected = world.query(
        "SELECT curator_id "
        "FROM curators "
        "WHERE instr(lower(full_name), ?) > 0 "
        "AND duty IS ? "
        "AND status IS ? "
        "ORDER BY full_name, curator_id LIMIT 21",
        ["%", "reviewer", "active"],
    )
    assert [item["curator_id"] for item in page["items"]] == [row["curator_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_curators__with_duty_and_status(world):
    """With duty and status: one row fits."""
    page = tools.list_curators(world, duty="editor", status="away")
    expected = world.query(
        "SELECT curator_id "
        "FROM curators "
        "WHERE duty IS ? "
        "AND status IS ? "
        "ORDER BY full_name, curator_id LIMIT 21",
        ["editor", "away"],
    )
    assert [item["curator_id"] for item in page["items"]] == [row["curator_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "curator_id": 17,
            "full_name": "Bernard Dyer",
            "email": "dyer_bernard@example.net",
            "duty": "editor",
            "status": "away",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_curators__paging(world):
    """The pages of 3 together hold the same 9 items, in the same order."""
    whole = tools.list_curators(world, duty="reviewer", page_size=9)
    assert len(whole["items"]) == 9
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_curators(world, duty="reviewer", page_size=3)
    assert first["items"] == whole["items"][:3]
    assert first["has_more"] is True
    items = _all_pages(tools.list_curators, world, first, "start_cursor", duty="reviewer", page_size=3)
    assert items == whole["items"]
    most = tools.list_curators(world, duty="reviewer", page_size=8)
    assert most["has_more"] is True


def test_list_curators__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, duty="no_such_choice", status="active")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, duty="reviewer", status="active", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, query="   ", duty="reviewer", status="active")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, duty="reviewer", status="active", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, duty="reviewer", status="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_curators(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_snapshots__with_name_and_page_size(world):
    """With name and page_size: 11 rows fit."""
    page = tools.search_snapshots(world, name="ecmasCRIPT", page_size=1)
    expected = world.query(
        "SELECT key "
        "FROM snapshots "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, key LIMIT 2",
        ["ecmascript"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "key": "ecmascript-1",
            "name": "ECMAScript",
            "spec": "https://ecma-international.org/wp-content/uploads/ECMA-262_1st_edition_june_1997.pdf",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_snapshots__with_name(world):
    """With name: no row fits."""
    page = tools.search_snapshots(world, name="%")
    expected = world.query(
        "SELECT key "
        "FROM snapshots "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        ["%"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_snapshots__with_name_2(world):
    """With name: 11 rows fit."""
    page = tools.search_snapshots(world, name="ecmasCRIPT")
    expected = world.query(
        "SELECT key "
        "FROM snapshots "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        ["ecmascript"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "ecmascript-1",
        "name": "ECMAScript",
        "spec": "https://ecma-international.org/wp-content/uploads/ECMA-262_1st_edition_june_1997.pdf",
    }
    assert page["items"][-1] == {
        "key": "ecmascript-5",
        "name": "ECMAScript 5.1",
        "spec": "https://262.ecma-international.org/5.1/",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_snapshots__paging(world):
    """The pages of 3 together hold the same 11 items, in the same order."""
    whole = tools.search_snapshots(world, page_size=11)
    assert len(whole["items"]) == 11
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_snapshots(world, page_size=3)
    assert first["items"] == whole["items"][:3]
    assert first["has_more"] is True
    items = _all_pages(tools.search_snapshots, world, first, "start_cursor", page_size=3)
    assert items == whole["items"]
    most = tools.search_snapshots(world, page_size=10)
    assert most["has_more"] is True


def test_search_snapshots__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_snapshots(world, name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_snapshots(world, name="ecmasCRIPT", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_snapshots(world, name="ecmasCRIPT", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_snapshots(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_snapshot__success(world):
    """With snapshot_key: the result is what the rows say."""
    result = tools.get_snapshot(world, snapshot_key="ecmascript-1")
    (row,) = world.query("SELECT * FROM snapshots WHERE key = ?", ["ecmascript-1"])
    assert result["snapshot"] == _columns(row, "key", "name", "spec")
    assert not changes(world)


def test_get_snapshot__not_found(world):
    """There is no snapshot with key zzzzzzzzzz-0: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_snapshot(world, snapshot_key="zzzzzzzzzz-0")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no snapshot with key zzzzzzzzzz-0."
    assert caught.value.hint
    assert not changes(world)


def test_get_snapshot__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_snapshot(world, snapshot_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_feature_status_supports__with_several(world):
    """With feature_key, code and value: one row fits."""
    page = tools.search_feature_status_supports(world, feature_key="a", code="chrome", value="1")
    assert page == {
        "items": [{"feature_key": "a", "code": "chrome", "value": "1", "feature_name": "<a>", "code_name": "Chrome"}],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_status_supports__with_value(world):
    """With value: 3000 rows fit."""
    page = tools.search_feature_status_supports(world, value="1")
    assert [item["value"] for item in page["items"]] == [
        "1", "12", "1", "1", "1", "12", "1", "16", "12.1", "12.2", "16", "12.1", "12.2", "116", "116", "124", "17.4",
        "17.4", "124", "124",
    ]
    assert page["items"][0] == {
        "feature_key": "a",
        "code": "chrome",
        "value": "1",
        "feature_name": "<a>",
        "code_name": "Chrome",
    }
    assert page["items"][-1] == {
        "feature_key": "abortsignal-timeout",
        "code": "edge",
        "value": "124",
        "feature_name": "AbortSignal.timeout()",
        "code_name": "Edge",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_feature_status_supports__with_several_2(world):
    """With feature_key, code and value: no row fits."""
    page = tools.search_feature_status_supports(world, feature_key="a", code="chrome", value="%")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_feature_status_supports__with_several_3(world):
    """With feature_key, code and page_size: one row fits."""
    page = tools.search_feature_status_supports(world, feature_key="a", code="chrome", page_size=1)
    assert page == {
        "items": [{"feature_key": "a", "code": "chrome", "value": "1", "feature_name": "<a>", "code_name": "Chrome"}],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_status_supports__with_code(world):
    """With code: 1088 rows fit."""
    page = tools.search_feature_status_supports(world, code="chrome")
    assert [item["feature_key"] for item in page["items"]] == [
        "a", "abbr", "abortable-fetch", "aborting", "abortsignal-any", "abortsignal-timeout", "abs-sign",
        "absolute-positioning", "accelerometer", "accent-color", "accesskey", "accessor-methods",
        "active-view-transition", "address", "alerts", "align-content-block", "alignment-baseline", "all", "alpha",
        "alt-text-generated-content",
    ]
    assert page["items"][0] == {
        "feature_key": "a",
        "code": "chrome",
        "value": "1",
        "feature_name": "<a>",
        "code_name": "Chrome",
    }
    assert page["items"][-1] == {
        "feature_key": "alt-text-generated-content",
        "code": "chrome",
        "value": "77",
        "feature_name": "Alt text for generated content",
        "code_name": "Chrome",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_feature_status_supports__with_value_2(world):
    """With value: one row fits."""
    page = tools.search_feature_status_supports(world, value="≤11.3")
    assert page == {
        "items": [
            {
                "feature_key": "input-date-time-month",
                "code": "safari_ios",
                "value": "≤11.3",
                "feature_name": '<input type="month">',
                "code_name": "Safari on iOS",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_status_supports__paging(world):
    """The pages of 1 together hold the same 5 items, in the same order."""
    whole = tools.search_feature_status_supports(world, feature_key="array", page_size=5)
    assert len(whole["items"]) == 5
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_feature_status_supports(world, feature_key="array", page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(
        tools.search_feature_status_supports, world, first, "start_cursor",
        feature_key="array",
        page_size=1,
    )
    assert items == whole["items"]
    most = tools.search_feature_status_supports(world, feature_key="array", page_size=4)
    assert most["has_more"] is True


def test_search_feature_status_supports__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, feature_key="a", code="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, feature_key="   ", code="chrome")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, feature_key="a", code="chrome", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, feature_key="a", code="chrome", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, feature_key="a", code="chrome", value="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_status_supports(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_feature_snapshots__with_several(world):
    """With feature_key, snapshot and page_size: one row fits."""
    page = tools.search_feature_snapshots(world, feature_key="array", snapshot="ecmascript-1", page_size=1)
    assert page == {
        "items": [
            {
                "feature_key": "array",
                "position": 1,
                "snapshot": "ecmascript-1",
                "feature_name": "Array (initial support)",
                "snapshot_name": "ECMAScript",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_snapshots__with_snapshot(world):
    """With snapshot: 22 rows fit."""
    page = tools.search_feature_snapshots(world, snapshot="ecmascript-2015")
    assert [item["feature_key"] for item in page["items"]] == [
        "array-copywithin", "array-fill", "array-find", "array-from", "array-iterators", "array-of", "array-splice",
        "class-syntax", "destructuring", "generators", "iterators", "js-modules", "let-const", "map", "promise",
        "proxy-reflect", "set", "spread", "typed-array-iteration-methods", "typed-array-iterators",
    ]
    assert page["items"][0] == {
        "feature_key": "array-copywithin",
        "position": 1,
        "snapshot": "ecmascript-2015",
        "feature_name": "Array copyWithin()",
        "snapshot_name": "ECMAScript 2015",
    }
    assert page["items"][-1] == {
        "feature_key": "typed-array-iterators",
        "position": 1,
        "snapshot": "ecmascript-2015",
        "feature_name": "Typed array iterators",
        "snapshot_name": "ECMAScript 2015",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_feature_snapshots__with_feature_key_and_snapshot(world):
    """With feature_key and snapshot: no row fits."""
    page = tools.search_feature_snapshots(world, feature_key="a", snapshot="ecmascript-1")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_feature_snapshots__with_feature_key(world):
    """With feature_key: one row fits."""
    page = tools.search_feature_snapshots(world, feature_key="array")
    assert page == {
        "items": [
            {
                "feature_key": "array",
                "position": 1,
                "snapshot": "ecmascript-1",
                "feature_name": "Array (initial support)",
                "snapshot_name": "ECMAScript",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_snapshots__with_snapshot_2(world):
    """With snapshot: one row fits."""
    page = tools.search_feature_snapshots(world, snapshot="ecmascript-1")
    assert page == {
        "items": [
            {
                "feature_key": "array",
                "position": 1,
                "snapshot": "ecmascript-1",
                "feature_name": "Array (initial support)",
                "snapshot_name": "ECMAScript",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_snapshots__paging(world):
    """The pages of 1 together hold the same 3 items, in the same order."""
    whole = tools.search_feature_snapshots(world, snapshot="ecmascript-2019", page_size=3)
    assert len(whole["items"]) == 3
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_feature_snapshots(world, snapshot="ecmascript-2019", page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(
        tools.search_feature_snapshots, world, first, "start_cursor",
        snapshot="ecmascript-2019",
        page_size=1,
    )
    assert items == whole["items"]
    most = tools.search_feature_snapshots(world, snapshot="ecmascript-2019", page_size=2)
    assert most["has_more"] is True


def test_search_feature_snapshots__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_feature_snapshots(world, feature_key="   ", snapshot="ecmascript-1")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_snapshots(world, feature_key="array", snapshot="ecmascript-1", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_snapshots(world, feature_key="array", snapshot="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_snapshots(world, feature_key="array", snapshot="ecmascript-1", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_feature_snapshots(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_browser_releases__with_several(world):
    """With status, code and min_index_: 52 rows fit."""
    page = tools.search_browser_releases(world, status="retired", code="1.0", min_index_=1)
    assert [item["release_date"] for item in page["items"]] == [
        "2020-07-31", "2021-05-04", "2021-10-08", "2022-04-25", "2022-05-03", "2022-11-14", "2023-05-03", "2023-05-19",
        "2023-09-12", "2023-09-15", "2023-09-22", "2023-10-03", "2023-10-11", "2023-10-12", "2023-10-17", "2023-10-20",
        "2023-10-24", "2023-11-03", "2023-11-05", "2023-11-07",
    ]
    assert page["items"][0] == {
        "browser_key": "oculus",
        "code": "11.0",
        "index_": 9,
        "release_date": "2020-07-31",
        "release_notes": "https://developers.meta.com/horizon/downloads/package/browser/11.0/",
        "status": "retired",
        "engine": "Blink",
        "engine_version": "84",
        "browser_name": "Quest Browser",
    }
    assert page["items"][-1] == {
        "browser_key": "bun",
        "code": "1.0.10",
        "index_": 10,
        "release_date": "2023-11-07",
        "release_notes": "https://bun.com/blog/release-notes/bun-v1.0.10",
        "status": "retired",
        "engine": None,
        "engine_version": None,
        "browser_name": "Bun",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__with_several_2(world):
    """With status, engine and code: no row fits."""
    page = tools.search_browser_releases(world, status="retired", engine="Gecko", code="1.0")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_several_3(world):
    """With status, code and max_index_: 3 rows fit."""
    page = tools.search_browser_releases(world, status="retired", code="1.0", max_index_=1)
    assert page == {
        "items": [
            {
                "browser_key": "deno",
                "code": "1.0",
                "index_": 0,
                "release_date": "2020-05-13",
                "release_notes": "https://github.com/denoland/deno/releases/tag/v1.0.0",
                "status": "retired",
                "engine": "V8",
                "engine_version": "8.4",
                "browser_name": "Deno",
            },
            {
                "browser_key": "bun",
                "code": "1.0.0",
                "index_": 0,
                "release_date": "2023-09-08",
                "release_notes": "https://bun.com/blog/release-notes/bun-v1.0.0",
                "status": "retired",
                "engine": None,
                "engine_version": None,
                "browser_name": "Bun",
            },
            {
                "browser_key": "bun",
                "code": "1.0.1",
                "index_": 1,
                "release_date": "2023-09-12",
                "release_notes": "https://bun.com/blog/release-notes/bun-v1.0.1",
                "status": "retired",
                "engine": None,
                "engine_version": None,
                "browser_name": "Bun",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_browser_releases__with_release_date(world):
    """With release_date: one row fits."""
    page = tools.search_browser_releases(world, release_date="2027-01-07")
    assert page == {
        "items": [
            {
                "browser_key": "edge",
                "code": "160",
                "index_": 87,
                "release_date": "2027-01-07",
                "release_notes": None,
                "status": "planned",
                "engine": "Blink",
                "engine_version": "160",
                "browser_name": "Edge",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_browser_releases__with_browser_key(world):
    """With browser_key: no row fits."""
    page = tools.search_browser_releases(world, browser_key="ie")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_engine_version(world):
    """With engine_version: no row fits."""
    page = tools.search_browser_releases(world, engine_version="%")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_page_size(world):
    """With page_size: 1091 rows fit."""
    page = tools.search_browser_releases(world, page_size=1)
    assert page["items"] == [
        {
            "browser_key": "oculus",
            "code": "7.1",
            "index_": 4,
            "release_date": "2020-01-06",
            "release_notes": "https://developers.meta.com/horizon/downloads/package/browser/7.1/",
            "status": "retired",
            "engine": "Blink",
            "engine_version": "77",
            "browser_name": "Quest Browser",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__with_engine(world):
    """With engine: 157 rows fit."""
    page = tools.search_browser_releases(world, engine="V8")
    assert [item["code"] for item in page["items"]] == [
        "14.0.0", "1.0", "14.3.0", "12.17.0", "1.1", "14.5.0", "1.2", "14.6.0", "14.7.0", "14.8.0", "1.3", "1.4",
        "12.19.0", "15.0.0", "1.5", "1.6", "15.4.0", "1.7", "15.7.0", "1.8",
    ]
    assert page["items"][0] == {
        "browser_key": "nodejs",
        "code": "14.0.0",
        "index_": 34,
        "release_date": "2020-04-21",
        "release_notes": "https://nodejs.org/en/blog/release/v14.0.0/",
        "status": "retired",
        "engine": "V8",
        "engine_version": "8.1",
        "browser_name": "Node.js",
    }
    assert page["items"][-1] == {
        "browser_key": "deno",
        "code": "1.8",
        "index_": 8,
        "release_date": "2021-03-02",
        "release_notes": "https://github.com/denoland/deno/releases/tag/v1.8.0",
        "status": "retired",
        "engine": "V8",
        "engine_version": "9.0",
        "browser_name": "Deno",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__with_status(world):
    """With status: 3 rows fit."""
    page = tools.search_browser_releases(world, status="esr")
    assert page == {
        "items": [
            {
                "browser_key": "nodejs",
                "code": "22.3.0",
                "index_": 106,
                "release_date": "2024-06-11",
                "release_notes": "https://nodejs.org/en/blog/release/v22.3.0",
                "status": "esr",
                "engine": "V8",
                "engine_version": "12.4",
                "browser_name": "Node.js",
            },
            {
                "browser_key": "firefox",
                "code": "153",
                "index_": 155,
                "release_date": "2026-07-21",
                "release_notes": "https://developer.mozilla.org/docs/Mozilla/Firefox/Releases/153",
                "status": "esr",
                "engine": "Gecko",
                "engine_version": "153",
                "browser_name": "Firefox",
            },
            {
                "browser_key": "firefox_android",
                "code": "153",
                "index_": 136,
                "release_date": "2026-07-21",
                "release_notes": "https://developer.mozilla.org/docs/Mozilla/Firefox/Releases/153",
                "status": "esr",
                "engine": "Gecko",
                "engine_version": "153",
                "browser_name": "Firefox for Android",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_browser_releases__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.search_browser_releases(world, max_index_=3, page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_browser_releases(world, max_index_=3, page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_browser_releases, world, first, "start_cursor", max_index_=3, page_size=2)
    assert items == whole["items"]
    most = tools.search_browser_releases(world, max_index_=3, page_size=7)
    assert most["has_more"] is True


def test_search_browser_releases__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, browser_key="   ", code="1.0")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, engine="no_such_choice", code="1.0")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="1.0", engine_version="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="1.0", max_index_="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="1.0", min_index_="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="1.0", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, release_date="   ", code="1.0")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, release_date="not-a-date", code="1.0")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, code="1.0", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="no_such_choice", code="1.0")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)
