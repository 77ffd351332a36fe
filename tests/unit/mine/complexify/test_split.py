"""Repeated groups become tables of their own where they are regular, and stay with a reason where they are not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.outcome import Produced, Rejected
from envforge.core.records.blueprint import Operation, Return
from envforge.core.records.domain import BoundOperation, Column, Domain, Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.extraction import ColumnType
from envforge.mine.complexify import enrich
from envforge.mine.complexify.split import SplitRepeated
from envforge.store.provenance import coverage_problems, expand

COLOURS = ("red", "green", "blue", "white")
ROWS = 24


def a_database(columns: Mapping[str, Sequence[Any]], *, kind: ColumnType = "text", **more: Any) -> Database:
    """Shops `s00`… with these columns, from two files."""
    keys = [f"s{number:02}" for number in range(ROWS)]
    made = tuple(Column(name=name, type=kind) for name in columns)
    table = Table(
        name="shops",
        entity="shop",
        label="shop",
        columns=(Column(name="id", type="text", nullable=False, role="id"), *made),
        primary_key=("id",),
        source_ids=("src-1", "src-2"),
        **more,
    )
    rows = [{"id": key, **{name: column[at] for name, column in columns.items()}} for at, key in enumerate(keys)]
    entries = [
        ProvenanceEntry(
            table="shops",
            keys=((keys[first],), (keys[last],)),
            source=source,
            locator=f"{source}.csv#id={{id}}",
            kind="mined",
            count=last - first + 1,
        )
        for source, first, last in (("src-1", 0, 11), ("src-2", 12, ROWS - 1))
    ]
    return Database(Domain(theme="x", tables=(table,)), {"shops": rows}, entries, {}, "2024-05-05T12:00:00Z")


def phones(number: int, *, from_row: int = 0) -> list[str | None]:
    """The number-th phone of every shop: all have one, fewer a second, few a third."""
    return [f"030 {1000 + 7 * at + number}" if at % number == 0 and at >= from_row else None for at in range(ROWS)]


def lists(delimiter: str) -> list[str | None]:
    found = [delimiter.join(COLOURS[at % 3 : at % 3 + 1 + at % 2]) for at in range(ROWS)]
    return [None, *found[1:]]


def split(database: Database) -> Database:
    outcome = SplitRepeated().apply(database, seed=1, round_number=1)
    assert isinstance(outcome, Produced), outcome
    return outcome.value


def refusals(database: Database) -> list[str]:
    outcome = SplitRepeated().apply(database, seed=1, round_number=1)
    assert isinstance(outcome, Rejected)
    return outcome.evidence["refused"]


def test_numbered_columns_become_rows_in_their_order() -> None:
    database = a_database({"name": [f"Shop {at}" for at in range(ROWS)], "phone1": phones(1), "phone2": phones(2)})
    done = split(database)
    shops, child = done.domain.tables
    assert [column.name for column in shops.columns] == ["id", "name"]
    assert (child.name, child.kind, child.origin, child.primary_key) == (
        "shop_phones",
        "child",
        "derived",
        ("shop_id", "position"),
    )
    assert [column.name for column in child.columns] == ["shop_id", "position", "phone"]
    told = [(row["id"], n, row[f"phone{n}"]) for row in database.rows["shops"] for n in (1, 2) if row[f"phone{n}"]]
    assert [tuple(row.values()) for row in done.rows["shop_phones"]] == told
    assert set(done.rows["shops"][0]) == {"id", "name"}
    assert "phone1" in database.rows["shops"][0], "the input stays"


def test_fields_of_one_number_stay_together() -> None:
    names = {"contact_1_name": phones(1), "contact_1_mail": phones(1), "contact_2_name": phones(2)}
    done = split(a_database({**names, "contact_2_mail": [None] * ROWS}))
    assert [column.name for column in done.domain.table("shop_contacts").columns] == [
        "shop_id",
        "position",
        "name",
        "mail",
    ]
    assert done.rows["shop_contacts"][1] == {"shop_id": "s00", "position": 2, "name": "030 1002", "mail": None}


@pytest.mark.parametrize("delimiter", ["|", ";", ", "])
def test_delimited_lists_become_rows(delimiter: str) -> None:
    database = a_database({"colours": lists(delimiter)})
    rows = split(database).rows["shop_colours"]
    again: dict[str, list[str]] = {}
    for row in rows:
        again.setdefault(row["shop_id"], []).append(row["colour"])
    held = {row["id"]: row["colours"] for row in database.rows["shops"] if row["colours"]}
    assert {key: delimiter.join(items) for key, items in again.items()} == held


def test_json_lists_of_plain_values_become_rows_and_others_stay() -> None:
    numbers = split(a_database({"sizes": [json.dumps([36, 38 + at]) for at in range(ROWS)]}))
    assert numbers.domain.table("shop_sizes").column("size").type == "integer"
    assert len(numbers.rows["shop_sizes"]) == 2 * ROWS
    deep = a_database({"sizes": [json.dumps([{"a": at}]) for at in range(ROWS)]})
    assert refusals(deep) == ["shops: sizes: some value is no JSON list of plain values"]
    hostile = a_database({"sizes": ["[" * 19_000 for _ in range(ROWS)]})
    assert refusals(hostile) == ["shops: sizes: some value is no JSON list of plain values"]


def test_items_that_are_keys_make_a_link() -> None:
    database = a_database({"colour_codes": lists("|")})
    columns = (Column(name="code", type="text", nullable=False), Column(name="label", type="text"))
    colours = Table(name="colours", entity="colour", label="colour", columns=columns, primary_key=("code",))
    rows = [{"code": code, "label": code.title()} for code in COLOURS]
    entry = ProvenanceEntry(table="colours", source="src-3", locator="c.csv#code={code}", kind="mined", count=4)
    both = replace(
        database,
        domain=Domain(theme="x", tables=(*database.domain.tables, colours)),
        rows={**database.rows, "colours": rows},
        provenance=[*database.provenance, entry],
    )
    # Four items are few: the name has to say it, and `code` does not.
    assert split(both).domain.table("shop_colour_codes").kind == "child"
    named = a_database({"colours": lists("|")})
    done = split(
        replace(
            both, domain=Domain(theme="x", tables=(*named.domain.tables, colours)), rows={**named.rows, "colours": rows}
        )
    )
    link = done.domain.table("shop_colours")
    assert link.kind == "link"
    reference = link.column("colour").references
    assert reference is not None
    assert (reference.table, reference.column, reference.confidence) == ("colours", "code", 1.0)


def test_every_row_keeps_its_place_in_its_file() -> None:
    done = split(a_database({"phone1": phones(1), "phone2": phones(2)}))
    keys = {
        table.name: [tuple(row[name] for name in table.primary_key) for row in done.rows[table.name]]
        for table in done.domain.tables
    }
    assert coverage_problems(done.provenance, keys) == []
    row = next(row for row in done.rows["shop_phones"] if row["shop_id"] == "s14" and row["position"] == 2)
    found = expand(done.provenance, "shop_phones", ("s14", 2), row)
    assert (found.source, found.kind, found.locator) == ("src-2", "derived", "src-2.csv#id=s14.phone2")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"x1": phones(1), "x2": phones(1)}, "nearly every row has all of them"),
        ({"phone1": phones(2), "phone2": phones(1)}, "some rows have a later one without the one before"),
        ({"phone2": phones(1), "phone3": phones(2)}, "they are not numbered from 1 on"),
        ({"address_line1": phones(1), "address_line2": phones(2)}, "they are lines of one address"),
        ({"c1_name": phones(1), "c1_mail": phones(1), "c2_name": phones(2)}, "they do not have the same fields"),
        ({"tel1": phones(1), "tel2": ["ask Jo" if at % 2 else None for at in range(ROWS)]}, "do not look alike"),
        ({"tel1": phones(1), "tel2": [*["030 1"] * 2, *[None] * (ROWS - 2)]}, "fewer than 5 rows have a second one"),
    ],
)
def test_columns_that_are_no_repetition_stay(columns: dict[str, Any], reason: str) -> None:
    (told,) = refusals(a_database(columns))
    assert reason in told


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"word{at}, other{at} and, then {at}" if at % 2 else f"one {at}, two" for at in range(ROWS)], "seldom"),
        ([f"{COLOURS[at % 4]}, {COLOURS[(at + 1) % 4]}" for at in range(ROWS)], "the same number of parts"),
        (["red, " if at % 2 else "blue, red" for at in range(ROWS)], "some item is empty"),
        (["red, red, blue" if at % 2 else "blue" for at in range(ROWS)], "an item twice"),
        (["1,200" if at % 2 else "300" for at in range(ROWS)], "digits of numbers"),
        (["red, a sentence that goes on for a while and is no item" for _ in range(ROWS)], "too long for a list"),
    ],
)
def test_texts_that_are_no_lists_stay(values: list[str], reason: str) -> None:
    (told,) = refusals(a_database({"remark": values}))
    assert reason in told


def test_keys_and_what_others_refer_to_stay() -> None:
    database = a_database({"phone1": phones(1), "phone2": phones(2)}, unique=(("phone1",),))
    assert refusals(database) == ["shops: phone1, phone2: keys, checks or other rows need them"]
    plain = a_database({"phone1": phones(1), "phone2": phones(2)})
    target = Reference(table="shops", column="phone2", confidence=0.5, evidence="test")
    calls = Table(
        name="calls",
        entity="call",
        label="call",
        columns=(Column(name="id", type="integer"), Column(name="number", type="text", references=target)),
        primary_key=("id",),
    )
    referred = replace(
        plain, domain=Domain(theme="x", tables=(*plain.domain.tables, calls)), rows={**plain.rows, "calls": []}
    )
    assert refusals(referred) == ["shops: phone1, phone2: keys, checks or other rows need them"]


def test_tables_that_operations_name_are_left_alone() -> None:
    database = a_database({"phone1": phones(1), "phone2": phones(2)})
    served = BoundOperation(id="getShop", name="get_shop", verb="get", entity="shop", table="shops")
    domain = database.domain.model_copy(update={"operations": (served,)})
    assert refusals(replace(database, domain=domain)) == []
    brought = Operation(
        name="get_shop", verb="get", entity="shop", summary="Get.", steps=(Return(value={"ok": "True"}),), returns={}
    )
    outcome = SplitRepeated().apply(replace(database, operations=(brought,)), seed=1, round_number=1)
    assert isinstance(outcome, Rejected)
    assert "archetype" in outcome.reason


def test_rounds_log_figures_before_and_after_and_repeat() -> None:
    database = a_database({"phone1": phones(1), "phone2": phones(2), "colours": lists("|")})
    assert enrich(database, rounds=0, seed=1) is database
    done = enrich(database, rounds=2, seed=1)
    (entry,) = done.changelog
    assert (entry["operator"], entry["round"]) == ("split", 1)
    assert (entry["before"]["tables_in_use"], entry["after"]["tables_in_use"]) == (1, 3)
    assert [made["table"] for made in entry["detail"]["tables"]] == ["shop_phones", "shop_colours"]
    assert entry["detail"]["refused"] == []
    again = enrich(database, rounds=2, seed=7)
    assert (again.rows, again.domain) == (done.rows, done.domain)
