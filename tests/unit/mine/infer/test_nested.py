"""Lists and maps inside a table become tables."""

import json
from typing import Any

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.extraction import ColumnType, Extraction, MinedColumn, MinedTable
from envforge.core.records.source import Theme
from envforge.mine.infer.tabular import Tabular, infer_tables
from envforge.mine.verify import verify_rows
from envforge.store.provenance import coverage_problems, expand


def _stated(kind: ColumnType, value: Any) -> Any:
    return json.dumps(value) if kind == "json" and value is not None else value


def infer(columns: dict[str, ColumnType], rows: list[dict[str, Any]]) -> Tabular:
    kinds = tuple(MinedColumn(name=name, type=kind) for name, kind in columns.items())
    body = tuple(tuple(_stated(kind, row.get(name)) for name, kind in columns.items()) for row in rows)
    table = MinedTable("lands", kinds, body, "lands.json#row={row}", "src-1")
    theme = Theme(slug="x", title="X", kind="domain")
    tabular = infer_tables(theme, [Extraction("src-1", "payload", tables=(table,))], clock=None)
    verify_rows(Database(Domain(theme="x", tables=tabular.tables), tabular.rows, tabular.provenance, {}, ""))
    keys = {t.name: [tuple(row[k] for k in t.primary_key) for row in tabular.rows[t.name]] for t in tabular.tables}
    assert coverage_problems(tabular.provenance, keys) == []
    return tabular


def test_a_list_becomes_a_child_in_its_order() -> None:
    tabular = infer(
        {"code": "text", "borders": "json"},
        [{"code": "B", "borders": ["A", "C"]}, {"code": "A", "borders": []}, {"code": "C"}, {"code": "D"}],
    )
    assert tabular.rows["land_borders"] == [
        {"land_code": "B", "position": 1, "border": "A"},
        {"land_code": "B", "position": 2, "border": "C"},
    ]
    table = next(table for table in tabular.tables if table.name == "land_borders")
    assert (table.primary_key, table.kind) == (("land_code", "position"), "child")
    reference = table.column("land_code").references
    assert reference is not None and (reference.table, reference.confidence) == ("lands", 1.0)
    entry = expand(tabular.provenance, "land_borders", ("B", 2), tabular.rows["land_borders"][1])
    assert entry.locator == "lands.json#code=B.borders[2]"
    assert not tabular.tables[0].has("borders")


def test_codes_that_always_mean_the_same_get_a_table() -> None:
    rows = [
        {"code": "A", "languages": {"deu": "German"}},
        {"code": "B", "languages": {"deu": "German", **{f"x{n}": f"Tongue {n}" for n in range(9)}}},
    ]
    tabular = infer({"code": "text", "languages": "json"}, rows)
    assert {"code": "deu", "name": "German"} in tabular.rows["languages"]
    assert tabular.rows["land_languages"][0] == {"land_code": "A", "language_code": "deu"}
    link = next(table for table in tabular.tables if table.name == "land_languages")
    assert link.kind == "link"


def test_codes_that_mean_something_else_each_time_stay_with_their_row() -> None:
    rows = [{"code": c, "names": {f"l{n}": {"short": f"{c}{n}", "long": f"{c} {n}"} for n in range(8)}} for c in "AB"]
    tabular = infer({"code": "text", "names": "json"}, rows)
    assert sorted(tabular.rows) == ["land_names", "lands"]
    assert tabular.rows["land_names"][0] == {"land_code": "A", "code": "l0", "short": "A0", "long": "A 0"}


def test_small_records_and_coordinates_become_columns() -> None:
    rows = [
        {"code": c, "latlng": [1.5, 2], "call": {"f": "x", "m": "y"}, "mixed": 5 if c == "A" else [1]} for c in "AB"
    ]
    tabular = infer({"code": "text", "latlng": "json", "call": "json", "mixed": "json"}, rows)
    row = {"code": "A", "latitude": 1.5, "longitude": 2.0, "call_f": "x", "call_m": "y", "mixed": "5"}
    assert tabular.rows["lands"][0] == row


def test_rows_without_a_natural_key_lend_their_number() -> None:
    tabular = infer(
        {"text": "text", "tags": "json"}, [{"text": "so so", "tags": ["a"]}, {"text": "so so", "tags": ["b"]}]
    )
    entry = expand(tabular.provenance, "land_tags", (2, 1), tabular.rows["land_tags"][1])
    assert entry.locator == "lands.json#row=2.tags[1]"
