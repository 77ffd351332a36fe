"""Tables that an author found row by row: typed like those of any file, each row with the file that it stands in."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.extraction import Extraction, MinedTable, TablePart
from envforge.core.records.research import Cell, FoundRows, PlannedTable, Research
from envforge.core.records.source import TableShape, Theme
from envforge.mine.extract.cells import typed_column

EXTRACTOR = "researcher"


def extractions_of(research: Research) -> list[Extraction]:
    """One extraction per table that has rows."""
    tables = [_table(planned, research.found) for planned in research.tables]
    return [Extraction(table.source_id, EXTRACTOR, tables=(table,)) for table in tables if table is not None]


def _table(planned: PlannedTable, found: Sequence[FoundRows]) -> MinedTable | None:
    mine = [one for one in found if one.table == planned.name and one.rows]
    if not mine:
        return None
    rows: list[tuple[Cell, ...]] = [row for one in mine for row in one.rows]
    typed = [typed_column(name, None, [row[place] or "" for row in rows]) for place, name in enumerate(planned.columns)]
    parts = tuple(TablePart(len(one.rows), _locator(one), one.source) for one in mine)
    return MinedTable(
        name=planned.name,
        columns=tuple(column for column, _ in typed),
        rows=tuple(zip(*(values for _, values in typed), strict=True)),
        locator=parts[0].locator,
        source_id=parts[0].source_id,
        key=(planned.key,),
        parts=parts,
    )


def _locator(found: FoundRows) -> str:
    path = found.path.replace("{", "{{").replace("}", "}}")
    return f"{path}#{found.table}/{{row}}"


def with_found_tables(theme: Theme, research: Research) -> Theme:
    """A theme whose entry shapes its tables, with the found ones beside them; any other takes all as they are."""
    if not theme.tables:
        return theme
    filled = {one.table for one in research.found if one.rows}
    shapes = tuple(
        TableShape(name=table.name, sql=f'SELECT * FROM "{table.name}"', key=(table.key,), description=table.about)  # noqa: S608
        for table in research.tables
        if table.name in filled
    )
    return theme.model_copy(update={"tables": (*theme.tables, *shapes)})
