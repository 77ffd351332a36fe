"""Excel workbooks (.xlsx, .xlsm): sheets into tables, read as a stream and within bounds."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction, Issue, MinedTable
from envforge.core.records.source import Source
from envforge.mine.extract.archives import MAX_RATIO
from envforge.mine.extract.records import distinct, table_name
from envforge.mine.extract.sheets import Cells, Grid, Merge, tables_of

MAX_UNPACKED = 256 * 2**20
MAX_CELLS = 4_000_000
"""Cells read of one workbook, empty ones between filled ones included."""
MAX_MERGES = 20_000

_PATH = re.compile(r"\.(xlsx|xlsm|xltx|xls|xlsb|ods)$", re.IGNORECASE)
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_UNNAMED = re.compile(
    r"^(sheet|worksheet|table|tabelle|blatt|feuil|hoja|foglio|planilha|лист)?[ _]?\d*$", re.IGNORECASE
)
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]{0,100}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')


class WorkbookExtractor:
    """Reads the visible sheets of a workbook: the cached values of its formulas, never the formulas."""

    name = "workbook"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for workbooks by name or MIME; old and foreign formats too, which are refused with a remedy."""
        named = bool(_PATH.search(source.path)) or source.mime.startswith(_MIME)
        return named and head.startswith((b"PK\x03\x04", _COMPOUND, b"PK\x05\x06"))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the sheets. Raises ExtractError when the file is encrypted, broken, of another format or too large."""
        source = fetched.source
        _check(fetched)
        issues: list[Issue] = []
        tables: list[MinedTable] = []
        workbook = _open(fetched)
        try:
            grids = list(_grids(workbook, source.path, issues))
        finally:
            workbook.close()
        for grid, name in zip(grids, _table_names(grids, source.path), strict=True):
            tables += tables_of(grid, name, source.id)
            issues += grid.issues
        return Extraction(source_id=source.id, extractor=self.name, tables=tuple(tables), issues=tuple(issues))


def _check(fetched: Fetched) -> None:
    """Refuse what cannot be read before anything is unpacked."""
    body, where = fetched.body, fetched.source.path
    if body.startswith(_COMPOUND):
        if "EncryptedPackage".encode("utf-16-le") in body:
            raise ExtractError("the workbook is encrypted", where=where, remedy="save it without a password")
        raise ExtractError("the old .xls format is not read", where=where, remedy="save it as .xlsx or .csv")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ExtractError(f"the workbook is broken: {error}", where=where, remedy="fetch or save it again") from error
    names = {info.filename for info in infos}
    if "mimetype" in names and "content.xml" in names:
        raise ExtractError("OpenDocument sheets are not read", where=where, remedy="save it as .xlsx or .csv")
    if "xl/workbook.bin" in names:
        raise ExtractError("the binary .xlsb format is not read", where=where, remedy="save it as .xlsx or .csv")
    if "[Content_Types].xml" not in names:
        raise ExtractError("the archive is no workbook", where=where, remedy="unpack it and name its files")
    unpacked = sum(info.file_size for info in infos)
    limit = min(MAX_UNPACKED, max(MAX_RATIO * len(body), 2**20))
    if unpacked > limit:
        raise ExtractError(
            f"the workbook unpacks to {unpacked:,} bytes, more than {limit:,}",
            where=where,
            remedy="save the sheets that matter as .csv",
        )


def _open(fetched: Fetched) -> Any:
    from openpyxl import load_workbook  # slow to import, and only some themes have a workbook

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts that hold no values: validations, drawings, print settings
            return load_workbook(io.BytesIO(fetched.body), read_only=True, data_only=True, keep_links=False)
    except Exception as error:  # a stranger's file: the reader raises whatever its parts happen to break
        raise _broken(fetched.source.path, error) from error


def _broken(where: str, error: Exception) -> ExtractError:
    text = " ".join(str(error).split())[:160] or type(error).__name__
    return ExtractError(f"the workbook is broken: {text}", where=where, remedy="open it and save it again")


def _grids(workbook: Any, path: str, issues: list[Issue]) -> Iterator[Grid]:
    room = MAX_CELLS
    for sheet in workbook.worksheets:
        place = f"{path}#{sheet.title}"
        if sheet.sheet_state != "visible":
            issues.append(Issue(locator=place, reason="a hidden sheet is left out"))
            continue
        try:
            rows = _rows(sheet, room, place)
            merges = _merges(workbook, sheet)
        except ExtractError:
            raise
        except Exception as error:  # as in _open
            raise _broken(place, error) from error
        room -= sum(len(row) for row in rows)
        if len(merges) == MAX_MERGES:
            issues.append(Issue(locator=place, reason=f"more than {MAX_MERGES} merged ranges; the rest is not filled"))
        yield Grid(path, str(sheet.title), rows, merges)


def _rows(sheet: Any, room: int, place: str) -> list[Cells]:
    """Every row as wide as the widest; empty rows at the end are cut."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong; the cells decide
    rows: list[Cells] = []
    width = used = empty = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for values in sheet.iter_rows(values_only=True):
            row: Cells = list(values)
            while row and (row[-1] is None or row[-1] == ""):
                row.pop()
            used += max(len(values), 1)
            if used > room:
                raise ExtractError(
                    f"the workbook has more than {MAX_CELLS:,} cells", where=place, remedy="save the sheets as .csv"
                )
            if not row:
                empty += 1
                continue
            rows += [[] for _ in range(empty)]
            empty, width = 0, max(width, len(row))
            rows.append([None if cell == "" else cell for cell in row])
    if width * len(rows) > room:
        raise ExtractError(
            f"the workbook spans more than {MAX_CELLS:,} cells", where=place, remedy="save the sheets as .csv"
        )
    return [row + [None] * (width - len(row)) for row in rows]


def _merges(workbook: Any, sheet: Any) -> list[Merge]:
    """Merged ranges, which the streaming reader does not tell: looked for in the sheet's own XML."""
    found: list[Merge] = []
    rest = b""
    with workbook._archive.open(sheet._worksheet_path) as stream:
        while (chunk := stream.read(2**20)) and len(found) < MAX_MERGES:
            text = rest + chunk
            end = 0
            for match in _MERGE.finditer(text):
                left, top, right, bottom = (_index(part) for part in match.groups())
                found.append(Merge(top, left, bottom, right))
                end = match.end()
            rest = text[max(end, len(text) - 200) :]
    return found[:MAX_MERGES]


def _index(part: bytes) -> int:
    """0-based index of a row number or of column letters."""
    if part.isdigit():
        return int(part) - 1
    number = 0
    for letter in part:
        number = number * 26 + letter - 64
    return number - 1


def _table_names(grids: list[Grid], path: str) -> list[str]:
    """Sheets name their tables; a sheet that nobody named leaves it to the file."""
    wanted: list[str] = []
    for grid in grids:
        own = table_name(grid.sheet.replace(".", " "))
        # A name of other letters leaves nothing that a table could be called by.
        wanted.append(table_name(path) if _UNNAMED.match(grid.sheet) or not own[0].isalpha() else own)
    return distinct(wanted)
