"""From mined tables (CSV and the like) to typed tables with keys and references.

With tables in the catalogue entry, their SQL says what to make of the files and every statement is verified
(`table_shapes`); without them, everything is inferred from names and values (`general_tables`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envforge.core.errors import ConfigError
from envforge.core.records.extraction import Extraction, MinedTable
from envforge.core.records.source import Theme
from envforge.mine.infer.drafts import Tabular
from envforge.mine.infer.general_tables import tables_in_general
from envforge.mine.infer.names import safe_identifier
from envforge.mine.infer.table_shapes import tables_by_shapes
from envforge.web.paths import glob_pattern

__all__ = ["Tabular", "infer_tables", "name_views"]


def infer_tables(theme: Theme, extractions: Sequence[Extraction], *, clock: str | None) -> Tabular:
    """Tables, rows and provenance of all extractions.

    Raises ConfigError when the theme states something about the tables that their rows contradict.
    """
    mined = [table for extraction in extractions for table in extraction.tables]
    if theme.tables:
        return tables_by_shapes(theme, name_views(theme, mined), clock=clock)
    return tables_in_general(mined)


def name_views(theme: Theme, mined: Sequence[MinedTable]) -> dict[str, MinedTable]:
    """Every mined table under the name by which SQL sees it: as `Anchor.views` say, else its own name.

    Raises ConfigError when two files claim a name, or one glob fits several files.
    """
    tables_of_file = Counter(table.path for table in mined)
    views: dict[str, MinedTable] = {}
    for table in mined:
        own = safe_identifier(table.name)
        stated = _view_of(theme, table)
        # A file of several tables (SQLite) lends its view's name to each of them.
        name = own if stated is None else stated if tables_of_file[table.path] == 1 else f"{stated}_{own}"
        if name in views:
            places = f"{views[name].path} and {table.path}"
            remedy = "name them apart in the anchors' views"
            where = f"themes/catalogue/{theme.slug}.yaml, anchors"
            raise ConfigError(f"two files would be the view {name}: {places}", where=where, remedy=remedy)
        views[name] = table
    return views


def _view_of(theme: Theme, table: MinedTable) -> str | None:
    for anchor in theme.anchors:
        for glob, name in anchor.views.items():
            if glob_pattern(glob).fullmatch(table.path):
                return name
    return None
