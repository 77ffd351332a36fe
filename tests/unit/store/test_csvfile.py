"""The exact CSV reader and writer."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envforge.core.errors import StoreError
from envforge.store.csvfile import format_csv, parse_csv, read_csv, write_csv


def test_null_and_empty_text_differ() -> None:
    text = format_csv(["a", "b"], [[None, ""], ["", None]])
    assert text == 'a,b\n,""\n"",\n'
    assert parse_csv(text) == (["a", "b"], [(None, ""), ("", None)])


def test_one_column_of_nulls_keeps_its_rows() -> None:
    assert parse_csv(format_csv(["a"], [[None], ["x"], [None]])) == (["a"], [(None,), ("x",), (None,)])


@given(st.lists(st.tuples(st.none() | st.text(), st.none() | st.text(alphabet='a",\n\r ')), max_size=20))
def test_text_comes_back_as_it_was(rows: list[tuple[str | None, str | None]]) -> None:
    assert parse_csv(format_csv(["a", "b"], rows))[1] == rows


@given(st.lists(st.tuples(st.none() | st.integers(), st.none() | st.floats(allow_nan=False, allow_infinity=False))))
def test_numbers_come_back_as_they_were(rows: list[tuple[int | None, float | None]]) -> None:
    assert parse_csv(format_csv(["n", "x"], rows), {"n": "integer", "x": "real"})[1] == rows


def test_other_readers_agree() -> None:
    rows = [['say "hi"', "a,b", "two\nlines"], ["plain", "x", " spaced "]]
    assert list(csv.reader(io.StringIO(format_csv(["a", "b", "c"], rows), newline="")))[1:] == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header"),
        ("a,b\n1\n", "data row 1 has 1 fields"),
        ("a,b\n1,2", "cut"),
        ('a\n"x\n', "does not end"),
        ('a\nx"y"\n', "inside a field"),
        ("n\n1\ntwo\n", "data row 2, column n"),
        ("n\n1.5\n", "is not integer"),
    ],
)
def test_a_damaged_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        parse_csv(text, {"n": "integer"})


def test_booleans_are_zero_or_one() -> None:
    assert format_csv(["b"], [[True], [False]]) == "b\n1\n0\n"
    with pytest.raises(StoreError, match="is not boolean"):
        parse_csv("b\n2\n", {"b": "boolean"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], {"a": 1}])
def test_a_value_without_exact_text_is_refused(value: Any) -> None:
    with pytest.raises(StoreError, match="no exact CSV text"):
        format_csv(["a"], [[value]])


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data" / "t.csv"
    write_csv(path, ["n"], [["x"]])
    with pytest.raises(StoreError) as caught:
        read_csv(path, {"n": "integer"})
    assert caught.value.where == str(path)
    with pytest.raises(StoreError, match="cannot be read"):
        read_csv(tmp_path / "none.csv")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(path, ["a"], [["old"]])
    with pytest.raises(StoreError):
        write_csv(path, ["a"], [[object()]])
    assert path.read_text() == "a\nold\n"
    assert [item.name for item in tmp_path.iterdir()] == ["t.csv"]


def test_many_rows_are_read_whole(tmp_path: Path) -> None:
    row = ["UA1545-2013-01-01-EWR", "UA", 1545, None, "a, b", 2.5, *["2013-01-01T10:00:00Z"] * 7, *[7] * 7]
    names = [f"c{number}" for number in range(len(row))]
    path = tmp_path / "t.csv"
    write_csv(path, names, [row] * 2_700)
    _, rows = read_csv(path, {"c2": "integer", "c5": "real", **{f"c{n}": "integer" for n in range(13, 20)}})
    assert len(rows) == 2_700 and rows[-1][2:6] == (1545, None, "a, b", 2.5)
