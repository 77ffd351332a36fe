"""Complexify: rounds, densities and plants on the lending archetype, with the log they leave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.core.contracts import Database, Operator
from envforge.core.errors import BuildError
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.archetypes import load_archetype
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.complexify import complexify, rounds
from envforge.mine.scenario import simulate
from envforge.mine.scenario.measures import measure_plants, opened

LENDING = Path(__file__).parents[3] / "fixtures" / "archetypes" / "lending.yaml"


def lent(seed: int = 1) -> tuple[Database, ArchetypeMatch]:
    columns = (
        Column(name="id", type="text", nullable=False, role="id"),
        Column(name="title", type="text", role="title"),
    )
    table = Table(name="books", entity="book", label="book", primary_key=("id",), columns=columns)
    rows: dict[str, list[dict[str, Any]]] = {"books": [{"id": f"b{n}", "title": f"Book {n}"} for n in range(15)]}
    entry = ProvenanceEntry(table="books", source="src-1", kind="mined", count=15)
    database = Database(Domain(theme="x", tables=(table,)), rows, [entry], {}, "2024-05-05T12:00:00Z")
    match = match_archetypes(database.domain, rows, [load_archetype(LENDING)])[0]
    return simulate(bind(database, match), match, seed=seed), match


def test_no_round_leaves_the_scenario_as_it_is() -> None:
    database, match = lent()
    same = complexify(database, match, rounds=0, seed=1)
    assert same.rows == database.rows
    assert same.changelog == []


def test_densities_and_plants_are_reached_and_logged() -> None:
    database, match = lent()
    done = complexify(database, match, rounds=2, seed=1)
    assert len(done.rows["loans"]) == 30
    with opened(done) as connection:
        assert all(measure.within for measure in measure_plants(done, connection))
    assert [(entry["operator"], entry["round"]) for entry in done.changelog] == [("fill", 1), ("plant", 1)]
    fill, plant = done.changelog
    assert (fill["before"]["rows"], fill["after"]["rows"]) == (42, 57)
    assert fill["detail"]["densities"][0] == {"name": "loans", "before": 15, "after": 30, "minimum": 30, "runs": 15}
    assert plant["detail"]["plants"][0]["planted"] > 0
    assert plant["after"]["plants_within_rate"] == 1


def test_the_input_stays_unchanged_and_the_same_seed_repeats() -> None:
    database, match = lent()
    before = {name: [dict(row) for row in rows] for name, rows in database.rows.items()}
    first = complexify(database, match, rounds=2, seed=1)
    assert database.rows == before
    assert first.rows == complexify(database, match, rounds=2, seed=1).rows
    assert first.rows != complexify(database, match, rounds=2, seed=2).rows


class Spoiler:
    """Breaks a reference."""

    name = "spoiler"

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        loans = [{**row, "book_id": "nowhere"} for row in database.rows["loans"]]
        return Produced(replace(database, rows={**database.rows, "loans": loans}))


class Idle:
    """Has nothing to do."""

    name = "idle"

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        return Rejected("nothing to do")


def test_an_operator_that_breaks_a_constraint_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    database, match = lent()

    def chain(_: ArchetypeMatch) -> tuple[Operator, ...]:
        return (Idle(), Spoiler())

    monkeypatch.setattr(rounds, "operators", chain)
    with pytest.raises(BuildError, match="not there"):
        complexify(database, match, rounds=1, seed=1)


def test_progress_is_told() -> None:
    database, match = lent()
    told: list[str] = []
    complexify(database, match, rounds=1, seed=1, progress=lambda label, done, total: told.append(label))
    assert told == [f"complexify round 1: {name}" for name in ("operational", "fill", "plant")]
