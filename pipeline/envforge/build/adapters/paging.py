"""Pages of rows that a free SELECT found."""

from __future__ import annotations

from envforge.build.adapters.spec import AdapterSpec
from envforge.core.records.blueprint import Blueprint

_PAGE = '''
def _page_of_rows(world: World, rows: list[dict], start_cursor: str | None, page_size: int) -> dict:
    """The page of `rows` that starts at a cursor."""
    offset = _offset_of(start_cursor)
    return _page(rows[offset : offset + page_size + 1], page_size, offset)
'''


def page_functions(_: Blueprint) -> dict[str, str]:
    """The one function there is."""
    return {"_page_of_rows": _PAGE.lstrip("\n")}


PAGE_OF_ROWS = AdapterSpec(
    "page_of_rows",
    "_page_of_rows",
    page_functions,
    errors=(("invalid_argument", "the cursor is not one of this tool"),),
)
