"""Histories are filled so that they fit the rows: in order, by the lifecycle, ending where the row is."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.derived import faults
from envforge.core.outcome import Failed, Produced, Rejected
from envforge.core.records.archetype import Lifecycle, Transition
from envforge.core.records.derived import Detour, Elsewhere, Figure, History
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.derived.declared import subject_of
from envforge.mine.derived.filling import FillDerived
from envforge.mine.derived.parts import history_table
from envforge.mine.scenario.measures import opened

CLOCK = "2025-06-02T09:00:00Z"
STATES = ("new", "open", "waiting", "solved", "closed")
LIFE = Lifecycle(
    table="cases",
    column="state",
    states={state: state for state in STATES},
    initial="new",
    transitions=(
        Transition(name="take up", source=("new", "waiting"), target="open"),
        Transition(name="wait", source=("open",), target="waiting"),
        Transition(name="solve", source=("open",), target="solved"),
        Transition(name="reopen", source=("solved",), target="open"),
        Transition(name="close", source=("solved",), target="closed"),
    ),
)
CASES = Table(
    name="cases",
    entity="case",
    label="case",
    primary_key=("case_id",),
    columns=(
        Column(name="case_id", type="integer", nullable=False, role="id"),
        Column(name="state", type="text", enum=STATES, role="state"),
        Column(name="clerk", type="integer"),
        Column(name="came_at", type="timestamp", nullable=False, role="created_at"),
        Column(name="taken_at", type="timestamp"),
        Column(name="solved_at", type="timestamp"),
        Column(name="open_letters", type="integer", nullable=False, default=0),
        Column(name="pages", type="integer", nullable=False, default=0),
    ),
)
LETTERS = Table(
    name="letters",
    entity="letter",
    label="letter",
    primary_key=("letter_id",),
    columns=(
        Column(name="letter_id", type="integer", nullable=False, role="id"),
        Column(name="case_id", type="integer", nullable=False),
        Column(name="kind", type="text", nullable=False),
        Column(name="pages", type="integer"),
        Column(name="sent_at", type="timestamp"),
    ),
)
HISTORY = History(
    table="case_history",
    of="cases",
    state="state",
    created="came_at",
    key="case_id",
    owner="case_id",
    milestones={"open": "taken_at", "solved": "solved_at"},
    detours=(Detour(state="open", through=("waiting",), share=0.5),),
)


def case(number: int, state: str | None, **more: Any) -> dict[str, Any]:
    base = {"case_id": number, "state": state, "clerk": 7, "came_at": f"2025-05-{number % 20 + 1:02d}T08:00:00Z"}
    return {**base, "taken_at": None, "solved_at": None, "open_letters": 0, "pages": 0, **more}


def database(*cases: dict[str, Any], history: History = HISTORY, **more: Any) -> Database:
    table = history_table(history, subject_of(CASES), None, STATES)
    return Database(
        domain=Domain(theme="t", tables=(CASES, LETTERS, table)),
        rows={"cases": list(cases), "letters": [], "case_history": []},
        provenance=[ProvenanceEntry(table="cases", source="s", kind="synthetic", count=len(cases))],
        documents={},
        clock=CLOCK,
        lifecycles=(LIFE,),
        histories=(history,),
        **more,
    )


def filled(given: Database, seed: int = 0) -> Database:
    outcome = FillDerived("archetype:test@0").apply(given, seed=seed, round_number=0)
    assert isinstance(outcome, Produced), outcome
    return outcome.value


def way(done: Database, number: int) -> list[str]:
    return [row["to_state"] for row in done.rows["case_history"] if row["case_id"] == number]


def many() -> list[dict[str, Any]]:
    taken, solved = {"taken_at": "2025-05-25T10:00:00Z"}, {"solved_at": "2025-05-28T11:00:00Z"}
    return [
        case(number, STATES[number % 5], **(taken if number % 5 else {}), **(solved if number % 5 > 2 else {}))
        for number in range(1, 121)
    ]


def test_every_history_fits_its_row() -> None:
    given = database(*many())
    done = filled(given)
    with opened(done) as connection:
        for words, sql in faults(done.histories, done.figures).items():
            assert connection.execute(sql).fetchall() == [], words
    assert given.rows["case_history"] == [], "the input stays as it is"
    steps = {(state, one.target) for one in LIFE.transitions for state in one.source}
    for number in range(1, 121):
        assert set(pairwise(way(done, number))) <= steps
    assert max(row["changed_at"] for row in done.rows["case_history"]) <= CLOCK
    assert done.provenance[-1] == ProvenanceEntry(
        table="case_history",
        source="archetype:test@0",
        locator="history",
        kind="synthetic",
        count=len(done.rows["case_history"]),
    )


def test_times_that_the_row_holds_are_those_of_its_changes() -> None:
    row = case(1, "closed", taken_at="2025-05-10T10:00:00Z", solved_at="2025-05-12T11:00:00Z")
    done = filled(database(row))
    times = {entry["to_state"]: entry["changed_at"] for entry in done.rows["case_history"]}
    assert way(done, 1)[0] == "new" and way(done, 1)[-2:] == ["solved", "closed"]
    assert times["new"] == row["came_at"]
    assert times["solved"] == "2025-05-12T11:00:00Z" < times["closed"]


def test_no_change_lies_before_the_one_before_whatever_the_columns_say() -> None:
    done = filled(database(case(1, "solved", taken_at="2025-05-12T10:00:00Z", solved_at="2025-05-10T11:00:00Z")))
    assert way(done, 1)[-1] == "solved"
    times = [entry["changed_at"] for entry in done.rows["case_history"]]
    assert times == sorted(times) and times[-1] == "2025-05-12T10:00:00Z"


def test_some_rows_make_a_detour_and_the_same_seed_makes_the_same() -> None:
    done = filled(database(*many()))
    detours = [number for number in range(1, 121) if "waiting" in way(done, number)[:-1]]
    assert 20 <= len(detours) <= 70
    assert filled(database(*many())).rows == done.rows
    assert filled(database(*many()), seed=5).rows != done.rows


def test_a_row_without_a_state_has_no_history() -> None:
    assert filled(database(case(1, None))).rows["case_history"] == []


def test_a_time_may_stand_in_rows_of_another_table() -> None:
    place = Elsewhere(table="letters", by="case_id", column="sent_at", pick="first")
    given = database(case(1, "solved"), history=HISTORY.model_copy(update={"milestones": {"solved": place}}))
    letters = [("2025-05-09T10:00:00Z", 1), ("2025-05-08T10:00:00Z", 1), (None, 1), ("2025-05-03T10:00:00Z", 2)]
    given.rows["letters"] = [
        {"letter_id": n, "case_id": of, "kind": "reply", "pages": 1, "sent_at": at}
        for n, (at, of) in enumerate(letters, start=1)
    ]
    last = filled(given).rows["case_history"][-1]
    assert (last["to_state"], last["changed_at"]) == ("solved", "2025-05-08T10:00:00Z")


def test_who_acts_is_the_one_whom_the_row_names_but_for_the_first_change() -> None:
    history = HISTORY.model_copy(update={"actor": "clerk"})
    rows = filled(database(case(1, "solved", taken_at="2025-05-10T10:00:00Z"), history=history)).rows["case_history"]
    assert [row["changed_by"] for row in rows] == [None, *[7] * (len(rows) - 1)]


MINED = [ProvenanceEntry(table="cases", source="s", kind="mined", count=1)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (replace(database(case(1, "new")), provenance=MINED), "are mined"),
        (database(case(1, "new", came_at=None)), "have no came_at"),
    ],
)
def test_a_life_that_nobody_knows_is_not_made_up(given: Database, words: str) -> None:
    outcome = FillDerived("archetype:test@0").apply(given, seed=0, round_number=0)
    assert isinstance(outcome, Failed) and words in outcome.error


def test_nothing_declared_is_nothing_to_do() -> None:
    given = replace(database(case(1, "new")), histories=())
    assert isinstance(FillDerived("s").apply(given, seed=0, round_number=0), Rejected)


def test_figures_are_what_the_rows_come_to() -> None:
    figures = (
        Figure(
            table="cases", column="open_letters", key="case_id", of="letters", by="case_id", where={"kind": ("in",)}
        ),
        Figure(table="cases", column="pages", key="case_id", fn="sum", of="letters", by="case_id", measure="pages"),
    )
    given = database(case(1, "new"), case(2, "new"), figures=figures)
    given.rows["letters"] = [
        {"letter_id": n, "case_id": 1, "kind": kind, "pages": pages, "sent_at": None}
        for n, (kind, pages) in enumerate([("in", 2), ("out", 5), ("in", None)], start=1)
    ]
    done = filled(given)
    assert [(row["open_letters"], row["pages"]) for row in done.rows["cases"]] == [(2, 7), (0, 0)]
    with opened(done) as connection:
        assert all(connection.execute(sql).fetchall() == [] for sql in faults(done.histories, figures).values())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE case_history SET to_state = 'waiting' WHERE entry = (SELECT max(entry) FROM case_history)", "present"),
        ("UPDATE case_history SET from_state = 'closed' WHERE entry = 2", "begin where"),
        ("DELETE FROM case_history WHERE entry = 1", "begin where"),
        ("UPDATE case_history SET changed_at = '2025-01-01T00:00:00Z' WHERE entry = 2", "before the one before"),
        ("UPDATE case_history SET changed_at = '2025-01-01T00:00:00Z' WHERE entry = 1", "before the creation"),
    ],
)
def test_what_does_not_fit_is_found(change: str, words: str) -> None:
    done = filled(database(case(1, "solved", taken_at="2025-05-10T10:00:00Z", solved_at="2025-05-12T11:00:00Z")))
    connection = sqlite3.connect(":memory:")
    for name, rows in done.rows.items():
        columns = [column.name for column in done.domain.table(name).columns]
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", [list(row.values()) for row in rows])
    connection.execute(change)
    found = [said for said, sql in faults(done.histories, ()).items() if connection.execute(sql).fetchall()]
    connection.close()
    assert any(words in said for said in found), found
