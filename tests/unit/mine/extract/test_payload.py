from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction
from envforge.mine.extract.payload import PayloadExtractor

Make = Callable[..., Fetched]


def extract(fetched: Make, value: Any, path: str = "data/books.json") -> Extraction:
    return PayloadExtractor().extract(fetched(path, value if isinstance(value, str) else json.dumps(value)))


def test_list_of_records_becomes_a_table_and_a_shape(fetched: Make) -> None:
    records: list[dict[str, Any]] = [
        {"id": n, "state": "open" if n % 2 else "shut", "at": {"day": "2020-01-02", "geo": [1, 2]}, "tags": ["x"]}
        for n in range(8)
    ]
    records[3]["state"] = None
    del records[4]["at"]
    result = extract(fetched, records)
    table = result.tables[0]
    assert [(c.name, c.type, c.nullable) for c in table.columns] == [
        ("id", "integer", False),
        ("state", "text", True),
        ("at_day", "date", True),
        ("at_geo", "json", True),
        ("tags", "json", False),
    ]
    assert table.rows[0] == (0, "shut", "2020-01-02", "[1,2]", '["x"]') and len(table.rows) == 8
    state = {field.name: field for field in result.shapes["books"].type.fields}["state"]
    assert state.type.enum == ("open", "shut") and state.type.nullable and state.required
    assert result.examples[0].value == records[0]


def test_map_of_records_keeps_its_keys(fetched: Make) -> None:
    result = extract(fetched, {f"B{n}": {"title": "t", "pages": n} for n in range(4)})
    assert result.tables[0].rows[2] == ("B2", "t", 2)


def test_wrapped_lists_are_found(fetched: Make) -> None:
    result = extract(fetched, {"version": 1, "loans": [{"id": 1, "who": "a"}], "3166-1": [{"id": 1, "code": "b"}]})
    assert [table.name for table in result.tables] == ["loans", "books_3166_1"]
    assert result.tables[0].locator == "data/books.json/loans#row={row}"


def test_index_of_example_payloads(fetched: Make) -> None:
    result = extract(
        fetched,
        [
            {"name": "loan", "examples": [{"action": "made", "loan": {"id": 1}}, {"action": "ended", "loan": None}]},
            {"name": "fine", "examples": [{"action": "paid"}]},
        ],
    )
    assert not result.tables and list(result.shapes) == ["loan", "fine"]
    loan = {field.name: field for field in result.shapes["loan"].type.fields}
    assert loan["loan"].type.nullable and loan["loan"].type.kind == "object"
    assert [example.shape for example in result.examples] == ["loan", "loan", "fine"]
    assert result.examples[1].locator == "#/0/examples/1"


def test_keys_that_are_data_make_a_map(fetched: Make) -> None:
    releases = {f"{n}.0": {"date": "2020-01-02"} for n in range(12)}
    result = extract(fetched, [{"id": n, "releases": releases} for n in range(3)])
    kind = {field.name: field.type.kind for field in result.shapes["books"].type.fields}
    assert kind["releases"] == "map" and [c.name for c in result.tables[0].columns] == ["id", "releases"]


def test_names_are_no_enums(fetched: Make) -> None:
    result = extract(fetched, [{"name": "Ann", "sha": "abcdefa", "kind": "person"} for _ in range(9)])
    found = {field.name: field.type.enum for field in result.shapes["books"].type.fields}
    assert found == {"name": (), "sha": (), "kind": ("person",)}


def test_mixed_values_hold_their_column_type(fetched: Make) -> None:
    table = extract(fetched, [{"a": 1, "b": True, "c": 1}, {"a": "x", "b": 2, "c": 1.5}]).tables[0]
    assert [c.type for c in table.columns] == ["text", "text", "real"]
    assert table.rows == (("1", "true", 1.0), ("x", "2", 1.5))


def test_json_lines_and_yaml(fetched: Make) -> None:
    lines = extract(fetched, '{"id": 1, "on": "2020-01-02"}\n{"id": 2, "on": null}\n', "rows.jsonl")
    assert lines.tables[0].rows == ((1, "2020-01-02"), (2, None))
    text = extract(fetched, "- {id: 1, ok: yes}\n- {id: 2, ok: no}\n", "rows.yaml")
    assert text.tables[0].rows == ((1, "yes"), (2, "no"))


@pytest.mark.parametrize("value", [[1, 2], "text", []])
def test_what_holds_no_records_says_so(fetched: Make, value: Any) -> None:
    result = extract(fetched, value)
    assert not result.tables and len(result.issues) == 1


@pytest.mark.parametrize("text", ['[{"a": 1},]', '[{"a": NaN}]', "[" * 5000 + "]" * 5000, '{"a": 1} x'])
def test_broken_json_is_an_error(fetched: Make, text: str) -> None:
    with pytest.raises(ExtractError) as caught:
        extract(fetched, text)
    assert caught.value.where.startswith("data/books.json") and caught.value.remedy
