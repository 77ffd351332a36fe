"""Details of a row show short lists of what belongs to it; lists of rows leave long texts to the details."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.build.blueprint import draw_blueprint
from envforge.build.blueprint.nested import MOST_LISTED
from envforge.build.blueprint.views import LONG_TEXT
from envforge.core.contracts import Database, Row
from envforge.core.records.domain import Domain

from .conftest import Call, TinyWorld, column, loaded, running, table

PEAKS = table(
    "peaks",
    "peak",
    (column("code", role="id"), column("name", role="title"), column("story", null=True)),
    key=("code",),
)
HUTS = table("huts", "hut", (column("code", role="id"), column("name", role="title")), key=("code",))
WAYS = table(
    "peak_ways",
    "peak_way",
    (column("peak_code", to="peaks.code"), column("position", "integer", role="position"), column("way")),
    key=("peak_code", "position"),
    kind="child",
)
LINKS = table(
    "peak_huts",
    "peak_hut",
    (column("peak_code", to="peaks.code"), column("hut_code", to="huts.code")),
    key=("peak_code", "hut_code"),
    kind="link",
)
SIGHTINGS = table(
    "peak_sightings",
    "peak_sighting",
    (column("peak_code", to="peaks.code"), column("position", "integer", role="position"), column("bird")),
    key=("peak_code", "position"),
    kind="child",
)
ROWS: dict[str, list[Row]] = {
    "peaks": [{"code": f"P{n}", "name": f"Peak {n}", "story": "long ago " * 30 if n == 1 else None} for n in range(9)],
    "huts": [{"code": f"H{n}", "name": f"Hut {n}"} for n in range(4)],
    "peak_ways": [{"peak_code": "P1", "position": n, "way": way} for n, way in ((2, "ridge"), (1, "gully"))],
    "peak_huts": [{"peak_code": "P1", "hut_code": "H3"}, {"peak_code": "P2", "hut_code": "H0"}],
    "peak_sightings": [{"peak_code": "P1", "position": n, "bird": f"bird {n}"} for n in range(MOST_LISTED + 1)]
    + [{"peak_code": "P2", "position": 1, "bird": "dipper"}],
}


@pytest.fixture(scope="module")
def call() -> Call:
    tables = (PEAKS, HUTS, WAYS, LINKS, SIGHTINGS)
    database = Database(
        domain=Domain(theme="peaks", tables=tables),
        rows=ROWS,
        provenance=[],
        documents={},
        clock="2024-01-01T00:00:00Z",
    )
    return running(loaded(draw_blueprint(database, max_tools=24)[0]), TinyWorld(database))


def test_lists_stand_in_the_details_in_their_order(call: Call) -> None:
    found: dict[str, Any] = call("get_peak", peak_code="P1")
    assert found["ways"] == ["gully", "ridge"]
    assert found["huts"] == [{"hut_code": "H3", "hut_name": "Hut 3"}]


def test_what_has_none_shows_empty_lists(call: Call) -> None:
    found = call("get_peak", peak_code="P8")
    assert found["ways"] == [] and found["huts"] == []


def test_what_is_too_long_for_a_list_is_left_to_its_search(call: Call) -> None:
    assert "sightings" not in call("get_peak", peak_code="P1")
    assert len(call("search_peak_sightings", peak_code="P1")["items"]) == MOST_LISTED + 1


def test_long_texts_are_left_to_the_details(call: Call) -> None:
    assert len(call("get_peak", peak_code="P1")["peak"]["story"]) > LONG_TEXT
    assert set(call("search_peaks")["items"][0]) == {"code", "name"}
