"""The reference-curation archetype on a list of trails: rows without operations, mined from a file."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import BoundOperation
from envforge.core.records.source import Theme
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("reference-curation")
TRAILS = SOURCES / "trails.json"
THEME = Theme(slug="trails", title="Trails", kind="domain")


@cache
def mined() -> Mined:
    return mined_from(TRAILS, THEME, ARCHETYPE, at="2026-10-05T09:00:00Z")


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def test_a_list_of_named_things_in_groups_matches_by_shape() -> None:
    match = match_archetypes(mined().domain, mined().rows, [ARCHETYPE])[0]
    assert match.accepted, match.reasons
    assert match.roles == {"entry": "trails"}
    assert match.fields["entry"] == {"name": "name", "grouping": "region"}


def test_a_short_list_is_no_catalogue() -> None:
    rows = {name: held[:40] for name, held in mined().rows.items()}
    assert not match_archetypes(mined().domain, rows, [ARCHETYPE])[0].accepted


def test_a_source_with_operations_is_left_to_them() -> None:
    operation = BoundOperation(
        id="listTrails", name="list_trails", verb="list", entity="trail", table="trails", source_id="src", locator="/"
    )
    domain = mined().domain.model_copy(update={"operations": (operation,)})
    match = match_archetypes(domain, mined().rows, [ARCHETYPE])[0]
    assert not match.accepted and "operations" in match.reasons[-1]


def test_another_archetype_that_fits_comes_first() -> None:
    other = ARCHETYPE.model_copy(update={"id": "another", "data_only": False})
    weaker = other.model_copy(
        update={"roles": {"entry": ARCHETYPE.roles["entry"].model_copy(update={"minimum_score": 0.1})}}
    )
    matches = match_archetypes(mined().domain, mined().rows, [ARCHETYPE, weaker])
    assert [match.archetype.id for match in matches] == ["another", "reference-curation"]


@pytest.mark.parametrize("seed", [0, 5])
def test_what_was_mined_never_changes(seed: int) -> None:
    done = filled(seed)
    assert done.rows["trails"] == mined().rows["trails"]


@pytest.mark.parametrize("seed", [0, 5])
def test_an_override_is_an_accepted_correction(seed: int) -> None:
    rows = filled(seed).rows
    asked = {row["correction_id"]: row for row in rows["corrections"]}
    held = {row["correction_id"] for row in rows["overrides"]}
    assert held == {key for key, row in asked.items() if row["state"] == "accepted"}
    for row in rows["overrides"]:
        source = asked[row["correction_id"]]
        assert (row["field"], row["value"]) == (source["field"], source["proposed_value"])
        assert source["evidence"] != "none"
    open_now = [(row["trail_code"], row["field"]) for row in asked.values() if row["state"] == "open"]
    settled = {(row["trail_code"], row["field"]) for row in rows["overrides"]}
    assert len(set(open_now)) == len(open_now) and not settled & set(open_now)


@pytest.mark.parametrize("seed", [0, 5])
def test_corrections_propose_what_the_field_could_say(seed: int) -> None:
    done = filled(seed)
    trails = {row["code"]: row for row in done.rows["trails"]}
    for row in done.rows["corrections"]:
        said: Any = trails[row["trail_code"]][row["field"]]
        assert row["proposed_value"] != {0: "false", 1: "true"}.get(said, said)
        known = {str(one[row["field"]]) for one in trails.values()} | {"true", "false"}
        assert row["proposed_value"] in known
        assert (row["decided_at"] is None) == (row["state"] == "open")
    assert {row["field"] for row in done.rows["corrections"]}.isdisjoint(
        {name for name in done.rows["trails"][0] if {one[name] for one in trails.values()} <= {0, 1, None}}
    ), "nobody argues about a plain yes or no"


@pytest.mark.parametrize("seed", [0, 5])
def test_what_is_no_day_in_a_column_of_days_is_not_moved(seed: int) -> None:
    """Sources write "≤2018-10-02" where nobody knows the day itself."""
    trails = json.loads(TRAILS.read_text(encoding="utf-8"))
    for at, trail in enumerate(trails):
        trail["surveyed"] = "≤2018-10-02" if at % 60 == 7 else f"2021-0{1 + at % 6}-14"
    body = json.dumps(trails).encode()
    done = filled_with(mined_from(TRAILS, THEME, ARCHETYPE, at="2026-10-05T09:00:00Z", body=body), seed)
    said = {row["code"]: row["surveyed"] for row in done.rows["trails"]}
    about = [row for row in done.rows["corrections"] if row["field"] == "surveyed"]
    assert any(said[row["trail_code"]].startswith("≤") for row in about), "the case is there"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", row["proposed_value"]) for row in about)


@pytest.mark.parametrize("seed", [0, 5])
def test_lists_are_kept_at_work_and_in_the_order_of_their_places(seed: int) -> None:
    rows = filled(seed).rows
    by_list: dict[int, list[tuple[int, str]]] = {}
    for item in rows["collection_items"]:
        by_list.setdefault(item["collection_id"], []).append((item["place"], item["added_at"]))
    for placed in by_list.values():
        assert [at for _, at in sorted(placed)] == sorted(at for _, at in placed)
    hours = [int(item["added_at"][11:13]) for item in rows["collection_items"]]
    assert sum(6 <= hour <= 20 for hour in hours) > 0.97 * len(hours)


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in (0, 5):
        with opened(filled(seed)) as connection:
            assert all(plant.within for plant in measure_plants(filled(seed), connection))


def test_each_family_has_something_to_ask() -> None:
    done = filled(0)
    with opened(done) as connection:
        found = {family.id: len(connection.execute(family.parameter_sets).fetchall()) for family in done.intents}
    assert len(found) == 16 and min(found.values()) >= 5, found


def test_families_are_said_with_what_they_hold() -> None:
    domain = mined().domain
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in domain.tables}
    match = match_archetypes(domain, mined().rows, [ARCHETYPE])[0]
    bound = bind(Database(domain, rows, [], {}, ARCHETYPE.clock or ""), match)
    assert [(family.id, problem) for family in bound.intents for problem in family_problems(family)] == []


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
