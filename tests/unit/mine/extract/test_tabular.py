from __future__ import annotations

import gzip
import io
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import MinedTable, StatedReference
from envforge.mine.extract.tabular import TabularExtractor

Make = Callable[..., Fetched]


def table(fetched: Make, body: str | bytes, path: str = "data/rows.csv") -> MinedTable:
    return TabularExtractor().extract(fetched(path, body)).tables[0]


def kinds(mined: MinedTable) -> dict[str, str]:
    return {column.name: column.type for column in mined.columns}


def column(mined: MinedTable, name: str) -> list[object]:
    index = [c.name for c in mined.columns].index(name)
    return [row[index] for row in mined.rows]


def test_types_nulls_and_order(fetched: Make) -> None:
    mined = table(
        fetched,
        "zip,qty,price,open,day,at,seen,note\n"
        "01234,1,2.5,true,2013-01-31,2013-01-31T10:00:00Z,2013-01-31 10:00:00,plain\n"
        'NA,NA,,false,,2013-01-31T10:00:00+02:00,N/A,"two\nlines, one ""quote"""\n',
        "data/My Flights.csv",
    )
    assert mined.name == "my_flights" and mined.locator == "data/My Flights.csv#row={row}"
    assert list(kinds(mined).items()) == [
        ("zip", "text"),
        ("qty", "integer"),
        ("price", "real"),
        ("open", "boolean"),
        ("day", "date"),
        ("at", "timestamp"),
        ("seen", "timestamp"),
        ("note", "text"),
    ]
    assert mined.rows[0] == (
        "01234", 1, 2.5, True, "2013-01-31", "2013-01-31T10:00:00Z", "2013-01-31T10:00:00", "plain"
    )  # fmt: skip
    assert mined.rows[1][:3] == (None, None, None) and mined.rows[1][5] == "2013-01-31T08:00:00Z"
    assert mined.rows[1][7] == 'two\nlines, one "quote"'
    assert [c.nullable for c in mined.columns] == [True, True, True, False, True, False, True, False]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["007", "12"], "text"),
        (["+4930", "12"], "text"),
        (["12345678901234567890", "1"], "text"),
        (["nan", "1.5"], "text"),
        (["t", "f"], "text"),
        (["0", "-5"], "integer"),
        (["0.5", "3"], "real"),
        (["3435", "10.25"], "real"),
        (["", "NA"], "text"),
    ],
)
def test_values_are_never_changed_by_their_type(fetched: Make, values: list[str], kind: str) -> None:
    mined = table(fetched, "id,value\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values)))
    assert kinds(mined)["value"] == kind
    if kind == "text":
        assert column(mined, "value") == [None if value in ("", "NA") else value for value in values]


def test_na_is_a_country_among_country_codes(fetched: Make) -> None:
    codes = [f"{a}{b}" for a in "BCDEF" for b in "ABCDE"] + ["NA"]
    mined = table(fetched, "country,name\n" + "".join(f"{code},NA\n" for code in codes))
    assert "NA" in column(mined, "country") and set(column(mined, "name")) == {None}


def test_a_late_value_decides_the_type(fetched: Make) -> None:
    rows = "".join(f"{n},{n}\n" for n in range(30_000))
    mined = table(fetched, "id,code\n" + rows + "30000,A1\n")
    assert kinds(mined) == {"id": "integer", "code": "text"} and len(mined.rows) == 30_001


@pytest.mark.parametrize("mark", ["\t", ";", "|"])
def test_other_delimiters(fetched: Make, mark: str) -> None:
    mined = table(fetched, f'"a,b"{mark}c\n1{mark}2\n', "rows.tsv")
    assert [c.name for c in mined.columns] == ["a,b", "c"] and mined.rows == ((1, 2),)


def test_columns_without_or_with_equal_names(fetched: Make) -> None:
    assert [c.name for c in table(fetched, ",a,a\n1,2,3\n").columns] == ["column_1", "a", "a_2"]


@pytest.mark.parametrize("row", ["1", "1,2,3", '1,"2'])
def test_ragged_rows_name_the_row(fetched: Make, row: str) -> None:
    with pytest.raises(ExtractError) as caught:
        table(fetched, f"a,b\n1,2\n{row}\n")
    assert "row 2" in caught.value.message and caught.value.where.startswith("data/rows.csv:3") and caught.value.remedy


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("a,b\n1,é\n".encode("latin-1"), "line 2"),
        ("a,b\n1,é\n".encode("utf-16"), "UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), "NUL"),
        (b"", "empty"),
    ],
)
def test_wrong_encoding_names_the_remedy(fetched: Make, body: bytes, word: str) -> None:
    with pytest.raises(ExtractError) as caught:
        table(fetched, body)
    assert word in caught.value.message and caught.value.where.startswith("data/rows.csv") and caught.value.remedy


def test_byte_order_mark_is_no_part_of_the_first_name(fetched: Make) -> None:
    assert table(fetched, b"\xef\xbb\xbfa,b\r\n1,2\r\n").columns[0].name == "a"


def test_packed_files(fetched: Make) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inner.csv", "a,b\n1,2\n")
    assert table(fetched, buffer.getvalue(), "flights.csv.zip").name == "flights"
    assert table(fetched, gzip.compress(b"a,b\n1,2\n", mtime=0), "rows.csv.gz").rows == ((1, 2),)
    with pytest.raises(ExtractError, match="unpacks to more"):
        table(fetched, gzip.compress(b"0" * 20_000_000, mtime=0), "bomb.csv.gz")
    with pytest.raises(ExtractError, match="broken"):
        table(fetched, buffer.getvalue()[:40], "flights.csv.zip")


def test_sqlite_and_parquet(fetched: Make, tmp_path: Path) -> None:
    file = tmp_path / "library.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT, added TEXT, cover BLOB)")
        connection.execute("INSERT INTO Book VALUES (1, 'Dune', '2020-01-02', x'00ff'), (2, NULL, '2020-01-03', NULL)")
    connection.close()
    mined = table(fetched, file.read_bytes(), "library.db")
    assert mined.name == "book" and kinds(mined)["added"] == "date" and mined.rows[0][3] == "AP8="
    with pytest.raises(ExtractError, match="broken SQLite"):
        table(fetched, b"SQLite format 3\x00" + b"x" * 500, "library.db")
    parquet = tmp_path / "rows.parquet"
    duckdb.sql(
        f"COPY (SELECT 1 AS id, DATE '2020-01-02' AS day, [1, 2] AS items, TIMESTAMP '2020-01-02 03:04:05' AS at) "
        f"TO '{parquet}' (FORMAT parquet)"
    )
    mined = table(fetched, parquet.read_bytes(), "rows.parquet")
    assert mined.rows == ((1, "2020-01-02", "[1,2]", "2020-01-02T03:04:05"),)
    assert list(kinds(mined).values()) == ["integer", "date", "json", "timestamp"]
    with pytest.raises(ExtractError, match="broken Parquet"):
        table(fetched, b"PAR1" + b"x" * 100, "rows.parquet")


def test_numbers_too_large_for_a_number_stay_text(fetched: Make) -> None:
    mined = table(fetched, "id,x\n1,1e5\n2,1e999\n")
    assert kinds(mined)["x"] == "text" and column(mined, "x") == ["1e5", "1e999"]


def test_line_ends_may_be_mixed_and_cells_long(fetched: Make) -> None:
    mined = table(fetched, b'\xef\xbb\xbfid,name\r\n1,a\n2,"b\r\nc"\n3,d\r4,' + b"e" * 200_000 + b"\n")
    assert column(mined, "id") == [1, 2, 3, 4] and kinds(mined)["id"] == "integer"
    assert column(mined, "name")[1] == "b\r\nc"


def test_sqlite_states_its_keys(fetched: Make, tmp_path: Path) -> None:
    path = tmp_path / "club.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE piers (code TEXT PRIMARY KEY, name TEXT)")
        connection.execute(
            "CREATE TABLE outings (day TEXT, pier TEXT REFERENCES piers(code), boat, PRIMARY KEY (pier, day))"
        )
        connection.execute("INSERT INTO piers VALUES ('w', 'West')")
        connection.execute("INSERT INTO outings VALUES ('2024-01-01', 'w', 1)")
    connection.close()
    outings, piers = TabularExtractor().extract(fetched("club.db", path.read_bytes())).tables
    assert (piers.key, outings.key) == (("code",), ("pier", "day"))
    assert outings.references == (StatedReference(("pier",), "piers", ("code",)),)


def test_a_large_file_is_read_in_passes_not_copied_many_times(fetched: Make) -> None:
    """The rows as lists of texts, columns and values beside each other took sixteen times the file."""
    lines = (
        f"{n},person {n % 500},town {n % 30},{n / 7:.2f},2025-{n % 12 + 1:02d}-01,{n % 2}\n" for n in range(90_000)
    )
    body = ("id,name,town,amount,day,half\n" + "".join(lines)).encode()
    file = fetched("big.csv", body)
    tracemalloc.start()
    try:
        table = TabularExtractor().extract(file).tables[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [column.type for column in table.columns] == ["integer", "text", "text", "real", "date", "integer"]
    assert len(table.rows) == 90_000
    assert peak < 7 * len(body)
