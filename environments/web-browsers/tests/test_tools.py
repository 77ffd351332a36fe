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
    page = tools.list_overrides(world, feature_key="language", field="status_baseline", page_size=1)
    assert page == {
        "items": [
            {
                "feature_key": "language",
                "field": "status_baseline",
                "value": "false",
                "correction_id": 2169,
                "since": "2026-06-30T10:01:22Z",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_list_overrides__with_field(world):
    """With field: 29 rows fit."""
    page = tools.list_overrides(world, field="status_baseline")
    assert [item["feature_key"] for item in page["items"]] == [
        "customized-built-in-elements", "fetch-metadata", "observable", "top-level-await", "language", "manifest",
        "fit-content-function", "hashchange", "private-click-measurement", "html-media-capture", "font-family",
        "outlines", "share", "border-shape", "hsts", "location", "dynamic-range", "keyboard-lock", "url-cross-origin",
        "usermedia",
    ]
    assert page["items"][0] == {
        "feature_key": "customized-built-in-elements",
        "field": "status_baseline",
        "value": "high",
        "correction_id": 2254,
        "since": "2026-09-10T13:23:57Z",
    }
    assert page["items"][-1] == {
        "feature_key": "usermedia",
        "field": "status_baseline",
        "value": "low",
        "correction_id": 2040,
        "since": "2025-12-12T17:15:30Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_overrides__with_feature_key_and_field(world):
    """With feature_key and field: no row fits."""
    page = tools.list_overrides(world, feature_key="a", field="status_baseline")
    expected = world.query(
        "SELECT override_id "
        "FROM overrides "
        "WHERE feature_key IS ? "
        "AND field IS ? "
        "ORDER BY since DESC, override_id LIMIT 21",
        ["a", "status_baseline"],
    )
    assert [item["override_id"] for item in page["items"]] == [row["override_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_overrides__with_feature_key_and_page_size(world):
    """With feature_key and page_size: 2 rows fit."""
    page = tools.list_overrides(world, feature_key="language", page_size=1)
    assert page["items"] == [
        {
            "feature_key": "language",
            "field": "status_baseline",
            "value": "false",
            "correction_id": 2169,
            "since": "2026-06-30T10:01:22Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_overrides__paging(world):
    """The pages of 6 together hold the same 20 items, in the same order."""
    whole = tools.list_overrides(world, field="status_baseline_low_date", page_size=20)
    assert len(whole["items"]) == 20
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_overrides(world, field="status_baseline_low_date", page_size=6)
    assert first["items"] == whole["items"][:6]
    assert first["has_more"] is True
    items = _all_pages(
        tools.list_overrides, world, first, "start_cursor",
        field="status_baseline_low_date",
        page_size=6,
    )
    assert items == whole["items"]
    most = tools.list_overrides(world, field="status_baseline_low_date", page_size=19)
    assert most["has_more"] is True


def test_list_overrides__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="language", field="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="language", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, feature_key="language", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_overrides(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_corrections__with_several(world):
    """With feature_key, state, reviewer_id and filed_by: one row fits."""
    page = tools.search_corrections(world, feature_key="isolation", state="accepted", reviewer_id=33, filed_by=17)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE feature_key IS ? "
        "AND state IS ? "
        "AND reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["isolation", "accepted", 33, 17],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "correction_id": 2002,
            "feature_key": "isolation",
            "name": "isolation",
            "field": "status_baseline_high_date",
            "proposed_value": "2022-06-07",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 17,
            "reviewer_id": 33,
            "due_on": "2025-11-19",
            "ground": None,
            "filed_at": "2025-10-13T08:02:22Z",
            "decided_at": "2025-10-27T18:22:00Z",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_filed_by(world):
    """With filed_by: 23 rows fit."""
    page = tools.search_corrections(world, filed_by=12)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        [12],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2005,
        "feature_key": "language",
        "name": "Language",
        "field": "status_baseline_high_date",
        "proposed_value": "2018-03-12",
        "evidence": "official",
        "state": "accepted",
        "filed_by": 12,
        "reviewer_id": 29,
        "due_on": "2025-11-21",
        "ground": None,
        "filed_at": "2025-10-14T11:06:10Z",
        "decided_at": "2025-10-20T08:37:18Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2299,
        "feature_key": "digital-credentials",
        "name": "Digital credentials",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "none",
        "state": "open",
        "filed_by": 12,
        "reviewer_id": None,
        "due_on": "2026-10-09",
        "ground": None,
        "filed_at": "2026-09-17T11:29:46Z",
        "decided_at": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_several_2(world):
    """With feature_key, field, reviewer_id and filed_by: no row fits."""
    page = tools.search_corrections(
        world,
        feature_key="isolation",
        field="status_baseline",
        reviewer_id=33,
        filed_by=17,
    )
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE feature_key IS ? "
        "AND field IS ? "
        "AND reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["isolation", "status_baseline", 33, 17],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_due_before(world):
    """With due_before: 67 rows fit."""
    page = tools.search_corrections(world, due_before="2026-02-26")
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE due_on < ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["2026-02-26"],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2001,
        "feature_key": "proxy-reflect",
        "name": "Proxy and Reflect",
        "field": "status_baseline_high_date",
        "proposed_value": "2019-02-22",
        "evidence": "official",
        "state": "rejected",
        "filed_by": 15,
        "reviewer_id": 33,
        "due_on": "2025-10-24",
        "ground": "already_right",
        "filed_at": "2025-10-10T10:24:20Z",
        "decided_at": "2025-10-13T13:19:25Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2008,
        "feature_key": "usermedia",
        "name": "<usermedia>",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "official",
        "state": "withdrawn",
        "filed_by": 16,
        "reviewer_id": 30,
        "due_on": "2025-11-26",
        "ground": None,
        "filed_at": "2025-10-21T14:54:53Z",
        "decided_at": "2025-11-04T10:35:59Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_reviewer_id_and_filed_by(world):
    """With reviewer_id and filed_by: 5 rows fit."""
    page = tools.search_corrections(world, reviewer_id=33, filed_by=17)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        [33, 17],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2002,
        "feature_key": "isolation",
        "name": "isolation",
        "field": "status_baseline_high_date",
        "proposed_value": "2022-06-07",
        "evidence": "official",
        "state": "accepted",
        "filed_by": 17,
        "reviewer_id": 33,
        "due_on": "2025-11-19",
        "ground": None,
        "filed_at": "2025-10-13T08:02:22Z",
        "decided_at": "2025-10-27T18:22:00Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2268,
        "feature_key": "text-align",
        "name": "text-align",
        "field": "status_baseline_low_date",
        "proposed_value": "2015-07-10",
        "evidence": "secondary",
        "state": "withdrawn",
        "filed_by": 17,
        "reviewer_id": 33,
        "due_on": "2026-10-12",
        "ground": None,
        "filed_at": "2026-09-02T09:59:59Z",
        "decided_at": "2026-09-07T14:45:29Z",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_several_3(world):
    """With feature_key, reviewer_id, filed_by and page_size: one row fits."""
    page = tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by=17, page_size=1)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE feature_key IS ? "
        "AND reviewer_id IS ? "
        "AND filed_by IS ? "
        "ORDER BY due_on, correction_id LIMIT 2",
        ["isolation", 33, 17],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "correction_id": 2002,
            "feature_key": "isolation",
            "name": "isolation",
            "field": "status_baseline_high_date",
            "proposed_value": "2022-06-07",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 17,
            "reviewer_id": 33,
            "due_on": "2025-11-19",
            "ground": None,
            "filed_at": "2025-10-13T08:02:22Z",
            "decided_at": "2025-10-27T18:22:00Z",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_corrections__with_state(world):
    """With state: 114 rows fit."""
    page = tools.search_corrections(world, state="open")
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE state IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        ["open"],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2192,
        "feature_key": "del",
        "name": "<del>",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "none",
        "state": "open",
        "filed_by": 27,
        "reviewer_id": 29,
        "due_on": "2026-08-17",
        "ground": None,
        "filed_at": "2026-08-03T07:49:58Z",
        "decided_at": None,
    }
    assert page["items"][-1] == {
        "correction_id": 2219,
        "feature_key": "bigint64array",
        "name": "BigInt64Array",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "secondary",
        "state": "open",
        "filed_by": 25,
        "reviewer_id": 33,
        "due_on": "2026-09-08",
        "ground": None,
        "filed_at": "2026-08-12T11:16:39Z",
        "decided_at": None,
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_reviewer_id(world):
    """With reviewer_id: 56 rows fit."""
    page = tools.search_corrections(world, reviewer_id=29)
    expected = world.query(
        "SELECT correction_id "
        "FROM corrections "
        "WHERE reviewer_id IS ? "
        "ORDER BY due_on, correction_id LIMIT 21",
        [29],
    )
    assert [item["correction_id"] for item in page["items"]] == [row["correction_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "correction_id": 2003,
        "feature_key": "background-size",
        "name": "background-size",
        "field": "status_baseline_high_date",
        "proposed_value": "2018-03-09",
        "evidence": "official",
        "state": "accepted",
        "filed_by": 13,
        "reviewer_id": 29,
        "due_on": "2025-11-19",
        "ground": None,
        "filed_at": "2025-10-13T14:24:29Z",
        "decided_at": "2025-10-28T15:23:20Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2124,
        "feature_key": "sanitizer",
        "name": "Sanitizer API",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "official",
        "state": "rejected",
        "filed_by": 15,
        "reviewer_id": 29,
        "due_on": "2026-05-26",
        "ground": "duplicate",
        "filed_at": "2026-04-24T08:40:18Z",
        "decided_at": "2026-05-01T16:35:20Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__with_field(world):
    """With field: 222 rows fit."""
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
        "correction_id": 2007,
        "feature_key": "glyph-orientation-vertical",
        "name": "glyph-orientation-vertical",
        "field": "status_baseline",
        "proposed_value": "high",
        "evidence": "official",
        "state": "accepted",
        "filed_by": 11,
        "reviewer_id": 33,
        "due_on": "2025-11-12",
        "ground": None,
        "filed_at": "2025-10-17T07:58:20Z",
        "decided_at": "2025-10-24T13:29:26Z",
    }
    assert page["items"][-1] == {
        "correction_id": 2035,
        "feature_key": "webnn",
        "name": "WebNN",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "secondary",
        "state": "accepted",
        "filed_by": 11,
        "reviewer_id": 35,
        "due_on": "2025-12-18",
        "ground": None,
        "filed_at": "2025-11-27T15:51:34Z",
        "decided_at": "2025-12-02T16:09:26Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_corrections__paging(world):
    """The pages of 2 together hold the same 6 items, in the same order."""
    whole = tools.search_corrections(world, feature_key="class-syntax", page_size=6)
    assert len(whole["items"]) == 6
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_corrections(world, feature_key="class-syntax", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_corrections, world, first, "start_cursor", feature_key="class-syntax", page_size=2)
    assert items == whole["items"]
    most = tools.search_corrections(world, feature_key="class-syntax", page_size=5)
    assert most["has_more"] is True


def test_search_corrections__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by=17, due_before="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by=17, due_before="not-a-date")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="   ", reviewer_id=33, filed_by=17)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", field="   ", reviewer_id=33, filed_by=17)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by=17, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id="many", filed_by=17)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", reviewer_id=33, filed_by=17, start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_corrections(world, feature_key="isolation", state="no_such_choice", reviewer_id=33, filed_by=17)
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
        feature_key="wasm",
        field="status_baseline",
        proposed_value="low",
        evidence="official",
        filed_by=12,
    )
    made = changes(world)
    new_correction = made["corrections"]["inserted"][0]["correction_id"]
    assert _counts(made) == {"corrections": (1, 0, 0)}
    assert made["corrections"]["inserted"] == [{
        "correction_id": new_correction,
        "feature_key": "wasm",
        "field": "status_baseline",
        "proposed_value": "low",
        "evidence": "official",
        "state": "open",
        "filed_by": 12,
        "reviewer_id": None,
        "due_on": "2026-10-19",
        "ground": None,
        "filed_at": now,
        "decided_at": None,
    }]
    assert result == {
        "correction": {
            "correction_id": new_correction,
            "feature_key": "wasm",
            "field": "status_baseline",
            "proposed_value": "low",
            "evidence": "official",
            "state": "open",
            "filed_by": 12,
            "reviewer_id": None,
            "due_on": "2026-10-19",
            "ground": None,
            "filed_at": now,
            "decided_at": None,
        },
    }
    assert _value(world, query, feature_key="wasm", field="status_baseline") == 1


def test_file_correction__conflict(world):
    """The field has an override already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="manifest",
            field="status_baseline",
            proposed_value="low",
            evidence="official",
            filed_by=24,
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "The field has an override already."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__invalid_argument(world):
    """colour of the cover is no field that is corrected: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="colour of the cover",
            proposed_value="red",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "colour of the cover is no field that is corrected."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__not_allowed(world):
    """Ellie Davies is no active editor: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="del",
            field="status_baseline",
            proposed_value="low",
            evidence="official",
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
            field="status_baseline_high_date",
            proposed_value="2019-02-22",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature z."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__conflict_2(world):
    """Correction 2232 of this field is open already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline",
            proposed_value="low",
            evidence="official",
            filed_by=11,
        )
    assert caught.value.code == "conflict"
    assert caught.value.message == "Correction 2232 of this field is open already."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__invalid_argument_2(world):
    """status_baseline_high_date is a day, low is none: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline_high_date",
            proposed_value="low",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "status_baseline_high_date is a day, low is none."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__invalid_argument_3(world):
    """2019-02-22 is none of the 3 values of status_baseline: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="zstd",
            field="status_baseline",
            proposed_value="2019-02-22",
            evidence="none",
            filed_by=12,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "2019-02-22 is none of the 3 values of status_baseline."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__not_found_2(world):
    """There is no curator 1037: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline_high_date",
            proposed_value="2019-02-22",
            evidence="secondary",
            filed_by=1037,
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no curator 1037."
    assert caught.value.hint
    assert not changes(world)


def test_file_correction__invalid_argument_4(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline_high_date",
            proposed_value="2019-02-22",
            evidence="no_such_choice",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="   ",
            field="status_baseline_high_date",
            proposed_value="2019-02-22",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="   ",
            proposed_value="2019-02-22",
            evidence="secondary",
            filed_by=11,
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline_high_date",
            proposed_value="2019-02-22",
            evidence="secondary",
            filed_by="many",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.file_correction(
            world,
            feature_key="a",
            field="status_baseline_high_date",
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
    result = tools.assign_correction(world, correction_id=2192, reviewer_id=30)
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2192
    assert _changed(before, after) == {"reviewer_id": 30}
    assert result == {
        "correction": {
            "correction_id": 2192,
            "feature_key": "del",
            "field": "status_baseline",
            "proposed_value": "low",
            "evidence": "none",
            "state": "open",
            "filed_by": 27,
            "reviewer_id": 30,
            "due_on": "2026-08-17",
            "ground": None,
            "filed_at": "2026-08-03T07:49:58Z",
            "decided_at": None,
        },
    }
    assert _value(world, query, correction_id=2192) == 30


def test_assign_correction__not_allowed(world):
    """Correction 2002 is accepted: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2002, reviewer_id=11)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2002 is accepted."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_found(world):
    """There is no correction 3330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=3330, reviewer_id=30)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3330."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_allowed_2(world):
    """Alex Lee is no active reviewer: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2192, reviewer_id=11)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Alex Lee is no active reviewer."
    assert caught.value.hint
    assert not changes(world)


def test_assign_correction__not_found_2(world):
    """There is no curator 1037: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.assign_correction(world, correction_id=2192, reviewer_id=1037)
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
        tools.assign_correction(world, correction_id=2192, reviewer_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__success(world):
    """With correction_id: changes 1 of corrections and adds 1 of overrides, and nothing else changes."""
    query = "SELECT count(*) FROM overrides WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.accept_correction(world, correction_id=2194)
    made = changes(world)
    new_override = made["overrides"]["inserted"][0]["override_id"]
    assert _counts(made) == {"corrections": (0, 1, 0), "overrides": (1, 0, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2194
    assert _changed(before, after) == {"state": "accepted", "decided_at": now}
    assert made["overrides"]["inserted"] == [{
        "override_id": new_override,
        "feature_key": "baseline-source",
        "field": "status_baseline",
        "value": "high",
        "correction_id": 2194,
        "since": now,
    }]
    assert result == {
        "correction": {
            "correction_id": 2194,
            "feature_key": "baseline-source",
            "field": "status_baseline",
            "proposed_value": "high",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 14,
            "reviewer_id": None,
            "due_on": "2026-08-25",
            "ground": None,
            "filed_at": "2026-08-03T10:18:54Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2194) == 1


def test_accept_correction__success_2(world):
    """With correction_id: changes 1 of corrections and adds 1 of overrides, and nothing else changes."""
    query = "SELECT count(*) FROM overrides WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.accept_correction(world, correction_id=2204)
    made = changes(world)
    new_override = made["overrides"]["inserted"][0]["override_id"]
    assert _counts(made) == {"corrections": (0, 1, 0), "overrides": (1, 0, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2204
    assert _changed(before, after) == {"state": "accepted", "decided_at": now}
    assert made["overrides"]["inserted"] == [{
        "override_id": new_override,
        "feature_key": "display-ruby",
        "field": "status_baseline",
        "value": "high",
        "correction_id": 2204,
        "since": now,
    }]
    assert result == {
        "correction": {
            "correction_id": 2204,
            "feature_key": "display-ruby",
            "field": "status_baseline",
            "proposed_value": "high",
            "evidence": "official",
            "state": "accepted",
            "filed_by": 26,
            "reviewer_id": 31,
            "due_on": "2026-09-01",
            "ground": None,
            "filed_at": "2026-08-05T14:47:45Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2204) == 1


def test_accept_correction__conflict(world):
    """Correction 2002 is accepted already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=2002)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Correction 2002 is accepted already."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__not_allowed(world):
    """Correction 2001 is rejected: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=2001)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2001 is rejected."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__not_found(world):
    """There is no correction 3330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=3330)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3330."
    assert caught.value.hint
    assert not changes(world)


def test_accept_correction__not_allowed_2(world):
    """Nothing stands behind correction 2192: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.accept_correction(world, correction_id=2192)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Nothing stands behind correction 2192."
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
    result = tools.reject_correction(world, correction_id=2192, ground="duplicate")
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2192
    assert _changed(before, after) == {"state": "rejected", "ground": "duplicate", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2192,
            "feature_key": "del",
            "field": "status_baseline",
            "proposed_value": "low",
            "evidence": "none",
            "state": "rejected",
            "filed_by": 27,
            "reviewer_id": 29,
            "due_on": "2026-08-17",
            "ground": "duplicate",
            "filed_at": "2026-08-03T07:49:58Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2192) == "duplicate"


def test_reject_correction__success_2(world):
    """With correction_id and ground: changes 1 of corrections, and nothing else changes."""
    query = "SELECT ground FROM corrections WHERE correction_id = :correction_id AND state = 'rejected'"
    now = world.now()
    result = tools.reject_correction(world, correction_id=2194, ground="already_right")
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2194
    assert _changed(before, after) == {"state": "rejected", "ground": "already_right", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2194,
            "feature_key": "baseline-source",
            "field": "status_baseline",
            "proposed_value": "high",
            "evidence": "official",
            "state": "rejected",
            "filed_by": 14,
            "reviewer_id": None,
            "due_on": "2026-08-25",
            "ground": "already_right",
            "filed_at": "2026-08-03T10:18:54Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2194) == "already_right"


def test_reject_correction__conflict(world):
    """Correction 2166 is rejected already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=2166, ground="duplicate")
    assert caught.value.code == "conflict"
    assert caught.value.message == "Correction 2166 is rejected already."
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__not_allowed(world):
    """Correction 2002 is accepted: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=2002, ground="duplicate")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2002 is accepted."
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__not_found(world):
    """There is no correction 3330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=3330, ground="already_right")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3330."
    assert caught.value.hint
    assert not changes(world)


def test_reject_correction__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id="many", ground="already_right")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.reject_correction(world, correction_id=2192, ground="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__success(world):
    """With correction_id: changes 1 of corrections, and nothing else changes."""
    query = "SELECT state FROM corrections WHERE correction_id = :correction_id"
    now = world.now()
    result = tools.withdraw_correction(world, correction_id=2330)
    made = changes(world)
    assert _counts(made) == {"corrections": (0, 1, 0)}
    ((before, after),) = made["corrections"]["updated"]
    assert before["correction_id"] == 2330
    assert _changed(before, after) == {"state": "withdrawn", "decided_at": now}
    assert result == {
        "correction": {
            "correction_id": 2330,
            "feature_key": "local-fonts",
            "field": "status_baseline",
            "proposed_value": "high",
            "evidence": "official",
            "state": "withdrawn",
            "filed_by": 16,
            "reviewer_id": 31,
            "due_on": "2026-10-19",
            "ground": None,
            "filed_at": "2026-10-02T15:37:36Z",
            "decided_at": now,
        },
    }
    assert _value(world, query, correction_id=2330) == "withdrawn"


def test_withdraw_correction__conflict(world):
    """Correction 2008 is withdrawn already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id=2008)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Correction 2008 is withdrawn already."
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__not_allowed(world):
    """Correction 2002 is accepted: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id=2002)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Correction 2002 is accepted."
    assert caught.value.hint
    assert not changes(world)


def test_withdraw_correction__not_found(world):
    """There is no correction 3330: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.withdraw_correction(world, correction_id=3330)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no correction 3330."
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


def test_search_features__with_several_2(world):
    """With name, kind and status_baseline: no row fits."""
    page = tools.search_features(world, name="dEVICE", kind="feature", status_baseline="low")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(name), ?) > 0 "
        "AND kind IS ? "
        "AND status_baseline IS ? "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["device", "feature", "low"],
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


def test_search_features__with_status_baseline_low_date(world):
    """With status_baseline_low_date: no row fits."""
    page = tools.search_features(world, status_baseline_low_date="%")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(status_baseline_low_date), ?) > 0 "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["%"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_features__with_status_baseline_high_date(world):
    """With status_baseline_high_date: no row fits."""
    page = tools.search_features(world, status_baseline_high_date="%")
    expected = world.query(
        "SELECT key "
        "FROM features "
        "WHERE instr(lower(status_baseline_high_date), ?) > 0 "
        "ORDER BY discouraged_removal_date, key LIMIT 21",
        ["%"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
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
    assert result == {
        "feature": {
            "key": "array",
            "kind": "feature",
            "name": "Array (initial support)",
            "status_baseline": "high",
            "status_baseline_high_date": "2018-01-29",
            "status_baseline_low_date": "2015-07-29",
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
        "snapshots": [{"snapshot": "ecmascript-1", "snapshot_name": "ECMAScript"}],
        "status_supports": [
            {"code": "chrome", "value": "1", "code_name": "Chrome"},
            {"code": "firefox", "value": "1", "code_name": "Firefox"},
            {"code": "safari", "value": "1", "code_name": "Safari"},
        ],
    }
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


def test_get_feature__success_4(world):
    """With feature_key: the result is what the rows say."""
    result = tools.get_feature(world, feature_key="accelerometer")
    assert result == {
        "feature": {
            "key": "accelerometer",
            "kind": "feature",
            "name": "Accelerometer",
            "status_baseline": "false",
            "status_baseline_high_date": None,
            "status_baseline_low_date": None,
            "discouraged_removal_date": None,
            "redirect_target": None,
        },
        "snapshots": [],
        "status_supports": [{"code": "chrome", "value": "91", "code_name": "Chrome"}],
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
    """With collection_id and page_size: 40 rows fit."""
    page = tools.list_collection_items(world, collection_id=301, page_size=1)
    assert page["items"] == [
        {
            "feature_key": "oes-texture-float-linear",
            "name": "OES_texture_float_linear WebGL extension",
            "status_baseline": "high",
            "place": 1,
            "added_at": "2025-10-01T13:40:14Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_list_collection_items__success(world):
    """With collection_id: 18 rows fit."""
    page = tools.list_collection_items(world, collection_id=307)
    assert [item["feature_key"] for item in page["items"]] == [
        "web-bluetooth", "wasm-non-trapping-float-to-int", "ad-selection", "random-function", "css-typed-om",
        "clipboardchange", "link-parameters", "app-share-targets", "manifest", "webgl2-desynchronized",
        "display-contents", "clear-site-data", "link-rel-prefetch", "filter-function", "feature-policy", "element",
        "topics", "video-dynamic-range",
    ]
    assert page["items"][0] == {
        "feature_key": "web-bluetooth",
        "name": "Web Bluetooth",
        "status_baseline": "false",
        "place": 1,
        "added_at": "2026-01-13T09:37:23Z",
    }
    assert page["items"][-1] == {
        "feature_key": "video-dynamic-range",
        "name": "video-dynamic-range media query",
        "status_baseline": "false",
        "place": 18,
        "added_at": "2026-06-11T15:49:57Z",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_list_collection_items__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.list_collection_items(world, collection_id=313, page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_collection_items(world, collection_id=313, page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.list_collection_items, world, first, "start_cursor", collection_id=313, page_size=2)
    assert items == whole["items"]
    most = tools.list_collection_items(world, collection_id=313, page_size=7)
    assert most["has_more"] is True


def test_list_collection_items__not_found(world):
    """There is no collection 1324: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=1324, page_size=1)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1324."
    assert caught.value.hint
    assert not changes(world)


def test_list_collection_items__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id="many", page_size=1)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=301, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=301, start_cursor="   ", page_size=1)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_collection_items(world, collection_id=301, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search_collections__with_several(world):
    """With state, owner_id and page_size: one row fits."""
    page = tools.search_collections(world, state="draft", owner_id=25, page_size=1)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 2",
        ["draft", 25],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "collection_id": 301,
            "name": "Export set for the test bench",
            "owner_id": 25,
            "state": "draft",
            "created_at": "2025-10-01T08:33:42Z",
            "published_at": None,
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_state_and_page_size(world):
    """With state and page_size: 8 rows fit."""
    page = tools.search_collections(world, state="published", page_size=3)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "ORDER BY name, collection_id LIMIT 4",
        ["published"],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:3]]
    assert page["has_more"] is (len(expected) > 3)
    assert page["items"] == [
        {
            "collection_id": 322,
            "name": "Audit list for partners",
            "owner_id": 15,
            "state": "published",
            "created_at": "2026-09-02T13:55:27Z",
            "published_at": "2026-09-10T07:38:49Z",
        },
        {
            "collection_id": 317,
            "name": "Audit list for the printed guide",
            "owner_id": 27,
            "state": "published",
            "created_at": "2026-06-08T09:36:14Z",
            "published_at": "2026-06-26T14:19:37Z",
        },
        {
            "collection_id": 313,
            "name": "Front page picks for the archive",
            "owner_id": 28,
            "state": "published",
            "created_at": "2026-03-31T15:02:41Z",
            "published_at": "2026-04-16T12:25:44Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_collections__with_several_2(world):
    """With query, state and owner_id: no row fits."""
    page = tools.search_collections(world, query="%", state="draft", owner_id=25)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE instr(lower(name), ?) > 0 "
        "AND state IS ? "
        "AND owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 21",
        ["%", "draft", 25],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_query(world):
    """With query: 5 rows fit."""
    page = tools.search_collections(world, query="LIST")
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE instr(lower(name), ?) > 0 "
        "ORDER BY name, collection_id LIMIT 21",
        ["list"],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "collection_id": 322,
        "name": "Audit list for partners",
        "owner_id": 15,
        "state": "published",
        "created_at": "2026-09-02T13:55:27Z",
        "published_at": "2026-09-10T07:38:49Z",
    }
    assert page["items"][-1] == {
        "collection_id": 305,
        "name": "Reading list for translators",
        "owner_id": 26,
        "state": "published",
        "created_at": "2025-11-06T09:32:08Z",
        "published_at": "2026-07-06T14:57:52Z",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_state(world):
    """With state: 12 rows fit."""
    page = tools.search_collections(world, state="draft")
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE state IS ? "
        "ORDER BY name, collection_id LIMIT 21",
        ["draft"],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "collection_id": 306,
        "name": "Audit list for the help desk",
        "owner_id": 20,
        "state": "draft",
        "created_at": "2025-11-26T10:25:02Z",
        "published_at": None,
    }
    assert page["items"][-1] == {
        "collection_id": 315,
        "name": "Training set for the printed guide",
        "owner_id": 16,
        "state": "draft",
        "created_at": "2026-05-05T16:04:53Z",
        "published_at": None,
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_collections__with_owner_id_and_page_size(world):
    """With owner_id and page_size: 2 rows fit."""
    page = tools.search_collections(world, owner_id=17, page_size=1)
    expected = world.query(
        "SELECT collection_id "
        "FROM collections "
        "WHERE owner_id IS ? "
        "ORDER BY name, collection_id LIMIT 2",
        [17],
    )
    assert [item["collection_id"] for item in page["items"]] == [row["collection_id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "collection_id": 320,
            "name": "Quiz set for new editors",
            "owner_id": 17,
            "state": "draft",
            "created_at": "2026-07-01T15:33:06Z",
            "published_at": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_search_collections__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.search_collections(world, state="published", page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_collections(world, state="published", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_collections, world, first, "start_cursor", state="published", page_size=2)
    assert items == whole["items"]
    most = tools.search_collections(world, state="published", page_size=7)
    assert most["has_more"] is True


def test_search_collections__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id=25, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, query="   ", state="draft", owner_id=25)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="draft", owner_id=25, start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_collections(world, state="no_such_choice", owner_id=25)
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
    held = _value(world, query, owner_id=11)
    now = world.now()
    result = tools.create_collection(world, name="Checked name", owner_id=11)
    made = changes(world)
    new_collection = made["collections"]["inserted"][0]["collection_id"]
    assert _counts(made) == {"collections": (1, 0, 0)}
    assert made["collections"]["inserted"] == [{
        "collection_id": new_collection,
        "name": "Checked name",
        "owner_id": 11,
        "state": "draft",
        "created_at": now,
        "published_at": None,
    }]
    assert result == {
        "collection": {
            "collection_id": new_collection,
            "name": "Checked name",
            "owner_id": 11,
            "state": "draft",
            "created_at": now,
            "published_at": None,
        },
    }
    assert _value(world, query, owner_id=11) == held + 1


def test_create_collection__conflict(world):
    """There is a collection of that name already: 301: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_collection(world, name="Export set for the test bench", owner_id=11)
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
    result = tools.publish_collection(world, collection_id=301)
    made = changes(world)
    assert _counts(made) == {"collections": (0, 1, 0)}
    ((before, after),) = made["collections"]["updated"]
    assert before["collection_id"] == 301
    assert _changed(before, after) == {"state": "published", "published_at": now}
    assert result == {
        "collection": {
            "collection_id": 301,
            "name": "Export set for the test bench",
            "owner_id": 25,
            "state": "published",
            "created_at": "2025-10-01T08:33:42Z",
            "published_at": now,
        },
    }
    assert _value(world, query, collection_id=301) == "published"


def test_publish_collection__conflict(world):
    """Collection 305 is published already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=305)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Collection 305 is published already."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__not_allowed(world):
    """Collection 307 is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=307)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 307 is archived."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__not_found(world):
    """There is no collection 1324: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=1324)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1324."
    assert caught.value.hint
    assert not changes(world)


def test_publish_collection__not_allowed_2(world):
    """2 of its features are disputed: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.publish_collection(world, collection_id=302)
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
    result = tools.add_to_collection(world, collection_id=301, feature_key="a")
    made = changes(world)
    new_collection_item = made["collection_items"]["inserted"][0]["item_id"]
    assert _counts(made) == {"collection_items": (1, 0, 0)}
    assert made["collection_items"]["inserted"] == [{
        "item_id": new_collection_item,
        "collection_id": 301,
        "feature_key": "a",
        "place": 41,
        "added_at": now,
    }]
    assert result == {"collection_id": 301, "feature_key": "a", "place": 41}
    assert _value(world, query, collection_id=301, feature_key="a") == 1


def test_add_to_collection__conflict(world):
    """mixin is in collection 315 already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=315, feature_key="mixin")
    assert caught.value.code == "conflict"
    assert caught.value.message == "mixin is in collection 315 already."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_allowed(world):
    """Collection 307 is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=307, feature_key="a")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 307 is archived."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_found(world):
    """There is no collection 1324: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=1324, feature_key="a")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1324."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__not_found_2(world):
    """There is no feature z: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=301, feature_key="z")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no feature z."
    assert caught.value.hint
    assert not changes(world)


def test_add_to_collection__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id="many", feature_key="a")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.add_to_collection(world, collection_id=301, feature_key="   ")
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
    """Collection 307 is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=307, feature_key="a")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "Collection 307 is archived."
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__not_found(world):
    """There is no collection 1324: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=1324, feature_key="private-click-measurement")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no collection 1324."
    assert caught.value.hint
    assert not changes(world)


def test_remove_from_collection__not_found_2(world):
    """a is not in collection 301: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.remove_from_collection(world, collection_id=301, feature_key="a")
    assert caught.value.code == "not_found"
    assert caught.value.message == "a is not in collection 301."
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
    """With kind, state and page_size: 13 rows fit."""
    page = tools.list_flags(world, kind="unclear", state="open", page_size=2)
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 3",
        ["unclear", "open"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:2]]
    assert page["has_more"] is (len(expected) > 2)
    assert page["items"] == [
        {
            "flag_id": 554,
            "feature_key": "manifest",
            "name": "Web app manifest",
            "kind": "unclear",
            "state": "open",
            "note": "Found while preparing an export. Ask again before the big clean-up is over.",
            "raised_by": 24,
            "raised_at": "2026-03-19T17:12:16Z",
            "cleared_at": None,
        },
        {
            "flag_id": 568,
            "feature_key": "topics",
            "name": "Topics",
            "kind": "unclear",
            "state": "open",
            "note": None,
            "raised_by": 11,
            "raised_at": "2026-04-06T11:43:48Z",
            "cleared_at": None,
        },
    ]
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


def test_list_flags__with_feature_key(world):
    """With feature_key: one row fits."""
    page = tools.list_flags(world, feature_key="class-syntax")
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE feature_key IS ? "
        "ORDER BY raised_at, flag_id LIMIT 21",
        ["class-syntax"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "flag_id": 506,
            "feature_key": "class-syntax",
            "name": "Classes",
            "kind": "disputed",
            "state": "cleared",
            "note": "Two of us read this differently. I have written to them.",
            "raised_by": 18,
            "raised_at": "2025-10-31T13:14:26Z",
            "cleared_at": "2025-11-25T11:46:53Z",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_flags__with_kind_and_state(world):
    """With kind and state: 13 rows fit."""
    page = tools.list_flags(world, kind="unclear", state="open")
    expected = world.query(
        "SELECT flag_id "
        "FROM entry_flags "
        "WHERE kind IS ? "
        "AND state IS ? "
        "ORDER BY raised_at, flag_id LIMIT 21",
        ["unclear", "open"],
    )
    assert [item["flag_id"] for item in page["items"]] == [row["flag_id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "flag_id": 554,
        "feature_key": "manifest",
        "name": "Web app manifest",
        "kind": "unclear",
        "state": "open",
        "note": "Found while preparing an export. Ask again before the big clean-up is over.",
        "raised_by": 24,
        "raised_at": "2026-03-19T17:12:16Z",
        "cleared_at": None,
    }
    assert page["items"][-1] == {
        "flag_id": 688,
        "feature_key": "translate",
        "name": "translate",
        "kind": "unclear",
        "state": "open",
        "note": None,
        "raised_by": 11,
        "raised_at": "2026-09-25T11:04:32Z",
        "cleared_at": None,
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_flags__paging(world):
    """The pages of 1 together hold the same 4 items, in the same order."""
    whole = tools.list_flags(world, feature_key="a", page_size=4)
    assert len(whole["items"]) == 4
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_flags(world, feature_key="a", page_size=1)
    assert first["items"] == whole["items"][:1]
    assert first["has_more"] is True
    items = _all_pages(tools.list_flags, world, first, "start_cursor", feature_key="a", page_size=1)
    assert items == whole["items"]
    most = tools.list_flags(world, feature_key="a", page_size=3)
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
    """It has an open flag of this kind already: 678: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.raise_flag(world, feature_key="a", kind="unclear")
    assert caught.value.code == "conflict"
    assert caught.value.message == "It has an open flag of this kind already: 678."
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
    result = tools.clear_flag(world, flag_id=554)
    made = changes(world)
    assert _counts(made) == {"entry_flags": (0, 1, 0)}
    ((before, after),) = made["entry_flags"]["updated"]
    assert before["flag_id"] == 554
    assert _changed(before, after) == {"state": "cleared", "cleared_at": now}
    assert result == {
        "flag": {
            "flag_id": 554,
            "feature_key": "manifest",
            "kind": "unclear",
            "state": "cleared",
            "note": "Found while preparing an export. Ask again before the big clean-up is over.",
            "raised_by": 24,
            "raised_at": "2026-03-19T17:12:16Z",
            "cleared_at": now,
        },
    }
    assert _value(world, query, flag_id=554) == "cleared"


def test_clear_flag__success_2(world):
    """With flag_id: changes 1 of entry_flags, and nothing else changes."""
    query = "SELECT state FROM entry_flags WHERE flag_id = :flag_id"
    now = world.now()
    result = tools.clear_flag(world, flag_id=690)
    made = changes(world)
    assert _counts(made) == {"entry_flags": (0, 1, 0)}
    ((before, after),) = made["entry_flags"]["updated"]
    assert before["flag_id"] == 690
    assert _changed(before, after) == {"state": "cleared", "cleared_at": now}
    assert result == {
        "flag": {
            "flag_id": 690,
            "feature_key": "body",
            "kind": "disputed",
            "state": "cleared",
            "note": None,
            "raised_by": 26,
            "raised_at": "2026-09-28T15:00:03Z",
            "cleared_at": now,
        },
    }
    assert _value(world, query, flag_id=690) == "cleared"


def test_clear_flag__conflict(world):
    """Flag 501 is cleared already: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.clear_flag(world, flag_id=501)
    assert caught.value.code == "conflict"
    assert caught.value.message == "Flag 501 is cleared already."
    assert caught.value.hint
    assert not changes(world)


def test_clear_flag__not_found(world):
    """There is no flag 1690: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.clear_flag(world, flag_id=1690)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no flag 1690."
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


def test_search_browsers__with_type_and_page_size(world):
    """With type and page_size: 6 rows fit."""
    page = tools.search_browsers(world, type="DESKTOP", page_size=50)
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(type), ?) > 0 "
        "ORDER BY name, key LIMIT 51",
        ["desktop"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:50]]
    assert page["has_more"] is (len(expected) > 50)
    assert page["items"][0] == {
        "key": "chrome",
        "accepts_flags": True,
        "accepts_webextensions": True,
        "name": "Chrome",
        "type": "desktop",
        "pref_url": "chrome://flags",
        "preview_name": "Canary",
        "upstream": None,
    }
    assert page["items"][-1] == {
        "key": "safari",
        "accepts_flags": True,
        "accepts_webextensions": True,
        "name": "Safari",
        "type": "desktop",
        "pref_url": None,
        "preview_name": "TP",
        "upstream": None,
    }
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is True
    assert not changes(world)


def test_search_browsers__with_several(world):
    """With name, accepts_webextensions, pref_url and more: no row fits."""
    page = tools.search_browsers(
        world,
        name="aNDROID",
        accepts_webextensions=True,
        pref_url="no such text",
        preview_name="%",
        upstream="no such text",
    )
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(name), ?) > 0 "
        "AND accepts_webextensions IS ? "
        "AND instr(lower(pref_url), ?) > 0 "
        "AND instr(lower(preview_name), ?) > 0 "
        "AND instr(lower(upstream), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        ["android", 1, "no such text", "%", "no such text"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_browsers__with_type_and_page_size_2(world):
    """With type and page_size: 6 rows fit."""
    page = tools.search_browsers(world, type="DESKTOP", page_size=1)
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(type), ?) > 0 "
        "ORDER BY name, key LIMIT 2",
        ["desktop"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "key": "chrome",
            "accepts_flags": True,
            "accepts_webextensions": True,
            "name": "Chrome",
            "type": "desktop",
            "pref_url": "chrome://flags",
            "preview_name": "Canary",
            "upstream": None,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is True
    assert not changes(world)


def test_search_browsers__with_several_2(world):
    """With accepts_flags, type and upstream: 2 rows fit."""
    page = tools.search_browsers(world, accepts_flags=True, type="DESKTOP", upstream="CHROME")
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE accepts_flags IS ? "
        "AND instr(lower(type), ?) > 0 "
        "AND instr(lower(upstream), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        [1, "desktop", "chrome"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "edge",
            "accepts_flags": True,
            "accepts_webextensions": True,
            "name": "Edge",
            "type": "desktop",
            "pref_url": "about:flags",
            "preview_name": None,
            "upstream": "chrome",
        },
        {
            "key": "opera",
            "accepts_flags": True,
            "accepts_webextensions": True,
            "name": "Opera",
            "type": "desktop",
            "pref_url": "opera://flags",
            "preview_name": None,
            "upstream": "chrome",
        },
    ]
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is True
    assert not changes(world)


def test_search_browsers__with_name_and_type(world):
    """With name and type: one row fits."""
    page = tools.search_browsers(world, name="Explorer", type="DESKTOP")
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(name), ?) > 0 "
        "AND instr(lower(type), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        ["explorer", "desktop"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "ie",
            "accepts_flags": False,
            "accepts_webextensions": False,
            "name": "Internet Explorer",
            "type": "desktop",
            "pref_url": None,
            "preview_name": None,
            "upstream": None,
        },
    ]
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is False
    assert page["items"][0]["accepts_webextensions"] is False
    assert not changes(world)


def test_search_browsers__with_accepts_webextensions_and_pref_url(world):
    """With accepts_webextensions and pref_url: one row fits."""
    page = tools.search_browsers(world, accepts_webextensions=True, pref_url="chrome")
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE accepts_webextensions IS ? "
        "AND instr(lower(pref_url), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        [1, "chrome"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "chrome",
            "accepts_flags": True,
            "accepts_webextensions": True,
            "name": "Chrome",
            "type": "desktop",
            "pref_url": "chrome://flags",
            "preview_name": "Canary",
            "upstream": None,
        },
    ]
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is True
    assert not changes(world)


def test_search_browsers__with_several_3(world):
    """With name, accepts_flags, type and more: no row fits."""
    page = tools.search_browsers(world, name="aNDROID", accepts_flags=False, type="%", upstream="android", page_size=1)
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(name), ?) > 0 "
        "AND accepts_flags IS ? "
        "AND instr(lower(type), ?) > 0 "
        "AND instr(lower(upstream), ?) > 0 "
        "ORDER BY name, key LIMIT 2",
        ["android", 0, "%", "android"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_search_browsers__with_accepts_flags(world):
    """With accepts_flags: 11 rows fit."""
    page = tools.search_browsers(world, accepts_flags=True)
    expected = world.query("SELECT key FROM browsers WHERE accepts_flags IS ? ORDER BY name, key LIMIT 21", [1])
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "key": "bun",
        "accepts_flags": True,
        "accepts_webextensions": False,
        "name": "Bun",
        "type": "server",
        "pref_url": None,
        "preview_name": None,
        "upstream": None,
    }
    assert page["items"][-1] == {
        "key": "safari_ios",
        "accepts_flags": True,
        "accepts_webextensions": True,
        "name": "Safari on iOS",
        "type": "mobile",
        "pref_url": None,
        "preview_name": None,
        "upstream": "safari",
    }
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is False
    assert not changes(world)


def test_search_browsers__with_preview_name(world):
    """With preview_name: one row fits."""
    page = tools.search_browsers(world, preview_name="cANARY")
    expected = world.query(
        "SELECT key "
        "FROM browsers "
        "WHERE instr(lower(preview_name), ?) > 0 "
        "ORDER BY name, key LIMIT 21",
        ["canary"],
    )
    assert [item["key"] for item in page["items"]] == [row["key"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "key": "chrome",
            "accepts_flags": True,
            "accepts_webextensions": True,
            "name": "Chrome",
            "type": "desktop",
            "pref_url": "chrome://flags",
            "preview_name": "Canary",
            "upstream": None,
        },
    ]
    assert page["next_cursor"] is None
    assert page["items"][0]["accepts_flags"] is True
    assert page["items"][0]["accepts_webextensions"] is True
    assert not changes(world)


def test_search_browsers__paging(world):
    """The pages of 2 together hold the same 7 items, in the same order."""
    whole = tools.search_browsers(world, accepts_webextensions=True, page_size=7)
    assert len(whole["items"]) == 7
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_browsers(world, accepts_webextensions=True, page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search_browsers, world, first, "start_cursor", accepts_webextensions=True, page_size=2)
    assert items == whole["items"]
    most = tools.search_browsers(world, accepts_webextensions=True, page_size=6)
    assert most["has_more"] is True


def test_search_browsers__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, accepts_flags="yes", type="DESKTOP")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, accepts_webextensions="yes", type="DESKTOP")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, name="   ", type="DESKTOP")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="DESKTOP", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="DESKTOP", pref_url="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="DESKTOP", preview_name="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="DESKTOP", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, type="DESKTOP", upstream="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browsers(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_browser__success(world):
    """With browser_key: the result is what the rows say."""
    result = tools.get_browser(world, browser_key="ie")
    (row,) = world.query("SELECT * FROM browsers WHERE key = ?", ["ie"])
    assert result["browser"] == _columns(
        row,
        "key", "accepts_flags", "accepts_webextensions", "name", "type", "pref_url", "preview_name", "upstream",
        flags=("accepts_flags", "accepts_webextensions"),
    )
    assert result["browser"]["accepts_flags"] is False
    assert result["browser"]["accepts_webextensions"] is False
    assert not changes(world)


def test_get_browser__success_2(world):
    """With browser_key: the result is what the rows say."""
    result = tools.get_browser(world, browser_key="chrome")
    (row,) = world.query("SELECT * FROM browsers WHERE key = ?", ["chrome"])
    assert result["browser"] == _columns(
        row,
        "key", "accepts_flags", "accepts_webextensions", "name", "type", "pref_url", "preview_name", "upstream",
        flags=("accepts_flags", "accepts_webextensions"),
    )
    assert result["browser"]["accepts_flags"] is True
    assert result["browser"]["accepts_webextensions"] is True
    assert not changes(world)


def test_get_browser__success_3(world):
    """With browser_key: the result is what the rows say."""
    result = tools.get_browser(world, browser_key="webview_ios")
    (row,) = world.query("SELECT * FROM browsers WHERE key = ?", ["webview_ios"])
    assert result["browser"] == _columns(
        row,
        "key", "accepts_flags", "accepts_webextensions", "name", "type", "pref_url", "preview_name", "upstream",
        flags=("accepts_flags", "accepts_webextensions"),
    )
    assert result["browser"]["accepts_flags"] is False
    assert result["browser"]["accepts_webextensions"] is False
    assert not changes(world)


def test_get_browser__not_found(world):
    """There is no browser with key zzz: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.get_browser(world, browser_key="zzz")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no browser with key zzz."
    assert caught.value.hint
    assert not changes(world)


def test_get_browser__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.get_browser(world, browser_key="   ")
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


def test_search_feature_status_supports__with_code_and_value(world):
    """With code and value: 576 rows fit."""
    page = tools.search_feature_status_supports(world, code="chrome", value="1")
    assert [item["feature_key"] for item in page["items"]] == [
        "a", "abortsignal-any", "abortsignal-timeout", "abs-sign", "absolute-positioning", "accelerometer", "accesskey",
        "accessor-methods", "active-view-transition", "address", "alerts", "align-content-block", "alignment-baseline",
        "alpha", "anchor-positioning-animations", "anchor-positioning-transforms", "animation-composition",
        "app-file-handlers", "app-launch-handler", "app-migration",
    ]
    assert page["items"][0] == {
        "feature_key": "a",
        "code": "chrome",
        "value": "1",
        "feature_name": "<a>",
        "code_name": "Chrome",
    }
    assert page["items"][-1] == {
        "feature_key": "app-migration",
        "code": "chrome",
        "value": "149",
        "feature_name": "Web app origin migration",
        "code_name": "Chrome",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_feature_status_supports__with_several_2(world):
    """With feature_key, code and value: no row fits."""
    page = tools.search_feature_status_supports(world, feature_key="a", code="bun", value="1")
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


def test_search_feature_status_supports__with_value(world):
    """With value: 2 rows fit."""
    page = tools.search_feature_status_supports(world, value="≤13.1")
    assert page == {
        "items": [
            {
                "feature_key": "opacity-svg",
                "code": "safari",
                "value": "≤13.1",
                "feature_name": "Opacity (SVG)",
                "code_name": "Safari",
            },
            {
                "feature_key": "svg-discouraged",
                "code": "safari",
                "value": "≤13.1",
                "feature_name": "SVG 1.1",
                "code_name": "Safari",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_status_supports__with_feature_key_and_code(world):
    """With feature_key and code: one row fits."""
    page = tools.search_feature_status_supports(world, feature_key="accelerometer", code="chrome")
    assert page == {
        "items": [
            {
                "feature_key": "accelerometer",
                "code": "chrome",
                "value": "91",
                "feature_name": "Accelerometer",
                "code_name": "Chrome",
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert not changes(world)


def test_search_feature_status_supports__paging(world):
    """The pages of 1 together hold the same 3 items, in the same order."""
    whole = tools.search_feature_status_supports(world, feature_key="array", page_size=3)
    assert len(whole["items"]) == 3
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
    most = tools.search_feature_status_supports(world, feature_key="array", page_size=2)
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
    """With status, engine and min_index_: 8 rows fit."""
    page = tools.search_browser_releases(world, status="current", engine="Blink", min_index_=1)
    assert [item["browser_key"] for item in page["items"]] == [
        "oculus", "samsunginternet_android", "opera_android", "chrome", "chrome_android", "webview_android", "edge",
        "opera",
    ]
    assert page["items"][0] == {
        "browser_key": "oculus",
        "code": "42.0",
        "index_": 43,
        "release_date": "2026-01-26",
        "release_notes": "https://developers.meta.com/horizon/downloads/package/browser/42.0/",
        "status": "current",
        "engine": "Blink",
        "engine_version": "142",
        "browser_name": "Quest Browser",
    }
    assert page["items"][-1] == {
        "browser_key": "opera",
        "code": "140",
        "index_": 152,
        "release_date": "2026-11-10",
        "release_notes": "https://blogs.opera.com/desktop/2026/11/opera-140-stable/",
        "status": "current",
        "engine": "Blink",
        "engine_version": "157",
        "browser_name": "Opera",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_search_browser_releases__with_status_and_page_size(world):
    """With status and page_size: 16 rows fit."""
    page = tools.search_browser_releases(world, status="current", page_size=1)
    assert page["items"] == [
        {
            "browser_key": "oculus",
            "code": "42.0",
            "index_": 43,
            "release_date": "2026-01-26",
            "release_notes": "https://developers.meta.com/horizon/downloads/package/browser/42.0/",
            "status": "current",
            "engine": "Blink",
            "engine_version": "142",
            "browser_name": "Quest Browser",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__with_several_2(world):
    """With status, engine and code: no row fits."""
    page = tools.search_browser_releases(world, status="current", engine="Blink", code="%")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_browser_key(world):
    """With browser_key: 20 rows fit."""
    page = tools.search_browser_releases(world, browser_key="nodejs")
    assert [item["code"] for item in page["items"]] == [
        "20.16.0", "20.17.0", "23.0.0", "24.0.0", "24.1.0", "24.2.0", "24.3.0", "24.4.0", "24.5.0", "24.6.0", "24.7.0",
        "24.8.0", "24.9.0", "24.10.0", "25.0.0", "24.11.0", "25.1.0", "25.2.0", "26.0.0", "26.5.0",
    ]
    assert page["items"][0] == {
        "browser_key": "nodejs",
        "code": "20.16.0",
        "index_": 96,
        "release_date": "2024-07-24",
        "release_notes": "https://nodejs.org/en/blog/release/v20.16.0",
        "status": "retired",
        "engine": "V8",
        "engine_version": "11.3",
        "browser_name": "Node.js",
    }
    assert page["items"][-1] == {
        "browser_key": "nodejs",
        "code": "26.5.0",
        "index_": 124,
        "release_date": "2026-07-08",
        "release_notes": "https://nodejs.org/en/blog/release/v26.5.0",
        "status": "current",
        "engine": "V8",
        "engine_version": "14.6",
        "browser_name": "Node.js",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_search_browser_releases__with_max_index_(world):
    """With max_index_: no row fits."""
    page = tools.search_browser_releases(world, max_index_=1)
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_engine_version(world):
    """With engine_version: no row fits."""
    page = tools.search_browser_releases(world, engine_version="%")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search_browser_releases__with_release_date(world):
    """With release_date: 7 rows fit."""
    page = tools.search_browser_releases(world, release_date="2025-04-29")
    assert [item["browser_key"] for item in page["items"]] == [
        "bun", "chrome", "chrome_android", "firefox", "firefox_android", "opera_android", "webview_android",
    ]
    assert page["items"][0] == {
        "browser_key": "bun",
        "code": "1.2.11",
        "index_": 94,
        "release_date": "2025-04-29",
        "release_notes": "https://bun.com/blog/release-notes/bun-v1.2.11",
        "status": "retired",
        "engine": "WebKit",
        "engine_version": "622.1.11",
        "browser_name": "Bun",
    }
    assert page["items"][-1] == {
        "browser_key": "webview_android",
        "code": "136",
        "index_": 106,
        "release_date": "2025-04-29",
        "release_notes": "https://developer.chrome.com/release-notes/136",
        "status": "retired",
        "engine": "Blink",
        "engine_version": "136",
        "browser_name": "WebView Android",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert not changes(world)


def test_search_browser_releases__with_engine(world):
    """With engine: 39 rows fit."""
    page = tools.search_browser_releases(world, engine="V8")
    assert [item["code"] for item in page["items"]] == [
        "1.45", "20.16.0", "20.17.0", "1.46", "2.0", "23.0.0", "2.1", "2.2", "2.2.10", "2.3.0", "24.0.0", "2.3.2",
        "24.1.0", "24.2.0", "24.3.0", "2.4.0", "24.4.0", "24.5.0", "24.6.0", "24.7.0",
    ]
    assert page["items"][0] == {
        "browser_key": "deno",
        "code": "1.45",
        "index_": 45,
        "release_date": "2024-07-11",
        "release_notes": "https://deno.com/blog/v1.45",
        "status": "retired",
        "engine": "V8",
        "engine_version": "12.7",
        "browser_name": "Deno",
    }
    assert page["items"][-1] == {
        "browser_key": "nodejs",
        "code": "24.7.0",
        "index_": 115,
        "release_date": "2025-08-27",
        "release_notes": "https://nodejs.org/en/blog/release/v24.7.0",
        "status": "retired",
        "engine": "V8",
        "engine_version": "13.6",
        "browser_name": "Node.js",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__with_min_index_(world):
    """With min_index_: 434 rows fit."""
    page = tools.search_browser_releases(world, min_index_=1)
    assert [item["index_"] for item in page["items"]] == [
        55, 130, 111, 33, 45, 124, 56, 57, 125, 102, 97, 96, 54, 58, 45, 42, 42, 131, 112, 59,
    ]
    assert page["items"][0] == {
        "browser_key": "bun",
        "code": "1.1.18",
        "index_": 55,
        "release_date": "2024-07-03",
        "release_notes": "https://bun.com/blog/release-notes/bun-v1.1.18",
        "status": "retired",
        "engine": "WebKit",
        "engine_version": "619.1.22",
        "browser_name": "Bun",
    }
    assert page["items"][-1] == {
        "browser_key": "bun",
        "code": "1.1.22",
        "index_": 59,
        "release_date": "2024-08-07",
        "release_notes": "https://bun.com/blog/release-notes/bun-v1.1.22",
        "status": "retired",
        "engine": "WebKit",
        "engine_version": "620.1.2",
        "browser_name": "Bun",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert not changes(world)


def test_search_browser_releases__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.search_browser_releases(world, status="current", engine="Blink", page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search_browser_releases(world, status="current", engine="Blink", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.search_browser_releases, world, first, "start_cursor",
        status="current",
        engine="Blink",
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.search_browser_releases(world, status="current", engine="Blink", page_size=7)
    assert most["has_more"] is True


def test_search_browser_releases__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, browser_key="   ", status="current")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", code="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", engine="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", engine_version="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", max_index_="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", min_index_="many")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, release_date="   ", status="current")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, release_date="not-a-date", status="current")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="current", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, status="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search_browser_releases(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)
