"""Rows on their way into a table: given the columns of the plan, proven, and free of keys that are there already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from envforge.agents.assignment import Seen
from envforge.agents.researcher.evidence import Proof
from envforge.agents.researcher.findings import Findings
from envforge.agents.researcher.pages import Page
from envforge.core.records.extraction import MinedTable
from envforge.core.records.research import Cell, FoundRows, PlannedTable, RefusedRow

MOST_ROWS = 3000
"""Of one step."""
_MOST_REFUSED = 200
_SHOWN = 4


By = Literal["take", "rows", "code"]


class Intake:
    """Takes rows into the findings, and says what became of them."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def written(self, step: int, page: Page, table: PlannedTable, rows: Sequence[Sequence[Any]], by: By) -> Seen:
        """Rows that a model or its program wrote: each is looked up in the source."""
        place = table.columns.index(table.key)
        proven: list[tuple[tuple[Cell, ...], str]] = []
        refused: list[RefusedRow] = []
        given = [tuple(_cell(value) for value in row) for row in rows[:MOST_ROWS]]
        keys = {values[place] or "" for values in given if len(values) == len(table.columns)} - {""}
        for values in given:
            proof = _proof(page, table, values, keys)
            if proof.locator:
                proven.append((values, proof.locator))
            else:
                refused.append(RefusedRow(values=values, reason=proof.reason))
        return _with_left_out(self._kept(step, page, table, proven, refused, by), len(rows))

    def read(self, step: int, page: Page, table: PlannedTable, mined: MinedTable, columns: Mapping[str, str]) -> Seen:
        """Rows that our extractor read: they stand where it says. `columns`: planned -> the source's."""
        names = [column.name for column in mined.columns]
        places = [names.index(columns[name]) if name in columns else None for name in table.columns]
        template = mined.locator.partition("#")[2]
        taken: list[tuple[tuple[Cell, ...], str]] = []
        refused: list[RefusedRow] = []
        key = table.columns.index(table.key)
        for number, row in enumerate(mined.rows[:MOST_ROWS], start=1):
            values = tuple(None if place is None else _cell(row[place]) for place in places)
            if values[key]:
                taken.append((values, template.replace("{row}", str(number))))
            else:
                refused.append(RefusedRow(values=values, reason="its key is empty"))
        return _with_left_out(self._kept(step, page, table, taken, refused, "take"), len(mined.rows))

    def _kept(
        self,
        step: int,
        page: Page,
        table: PlannedTable,
        rows: Sequence[tuple[tuple[Cell, ...], str]],
        refused: Sequence[RefusedRow],
        by: By,
    ) -> Seen:
        place = table.columns.index(table.key)
        there = self._keys(table, step)
        fresh: list[tuple[tuple[Cell, ...], str]] = []
        for values, locator in rows:
            if values[place] not in there:
                there.add(values[place])
                fresh.append((values, locator))
        source = page.file.source
        self._findings.keep(
            FoundRows(
                step=step,
                table=table.name,
                address=page.address,
                source=source.id,
                path=source.path,
                by=by,
                columns=table.columns,
                rows=tuple(values for values, _ in fresh),
                locators=tuple(locator for _, locator in fresh),
                refused=tuple(refused[:_MOST_REFUSED]),
                refused_count=len(refused),
            )
        )
        return Seen(_told(table.name, len(fresh), len(rows) - len(fresh), refused), ok=bool(fresh))

    def _keys(self, table: PlannedTable, step: int) -> set[Cell]:
        keys = set[Cell]()
        for found in self._findings.found(before=step):
            if found.table == table.name and table.key in found.columns:
                place = found.columns.index(table.key)
                keys |= {row[place] for row in found.rows}
        return keys


def _proof(page: Page, table: PlannedTable, values: Sequence[Cell], keys: Collection[str]) -> Proof:
    if len(values) != len(table.columns):
        # Which of its columns is missing or too much, nobody knows: what stands there may stand under a wrong name.
        return Proof(reason=f"it has {len(values)} values for {len(table.columns)} columns")
    return page.evidence.prove(values, table.columns.index(table.key), keys)


def _told(table: str, fresh: int, known: int, refused: Sequence[RefusedRow]) -> str:
    told = [f"{fresh} rows went into {table}."]
    if known:
        told.append(f"{known} rows have keys that are there already.")
    if refused:
        told.append(f"{len(refused)} rows are not taken:")
        told += [f"- {', '.join(str(value) for value in row.values)[:120]}: {row.reason}" for row in refused[:_SHOWN]]
        told.append("Take values just as they stand in the source.")
    return "\n".join(told)


def _with_left_out(seen: Seen, rows: int) -> Seen:
    left = rows - MOST_ROWS
    return Seen(f"{seen.text} {left} further rows are left out.", ok=seen.ok) if left > 0 else seen


def _cell(value: Any) -> Cell:
    """A value as text; nothing for what is none. What is no plain value is its JSON's business, not a cell's."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return " ".join(str(value).split()) or None
    raise ValueError(f"{type(value).__name__} is no value of a cell")
