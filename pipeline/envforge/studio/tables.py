"""Tables of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from envforge.studio.page import text


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int] = ()) -> str:
    """A table; every cell is escaped. `numbers`: places of columns that are set to the right."""
    head = "".join(f"<th{_class(place, numbers)}>{text(name)}</th>" for place, name in enumerate(columns))
    lines = "".join(
        f"<tr>{''.join(_cell(place, cell, numbers) for place, cell in enumerate(row))}</tr>\n" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{lines}</tbody></table></div>'


def _cell(place: int, cell: Any, numbers: Sequence[int]) -> str:
    return f"<td{_class(place, numbers)}>{text(str(cell))}</td>"


def _class(place: int, numbers: Sequence[int]) -> str:
    return ' class="n"' if place in numbers else ""
