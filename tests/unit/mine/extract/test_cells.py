from __future__ import annotations

from typing import Any

import pytest

from envforge.mine.extract.cells import free_names, split_unit, typed_column


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1,234", "56", "—"], "integer", [1234, 56, None]),
        (["1 234 567.5", "2"], "real", [1234567.5, 2.0]),
        (["−4", "+7"], "integer", [-4, 7]),
        (["007", "010"], "text", ["007", "010"]),
        (["1,23", "4"], "text", ["1,23", "4"]),
        (["12 March 2024", "Jan 5, 2023"], "date", ["2024-03-12", "2023-01-05"]),
        (["2024-03-12", ""], "date", ["2024-03-12", None]),
        (["30 February 2024"], "text", ["30 February 2024"]),
        (["Yes", "no", ""], "boolean", [True, False, None]),
        (["yes", "yes"], "text", ["yes", "yes"]),
        (["-", "+", "*"], "text", ["-", "+", "*"]),
        (["n/a", "North"], "text", [None, "North"]),
        (["9" * 30], "text", ["9" * 30]),
    ],
)
def test_a_type_holds_for_every_cell(texts: list[str], kind: str, values: list[Any]) -> None:
    column, found = typed_column("x", None, texts)
    assert (column.type, found) == (kind, values)
    assert column.nullable == (None in values)


def test_percents_are_numbers_with_a_unit() -> None:
    column, values = typed_column("share", None, ["12.5%", "3 %"])
    assert (column.type, column.unit, values) == ("real", "%", [12.5, 3.0])


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("Area (km²)", "Area", "km²"),
        ("Depth [m]", "Depth", "m"),
        ("Example(s)", "Examples", None),
        ("Name (official)", "Name (official)", None),
        ("Width", "Width", None),
    ],
)
def test_units_stand_in_brackets_after_the_name(header: str, name: str, unit: str | None) -> None:
    assert split_unit(header) == (name, unit)


def test_columns_that_differ_in_the_unit_keep_it_in_the_name() -> None:
    assert free_names(["Area (km²)", "Area (sq mi)", "", "Pier", "pier"]) == [
        ("Area (km²)", "km²"),
        ("Area (sq mi)", "sq mi"),
        ("column 3", None),
        ("Pier", None),
        ("pier 2", None),
    ]
