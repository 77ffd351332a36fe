from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction, MinedTable
from envforge.mine.extract import workbook as reader
from envforge.mine.extract.workbook import WorkbookExtractor

Make = Callable[..., Fetched]


def saved(book: Any) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def book_of(*rows: list[Any], title: str = "Boats", merged: tuple[str, ...] = ()) -> bytes:
    book: Any = Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for area in merged:
        sheet.merge_cells(area)
    return saved(book)


def read(fetched: Make, body: bytes, path: str = "club/fleet.xlsx") -> Extraction:
    return WorkbookExtractor().extract(fetched(path, body))


def only(fetched: Make, body: bytes) -> MinedTable:
    (table,) = read(fetched, body).tables
    return table


def reasons(extraction: Extraction) -> str:
    return " | ".join(issue.reason for issue in extraction.issues)


def test_types_dates_nulls_and_errors(fetched: Make) -> None:
    day, moment = datetime.datetime(2024, 3, 1), datetime.datetime(2024, 3, 1, 6, 30)
    body = book_of(
        ["id", "name", "built", "seen", "length", "racing", "code"],
        [1, "Otter", day, moment, 4.0, True, "007"],
        [2, " Tern ", None, moment, 5.5, False, "#N/A"],
    )
    table = only(fetched, body)
    assert table.name == "boats"
    assert [(c.name, c.type) for c in table.columns] == [
        ("id", "integer"), ("name", "text"), ("built", "date"), ("seen", "timestamp"), ("length", "real"),
        ("racing", "boolean"), ("code", "text"),
    ]  # fmt: skip
    assert table.rows[0] == (1, "Otter", "2024-03-01", "2024-03-01T06:30:00", 4.0, True, "007")
    assert table.rows[1] == (2, "Tern", None, "2024-03-01T06:30:00", 5.5, False, None)
    assert table.locator == "club/fleet.xlsx#Boats!A2#row={row}" and table.path == "club/fleet.xlsx"
    assert "1 cells of 'boats' hold a formula error" in reasons(read(fetched, body))


def test_merged_cells_header_rows_titles_totals_and_notes(fetched: Make) -> None:
    body = book_of(
        [None, "Fees of 2025"],
        [],
        [None, "Member", None, "Fees", None, "Since"],
        [None, "No", "Town", "Due", "Paid", None],
        [None, 1, "Alden", 10.5, 10, 2019],
        [None, 2, None, 20, 20, 2020],
        [None, 3, "Birk", 30, 5, 2021],
        [None, "Total", None, 60.5, 35],
        [],
        [None, "Source: the treasurer"],
        merged=("B1:F1", "B3:C3", "D3:E3", "F3:F4", "C5:C6"),
    )
    extraction = read(fetched, body)
    (table,) = extraction.tables
    assert [c.name for c in table.columns] == ["Member No", "Member Town", "Fees Due", "Fees Paid", "Since"]
    assert table.rows == ((1, "Alden", 10.5, 10, 2019), (2, "Alden", 20.0, 20, 2020), (3, "Birk", 30.0, 5, 2021))
    told = reasons(extraction)
    assert "a title or note is left out: Fees of 2025" in told
    assert "a row of totals is left out: Total 60.5 35" in told
    assert "a note below the table is left out: Source: the treasurer" in told
    assert [issue.locator for issue in extraction.issues if "totals" in issue.reason] == ["club/fleet.xlsx#Boats!8"]


def test_a_name_that_is_total_is_no_sum(fetched: Make) -> None:
    table = only(fetched, book_of(["firm", "staff"], ["Total", 5], ["Other", 6]))
    assert [row[0] for row in table.rows] == ["Total", "Other"]


def test_rows_of_one_cell_stay_unless_they_are_merged_headings(fetched: Make) -> None:
    rows = [["name", "town", "age"], ["Ann"], ["Ben", "Birk", 30], ["Cy", "Alden", 40]]
    assert len(only(fetched, book_of(*rows)).rows) == 3
    extraction = read(fetched, book_of(*rows, merged=("A2:C2",)))
    assert len(extraction.tables[0].rows) == 2 and "a heading between rows is left out: Ann" in reasons(extraction)


def test_several_tables_on_a_sheet_and_gaps_within_one(fetched: Make) -> None:
    body = book_of(
        ["id", "name"],
        [1, "Otter"],
        [],
        [2, "Tern"],
        [],
        ["pier", "depth", "lit"],
        ["west", 3.5, True],
        ["east", 4, False],
    )
    first, second = read(fetched, body).tables
    assert (first.name, len(first.rows)) == ("boats", 2) and (second.name, len(second.rows)) == ("boats_2", 2)
    assert second.locator == "club/fleet.xlsx#Boats!A7#row={row}"


def test_without_header_columns_are_numbered(fetched: Make) -> None:
    extraction = read(fetched, book_of([1, "Otter", 3.5], [2, "Tern", 4.5]))
    (table,) = extraction.tables
    assert [c.name for c in table.columns] == ["column_1", "column_2", "column_3"] and len(table.rows) == 2
    assert "no header row" in reasons(extraction)


def test_sheets_hidden_unnamed_and_empty(fetched: Make) -> None:
    book: Any = Workbook()
    book.active.append(["id", "name"])
    book.active.append([1, "Otter"])
    hidden = book.create_sheet("Old")
    hidden.append(["a", "b"])
    hidden.append([1, 2])
    hidden.sheet_state = "hidden"
    book.create_sheet("Notes")
    extraction = read(fetched, saved(book))
    assert [table.name for table in extraction.tables] == ["fleet"]
    assert "a hidden sheet is left out" in reasons(extraction) and "sheet 'Notes' holds no table" in reasons(extraction)


@pytest.mark.parametrize("title", ["Sheet1", "Tabelle 2", "3", "工作表1"])
def test_a_sheet_without_a_name_of_its_own_is_called_after_the_file(fetched: Make, title: str) -> None:
    assert only(fetched, book_of(["id", "name"], [1, "Otter"], title=title)).name == "fleet"


def test_repeated_and_missing_column_names(fetched: Make) -> None:
    table = only(fetched, book_of(["name", "name", None, "town"], ["a", "b", 1, "c"], ["d", "e", 2, "f"]))
    assert [c.name for c in table.columns] == ["name", "name_2", "column_3", "town"]


def test_formulas_give_their_cached_values_only(fetched: Make) -> None:
    body = book_of(["id", "sum"], [1, "=1+1"], [2, "=2+2"])
    assert [row[1] for row in only(fetched, body).rows] == [None, None]  # nobody has computed them yet


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, r"old \.xls"),
        (book_of(["a", "b"], [1, 2])[:-40], "broken"),
    ],
    ids=["encrypted", "old", "cut-off"],
)
def test_what_cannot_be_read_is_refused_with_a_remedy(fetched: Make, body: bytes, message: str) -> None:
    with pytest.raises(ExtractError, match=message) as caught:
        read(fetched, body)
    assert caught.value.where == "club/fleet.xlsx" and caught.value.remedy


def _zip(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name.replace("__", "/"), body)
    return out.getvalue()


def test_another_archive_a_bomb_and_broken_parts_are_refused(fetched: Make) -> None:
    with pytest.raises(ExtractError, match="no workbook"):
        read(fetched, _zip(readme=b"x"))
    with pytest.raises(ExtractError, match="unpacks to"):
        read(fetched, _zip(**{"[Content_Types].xml": b"<a/>", "xl__big": b"0" * (8 << 20)}))
    with pytest.raises(ExtractError, match="broken"):
        read(fetched, _zip(**{"[Content_Types].xml": b"<a/>"}))
    with pytest.raises(ExtractError, match="OpenDocument"):
        read(fetched, _zip(mimetype=b"x", **{"content.xml": b"<a/>"}))


def test_a_sheet_that_spans_too_many_cells_is_refused(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    book: Any = Workbook()
    book.active["A1"], book.active["XFD2000"] = "a", "b"
    monkeypatch.setattr(reader, "MAX_CELLS", 100_000)
    with pytest.raises(ExtractError, match="more than 100,000 cells") as caught:
        read(fetched, saved(book))
    assert caught.value.where == "club/fleet.xlsx#Sheet"


def test_overlapping_merges_cost_no_more_than_the_sheet_has_cells(fetched: Make) -> None:
    body = book_of(["a", "b"], *([n, n] for n in range(200)))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            part = old.read(info)
            if info.filename == "xl/worksheets/sheet1.xml":
                merges = b"".join(b'<mergeCell ref="A1:A1048576"/>' for _ in range(30_000))
                part = part.replace(b"</sheetData>", b"</sheetData><mergeCells>" + merges + b"</mergeCells>")
            new.writestr(info.filename, part)
    extraction = read(fetched, out.getvalue())
    assert len(extraction.tables[0].rows) >= 199 and "more than 20000 merged ranges" in reasons(extraction)
