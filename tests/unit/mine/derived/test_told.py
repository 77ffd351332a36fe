"""Histories without an archetype: of tables whose states a source's operations move, and of no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.derived import faults
from envforge.core.outcome import Produced
from envforge.core.records.archetype import Lifecycle
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.derived.filling import FillDerived
from envforge.mine.derived.told import with_histories
from envforge.mine.scenario.measures import opened

STATES = ("active", "archived")


def things(name: str) -> Table:
    entity = name.removesuffix("s")
    return Table(
        name=name,
        entity=entity,
        label=entity,
        primary_key=("id",),
        columns=(
            Column(name="id", type="integer", nullable=False, role="id"),
            Column(name="status", type="text", enum=STATES, role="state"),
            Column(name="created_at", type="timestamp", role="created_at"),
            Column(name="archived_at", type="timestamp"),
        ),
    )


def moving(table: str, *, verb: Any = "update", column: str = "status") -> BoundOperation:
    given = BoundParameter(name=column, source_name=column, meaning="column", json_type={}, column=column)
    return BoundOperation(
        id=f"{verb}-{table}", name=f"{verb}_{table}", verb=verb, entity=table[:-1], table=table, parameters=(given,)
    )


def database(*operations: BoundOperation, kind: Any = "synthetic") -> Database:
    tables = (things("boxes"), things("crates"))
    rows = [
        {"id": n, "status": STATES[n % 2], "created_at": "2025-03-01T08:00:00Z", "archived_at": None}
        for n in range(1, 9)
    ]
    for row in rows:
        row["archived_at"] = "2025-04-01T08:00:00Z" if row["status"] == "archived" else None
    return Database(
        domain=Domain(theme="t", tables=tables, operations=operations),
        rows={"boxes": rows, "crates": [dict(row) for row in rows]},
        provenance=[ProvenanceEntry(table=name, source="s", kind=kind, count=8) for name in ("boxes", "crates")],
        documents={},
        clock="2025-06-02T09:00:00Z",
        lifecycles=tuple(
            Lifecycle(table=one.name, column="status", states={s: s for s in STATES}, initial="active")
            for one in tables
        ),
    )


def test_the_table_whose_state_most_operations_move_gets_one() -> None:
    given = database(moving("boxes"), moving("crates"), moving("crates", verb="create"))
    done = with_histories(given, most=1)
    assert [(one.table, one.of, one.owner) for one in done.histories] == [("crate_history", "crates", "crate_id")]
    assert [one.name for one in done.listings] == ["list_crate_history"]
    assert done.histories[0].milestones == {"archived": "archived_at"}
    assert given.domain.tables == done.domain.tables[:-1] and not given.histories
    outcome = FillDerived("shape:test@0").apply(done, seed=0, round_number=0)
    assert isinstance(outcome, Produced)
    with opened(outcome.value) as connection:
        assert all(connection.execute(sql).fetchall() == [] for sql in faults(done.histories, ()).values())
    way = [(row["to_state"], row["changed_at"]) for row in outcome.value.rows["crate_history"] if row["crate_id"] == 1]
    assert way == [("active", "2025-03-01T08:00:00Z"), ("archived", "2025-04-01T08:00:00Z")]


def test_as_many_as_are_wanted() -> None:
    given = database(moving("boxes"), moving("crates"))
    assert [one.of for one in with_histories(given, most=2).histories] == ["boxes", "crates"]
    assert with_histories(given, most=0) is given


def test_a_table_that_has_the_name_already_stays_what_it_is() -> None:
    given = database(moving("boxes"), moving("crates"))
    there = things("boxes").model_copy(update={"name": f"{things('boxes').entity}_history"})
    domain = given.domain.model_copy(update={"tables": (*given.domain.tables, there)})
    assert [one.of for one in with_histories(replace(given, domain=domain), most=2).histories] == ["crates"]


@pytest.mark.parametrize(
    "given",
    [
        database(),
        database(moving("boxes", verb="list")),
        database(moving("boxes", column="archived_at")),
        database(moving("boxes"), kind="mined"),
        replace(database(moving("boxes")), lifecycles=()),
    ],
    ids=["nothing writes", "only reads", "another column", "mined rows", "no lifecycle"],
)
def test_a_state_that_nothing_moves_or_whose_past_is_unknown_gets_none(given: Database) -> None:
    assert with_histories(given, most=3).histories == ()
