"""Tables of a page as a reader sees them: spans filled, headers joined, marks and hidden cells left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Issue
from envforge.mine.extract.html_text import BLOCKS, HEADINGS, plain, short
from envforge.mine.extract.html_tree import Element, attribute_number, is_hidden, squeeze

MAX_SPAN = 1000
"""What browsers give a colspan at most."""
MAX_CELLS = 1_000_000
"""Cells of all tables of a page, spans filled."""
_PARAGRAPHS = ("p", "div")
_TABLE = frozenset({"table"})
SECTION = "section"


@dataclass(frozen=True)
class PageTable:
    """A table of a page: caption, one header per column, rows of texts as wide as the header."""

    number: int
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    locator: str
    heading: str = ""
    """The heading under which the table stands."""

    @property
    def title(self) -> str:
        """What the page calls it."""
        return self.caption or self.heading


@dataclass(frozen=True)
class _Cell:
    texts: tuple[str, ...]
    heading: bool
    span: int
    origin: int
    """Number of the cell in the page: the places that one spanning cell fills share it."""


class _Refused(Exception):
    """A table that is no table of records; the message says why."""


def page_tables(root: Element, hidden: set[Element], path: str) -> tuple[dict[Element, PageTable], list[Issue]]:
    """All tables of the page outside `hidden` that hold records, in order, and why the others do not.

    Raises ExtractError when the spans of the page unfold to too many cells.
    """
    found: dict[Element, PageTable] = {}
    issues: list[Issue] = []
    room = MAX_CELLS
    for number, (table, heading) in enumerate(_tables(root, hidden), start=1):
        place = f"{path}#table[{number}]"
        try:
            grid, heads = _grid(table, room, f"{path}:{table.sourceline or 1}")
            room -= sum(len(row) for row in grid)
            header, rows = _records(grid, heads)
        except _Refused as reason:
            issues.append(Issue(locator=place, reason=f"{reason}; left out"))
            continue
        found[table] = PageTable(number, _caption(table), header, rows, place, heading)
    return found, issues


def _tables(root: Element, hidden: set[Element]) -> Iterator[tuple[Element, str]]:
    """The tables that a reader sees, each with the heading above it."""
    heading = ""
    for table in root.iter("table", *HEADINGS):
        if table.tag != "table":
            heading = short(table)
            continue
        if table not in hidden:
            yield table, heading


def _own_rows(table: Element) -> list[tuple[str, Element]]:
    """The rows of the table itself, with the part they stand in."""
    rows: list[tuple[str, Element]] = []
    for child in table:
        if child.tag == "tr":
            rows.append(("tbody", child))
        elif child.tag in ("thead", "tbody", "tfoot") and not is_hidden(child):
            rows.extend((child.tag, row) for row in child if row.tag == "tr")
    return [(part, row) for part, row in rows if not is_hidden(row) and part != "tfoot"]


def _grid(table: Element, room: int, where: str) -> tuple[list[list[_Cell | None]], int]:
    """The cells with their spans filled, and how many rows at the top are the header."""
    if table.get("role") in ("presentation", "none"):
        raise _Refused("a table for layout (role=presentation)")
    rows = _own_rows(table)
    grid: list[list[_Cell | None]] = []
    hanging: dict[int, tuple[int, _Cell]] = {}
    origin = 0
    for index, (_, row) in enumerate(rows):
        line: list[_Cell | None] = []
        for cell in [*(cell for cell in row if cell.tag in ("td", "th") and not is_hidden(cell)), None]:
            while len(line) in hanging:
                line.append(_hang(hanging, len(line)))
            if cell is None:
                break
            origin += 1
            across = attribute_number(cell, "colspan", MAX_SPAN)
            down = min(attribute_number(cell, "rowspan", 65534), len(rows) - index)
            room -= across * down
            if room < 0:
                raise ExtractError(
                    f"spans of its tables unfold to more than {MAX_CELLS:,} cells", where=where, remedy="leave it out"
                )
            made = _Cell(_texts(cell), cell.tag == "th", across, origin)
            for _ in range(across):
                if down > 1:
                    hanging[len(line)] = (down - 1, made)
                line.append(made)
        for column in sorted(hanging):
            if column >= len(line):
                line.extend([None] * (column - len(line)))
                line.append(_hang(hanging, column))
        grid.append(line)
    heads = sum(1 for part, _ in rows if part == "thead") or _leading(grid)
    return grid, heads


def _hang(hanging: dict[int, tuple[int, _Cell]], column: int) -> _Cell:
    left, cell = hanging.pop(column)
    if left > 1:
        hanging[column] = (left - 1, cell)
    return cell


def _texts(cell: Element) -> tuple[str, ...]:
    """The cell's text; several where it holds nothing but paragraphs. Nested tables are tables of their own.

    Paragraphs of the first one's class are one text with it: several signatures of one function.
    """
    seen = [child for child in cell if not is_hidden(child)]
    blocks = [child for child in seen if child.tag in BLOCKS and child.tag != "table"]
    loose = squeeze((cell.text or "") + "".join(child.tail or "" for child in cell))
    if len(blocks) > 1 and len(blocks) == len(seen) and blocks[0].tag in _PARAGRAPHS and not loose:
        lead = blocks[0].get("class")
        first = [block for block in blocks if lead and block.get("class") == lead] or blocks[:1]
        rest = [block for block in blocks if block not in first]
        lines = ["\n".join(plain(block, without=_TABLE) for block in first)]
        return (*lines, *(plain(block, without=_TABLE) for block in rest))
    return (plain(cell, without=_TABLE),)


def _leading(grid: Sequence[Sequence[_Cell | None]]) -> int:
    """Rows of header cells at the top, where the table does not mark its head."""
    count = 0
    for line in grid:
        if not line or not all(cell is not None and cell.heading for cell in line):
            break
        if count and len(line) > 1 and len({cell.origin for cell in line if cell}) == 1:
            break  # not a header over columns: it heads the rows below it
        count += 1
    return count


def _records(grid: list[list[_Cell | None]], heads: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    width = max((len(line) for line in grid), default=0)
    while heads > 1 and len({cell.origin for cell in grid[0] if cell}) == 1:
        grid, heads = grid[1:], heads - 1  # a title over all columns names none of them
    if heads == 0:
        raise _Refused("a table without a header row")
    if heads >= len(grid):
        raise _Refused("a table without rows")
    head, body = grid[:heads], grid[heads:]
    if width == 1:
        return _stacked(head, body)
    header = [_joined([line[column] if column < len(line) else None for line in head]) for column in range(width)]
    rows, sections = _body(body, width)
    if any(sections):
        header = [*header, SECTION]
        rows = [(*row, section) for row, section in zip(rows, sections, strict=True)]
    real = _width(body, header, width)
    kept = [
        column
        for column in (*range(real), *range(width, len(header)))
        if header[column] or any(row[column] for row in rows)
    ]
    if len(kept) < 2 or not rows:
        raise _Refused("a table of a single column" if rows else "a table without rows")
    names = tuple(header[column] or ("name" if column == 0 else "") for column in kept)
    if sum(1 for name in names if name) * 2 <= len(names):
        raise _Refused("a table whose columns have no names")
    return names, tuple(tuple(row[column] for column in kept) for row in rows)


def _width(body: Sequence[Sequence[_Cell | None]], header: Sequence[str], width: int) -> int:
    """How many columns there are: nameless ones that only too wide cells reach are none."""
    while width > 1 and not header[width - 1]:
        for line in body:
            cell = line[width - 1] if len(line) >= width else None
            before = line[width - 2] if len(line) >= width else None
            if cell is not None and (before is None or before.origin != cell.origin):
                return width
        width -= 1
    return width


def _joined(cells: Sequence[_Cell | None]) -> str:
    """Headers from the top down; what a span repeats is said once."""
    texts = [" ".join(cell.texts) for cell in cells if cell is not None]
    return squeeze(" ".join(dict.fromkeys(text for text in texts if text)))


def _body(body: Sequence[Sequence[_Cell | None]], width: int) -> tuple[list[tuple[str, ...]], list[str]]:
    """Rows, and the section each stands in: a row of one cell over all columns heads those below it."""
    rows: list[tuple[str, ...]] = []
    sections: list[str] = []
    section = ""
    for line in body:
        cells = [*line, *([None] * (width - len(line)))]
        texts = tuple(squeeze(" ".join(cell.texts)) if cell else "" for cell in cells)
        if not any(texts):
            continue
        first = cells[0]
        if first is not None and first.span >= width and width > 1:
            section = texts[0]
            continue
        if all(cell is not None and cell.heading for cell in cells):
            continue  # the header once more, for readers who scrolled
        rows.append(texts)
        sections.append(section)
    return rows, sections


def _stacked(
    head: Sequence[Sequence[_Cell | None]], body: Sequence[Sequence[_Cell | None]]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """One column whose cells hold one paragraph per header paragraph: the paragraphs are the columns."""
    top = head[-1][0]
    names = top.texts if top is not None else ()
    if len(names) < 2 or not all(names):
        raise _Refused("a table of a single column")
    rows: list[tuple[str, ...]] = []
    for line in body:
        texts = line[0].texts if line and line[0] is not None else ()
        if any(texts):
            lead, last = texts[: len(names) - 1], texts[len(names) - 1 :]
            filled = (*lead, *([""] * (len(names) - 1 - len(lead))), "\n".join(last))
            rows.append(filled)
    if not rows:
        raise _Refused("a table without rows")
    return names, tuple(rows)


def _caption(table: Element) -> str:
    for child in table:
        if child.tag == "caption":
            return short(child)
    return squeeze(table.get("summary") or table.get("aria-label") or "")
