"""Where the tables of a spreadsheet's grid are: header rows, merged cells, notes, totals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from envforge.core.records.extraction import Issue, MinedColumn, MinedTable
from envforge.mine.extract.records import distinct, iso_timestamp, row_locator, typed_values

Cells = list[Any]
MAX_HEADER_ROWS = 4
_NULL_WORDS = frozenset({"", "NA", "N/A", "n/a", "-", "–", "—"})
_ERROR = re.compile(r"^#(N/A|REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA)$")
_TOTAL = re.compile(r"^(grand |sub-?|over-?all )?(totals?|sum|average|mean)( .{0,20})?:?$", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[\d.,]+ ?%?")


@dataclass(frozen=True)
class Merge:
    """A merged range, 0-based and inclusive."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass
class Grid:
    """The cells of one sheet, rows of equal width; rows and columns are those of the sheet."""

    path: str
    sheet: str
    rows: list[Cells]
    merges: Sequence[Merge] = ()
    issues: list[Issue] = field(default_factory=lambda: list[Issue]())

    def note(self, row: int, reason: str) -> None:
        """Remember what is left out, and where it stands."""
        self.issues.append(Issue(locator=f"{self.path}#{self.sheet}!{row + 1}", reason=reason))


@dataclass
class _Block:
    """A rectangle of the grid without an empty row in it."""

    top: int
    rows: list[Cells]


def tables_of(grid: Grid, name: str, source_id: str) -> list[MinedTable]:
    """The tables of a sheet, top down; what is no table becomes an issue of the grid."""
    _fill_merged(grid)
    tables: list[MinedTable] = []
    for block in _joined(_blocks(grid)):
        number = len(tables) + 1
        table = _table(grid, block, name if number == 1 else f"{name}_{number}", source_id)
        if table is not None:
            tables.append(table)
    if not tables:
        grid.note(0, f"sheet {grid.sheet!r} holds no table")
    return tables


def _fill_merged(grid: Grid) -> None:
    """A merged cell speaks for every row it spans; across, only headers repeat it (see `_names`)."""
    room = sum(len(row) for row in grid.rows)  # ranges of a sound file do not overlap
    for merge in grid.merges:
        if merge.bottom == merge.top or merge.top >= len(grid.rows) or merge.left >= len(grid.rows[merge.top]):
            continue
        value = grid.rows[merge.top][merge.left]
        spanned = grid.rows[merge.top + 1 : merge.bottom + 1]
        room -= len(spanned)
        if value is None or room < 0:
            continue
        for row in spanned:
            if row[merge.left] is None:
                row[merge.left] = value


def _blocks(grid: Grid) -> list[_Block]:
    blocks: list[_Block] = []
    open_block: _Block | None = None
    for number, row in enumerate(grid.rows):
        if all(cell is None for cell in row):
            open_block = None
        elif open_block is None:
            open_block = _Block(number, [row])
            blocks.append(open_block)
        else:
            open_block.rows.append(row)
    return blocks


def _joined(blocks: Sequence[_Block]) -> list[_Block]:
    """Blocks that go on after an empty row are one table: they have no header of their own."""
    joined: list[_Block] = []
    for block in blocks:
        if joined and not _begins_table(block, joined[-1]):
            gap = block.top - joined[-1].top - len(joined[-1].rows)
            width = len(block.rows[0])
            joined[-1].rows += [[None] * width for _ in range(gap)] + block.rows
        else:
            joined.append(block)
    return joined


def _begins_table(block: _Block, before: _Block) -> bool:
    if len(before.rows) < 2 or _width(before) < 2:
        return True
    if len(block.rows) < 2 or not _is_header(block.rows[0]) or _filled(block.rows[0]) < 2:
        return False
    if _span(block.rows) != _span(before.rows):
        return True
    # As wide as the table above: a header only if it names columns that are not text themselves.
    return any(_is_valued(cell) for row in block.rows[1:6] for cell in row)


def _table(grid: Grid, block: _Block, name: str, source_id: str) -> MinedTable | None:
    rows, top = block.rows, block.top
    while rows and _filled(rows[0]) < 2 and (_width(block) > 1 or len(rows) == 1):
        grid.note(top, f"a title or note is left out: {_shown(rows[0])}")
        rows, top = rows[1:], top + 1
    left, right = _span(rows)
    rows = [row[left : right + 1] for row in rows]
    if len(rows) < 2:
        if rows:
            grid.note(top, "a row that stands alone is no table")
        return None
    depth = _header_depth(grid, rows, top, left)
    names = _names(grid, rows[:depth], top, left) if depth else [""] * len(rows[0])
    if depth == 0:
        grid.note(top, "no header row; the columns are numbered")
    body = _body(grid, rows[depth:], top + depth)
    if not body:
        grid.note(top, f"the table {name!r} has a header and no rows")
        return None
    columns: list[MinedColumn] = []
    data: list[list[Any]] = []
    errors = 0
    for title, values in zip(names, zip(*body, strict=True), strict=True):
        errors += sum(isinstance(value, str) and bool(_ERROR.match(value)) for value in values)
        kind, typed = typed_values(_plain_column(values))
        if not title and all(value is None for value in typed):
            continue
        title = title or f"column_{len(columns) + 1}"
        columns.append(MinedColumn(name=title, type=kind, nullable=any(value is None for value in typed)))
        data.append(typed)
    if errors:
        grid.note(top, f"{errors} cells of {name!r} hold a formula error; they are NULL")
    locator = row_locator(grid.path, f"#{grid.sheet}!{_letters(left)}{top + depth + 1}")
    return MinedTable(name, tuple(_distinct(columns)), tuple(zip(*data, strict=True)), locator, source_id)


def _header_depth(grid: Grid, rows: Sequence[Cells], top: int, left: int) -> int:
    """How many rows are header: merged cells reach over or into the next row, or it completes a sparse one."""
    if not _is_header(rows[0]):
        return 0
    depth = 1
    while depth < min(MAX_HEADER_ROWS, len(rows) - 1) and _is_header(rows[depth]):
        at = top + depth - 1
        grouped = any(merge.top <= at <= merge.bottom and merge.left >= left
                      and (merge.bottom > at or merge.right > merge.left) for merge in grid.merges)  # fmt: skip
        sparse = _gaps(rows[depth - 1]) > 0 and _filled(rows[depth]) > _filled(rows[depth - 1])
        if not grouped and not (sparse and any(_is_valued(cell) for row in rows[depth + 1 :][:5] for cell in row)):
            break
        depth += 1
    return depth


def _names(grid: Grid, header: Sequence[Cells], top: int, left: int) -> list[str]:
    """One name per column: the header rows joined, a group's title repeated over its columns."""
    filled: list[Cells] = []
    for number, row in enumerate(header):
        row, spans = list(row), {m.left - left: m.right - left for m in grid.merges if m.top == top + number}
        for start, end in spans.items():
            for place in range(max(start, 0) + 1, min(end + 1, len(row))):
                row[place] = row[place] if row[place] is not None else row[start]
        if number < len(header) - 1 and not spans:
            for place in range(1, len(row)):
                row[place] = row[place] if row[place] is not None else row[place - 1]
        filled.append(row)
    names: list[str] = []
    for parts in zip(*filled, strict=True):
        words = [" ".join(str(_plain(part)).split()) for part in parts if part is not None]
        names.append(" ".join(dict.fromkeys(words)))
    return names


def _body(grid: Grid, rows: Sequence[Cells], top: int) -> list[Cells]:
    """The rows of records: without empty ones, notes below the table and rows of totals."""
    numbered = [(top + at, row) for at, row in enumerate(rows) if _filled(row)]
    while numbered and len(numbered[-1][1]) > 2 and _filled(numbered[-1][1]) == 1:
        number, row = numbered.pop()
        grid.note(number, f"a note below the table is left out: {_shown(row)}")
    kept: list[Cells] = []
    for place, (number, row) in enumerate(numbered):
        if _is_total(row, last=place == len(numbered) - 1):
            grid.note(number, f"a row of totals is left out: {_shown(row)}")
        elif _filled(row) == 1 and any(m.top == number and m.right > m.left for m in grid.merges):
            grid.note(number, f"a heading between rows is left out: {_shown(row)}")
        else:
            kept.append(row)
    return kept


def _is_total(row: Cells, *, last: bool) -> bool:
    label = next((cell for cell in row if cell is not None), None)
    if not isinstance(label, str) or not _TOTAL.match(label.strip()):
        return False
    # "Total" may be the name of something; at the end, or as a subtotal, it is a sum.
    return any(_is_valued(cell) for cell in row) and (last or label.strip().lower().startswith(("sub", "grand")))


def _is_header(row: Cells) -> bool:
    """True for a row of words; years may head columns too."""
    cells = [cell for cell in row if cell is not None]
    words = [cell for cell in cells if isinstance(cell, str) and not _NUMBER.fullmatch(cell.strip())]
    years = [cell for cell in cells if isinstance(cell, int) and not isinstance(cell, bool) and 1800 <= cell <= 2200]
    return bool(words) and len(words) + len(years) == len(cells)


def _is_valued(cell: Any) -> bool:
    return cell is not None and not isinstance(cell, str)


def _filled(row: Cells) -> int:
    return sum(cell is not None for cell in row)


def _gaps(row: Cells) -> int:
    return len(row) - _filled(row)


def _span(rows: Sequence[Cells]) -> tuple[int, int]:
    """First and last column that any of the rows fills."""
    left = min((next(i for i, cell in enumerate(row) if cell is not None) for row in rows if _filled(row)), default=0)
    right = max((max(i for i, c in enumerate(row) if c is not None) for row in rows if _filled(row)), default=-1)
    return left, right


def _width(block: _Block) -> int:
    left, right = _span(block.rows)
    return right - left + 1


def _shown(row: Cells) -> str:
    return " ".join(str(cell) for cell in row if cell is not None)[:80]


def _letters(column: int) -> str:
    """0 -> A, 26 -> AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def _plain_column(values: Sequence[Any]) -> list[Any]:
    """Values as records hold them; days stay days where no cell of the column has a time of day."""
    moments = [value for value in values if isinstance(value, datetime)]
    days = all(value.time() == time() for value in moments)
    return [_plain(value.date() if days and isinstance(value, datetime) else value) for value in values]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso_timestamp(value.isoformat(timespec="seconds"))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, str):
        word = value.strip()
        return None if word in _NULL_WORDS or _ERROR.match(word) else word
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _distinct(columns: Sequence[MinedColumn]) -> list[MinedColumn]:
    """Columns of one name are numbered."""
    names = distinct(column.name for column in columns)
    return [column.model_copy(update={"name": name}) for column, name in zip(columns, names, strict=True)]
