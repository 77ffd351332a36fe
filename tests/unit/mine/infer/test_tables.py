"""Tables inferred from rows alone: keys, references, enums, merging, provenance."""

from typing import Any

import pytest

from envforge.core.records.extraction import ColumnType, Extraction, MinedColumn, MinedTable
from envforge.core.records.source import Theme
from envforge.mine.infer.keys import NamedColumn, find_key, key_faults
from envforge.mine.infer.profile import find_enum, find_format, find_role, find_unit
from envforge.mine.infer.tabular import Tabular, infer_tables
from envforge.store.provenance import coverage_problems, expand

THEME = Theme(slug="shop", title="Shop", kind="domain")


def mined(name: str, columns: dict[str, ColumnType], rows: list[tuple[Any, ...]], file: str = "") -> MinedTable:
    path = file or f"data/{name}.csv"
    kinds = tuple(MinedColumn(name=column, type=kind) for column, kind in columns.items())
    return MinedTable(name, kinds, tuple(rows), f"{path}#row={{row}}", f"src-{path}")


def infer(*tables: MinedTable) -> Tabular:
    extractions = [Extraction(table.source_id, "tabular", tables=(table,)) for table in tables]
    return infer_tables(THEME, extractions, clock=None)


def column(name: str, values: list[Any], kind: ColumnType = "text") -> NamedColumn:
    return NamedColumn(name, kind, values)


CITIES = mined(
    "Cities",
    {"code": "text", "name": "text", "population": "integer", "countryCode": "text"},
    [(f"C{n:02}", f"Town {n}", 1000 + n, "FR" if n % 2 else "DE") for n in range(40)],
)
COUNTRIES = mined("country", {"code": "text", "name": "text"}, [("FR", "France"), ("DE", "Germany"), ("IT", "Italy")])


def test_names_keys_and_references_of_plain_files() -> None:
    tabular = infer(CITIES, COUNTRIES)
    cities, countries = tabular.tables
    assert (cities.name, cities.entity, cities.primary_key) == ("cities", "city", ("code",))
    assert (countries.name, countries.entity) == ("countries", "country")
    reference = cities.column("country_code").references
    assert reference is not None
    assert (reference.table, reference.column, reference.confidence) == ("countries", "code", 1.0)
    assert cities.column("country_code").source_name == "countryCode"
    assert cities.column("name").role == "title"


def test_a_unique_number_is_no_key() -> None:
    populations = column("population", list(range(100, 130)), "integer")
    assert find_key([populations], entity="city") is None
    assert find_key([populations, column("city_code", [f"X{n}" for n in range(30)])], entity="city") is not None


def test_rows_without_a_natural_key_get_the_row_number() -> None:
    table = mined("notes", {"text": "text", "score": "real"}, [("same words here", 1.5), ("same words here", 2.5)])
    tabular = infer(table)
    assert tabular.tables[0].primary_key == ("id",)
    assert [row["id"] for row in tabular.rows["notes"]] == [1, 2]
    assert expand(tabular.provenance, "notes", (2,), tabular.rows["notes"][1]).locator == "data/notes.csv#row=2"


def test_the_smallest_set_of_columns_is_the_composite_key() -> None:
    rows = [(f"S{s}", day, "x", 20.0 + s) for s in range(3) for day in ("2024-01-01", "2024-01-02")]
    tabular = infer(mined("readings", {"station": "text", "day": "date", "unit": "text", "value": "real"}, rows))
    assert tabular.tables[0].primary_key == ("station", "day")


@pytest.mark.parametrize(
    ("values", "fault"),
    [(["A", None, "B"], "key is NULL in row 2"), (["A", "B", "A"], "A in rows 1 and 3")],
)
def test_false_keys_are_shown_with_rows(values: list[Any], fault: str) -> None:
    assert key_faults([column("key", values)]) == [fault]


def test_numbers_refer_only_when_the_name_says_so() -> None:
    shops = mined("shops", {"id": "integer", "name": "text"}, [(n, f"Shop {n}") for n in range(1, 20)])
    rows = [(n, n % 5 + 1, n % 7 + 1) for n in range(1, 30)]
    orders = mined("orders", {"id": "integer", "shop_id": "integer", "items": "integer"}, rows)
    table = next(table for table in infer(shops, orders).tables if table.name == "orders")
    assert table.column("shop_id").references is not None
    assert table.column("items").references is None
    assert table.column("id").references is None


def test_a_reference_with_missing_values_keeps_its_confidence() -> None:
    shops = mined("shops", {"code": "text", "name": "text"}, [(f"S{n}", f"Shop {n}") for n in range(30)])
    rows = [(n, f"S{n % 30}" if n else "S99") for n in range(60)]
    orders = mined("orders", {"id": "integer", "shop_code": "text"}, rows)
    table = next(table for table in infer(shops, orders).tables if table.name == "orders")
    reference = table.column("shop_code").references
    assert reference is not None
    assert reference.confidence == pytest.approx(59 / 60, abs=1e-6)


def test_files_about_the_same_things_are_merged() -> None:
    first = mined(
        "airports",
        {"icao": "text", "iata": "text", "city": "text"},
        [("KAAA", "AAA", "Here"), ("KBBB", "BBB", None), ("KCCC", None, "Yonder")],
        "one/airports.csv",
    )
    second = mined(
        "airports",
        {"iata": "text", "city": "text", "alt": "integer"},
        [("AAA", "Elsewhere", 10), ("BBB", "There", 20)],
        "two/airports.csv",
    )
    tabular = infer(first, second)
    assert [table.name for table in tabular.tables] == ["airports"]
    by_key = {row["icao"]: row for row in tabular.rows["airports"]}
    assert by_key["KAAA"] == {"icao": "KAAA", "iata": "AAA", "city": "Here", "alt": 10}
    assert by_key["KBBB"]["city"] == "There"
    assert "merged into airports by iata = iata: 2 rows matched" in tabular.notes[0]


def test_rows_of_a_second_file_keep_their_own_source() -> None:
    first = mined("towns", {"code": "text", "name": "text"}, [("A", "Aa"), ("C", "Cc"), ("D", "Dd")], "one/towns.csv")
    second = mined("towns", {"code": "text", "name": "text"}, [("B", "Bb"), ("C", "Other")], "two/towns.csv")
    tabular = infer(first, second)
    keys = [(row["code"],) for row in tabular.rows["towns"]]
    assert keys == [("A",), ("B",), ("C",), ("D",)]
    assert coverage_problems(tabular.provenance, {"towns": keys}) == []
    assert expand(tabular.provenance, "towns", ("B",)).source == "src-two/towns.csv"
    assert expand(tabular.provenance, "towns", ("C",)).source == "src-one/towns.csv"


def test_files_of_one_name_about_other_things_stay_apart() -> None:
    first = mined("items", {"code": "text", "name": "text"}, [(f"A{n}", "x") for n in range(5)], "one/items.csv")
    second = mined("items", {"code": "text", "name": "text"}, [(f"B{n}", "y") for n in range(4)], "two/items.csv")
    assert [table.name for table in infer(first, second).tables] == ["items", "items_2"]


def test_blanks_are_null_and_empty_columns_are_left_out_with_a_note() -> None:
    rows = [("A", "  ", 0, None), ("B", " b ", 1990, None)]
    tabular = infer(mined("cars", {"code": "text", "name": "text", "year": "integer", "x": "text"}, rows))
    assert tabular.rows["cars"] == [
        {"code": "A", "name": None, "year": None},
        {"code": "B", "name": "b", "year": 1990},
    ]
    assert tabular.notes == ("data/cars.csv: column x of cars is empty and is left out",)


def test_enums_need_few_values_that_come_again() -> None:
    assert find_enum("kind", "text", ["b", "a"] * 20) == ("a", "b")
    assert find_enum("kind", "text", ["a", "b"]) == ()
    assert find_enum("kind", "text", [f"v{n % 13}" for n in range(400)]) == ()
    assert find_enum("first_name", "text", ["Ann", "Bob"] * 50) == ()


@pytest.mark.parametrize(
    ("name", "unit"),
    [("distance_km", "km"), ("elevation_ft", "ft"), ("price_per_kg", None), ("c6_gb", None), ("size_mb", "MB")],
)
def test_units_come_from_names(name: str, unit: str | None) -> None:
    assert find_unit(name, "real") == unit
    assert find_unit(name, "text") is None


def test_formats_hold_for_all_values() -> None:
    assert find_format("text", ["2013-01-01T05:15", None]) == "local-date-time"
    assert find_format("text", ["a@b.org", "c@d.net"]) == "email"
    assert find_format("text", ["a@b.org", "nobody"]) is None


def test_state_beside_a_city_is_an_address() -> None:
    assert find_role("state", "text", form=None, enum=True, columns=["id", "state"]) == "state"
    assert find_role("state", "text", form=None, enum=True, columns=["id", "state", "city"]) is None
    assert find_role("departure_time", "timestamp", form=None, enum=False, columns=[]) == "starts_at"
    assert find_role("actual_departure", "timestamp", form=None, enum=False, columns=[]) is None


@pytest.mark.parametrize(("name", "entity"), [("classes", "class_record"), ("worlds", "world_record"), ("sets", "set")])
def test_an_entity_is_a_name_that_tools_can_use(name: str, entity: str) -> None:
    rows: list[tuple[Any, ...]] = [(n, f"Name {n}") for n in range(1, 9)]
    made = infer(mined(name, {"id": "integer", "name": "text"}, rows))
    assert [table.entity for table in made.tables] == [entity]
