"""The scenario interpreter: expressions, rows, ids, people, text, keys and provenance."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.errors import BuildError, ConfigError
from envforge.core.records.archetype import Process
from envforge.core.records.domain import Column, Domain, IdStyle, Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.scenario.compiler import compile_process
from envforge.mine.scenario.functions import FUNCTION_NAMES, function_table
from envforge.mine.scenario.measures import check_constraints
from envforge.mine.scenario.minting import Minter
from envforge.mine.scenario.natural_keys import key_pattern, spelled
from envforge.mine.scenario.people import People
from envforge.mine.scenario.provenance import Owner, entries_for, owners_by_row
from envforge.mine.scenario.rows import RowStore
from envforge.mine.scenario.simulation import renumber
from envforge.mine.scenario.text import TextBanks

CLOCK = "2024-05-08T12:00:00Z"
OFFICE = "work_time('2024-04-01T00:00:00Z', clock())"


def database(notes: int = 0) -> Database:
    note = Table(
        name="notes",
        entity="note",
        label="note",
        primary_key=("id",),
        columns=(
            Column(name="id", type="integer", nullable=False),
            Column(name="kind", type="text", nullable=False, enum=("a", "b"), default="a"),
            Column(name="done", type="boolean"),
            Column(name="made_at", type="timestamp"),
            Column(name="extra", type="json"),
            Column(name="mark", type="text", origin="synthetic"),
        ),
    )
    tag = Table(
        name="tags",
        entity="tag",
        label="tag",
        primary_key=("id",),
        origin="synthetic",
        columns=(
            Column(name="id", type="integer", nullable=False),
            Column(name="note_id", type="integer", references=reference("notes")),
        ),
    )
    rows: list[dict[str, Any]] = [
        {"id": n, "kind": "a", "done": 0, "made_at": None, "extra": None, "mark": None} for n in range(1, notes + 1)
    ]
    entries = [ProvenanceEntry(table="notes", source="src-1", kind="mined", count=notes)] if notes else []
    return Database(Domain(theme="x", tables=(note, tag)), {"notes": rows, "tags": []}, entries, {}, CLOCK)


def reference(table: str) -> Reference:
    return Reference(table=table, column="id", confidence=1, evidence="test")


def run(steps: list[dict[str, Any]], given: Database | None = None, seed: int = 1) -> RowStore:
    store = RowStore(given or database(), Minter(seed, "test"))
    process = Process.model_validate({"name": "p", "steps": steps})
    compiled = compile_process(process, functions=FUNCTION_NAMES, where="test")
    banks = TextBanks({"greeting": ("Hello {who}",), "who": ("Ann", "Ben")})
    people = People("en_US", set(), set())
    compiled.run(function_table(store, people, banks, random.Random(seed), CLOCK), {})
    return store


def insert(**values: Any) -> dict[str, Any]:
    return {"insert": "notes", "values": values}


def test_steps_of_every_kind() -> None:
    store = run(
        [
            {"let": {"total": 0}},
            {
                "each": "n",
                "over": 5,
                "steps": [
                    {"insert": "notes", "name": "note", "values": {"kind": "'b' if n % 2 else 'a'", "done": "n > 2"}},
                    {"let": {"total": "total + n"}},
                    {"when": "n == 3", "then": [{"update": "note", "set": {"mark": "'three'"}}]},
                ],
            },
            {"when": "False", "then": [], "otherwise": [insert(mark="str(total)")]},
        ]
    )
    assert [row["kind"] for row in store.rows["notes"]] == ["a", "b", "a", "b", "a", "a"]
    assert [row["done"] for row in store.rows["notes"]] == [0, 0, 0, 1, 1, None]
    assert [row["mark"] for row in store.rows["notes"]] == [None, None, None, "three", None, "10"]
    assert [row["id"] for row in store.rows["notes"]] == [1, 2, 3, 4, 5, 6]


def test_a_comprehension_sees_the_names_around_it() -> None:
    store = run([{"let": {"k": 3}}, insert(mark="str(sum([n * k for n in range(4)]))")])
    assert store.rows["notes"][0]["mark"] == "18"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"colour": "1"}, "no column 'colour'"),
        ({"kind": "'z'"}, "cannot be 'z'"),
        ({"kind": "None"}, "must have a value"),
        ({"mark": "3"}, "cannot hold 3"),
        ({"done": "7"}, "cannot hold 7"),
        ({"mark": "row.name"}, "NameError"),
        ({"mark": "pick([])"}, "nothing to choose"),
        ({"mark": "one('notes', id=9).mark"}, "TypeError"),
        ({"mark": "say('nothing')"}, "no text bank"),
        ({"mark": "where('nothing', id=1)"}, "no table 'nothing'"),
    ],
)
def test_failures_name_process_and_step(values: dict[str, str], says: str) -> None:
    with pytest.raises(BuildError) as caught:
        run([{"let": {"x": 1}}, {"when": "True", "then": [insert(**values)]}])
    assert says in str(caught.value)
    assert "process p: 2.1 (insert notes)" in str(caught.value)


def test_mined_columns_of_mined_rows_stay() -> None:
    steps: list[dict[str, Any]] = [{"let": {"note": "one('notes', id=1)"}}]
    run([*steps, {"update": "note", "set": {"mark": "'ok'"}}], database(2))
    with pytest.raises(BuildError, match="was mined"):
        run([*steps, {"update": "note", "set": {"kind": "'b'"}}], database(2))


def test_a_run_leaves_the_database_it_starts_from_alone() -> None:
    data = database(2)
    data.provenance[0] = data.provenance[0].model_copy(update={"kind": "synthetic"})
    store = RowStore(data, Minter(1, "test"))
    store.update(store.rows["notes"][0], {"kind": "b", "mark": "x"})
    store.insert("notes", {"mark": "y"})
    assert [(row["kind"], row["mark"]) for row in data.rows["notes"]] == [("a", None), ("a", None)]


def test_look_ups_follow_inserts_and_updates() -> None:
    store = run([{"each": "n", "over": 4, "steps": [insert(mark="'x' if n < 2 else 'y'")]}])
    assert [row["id"] for row in store.where("notes", mark="x")] == [1, 2]
    store.update(store.rows["notes"][0], {"mark": "y"})
    assert [row["id"] for row in store.where("notes", mark="x")] == [2]
    store.insert("notes", {"mark": "x"})
    assert [row["id"] for row in store.where("notes", mark="x")] == [2, 5]
    assert store.one("notes", mark="z") is None


def test_fifty_thousand_rows_in_seconds() -> None:
    start = time.process_time()
    store = run(
        [{"each": "n", "over": 50_000, "steps": [insert(kind="pick(['a', 'b'])", mark="str(n)", done="n % 2 == 0")]}]
    )
    assert len(store.rows["notes"]) == 50_000
    assert time.process_time() - start < 8


def test_the_same_seed_draws_the_same() -> None:
    steps = [
        {
            "each": "n",
            "over": 30,
            "steps": [insert(mark="person().name", made_at="work_time('2024-04-01T00:00:00Z', clock())")],
        }
    ]
    assert run(steps).rows == run(steps).rows
    assert run(steps).rows != run(steps, seed=2).rows


def test_work_times_are_office_hours() -> None:
    steps = [
        {
            "each": "n",
            "over": 200,
            "steps": [
                insert(
                    made_at="work_time('2024-04-01T00:00:00Z', clock())",
                    mark="weekday_of(work_time('2024-04-01T00:00:00Z', clock()))",
                )
            ],
        }
    ]
    rows = run(steps).rows["notes"]
    assert {row["mark"] for row in rows} <= {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}
    assert all("06" <= row["made_at"][11:13] <= "21" for row in rows)


def test_skewed_prefers_the_first() -> None:
    rows = run([{"each": "n", "over": 500, "steps": [insert(mark="str(skewed(list(range(10))))")]}]).rows["notes"]
    counts = Counter(row["mark"] for row in rows)
    assert counts["0"] > 2 * counts["5"] > 0


def test_texts_do_not_repeat_while_they_can() -> None:
    banks, draws = TextBanks({"t": ("{a} {b}",), "a": ("x", "y"), "b": ("1", "2")}), random.Random(1)
    assert len({banks.say(draws, "t", {}) for _ in range(4)}) == 4
    assert banks.repeats == {}
    banks.say(draws, "t", {})
    assert banks.repeats == {"t": 1}
    assert TextBanks({"t": ("{a} {b}",), "b": ("1",)}).say(draws, "t", {"a": "slot"}) == "slot 1"


def test_people_agree_with_themselves_and_are_not_repeated() -> None:
    people, draws = People("en_US", set(), set()), random.Random(3)
    found = [people.draw(draws, born=(1980, 1990)) for _ in range(400)]
    assert len({one["name"] for one in found}) == len({one["email"] for one in found}) == 400
    assert all(one["name"] == f"{one['first_name']} {one['last_name']}" for one in found)
    assert all("1980" <= one["birth_date"] < "1991" for one in found)
    assert {one["email"].split("@")[1] for one in found} <= {"example.com", "example.net", "example.org"}
    namesake = people.draw(draws, first_name=found[0]["first_name"], last_name=found[0]["last_name"])
    assert namesake["name"] == found[0]["name"]
    assert namesake["email"] != found[0]["email"]


def test_an_unknown_locale_is_refused() -> None:
    with pytest.raises(BuildError, match="no names"):
        People("xx_YY", set(), set())


def test_ids_in_every_style() -> None:
    minter = Minter(5, "test")
    base = database().domain.table("notes")
    assert [minter.mint(base, [{"id": 41}]), minter.mint(base, [])] == [42, 43]
    coded = base.model_copy(update={"name": "c", "id_style": IdStyle(kind="code", prefix="B", alphabet="XY", length=2)})
    assert {minter.mint(coded, [{"id": "BXX"}]) for _ in range(3)} == {"BXY", "BYX", "BYY"}
    with pytest.raises(BuildError, match="no free code"):
        minter.mint(coded, [])
    uuids = base.model_copy(update={"name": "u", "id_style": IdStyle(kind="uuid")})
    assert minter.mint(uuids, []) != minter.mint(uuids, [])
    assert Minter(5, "test").mint(uuids, []) == Minter(5, "test").mint(uuids, [])


def trips(*keys: str) -> tuple[Table, list[dict[str, Any]]]:
    names = ("key", "line", "number", "day", "stop")
    table = Table(
        name="trips",
        entity="trip",
        label="trip",
        primary_key=("key",),
        columns=tuple(Column(name=name, type="text") for name in names),
    )
    rows = [
        {"key": key, "line": "UA", "number": 10 + n, "day": f"2024-05-0{n}", "stop": "X"}
        for n, key in enumerate(keys, 1)
    ]
    return table, rows


def test_keys_made_of_columns_are_read_off() -> None:
    pattern = key_pattern(*trips("UA11-20240501-X", "UA12-20240502-X"))
    assert pattern is not None
    assert spelled(pattern, {"line": "BA", "number": 7, "day": "2024-06-01", "stop": "Q"}) == "BA7-20240601-Q"
    assert spelled(pattern, {"line": "BA", "number": None, "day": "2024-06-01", "stop": "Q"}) is None


def test_keys_that_are_not_made_of_columns_are_not() -> None:
    assert key_pattern(*trips("UA11-20240501-X", "something-else")) is None


def test_ids_follow_time_and_references_follow_ids() -> None:
    data = database()
    rows: dict[str, list[dict[str, Any]]] = {
        "notes": [
            {"id": 1, "made_at": "2024-03-01"},
            {"id": 2, "made_at": "2024-01-01"},
            {"id": 3, "made_at": "2024-02-01"},
        ],
        "tags": [{"id": 1, "note_id": 1}, {"id": 2, "note_id": 2}, {"id": 3, "note_id": None}],
    }
    renumber(data.domain.tables, rows, {"notes": "made_at"}, keep=set())
    assert [(row["id"], row["made_at"]) for row in rows["notes"]] == [
        (1, "2024-01-01"),
        (2, "2024-02-01"),
        (3, "2024-03-01"),
    ]
    assert [row["note_id"] for row in rows["tags"]] == [3, 1, None]


def test_provenance_is_split_where_rows_mix() -> None:
    data = database(3)
    rows = {"notes": [*data.rows["notes"]], "tags": []}
    owners = owners_by_row(data, rows)
    rows["notes"] += [{**rows["notes"][0], "id": 0}, {**rows["notes"][0], "id": 9}]
    owners |= {id(row): Owner("archetype:x@1", "scenario", "synthetic") for row in rows["notes"][3:]}
    found = [(entry.keys, entry.kind, entry.count) for entry in entries_for(data.domain.tables, rows, owners)]
    assert found == [(((0,), (0,)), "synthetic", 1), (((1,), (3,)), "mined", 3), (((9,), (9,)), "synthetic", 1)]


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("tags", {"id": 1, "note_id": 77}),
        ("notes", {"id": 1, "kind": "z", "done": 0, "made_at": None, "extra": None, "mark": None}),
    ],
)
def test_broken_constraints_are_found(table: str, row: dict[str, Any]) -> None:
    data = database()
    check_constraints(data)
    data.rows[table].append(row)
    with pytest.raises(BuildError):
        check_constraints(data)


@pytest.mark.parametrize("name", ["None", "a b", "__builtins__", "_hidden", "1st", ""])
def test_only_plain_words_can_be_names(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a name"):
        run([{"let": {name: "1"}}])


def test_a_number_too_large_is_a_failure_of_its_step() -> None:
    with pytest.raises(BuildError, match="OverflowError"):
        run([{"let": {"x": "1e308 * 10", "y": "int(x)"}}])
