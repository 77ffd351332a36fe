from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction
from envforge.mine.extract import pdf as reader
from envforge.mine.extract.pdf import PdfExtractor

Make = Callable[..., Fetched]
FIXTURE = Path(__file__).parents[3] / "fixtures" / "sources" / "piers.pdf"
PICTURE = b"q 100 0 0 100 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q\n"


def written(x: int, y: int, text: str) -> bytes:
    return f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET\n".encode()


def ruled(y: int, rows: Sequence[Sequence[str]], *, x: int = 50, wide: int = 120, high: int = 20) -> bytes:
    """A table with lines around every cell, its top at `y`."""
    count, right = len(rows), x + len(rows[0]) * wide
    lines = [f"{x} {y - i * high} m {right} {y - i * high} l S" for i in range(count + 1)]
    lines += [f"{x + j * wide} {y} m {x + j * wide} {y - count * high} l S" for j in range(len(rows[0]) + 1)]
    cells = [
        written(x + j * wide + 5, y - i * high - 15, cell) for i, row in enumerate(rows) for j, cell in enumerate(row)
    ]
    return "\n".join(["0.5 w", *lines, ""]).encode() + b"".join(cells)


def pdf_of(*pages: bytes, head: bytes = b"", trailer: bytes = b"") -> bytes:
    """A PDF with a content stream per page; `head` goes into the stream dictionaries, `trailer` into the trailer."""
    objects = [b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    tree = 2 + 2 * len(pages)
    for content in pages:
        objects.append(b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), head, content))
        about = b"/MediaBox [0 0 600 800] /Resources << /Font << /F1 1 0 R >> >>"
        objects.append(b"<< /Type /Page /Parent %d 0 R /Contents %d 0 R %s >>" % (tree, len(objects), about))
    kids = b" ".join(b"%d 0 R" % (3 + 2 * number) for number in range(len(pages)))
    objects.append(b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids))
    objects.append(b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    objects.append(b"<< /Title (Depths of the harbour) >>")
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start, size = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    about = b"/Size %d /Root %d 0 R /Info %d 0 R %s" % (size, size - 2, size - 1, trailer)
    return out + b"trailer\n<< %s >>\nstartxref\n%d\n%%%%EOF\n" % (about, start)


PIERS = pdf_of(
    written(50, 700, "Piers and their depths") + ruled(600, [["Pier", "Depth (m)"], ["North", "4.5"], ["South", "6"]]),
    ruled(700, [["Pier", "Depth (m)"], ["East", "1,200"]])
    + ruled(500, [["All depths", ""], ["Year", "Mean"], ["2020", "5"]]),
    PICTURE,
)


def read(fetched: Make, body: bytes, path: str = "data/piers.pdf") -> Extraction:
    return PdfExtractor().extract(fetched(path, body, mime="application/pdf"))


@pytest.fixture(scope="module")
def piers(fetched: Make) -> Extraction:
    return read(fetched, PIERS)


def test_the_fixture_is_what_is_read_here() -> None:
    assert FIXTURE.read_bytes() == PIERS


def test_the_text_stands_page_by_page(piers: Extraction) -> None:
    document = piers.documents[0]
    assert (document.path, document.title, document.mime) == (
        "data/piers.pdf.txt",
        "Depths of the harbour",
        "text/plain",
    )
    first, second, third = (part.strip() for part in document.text.split("[page ")[1:])
    assert first.startswith("1]\nPiers and their depths\nPier Depth (m)\nNorth 4.5")
    assert second.startswith("2]\nPier Depth (m)\nEast 1,200") and third == "3]"


def test_a_table_over_two_pages_is_one_with_its_places(piers: Extraction) -> None:
    table = piers.tables[0]
    assert [(column.name, column.type, column.unit) for column in table.columns] == [
        ("Pier", "text", None),
        ("Depth", "real", "m"),
    ]
    assert table.rows == (("North", 4.5), ("South", 6.0), ("East", 1200.0))
    places = [(part.rows, part.locator.format(row=1)) for part in table.parts]
    assert places == [(2, "data/piers.pdf#page=1/table=1/row=1"), (1, "data/piers.pdf#page=2/table=1/row=1")]


def test_a_title_over_all_columns_is_no_header(piers: Extraction) -> None:
    table = piers.tables[1]
    assert ([column.name for column in table.columns], table.rows) == (["Year", "Mean"], ((2020, 5),))
    assert (table.name, table.parts) == ("piers_2", ())


def test_a_page_that_is_a_picture_is_said(piers: Extraction) -> None:
    assert [(issue.locator, issue.reason) for issue in piers.issues] == [
        ("data/piers.pdf#page=3", "a picture of a page, no text")
    ]


def test_a_box_around_text_and_a_table_without_header(fetched: Make) -> None:
    boxed = ruled(700, [["Only one column"], ["and no table"]]) + ruled(500, [["1", "2"], ["3", "4"]])
    tables = read(fetched, pdf_of(boxed)).tables
    assert [([column.name for column in table.columns], table.rows) for table in tables] == [
        (["column 1", "column 2"], ((1, 2), (3, 4)))
    ]


def test_what_comes_after_the_last_page_that_is_read_is_said(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_PAGES", 1)
    extraction = read(fetched, PIERS)
    assert "page 2" not in extraction.documents[0].text
    assert extraction.issues[0].locator == "data/piers.pdf#page=2" and "2 to 3" in extraction.issues[0].reason


ENCRYPTED = pdf_of(
    b"x",
    trailer=b"/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
    % (b"41" * 32, b"42" * 32),
)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (ENCRYPTED, "encrypted"),
        (pdf_of(PICTURE, PICTURE), "pictures of pages"),
        (pdf_of(b"", b""), "no text"),
        (PIERS[:300], "broken"),
        (b"%PDF-1.7\n" + b"\xff" * 500, "broken"),
    ],
    ids=["encrypted", "scanned", "blank", "cut", "noise"],
)
def test_what_cannot_be_read_is_told_with_its_remedy(body: bytes, says: str, fetched: Make) -> None:
    with pytest.raises(ExtractError, match=says) as caught:
        read(fetched, body)
    assert caught.value.where == "data/piers.pdf" and caught.value.remedy


def test_a_bomb_ends_at_its_limit_of_memory(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_MEMORY", 256 << 20)
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(150)) + packer.flush()
    with pytest.raises(ExtractError, match="more than 256 MiB"):
        read(fetched, pdf_of(packed, head=b"/Filter /FlateDecode"))


def test_a_page_that_takes_too_long_is_ended(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_SECONDS", 1)
    with pytest.raises(ExtractError, match="more than 1 seconds"):
        read(fetched, pdf_of(written(50, 700, "a") * 40_000))


def test_a_lower_limit_of_the_machine_stays(fetched: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A batch system's own limit is no sign of a PDF that is too large."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nulimit -t 60\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert "North 4.5" in read(fetched, PIERS).documents[0].text


def test_too_much_text_is_refused(fetched: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_CHARACTERS", 10)
    with pytest.raises(ExtractError, match="more than 10 characters"):
        read(fetched, PIERS)


def test_signs_without_letters_are_told(fetched: Make) -> None:
    with pytest.raises(ExtractError, match="which letters"):
        read(fetched, pdf_of(written(50, 700, r"\(cid:12\)\(cid:7\)")))


def test_it_knows_a_pdf_by_its_beginning(fetched: Make) -> None:
    accepts = PdfExtractor().accepts
    assert accepts(fetched("a.pdf", PIERS, mime="application/pdf").source, b"\n\n" + PIERS)
    assert accepts(fetched("download", PIERS).source, PIERS)
    assert not accepts(fetched("a.pdf", b"", mime="application/pdf").source, b"<html>not found</html>")
    assert not accepts(fetched("notes.txt", PIERS, mime="text/plain").source, b"about %PDF- files")
