"""Tables of a catalogue entry: SQL over files, and statements that are verified."""

from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.extraction import Extraction, MinedColumn, MinedTable
from envforge.core.records.source import Anchor, TableShape, Theme
from envforge.mine.infer.sql_views import SqlViews, analyse
from envforge.mine.infer.tabular import Tabular, infer_tables

FLIGHTS = MinedTable(
    "flights",
    (
        MinedColumn(name="no", type="integer"),
        MinedColumn(name="dest", type="text"),
        MinedColumn(name="tail", type="text"),
        MinedColumn(name="leaves", type="timestamp"),
    ),
    (
        (2, "BBB", "N1", "2024-01-02T08:00:00Z"),
        (1, "AAA", "N2", "2024-01-01T08:00:00Z"),
        (3, "AAA", "N9", "2024-01-03T08:00:00Z"),
    ),
    "pkg/data/flights.csv#row={row}",
    "src-1",
)
PLACES = MinedTable(
    "places",
    (MinedColumn(name="code", type="text"), MinedColumn(name="name", type="text")),
    (("AAA", "Here"), ("BBB", "There"), ("N1", "")),
    "pkg/data/places.csv#row={row}",
    "src-2",
)
FLIGHT_SHAPE: dict[str, Any] = {"name": "flights", "sql": "SELECT no, dest AS destination, tail, leaves FROM flights"}
PLACE_SHAPE: dict[str, Any] = {"name": "places", "sql": "SELECT code, nullif(name, '') AS name FROM places"}


def infer(*shapes: dict[str, Any], tables: tuple[MinedTable, ...] = (FLIGHTS, PLACES), **theme: Any) -> Tabular:
    stated = Theme(
        slug="air", title="Air", kind="domain", tables=tuple(TableShape(**shape) for shape in shapes), **theme
    )
    extractions = [Extraction(table.source_id, "tabular", tables=(table,)) for table in tables]
    return infer_tables(stated, extractions, clock="2024-01-02T12:00:00Z")


def test_rows_come_in_key_order_with_their_types() -> None:
    tabular = infer({**FLIGHT_SHAPE, "key": ["no"], "units": {"no": "1"}})
    assert [row["no"] for row in tabular.rows["flights"]] == [1, 2, 3]
    assert tabular.rows["flights"][0]["leaves"] == "2024-01-01T08:00:00Z"
    assert [column.type for column in tabular.tables[0].columns] == ["integer", "text", "text", "timestamp"]


def test_picked_columns_are_mined_and_computed_ones_derived() -> None:
    computed = {"name": "days", "sql": "SELECT no, dest || '!' AS shout FROM flights", "key": ["no"]}
    tabular = infer({**PLACE_SHAPE, "key": ["code"]}, computed)
    assert [entry.kind for entry in tabular.provenance] == ["mined", "derived"]
    assert tabular.provenance[0].locator == "pkg/data/places.csv#code={code}"


def test_the_clock_is_the_worlds() -> None:
    tabular = infer({"name": "past", "sql": "SELECT no, leaves <= :clock AS gone FROM flights", "key": ["no"]})
    assert [row["gone"] for row in tabular.rows["past"]] == [1, 1, 0]


@pytest.mark.parametrize(
    ("change", "message", "where"),
    [
        ({"key": ["destination"]}, "is no key of flights: AAA in rows 2 and 3", "tables.flights.key"),
        ({"key": ["nope"]}, "names nope, but the SQL gives", "tables.flights.key"),
        (
            {"key": ["no"], "references": {"tail": "places.code"}},
            r"2 values of tail are not in places.code: N2 \(1 rows\), N9",
            "tables.flights.references",
        ),
        ({"key": ["no"], "references": {"no": "places.code"}}, "are integer and text", "tables.flights.references"),
        ({"key": ["no"], "references": {"tail": "planes.code"}}, "no such table", "tables.flights.references"),
        ({"key": ["no"], "references": {"tail": "places.x"}}, "no such column", "tables.flights.references"),
        ({"key": ["no"], "enums": {"destination": ["AAA"]}}, "also takes BBB", "tables.flights.enums"),
        ({"key": ["no"], "rows_from": "places"}, "none of the files", "tables.flights.rows_from"),
    ],
)
def test_a_false_statement_is_refused(change: dict[str, Any], message: str, where: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        infer({**FLIGHT_SHAPE, **change}, PLACE_SHAPE)
    assert caught.value.where == f"themes/catalogue/air.yaml, {where}"


def test_a_partial_reference_keeps_its_share_and_is_never_certain() -> None:
    stated = {"tail": "places.code", "destination": "places.code"}
    tabular = infer({**FLIGHT_SHAPE, "key": ["no"], "partial_references": stated}, PLACE_SHAPE)
    shares = {c.name: c.references.confidence for c in tabular.tables[0].columns if c.references}
    assert shares == {"tail": pytest.approx(1 / 3, abs=1e-6), "destination": 0.999999}


def test_a_table_without_its_file_is_left_out_only_when_it_is_optional() -> None:
    shape = {"name": "weather", "sql": "SELECT * FROM weather"}
    with pytest.raises(ConfigError, match="reads weather, but the files are flights, places"):
        infer(shape, PLACE_SHAPE)
    tabular = infer({**shape, "optional": True}, PLACE_SHAPE)
    assert [table.name for table in tabular.tables] == ["places"]
    assert tabular.notes == ("table weather is left out: no file for weather",)


def test_rows_may_name_the_file_they_come_from() -> None:
    more = MinedTable("more", PLACES.columns, (("ABC", "Between"),), "pkg/more.csv#row={row}", "src-3")
    sql = "SELECT code, name, 'places' AS _view FROM places UNION ALL SELECT code, name, 'more' FROM more"
    tabular = infer({"name": "all_places", "sql": sql, "key": ["code"]}, tables=(PLACES, more))
    assert [(e.source, e.count) for e in tabular.provenance] == [("src-2", 1), ("src-3", 1), ("src-2", 2)]
    assert not tabular.tables[0].has("_view")


def test_two_files_of_one_name_need_views() -> None:
    other = MinedTable("places", PLACES.columns, (("X", "y"),), "else/places.csv#row={row}", "src-4")
    with pytest.raises(ConfigError, match=r"pkg/data/places\.csv and else/places\.csv"):
        infer(PLACE_SHAPE, tables=(PLACES, other))
    anchor = Anchor(spec="file:x", views={"else/*.csv": "others"})
    shape = {"name": "others", "sql": "SELECT * FROM others", "key": ["code"]}
    assert infer(shape, tables=(PLACES, other), anchors=(anchor,)).rows["others"] == [{"code": "X", "name": "y"}]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DROP TABLE flights", "not a SELECT"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("SELECT random() FROM flights", "calls random"),
        ("SELECT now() FROM flights", "calls now"),
        ("SELECT current_date FROM flights", "calls current_date"),
    ],
)
def test_sql_that_is_no_steady_select_is_refused(sql: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        analyse(sql, where="here")


def test_names_of_a_with_clause_are_no_files() -> None:
    assert analyse("WITH a AS (SELECT * FROM f) SELECT * FROM a JOIN g USING (x)", where="").views == ("f", "g")


def test_sql_reaches_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with SqlViews({"flights": FLIGHTS}, clock=None) as views:
        for sql in (f"SELECT * FROM read_csv('{secret}')", f"SELECT * FROM '{secret}'", "SELECT * FROM glob('/*')"):
            with pytest.raises(ConfigError, match="DuckDB"):
                views.run(sql, where="here")
        assert views.run("SELECT count(*) AS n FROM flights", where="")[1] == [(3,)]


def test_empty_text_and_null_stay_apart_on_the_way_through_sql() -> None:
    with SqlViews({"places": PLACES}, clock=None) as views:
        assert views.run("SELECT name FROM places WHERE name = ''", where="")[1] == [("",)]
